import { defineReasons } from './reason.js';

// Advice where a database may lack rows that were sent, or holds unverified data.
const askAboutEveryRow = 'nothing more is sent; `{recover}` queries the gateway about every row before it continues';
const findWhoChangedBatch =
  'nothing more is sent; find out who changed it; `{recover}`, on the machine that planned it, queries the gateway about every row and then corrects the database';

/** Of a batch in a PostgreSQL database. */
export const batchEngineReasons = defineReasons(() => ({
  engineNotAnAddress: { code: 'USAGE', why: '--engine: use an address such as postgres://user@host/database' },
  engineHoldsPassword: {
    code: 'USAGE',
    why: '--engine contains a password, which other users and your shell history can see; use --engine-password-file, PGPASSWORD or ~/.pgpass, and remove this line from the history',
  },
  engineParameterUnknown: { code: 'USAGE', why: '--engine may have only the parameters {parameters}' },
  engineAddressIncomplete: {
    code: 'USAGE',
    why: '--engine needs a user, a host and a database, as in postgres://user@host/database',
  },
  engineAuthorityNotNamed: {
    code: 'USAGE',
    why: '--engine: sslmode=verify-ca needs sslrootcert=FILE, the only authority to trust; without one use sslmode=verify-full',
  },
  engineTlsModeUnknown: {
    code: 'USAGE',
    why: '--engine: sslmode is verify-full or verify-ca (or disable on this machine); the others do not check the certificate',
  },
  engineTlsDisabledElsewhere: {
    code: 'USAGE',
    why: '--engine: sslmode=disable is for databases on this machine only',
  },
  batchOfCardsStaysHere: {
    code: 'USAGE',
    why: 'batch {batch} holds card numbers, which must stay on the machine with the file; run it without --engine',
  },
  batchOfStatusNeedsNoEngine: {
    code: 'USAGE',
    why: 'batch {batch} only queries statuses, which moves no money; run it without --engine',
  },
  batchNotInDatabase: {
    code: 'USAGE',
    why: 'this database has no batch {batch}; `paycli batch run PLAN --engine …` adds it',
  },
  noBatchLeftInDatabase: {
    code: 'USAGE',
    why: 'no batch in this database has rows left; `paycli batch run PLAN --engine …` adds one',
  },
  severalBatchesLeft: { code: 'USAGE', why: 'several batches have rows left; name one: {batches}' },

  postgresPackagesMissing: {
    code: 'STORAGE',
    what: 'PostgreSQL',
    why: 'the packages pg and pg-boss are not installed',
    how: 'install them beside paycli with `npm install --global pg@8.23.1 pg-boss@10.4.2`, then repeat the command',
  },
  databaseSearchPathLost: {
    code: 'STORAGE',
    why: 'it does not accept the search_path that paycli sets',
    how: 'nothing was sent; connect to the server itself, or let the connection pooler pass `options` on',
  },
  databaseNotConnected: {
    code: 'STORAGE',
    why: 'no connection could be made',
    how: 'check that the server is running, and give its password with --engine-password-file, PGPASSWORD or ~/.pgpass if it needs one',
  },
  databaseAnswersNot: {
    code: 'STORAGE',
    why: 'nothing answers there',
    how: 'check that the server is running and that host and port are right',
  },
  databaseHostUnknown: { code: 'STORAGE', why: 'no host has that name', how: 'correct --engine' },
  databaseLoginRefused: {
    code: 'STORAGE',
    why: 'the user or password was not accepted',
    how: 'correct the user in --engine, or give the password with --engine-password-file or PGPASSWORD',
  },
  databaseMissing: {
    code: 'STORAGE',
    why: 'the database does not exist',
    how: 'create it with `createdb`, or correct --engine',
  },
  databaseRightMissing: {
    code: 'STORAGE',
    why: 'the user lacks permission for this',
    how: `have the owner of the tables run the first command, then grant this user what \`paycli help batches\` lists; only the owner can run \`paycli batch archive\``,
  },
  databaseTooSlow: {
    code: 'STORAGE',
    why: 'it took too long to answer',
    how: 'see what keeps it busy, then `{again}`',
  },
  databaseDiskFull: {
    code: 'STORAGE',
    why: 'its disk is full',
    how: 'free some space there, then `{again}`',
  },
  databaseConnectionLost: {
    code: 'STORAGE',
    why: 'the connection was lost',
    how: 'nothing more is sent; check that the server is running, then `{again}`',
  },
  databaseCertificateRefused: {
    code: 'STORAGE',
    why: 'its certificate was not accepted',
    how: 'name the CA certificate with sslrootcert=FILE in --engine',
  },
  databaseFailed: {
    code: 'STORAGE',
    why: 'it failed with code {reported}',
    how: 'check the log of the server, then `{again}`',
  },

  databaseReadOnly: {
    code: 'STORAGE',
    what: 'the PostgreSQL server',
    why: 'it is a standby or read-only',
    how: 'nothing was sent; name the primary server in --engine',
  },
  databaseWithoutFsync: {
    code: 'STORAGE',
    what: 'the PostgreSQL server',
    why: 'fsync is off, so the record of a payment in progress may be lost',
    how: 'nothing was sent; set fsync = on in postgresql.conf and reload it',
  },
  databaseCommitsTooEarly: {
    code: 'STORAGE',
    what: 'the PostgreSQL server',
    why: 'synchronous_commit is {setting}, so the record of a payment in progress may be lost',
    how: 'nothing was sent; set it to on for this database, for example with `ALTER DATABASE name SET synchronous_commit = on`',
  },
  databaseOnAnotherServer: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'the batch was stored on another server, and this one is a copy of it',
    how: askAboutEveryRow,
  },
  databaseRestored: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'it was restored, and may be a copy',
    how: askAboutEveryRow,
  },
  databaseCopied: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'the batch was stored in another database, and this one is a copy of it',
    how: askAboutEveryRow,
  },
  databaseServerReplaced: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'another server has taken over since the batch began (timeline {timeline}; the batch began on timeline {begun}), so rows that were sent may look unsent',
    how: askAboutEveryRow,
  },
  databaseOutdated: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'rows and state changes it used to have are missing: it was restored from a backup or created again, so rows that were sent may look unsent',
    how: 'nothing more is sent; {resume} queries the gateway about every row before it continues',
  },
  databaseOfAnotherVersion: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'its tables were made by another version of paycli',
    how: 'use that version of paycli on every machine',
  },

  batchHeadUnreadable: {
    code: 'STORAGE',
    what: 'the batch in the database',
    why: 'its header cannot be read',
    how: findWhoChangedBatch,
  },
  batchHeadOfAnother: {
    code: 'STORAGE',
    what: 'the batch in the database',
    why: 'its header belongs to another batch',
    how: findWhoChangedBatch,
  },
  batchChangedInDatabase: {
    code: 'STORAGE',
    what: 'the batch in the database',
    why: 'what it should send was changed in the database',
    how: findWhoChangedBatch,
  },
  rowChangedInDatabase: {
    code: 'STORAGE',
    what: 'row {row} of the batch',
    why: 'it was changed in the database',
    how: 'nothing more is sent; find out who changed the database, and compare the batch with the plan it came from',
  },
  rowNotProvenUnsent: {
    code: 'STORAGE',
    what: 'row {row} of the batch',
    why: 'whether it was sent cannot be verified, because it was reset or changed in the database',
    how: 'nothing more is sent; find out who changed it; `{recover}`, on the machine that planned it, queries the gateway about every row before it continues',
  },
  rowKeyUnusable: {
    code: 'SECRET_UNREADABLE',
    what: '--row-key-file',
    why: 'does not contain a key of 64 hex digits',
    how: 'make one with `paycli batch work --make-row-key FILE`, then copy that file to every worker',
  },
  rowKeyOfAnotherBatch: {
    code: 'SECRET_UNREADABLE',
    what: '--row-key-file',
    why: 'is not the row key of batch {batch}',
    how: 'use the file that the first `paycli batch run` of this batch used',
  },

  sharedOrderOutOfReach: {
    code: 'STORAGE',
    what: 'the batch database',
    why: 'order {order} is a row of plan {plan}, which runs on {engine}, but that database cannot be reached: {message}',
    how: 'nothing was changed; check that the database is running, or name its address with --engine',
  },
  sharedRowNotResent: {
    code: 'USAGE',
    why: 'this order is a row of a batch on {engine}, which sends every row once: withdraw or resolve it, then plan it again',
  },
  batchMoved: {
    code: 'BATCH_REFUSED',
    why: 'batch {batch} goes on in {engine}, a restored copy of this database',
    how: 'nothing was sent; continue it there, from the machine that planned it',
  },
  batchContentDiffers: {
    code: 'BATCH_REFUSED',
    why: 'batch {batch} is in the database with different content',
    how: 'nothing was sent; plan the file again',
  },
  planLacksRows: {
    code: 'BATCH_REFUSED',
    why: 'the plan has fewer rows than its header says',
    how: 'nothing was sent; plan the file again',
  },
  rowInAnotherBatch: {
    code: 'BATCH_REFUSED',
    why: 'row {row} is already in batch {batch}, where it {clause}',
    how: 'nothing was sent; finish that batch, or remove its rows from the file and plan it again',
  },
  movedRowInDoubt: {
    code: 'BATCH_REFUSED',
    why: 'row {row} {clause}',
    how: 'nothing was sent; resolve it first with `{again}`',
  },
  batchStillWorkedOn: {
    code: 'BATCH_REFUSED',
    why: 'process {pid} on {host} is working on it, or ended less than a minute ago',
    how: 'nothing was sent; stop it if it is running; its rows are released in {seconds} s',
  },
}));

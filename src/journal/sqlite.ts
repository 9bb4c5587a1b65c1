import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, DatabaseOpener, Files } from '../runtime/ports.js';
import { type Change, sqliteDialect } from './dialect.js';
import { openJournal } from './journal.js';
import { Mark } from './mark.js';
import type { Journal } from './port.js';
import { newestFrom, newestSql } from './rows.js';
import { prepareTables, readMeta } from './schema.js';
import { openSecrets } from './secrets.js';
import type { JournalPorts, Store, Tables } from './store.js';

export interface SqlitePorts extends JournalPorts {
  readonly databases: Pick<DatabaseOpener, 'open'>;
  readonly files: JournalPorts['files'] & Pick<Files, 'isOnNetwork'>;
  readonly clock: JournalPorts['clock'] & Pick<Clock, 'now'>;
  /** The file of the journal. */
  readonly path: string;
}

/**
 * Opens the journal in its file, which is made at first use. Throws STORAGE for a file that is damaged, of another format
 * or on a network, and SECRET_UNREADABLE where the key is another one than it was made with.
 */
export function openSqliteJournal(ports: SqlitePorts): Journal {
  const { files, path } = ports;
  if (files.isOnNetwork(path))
    throw fail('STORAGE', {
      what: path,
      why: 'it is on a network file system, which may lose what was written',
      how: 'set PAYCLI_STATE_DIR to a folder on a local disk; a team shares a journal in PostgreSQL',
    });
  const database = ports.databases.open(path);
  try {
    return openJournal(openStore(ports, database));
  } catch (error) {
    database.close();
    throw error;
  }
}

function openStore(ports: SqlitePorts, database: Database): Store {
  const { files, clock, random, path, markPath, key, who } = ports;
  const secrets = openSecrets(key);
  const keyCheck = secrets.hash(['key check']);
  prepareTables(database, () => ({ store: random.letters(22), 'key check': keyCheck }));
  if (readMeta(database, 'key check') !== keyCheck)
    throw fail('SECRET_UNREADABLE', {
      what: 'the key of the journal',
      why: 'the journal was made with another key, so equal payments would not be recognised',
      how: 'nothing was sent; restore the file with the key, or move the journal away and keep it',
    });
  // The place is what the user calls it: a link in the way to it may lead to an empty folder by now.
  const marked = { files, clock, path: markPath ?? '', place: path };
  const mark = markPath === undefined ? undefined : new Mark(marked, readMeta(database, 'store'));
  const nonceOf = (event: number) => database.get('SELECT nonce FROM event WHERE id = ?', event)?.['nonce'];
  const restored = mark?.compare(nonceOf, newestFrom(database.get(newestSql)));
  const worker = random.letters(22);
  const tables = tablesIn(database, clock);
  return { tables, clock, random, secrets, mark, process: ports.process, who, worker, role: undefined, restored };
}

/** After a fault of the disk nothing more is written: a failed flush may have lost data, and a second one would not report it. */
function tablesIn(database: Database, clock: Pick<Clock, 'now'>): Tables {
  let fault: unknown;
  return {
    dialect: sqliteDialect,
    async change(work) {
      if (fault !== undefined) throw fault;
      try {
        return database.transaction(() => run(database, work(clock.now())));
      } catch (error) {
        if (isPaycliError(error) && error.code === 'STORAGE' && !isBusy(error.cause)) fault = error;
        throw error;
      }
    },
    read: async ({ sql, values }) => database.all(sql, ...values),
    now: async () => clock.now(),
    *accept() {},
    async check() {
      const rows = database.all('PRAGMA integrity_check(10)');
      return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
    },
    close: async () => database.close(),
  };
}

function run<Result>(database: Database, change: Change<Result>): Result {
  let step = change.next([]);
  while (step.done !== true) step = change.next(step.value.map(({ sql, values }) => database.all(sql, ...values)));
  return step.value;
}

/** Another process is writing, which is no fault of the disk. */
function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && [5, 6].includes(Number(cause.errcode) & 0xff);
}

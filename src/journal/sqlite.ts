import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, DatabaseOpener, Files } from '../runtime/ports.js';
import { type Change, sqliteDialect } from './dialect.js';
import { openJournal } from './journal.js';
import type { Journal } from './port.js';
import { type JournalPorts, newMeta, openStore, type Store, type Tables } from './store.js';
import { newestFrom, newestSql, sqliteTablesSql } from './tables.js';

/** In the head of the file: says that it is a journal of this format. */
const head = { id: 0x70_61_79_6a, version: 2 };

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
    return openJournal(openFile(ports, database));
  } catch (error) {
    database.close();
    throw error;
  }
}

function openFile(ports: SqlitePorts, database: Database): Store {
  prepareTables(database, ports);
  const meta = new Map(
    database.all('SELECT name, value FROM meta').map(({ name, value }) => [String(name), String(value)]),
  );
  const how = 'restore the file with the key, or move the journal away and keep it';
  const key = { what: 'the key of the journal', how };
  // The place is what the user calls it: a link in the way to it may lead to an empty folder by now.
  const found = { tables: tablesIn(database, ports.clock), role: undefined, meta, place: ports.path, key };
  const store = openStore(ports, found);
  const findNonce = (event: number) => database.get('SELECT nonce FROM event WHERE id = ?', event)?.['nonce'];
  store.restored = store.mark?.compare(findNonce, newestFrom(database.get(newestSql)));
  return store;
}

/** Makes the tables of a new file. */
function prepareTables(database: Database, ports: SqlitePorts): void {
  // Payloads that are purged must not stay readable in free pages.
  database.exec('PRAGMA secure_delete = ON');
  if (isOurs(database)) return;
  database.transaction(() => {
    if (isOurs(database)) return;
    database.exec(sqliteTablesSql);
    for (const [name, value] of Object.entries(newMeta(ports)))
      database.run('INSERT INTO meta VALUES (?, ?)', name, value);
    database.exec(`PRAGMA application_id = ${head.id}; PRAGMA user_version = ${head.version}`);
  });
}

const headSql = `SELECT count(*) AS objects, (SELECT application_id FROM pragma_application_id) AS id,
  (SELECT user_version FROM pragma_user_version) AS version FROM sqlite_master`;

/** False for a file without anything in it. */
function isOurs(database: Database): boolean {
  // One statement: another process may be making the tables.
  const { id, version, objects } = database.get(headSql) ?? {};
  if (id === head.id && version === head.version) return true;
  if (id === 0 && version === 0 && objects === 0) return false;
  throw fail('STORAGE', {
    what: 'the journal',
    why: 'its file has another format',
    how: 'use the version of paycli that made it, or move the file away and keep it',
  });
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

import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, DatabaseOpener, Files } from '../runtime/ports.js';
import { type Change, sqliteDialect } from './dialect.js';
import { openJournal } from './journal.js';
import type { Journal } from './port.js';
import { headSql, type JournalPorts, newMeta, openStore, type Tables } from './store.js';
import { sqliteTablesSql } from './tables.js';

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
    // Payloads that are purged must not stay readable in free pages.
    database.exec('PRAGMA secure_delete = ON');
    const meta = readMeta(database) ?? database.transaction(() => readMeta(database) ?? makeTables(database, ports));
    // The place is what the user calls it: a link in the way to it may lead to an empty folder by now.
    const store = openStore(ports, path, meta, tablesIn(database, ports.clock));
    const marked = store.mark?.newest;
    store.mark?.compare(marked, database.get(headSql, marked?.event ?? 0) ?? {});
    return openJournal(store);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What is kept with the tables; undefined for a file without anything in it. */
function readMeta(database: Database): ReadonlyMap<string, string> | undefined {
  const objects = database.all('SELECT name FROM sqlite_master').map(({ name }) => name);
  if (objects.length === 0) return undefined;
  const rows = objects.includes('meta') ? database.all('SELECT name, value FROM meta') : [];
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
}

function makeTables(database: Database, ports: SqlitePorts): ReadonlyMap<string, string> {
  database.exec(sqliteTablesSql);
  const meta = newMeta(ports);
  for (const [name, value] of meta) database.run('INSERT INTO meta VALUES (?, ?)', name, value);
  return meta;
}

/** After a fault of the disk nothing more is written: a failed flush may have lost data, and a second one would not report it. */
function tablesIn(database: Database, clock: Pick<Clock, 'now'>): Tables {
  let fault: unknown;
  return {
    dialect: sqliteDialect,
    momentMs: 0,
    async change(work) {
      if (fault !== undefined) throw fault;
      try {
        return database.transaction(() => run(database, work(clock.now(), false)));
      } catch (error) {
        if (isPaycliError(error) && error.code === 'STORAGE' && !isBusy(error.cause)) fault = error;
        throw error;
      }
    },
    read: async ({ sql, values }) => database.all(sql, ...values),
    *accept() {},
    check() {
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

import type { PostgresPool } from '../runtime/ports.js';
import { openJournal } from './journal.js';
import type { Journal } from './port.js';
import { PostgresTables } from './postgres-tables.js';
import { type JournalPorts, newMeta, openStore, read, type Store } from './store.js';
import { newestFrom, newestSql, postgresTablesSql } from './tables.js';

export interface PostgresPorts extends JournalPorts {
  readonly pool: PostgresPool;
  /** The address of the database, as it may be shown. */
  readonly shown: string;
}

/**
 * Opens the journal of a team, whose tables are made at first use. Throws STORAGE where the database cannot be reached or
 * may forget what it was told, and SECRET_UNREADABLE where the key is another one than the journal was made with.
 */
export async function openPostgresJournal(ports: PostgresPorts): Promise<Journal> {
  const { pool, clock, shown } = ports;
  const tables = new PostgresTables({ pool, clock, shown });
  try {
    return openJournal(await openDatabase(ports, tables));
  } catch (error) {
    await tables.close();
    throw error;
  }
}

async function openDatabase(ports: PostgresPorts, tables: PostgresTables): Promise<Store> {
  const { shown: place } = ports;
  const meta = await tables.prepare(postgresTablesSql, newMeta(ports));
  const [user] = await tables.read({ sql: 'SELECT session_user AS role', values: [] });
  const store = openStore(ports, { tables, role: String(user?.['role']), meta, place });
  if (store.mark !== undefined) {
    const { mark } = store;
    tables.known = mark.known;
    tables.onRestored = (found) => {
      store.restored ??= found;
    };
    const [marked] = await read(store, 'SELECT nonce FROM event WHERE id = ?', mark.known?.event ?? 0);
    const [newest] = await read(store, newestSql);
    store.restored = mark.compare(() => marked?.['nonce'], newestFrom(newest));
  }
  // Nothing is changed: this tells whether it may forget, and which server it is.
  await tables.change(function* () {});
  return store;
}

import type { PostgresPool } from '../runtime/ports.js';
import { openJournal } from './journal.js';
import type { Journal } from './port.js';
import { PostgresTables } from './postgres-tables.js';
import { type JournalPorts, newMeta, openStore, type Store } from './store.js';
import { postgresTablesSql } from './tables.js';
import { change } from './working-set.js';

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
  // Nothing is changed: this tells whether it may forget, and whether it was restored.
  await change(store, (set) => set.load());
  return store;
}

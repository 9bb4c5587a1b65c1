import { fail } from '../errors/index.js';
import type { PostgresPool } from '../runtime/ports.js';
import { openJournal } from './journal.js';
import { Mark } from './mark.js';
import type { Journal } from './port.js';
import tablesSql from './postgres.sql';
import { PostgresTables } from './postgres-tables.js';
import { newestFrom, newestSql } from './rows.js';
import { openSecrets } from './secrets.js';
import type { JournalPorts, Store } from './store.js';

const format = '1';

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
    return openJournal(await openStore(ports, tables));
  } catch (error) {
    await tables.close();
    throw error;
  }
}

async function openStore(ports: PostgresPorts, tables: PostgresTables): Promise<Store> {
  const { files, clock, random, shown, markPath, key, who } = ports;
  const secrets = openSecrets(key);
  const keyCheck = secrets.hash(['key check']);
  const meta = await tables.prepare(tablesSql, { store: random.letters(22), 'key check': keyCheck, format });
  if (meta.get('format') !== format)
    throw fail('STORAGE', {
      what: shown,
      why: 'its tables have another format',
      how: 'use the version of paycli that made it',
    });
  if (meta.get('key check') !== keyCheck)
    throw fail('SECRET_UNREADABLE', {
      what: '`journal-key`',
      why: 'the journal was made with another key, so equal payments would not be recognised',
      how: 'nothing was sent; give the key that the team uses',
    });
  const mark =
    markPath === undefined
      ? undefined
      : new Mark({ files, clock, path: markPath, place: shown }, meta.get('store') ?? '');
  const [user] = await tables.read({ sql: 'SELECT session_user AS role', values: [] });
  const store: Store = {
    ...{ tables, clock, random, secrets, mark, process: ports.process, who },
    ...{ worker: random.letters(22), role: String(user?.['role']), restored: undefined },
  };
  if (mark !== undefined) await compare(store, mark, tables);
  // Nothing is changed: this tells whether it may forget, and which server it is.
  await tables.change(function* () {});
  return store;
}

async function compare(store: Store, mark: Mark, tables: PostgresTables): Promise<void> {
  tables.known = mark.known;
  tables.onRestored = (found) => {
    store.restored ??= found;
  };
  const sql = 'SELECT nonce FROM event WHERE id = ?';
  const [marked] = await tables.read({ sql, values: [mark.known?.event ?? 0] });
  const [newest] = await tables.read({ sql: newestSql, values: [] });
  store.restored = mark.compare(() => marked?.['nonce'], newestFrom(newest));
}

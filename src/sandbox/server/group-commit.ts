import type { Database } from '../../runtime/ports.js';
import { insertEvents } from '../ledger/events.js';
import {
  type Counter,
  type GroupCommit,
  insertRows,
  type NewRow,
  number,
  type RowTable,
  type Store,
} from '../ledger/store.js';
import { lastTransactionId } from '../ledger/transactions.js';

/** Runs work with its own group, inside a transaction. */
export function withGroupCommit<T>(store: Store, work: (store: Store) => T): T {
  const { database } = store;
  const counters = new Map<Counter | 'transaction', number>();
  const known = new Map<string, unknown>();
  const waiting: Readonly<Record<RowTable, NewRow[]>> = { orders: [], transactions: [], events: [] };
  // Events wait until the end: no request reads the log.
  const write = (): void => {
    insertRows(database, 'orders', waiting.orders.splice(0));
    insertRows(database, 'transactions', waiting.transactions.splice(0));
  };
  const group: GroupCommit = {
    next(name) {
      const value = (counters.get(name) ?? lastValueOf(database, name)) + 1;
      counters.set(name, value);
      return value;
    },
    cached<Kind>(name: string, read: () => Kind): Kind {
      if (!known.has(name)) known.set(name, read());
      // Each name has one reader, which gave it this type.
      return known.get(name) as Kind;
    },
    setCached: (name, value) => known.set(name, value),
    dropCached: (name) => known.delete(name),
    add: (table, row) => waiting[table].push(row),
    unflushed: database,
  };
  const result = work({ ...store, database: flushingFirst(write, database), group });
  write();
  for (const [name, value] of counters)
    if (name !== 'transaction') database.run('UPDATE counters SET value = ? WHERE name = ?', value, name);
  insertEvents(database, waiting.events);
  return result;
}

function lastValueOf(database: Database, name: Counter | 'transaction'): number {
  if (name === 'transaction') return lastTransactionId(database);
  return number(database.get('SELECT value FROM counters WHERE name = ?', name) ?? {}, 'value');
}

/** The same database, which calls `write` before every other statement. */
function flushingFirst(write: () => void, database: Database): Database {
  return {
    ...database,
    exec(sql) {
      write();
      database.exec(sql);
    },
    run(sql, ...values) {
      write();
      return database.run(sql, ...values);
    },
    get(sql, ...values) {
      write();
      return database.get(sql, ...values);
    },
    all(sql, ...values) {
      write();
      return database.all(sql, ...values);
    },
  };
}

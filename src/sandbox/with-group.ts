import type { Database } from '../runtime/ports.js';
import { number } from './columns.js';
import { insertEvents } from './events.js';
import type { Counter, Group, NewRow, RowTable } from './group.js';
import { lastTransaction } from './ledger/transactions.js';
import { insertRows } from './rows.js';
import type { Store } from './store.js';

/** Runs work with a group of its own, inside a transaction. */
export function withGroup<T>(store: Store, work: (store: Store) => T): T {
  const { database } = store;
  const counters = new Map<Counter | 'transaction', number>();
  const known = new Map<string, unknown>();
  const waiting: Readonly<Record<RowTable, NewRow[]>> = { orders: [], transactions: [], events: [] };
  // Events wait until the end: no request reads the log.
  const write = (): void => {
    insertRows(database, 'orders', waiting.orders.splice(0));
    insertRows(database, 'transactions', waiting.transactions.splice(0));
  };
  const group: Group = {
    next(name) {
      const value = (counters.get(name) ?? lastOf(database, name)) + 1;
      counters.set(name, value);
      return value;
    },
    remember<Kind>(name: string, read: () => Kind): Kind {
      if (!known.has(name)) known.set(name, read());
      // One name stands for one thing, so it is of the kind its only reader gave.
      return known.get(name) as Kind;
    },
    learn: (name, value) => known.set(name, value),
    forget: (name) => known.delete(name),
    add: (table, row) => waiting[table].push(row),
    before: database,
  };
  const result = work({ ...store, database: after(write, database), group });
  write();
  for (const [name, value] of counters)
    if (name !== 'transaction') database.run('UPDATE counters SET value = ? WHERE name = ?', value, name);
  insertEvents(database, waiting.events);
  return result;
}

function lastOf(database: Database, name: Counter | 'transaction'): number {
  if (name === 'transaction') return lastTransaction(database);
  return number(database.get('SELECT value FROM counters WHERE name = ?', name) ?? {}, 'value');
}

/** The same database, where `write` comes before everything else. */
function after(write: () => void, database: Database): Database {
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

import type { Database } from '../runtime/ports.js';
import { number } from './columns.js';
import { insertEvents } from './events.js';
import type { Counter, EventRow, Group } from './group.js';

/** Runs work with a group of its own, inside a transaction. */
export function withGroup<T>(database: Database, work: (group: Group) => T): T {
  const counters = new Map<Counter, number>();
  const known = new Map<string, unknown>();
  const events: EventRow[] = [];
  const result = work({
    next(name) {
      const before = counters.get(name) ?? number(database.get('SELECT value FROM counters WHERE name = ?', name) ?? {}, 'value');
      counters.set(name, before + 1);
      return before + 1;
    },
    remember<Kind>(name: string, read: () => Kind): Kind {
      if (!known.has(name)) known.set(name, read());
      // One name stands for one thing, so it is of the kind its only reader gave.
      return known.get(name) as Kind;
    },
    forget: (name) => known.delete(name),
    record: (row) => events.push(row),
  });
  for (const [name, value] of counters) database.run('UPDATE counters SET value = ? WHERE name = ?', value, name);
  insertEvents(database, events);
  return result;
}

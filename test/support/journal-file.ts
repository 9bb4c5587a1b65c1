import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

type Row = Readonly<Record<string, unknown>>;

/** The requests and events of a journal as they stand in its file, for what is proven past the program. */
export function readJournalFile(
  state: string,
  name = 'requests.db',
): { readonly requests: Row[]; readonly events: Row[] } {
  const path = join(state, name);
  if (!existsSync(path)) return { requests: [], events: [] };
  // Not read-only: a process that was killed may have left a transaction that has to be rolled back.
  const database = new DatabaseSync(path);
  try {
    // Its process may have been killed before it made the tables.
    if (database.prepare("SELECT name FROM sqlite_schema WHERE name = 'request'").get() === undefined)
      return { requests: [], events: [] };
    const all = (table: string): Row[] => database.prepare(`SELECT * FROM ${table} ORDER BY id`).all();
    return { requests: all('request'), events: all('event') };
  } finally {
    database.close();
  }
}

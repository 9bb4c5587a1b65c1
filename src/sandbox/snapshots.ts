import { renewDigests } from './cards.js';
import { number, text } from './columns.js';
import { storeVersion } from './identity.js';
import { wrongVersion } from './prepare.js';
import type { Store } from './store.js';

/** Copies the whole state into an empty file, as it is at one moment. */
export function saveInto({ database }: Store, path: string): void {
  database.run('VACUUM INTO ?', path);
}

/** Puts the state kept in a file in place of the present one, all of it or nothing. Throws STORAGE for a file of another version. */
export function loadFrom({ database }: Store, path: string): void {
  database.run('ATTACH ? AS kept', path);
  try {
    if (number(database.get('PRAGMA kept.user_version') ?? {}, 'user_version') !== storeVersion) throw wrongVersion('the snapshot');
    database.transaction(() => {
      // Rows that refer to each other come back table by table.
      database.exec('PRAGMA defer_foreign_keys = ON');
      const tables = database
        .all("SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name = 'sqlite_sequence'")
        .map((row) => text(row, 'name'));
      for (const table of tables) database.exec(`DELETE FROM main."${table}"`);
      // Last of all the numbers given out, which SQLite notes by itself as well while rows come back.
      for (const table of tables) database.exec(`DELETE FROM main."${table}"; INSERT INTO main."${table}" SELECT * FROM kept."${table}"`);
      renewDigests({ database });
    });
  } finally {
    database.exec('DETACH kept');
  }
}

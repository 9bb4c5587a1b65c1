import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { moveTables, noTail } from './chain.js';
import { intentTables } from './intent.js';
import { Journal, type JournalPorts } from './journal.js';
import { readTail, writeTail } from './tail.js';
import { checkEnd, checkPages } from './verify.js';

export const journalVersion = 1;

/** Opens the journal, made at first use. Throws STORAGE when it is damaged, shortened or of another version. */
export function openJournal(ports: JournalPorts): Journal {
  const journal = openDamaged(ports);
  checkPages(ports.database);
  checkEnd(ports.database, readTail(ports));
  return journal;
}

/** The same whatever its condition, for those who look into it or repair it. */
export function openDamaged(ports: JournalPorts): Journal {
  const { database, random } = ports;
  const version = versionOf(database);
  if (version !== 0 && version !== journalVersion)
    throw fail('STORAGE', { what: 'the journal', why: 'another version of paycli made it', how: 'use the paycli that made it' });
  if (version === 0) {
    // First, so that a journal without this note is never a new one.
    writeTail(ports, noTail);
    database.transaction(() => {
      if (versionOf(database) !== 0) return;
      database.exec(intentTables);
      database.exec(moveTables);
      database.run('INSERT INTO meta VALUES (?, ?)', 'content-key', random.letters(43));
      database.exec(`PRAGMA user_version = ${journalVersion}`);
    });
  }
  return new Journal(ports);
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

import type { Database } from '../runtime/ports.js';
import { headOf } from './chain.js';
import type { Flaw } from './verify-intents.js';

// How many entries were missing when a person accepted the journal as complete.
const acceptedName = 'entries-missing';

const highest = '(SELECT coalesce(max(intent_id), 0) FROM moves)';

/**
 * Entries are numbered from 1 and never removed: there are as many as the highest number in any line. `newest` looks
 * only for the entry with that number.
 */
export function entryCountFlaw(database: Database, which: 'all' | 'newest'): Flaw | undefined {
  const accepted = Number(database.get('SELECT value FROM meta WHERE name = ?', acceptedName)?.['value'] ?? 0);
  if (which === 'newest' && accepted !== 0) return undefined;
  const missing = which === 'all' ? missingEntries(database) - accepted : newestMissing(database);
  if (missing === 0) return undefined;
  if (missing < 0) return { line: undefined, what: 'an entry has no line' };
  return { line: undefined, what: missing === 1 ? 'an entry is missing' : `${missing} entries are missing` };
}

/** Accepts as many missing entries as there are now; returns the counts. In a transaction of the caller. */
export function acceptAsIs(database: Database): { readonly count: number; readonly missingEntries: number } {
  const missing = missingEntries(database);
  if (missing !== 0) database.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', acceptedName, String(missing));
  return { count: headOf(database).count, missingEntries: missing };
}

function missingEntries(database: Database): number {
  return Number(database.get(`SELECT ${highest} - count(*) AS missing FROM intents`)?.['missing'] ?? 0);
}

function newestMissing(database: Database): number {
  return Number(database.get(`SELECT ${highest} - coalesce(max(id), 0) AS missing FROM intents`)?.['missing'] ?? 0);
}

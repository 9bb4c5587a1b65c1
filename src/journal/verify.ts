import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { type ChainLine, hashOf, headOf, linePages } from './chain.js';
import type { StoredCheckpoint } from './checkpoint.js';
import { isState, mayBeFound, mayMove } from './states.js';

/** One thing that is wrong with a journal, in words. */
export interface Flaw {
  /** Number of the line; undefined when it is about the file. */
  readonly line: number | undefined;
  readonly what: string;
}

// About a millisecond for each 250 pages. The pages of a larger file are checked by `journal verify` only.
const maxQuickCheckPages = 16_384;

/** Throws STORAGE when the file itself is damaged. */
export function checkPages(database: Database): void {
  if (isLarge(database)) return;
  const first = Object.values(database.get('PRAGMA quick_check(1)') ?? {})[0];
  if (first !== 'ok') throw fail('journalFileDamaged');
}

function isLarge(database: Database): boolean {
  return Number(Object.values(database.get('PRAGMA page_count') ?? {})[0] ?? 0) > maxQuickCheckPages;
}

/**
 * Throws STORAGE when lines at the end are missing, when the line of the checkpoint or one after it is invalid, and
 * when entries are missing: of a large file, where counting would take longer than a payment may wait, the newest ones.
 */
export function checkEnd(database: Database, noted: StoredCheckpoint): void {
  const end = endFlaw(database, noted);
  if (end !== undefined) throw fail('journalIncomplete', { flaw: end.what });
  const first = typeof noted === 'string' ? 1 : Math.max(noted.count, 1);
  const flaw = newLineFlaw(database, first) ?? entryCountFlaw(database, isLarge(database) ? 'newest' : 'all');
  if (flaw !== undefined) throw fail('journalFlawed', { flaw: flaw.what });
}

/** The first flaw in the lines from `first` on; few are newer than the checkpoint. */
function newLineFlaw(database: Database, first: number): Flaw | undefined {
  const before = 'SELECT to_state FROM moves WHERE intent_id = ? AND id < ? ORDER BY id DESC LIMIT 1';
  const states = new Map<number, string>();
  for (const { lines, flaws } of checkedPages(database, first)) {
    if (flaws[0] !== undefined) return flaws[0];
    for (const { id, intentId, from, to } of lines) {
      if (intentId === undefined) continue;
      const state = states.get(intentId) ?? String(database.get(before, intentId, id)?.['to_state'] ?? '');
      if (from !== state || !isLegalMove(from, to))
        return { line: id, what: `line ${id} is not a valid change from its entry's previous line` };
      states.set(intentId, to);
    }
  }
  return undefined;
}

/** How the end of a journal contradicts its checkpoint; undefined when it does not. */
export function endFlaw(database: Database, noted: StoredCheckpoint): Flaw | undefined {
  const { count } = headOf(database);
  if (noted === 'unreadable' || (noted === 'none' && count > 0))
    return { line: undefined, what: 'the checkpoint of its last line is missing or unreadable' };
  if (noted === 'none' || noted.count === 0) return undefined;
  if (noted.count > count) {
    const lost = noted.count - count;
    const how = count === 0 ? 'as if its file had been removed' : 'as if a backup had been restored';
    return { line: count + 1, what: `its last ${lost === 1 ? 'line is' : `${lost} lines are`} missing, ${how}` };
  }
  const row = database.get('SELECT hash FROM moves WHERE id = ?', noted.count);
  return row?.['hash'] === noted.hash
    ? undefined
    : { line: noted.count, what: `line ${noted.count} differs from the one that was written` };
}

/**
 * Checks the file, every line and every link, in one snapshot. Memory does not grow with its size. Empty when nothing is
 * wrong.
 */
export function flawsOf(database: Database, noted: StoredCheckpoint): Flaw[] {
  return inSnapshot(database, () => {
    const pages = database.all('PRAGMA integrity_check(20)').flatMap((row) => Object.values(row).map(String));
    if (pages[0] !== 'ok') return pages.map((what) => ({ line: undefined, what: `file: ${what}` }));
    const flaws: Flaw[] = [];
    for (const page of checkedPages(database, 1)) flaws.push(...page.flaws);
    const entries = entryCountFlaw(database, 'all');
    const end = endFlaw(database, noted);
    return [...flaws, ...(entries === undefined ? [] : [entries]), ...(end === undefined ? [] : [end])];
  });
}

/** An entry begins as planned, and is planned once more when it is corrected after a refusal. */
function isLegalMove(from: string, to: string): boolean {
  if (from === '' || to === 'planned')
    return (from === '' || from === 'refused' || from === 'planned') && to === 'planned';
  if (to === 'conflict') return isState(from);
  return isState(from) && isState(to) && (from === to || mayMove(from, to) || mayBeFound(from, to));
}

/** Reads one snapshot: other processes may write meanwhile. */
function inSnapshot<T>(database: Database, read: () => T): T {
  database.exec('BEGIN');
  try {
    return read();
  } finally {
    database.exec('COMMIT');
  }
}

interface CheckedPage {
  readonly lines: readonly ChainLine[];
  readonly flaws: readonly Flaw[];
}

function* checkedPages(database: Database, first: number): Generator<CheckedPage> {
  let before = String(database.get('SELECT hash FROM moves WHERE id = ?', first - 1)?.['hash'] ?? '');
  let expected = first;
  for (const lines of linePages(database, first)) {
    const flaws = flawsIn(lines, expected, before);
    yield { lines, flaws };
    before = lines.at(-1)?.hash ?? before;
    expected = (lines.at(-1)?.id ?? expected) + 1;
  }
}

function flawsIn(lines: readonly ChainLine[], first: number, hashBefore: string): Flaw[] {
  const flaws: Flaw[] = [];
  let before = hashBefore;
  let expected = first;
  for (const move of lines) {
    if (move.id !== expected) flaws.push({ line: expected, what: `line ${expected} is missing` });
    else if (hashOf(move, before) !== move.hash)
      flaws.push({ line: move.id, what: `line ${move.id} or the one before it was changed` });
    before = move.hash;
    expected = move.id + 1;
  }
  return flaws;
}

// How many entries were missing when a person accepted the journal as complete.
const acceptedName = 'entries-missing';

const highest = '(SELECT coalesce(max(intent_id), 0) FROM moves)';

/**
 * Entries are numbered from 1 and never removed: there are as many as the highest number in any line. `newest` looks
 * only for the entry with that number.
 */
function entryCountFlaw(database: Database, which: 'all' | 'newest'): Flaw | undefined {
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

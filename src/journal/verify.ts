import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { type ChainHead, type ChainLine, emptyHead, hashOf, headOf, linePages } from './chain.js';
import type { StoredCheckpoint } from './checkpoint.js';

/** One thing that is wrong with a journal, in words. */
export interface Flaw {
  /** Number of the line; undefined when it is about the file. */
  readonly line: number | undefined;
  readonly what: string;
}

// About a millisecond for each 250 pages. The pages of a larger file are checked by `journal --verify` only.
const maxQuickCheckPages = 16_384;

/** Throws STORAGE when the file itself is damaged. */
export function checkPages(database: Database): void {
  if (isLarge(database)) return;
  const first = Object.values(database.get('PRAGMA quick_check(1)') ?? {})[0];
  if (first !== 'ok')
    throw fail('STORAGE', {
      what: 'the journal',
      why: 'its file is damaged',
      how: 'nothing was sent; `paycli journal --verify` says what is wrong, and the gateway has the status of each order',
    });
}

function isLarge(database: Database): boolean {
  return Number(Object.values(database.get('PRAGMA page_count') ?? {})[0] ?? 0) > maxQuickCheckPages;
}

/** Throws STORAGE when lines at the end are missing. */
export function checkEnd(database: Database, noted: StoredCheckpoint): void {
  const end = endFlaw(database, noted);
  if (end !== undefined)
    throw fail('STORAGE', {
      what: 'the journal',
      why: end.what,
      how: 'nothing was sent; restore the newest journal, or run `paycli journal --accept-restored`, which queries the gateway about every order in this one and then continues with it',
    });
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
    let before = emptyHead;
    for (const lines of linePages(database)) {
      flaws.push(...flawsIn(lines, before));
      const last = lines.at(-1);
      if (last !== undefined) before = { count: last.id, hash: last.hash };
    }
    const end = endFlaw(database, noted);
    return [...flaws, ...(end === undefined ? [] : [end])];
  });
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

function flawsIn(lines: readonly ChainLine[], { count, hash }: ChainHead): Flaw[] {
  const flaws: Flaw[] = [];
  let before = hash;
  let expected = count + 1;
  for (const move of lines) {
    if (move.id !== expected) flaws.push({ line: expected, what: `line ${expected} is missing` });
    else if (hashOf(move, before) !== move.hash)
      flaws.push({ line: move.id, what: `line ${move.id} or the one before it was changed` });
    before = move.hash;
    expected = move.id + 1;
  }
  return flaws;
}

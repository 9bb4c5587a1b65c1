import { fail } from '../errors/index.js';
import type { Database, SqlRow } from '../runtime/ports.js';
import { hashOf, type Move, moveFrom, type Tail, tailOf } from './chain.js';
import { type Facts, factsIn } from './facts.js';
import { intentFrom, lastingOf } from './intent.js';

/** One thing that is wrong with a journal, in words. */
export interface Flaw {
  /** Number of the line; undefined when it is about the file. */
  readonly line: number | undefined;
  readonly what: string;
}

const how =
  'nothing was sent; `paycli journal verify` says what is wrong, `paycli journal export` saves what can be read, and the status of each order is with the gateway';

// About a millisecond for each 250 pages. A larger file is looked through by `journal verify`.
const mostPages = 16_384;

/** Throws STORAGE when the file itself is damaged. */
export function checkPages(database: Database): void {
  if (Number(Object.values(database.get('PRAGMA page_count') ?? {})[0] ?? 0) > mostPages) return;
  const first = Object.values(database.get('PRAGMA quick_check(1)') ?? {})[0];
  if (first !== 'ok') throw damaged('its file is damaged');
}

/** Throws STORAGE when lines at the end are missing. */
export function checkEnd(database: Database, noted: Tail | undefined): void {
  const flaw = endFlaw(database, noted);
  if (flaw !== undefined) throw damaged(flaw.what);
}

function damaged(why: string): Error {
  return fail('STORAGE', { what: 'the journal', why, how });
}

function endFlaw(database: Database, noted: Tail | undefined): Flaw | undefined {
  const { count } = tailOf(database);
  if (noted === undefined) return count === 0 ? undefined : { line: undefined, what: 'the note of its last line is missing or unreadable' };
  if (noted.count > count) {
    const lost = noted.count - count;
    return { line: count + 1, what: `its last ${lost === 1 ? 'line is' : `${lost} lines are`} missing, as after a restored backup` };
  }
  if (noted.count === 0) return undefined;
  const row = database.get('SELECT hash FROM moves WHERE id = ?', noted.count);
  return row?.['hash'] === noted.hash ? undefined : { line: noted.count, what: `line ${noted.count} is not the one that was written` };
}

/** Reads all of it: every line, every link, and every intent against its lines. Empty when nothing is wrong. */
export function flawsOf(database: Database, noted: Tail | undefined): Flaw[] {
  const pages = database.all('PRAGMA integrity_check(20)').flatMap((row) => Object.values(row).map(String));
  if (pages[0] !== 'ok') return pages.map((what) => ({ line: undefined, what: `file: ${what}` }));
  const end = endFlaw(database, noted);
  return [...linkFlaws(database), ...intentFlaws(database), ...(end === undefined ? [] : [end])];
}

/** The lines from this one on. Throws STORAGE when one of them is not the one that was written. */
export function linesFrom(database: Database, first: number): Move[] {
  const flaw = linkFlaws(database, first)[0];
  if (flaw !== undefined) throw damaged(flaw.what);
  return database.all('SELECT * FROM moves WHERE id >= ? ORDER BY id', first).map(moveFrom);
}

function linkFlaws(database: Database, first = 1): Flaw[] {
  const flaws: Flaw[] = [];
  let before = String(database.get('SELECT hash FROM moves WHERE id = ?', first - 1)?.['hash'] ?? '');
  let expected = first;
  for (const move of database.all('SELECT * FROM moves WHERE id >= ? ORDER BY id', first).map(moveFrom)) {
    if (move.id !== expected) flaws.push({ line: expected, what: `line ${expected} is missing` });
    else if (hashOf(move, before) !== move.hash) flaws.push({ line: move.id, what: `line ${move.id} or the one before it was changed` });
    before = move.hash;
    expected = move.id + 1;
  }
  return flaws;
}

/** What the lines say of one entry. */
interface Told {
  state: string;
  lasting: string;
  orderId: string | undefined;
  outcome: Facts;
  attempts: number;
}

function intentFlaws(database: Database): Flaw[] {
  const told = toldOf(database.all('SELECT * FROM moves WHERE intent_id IS NOT NULL ORDER BY id').map(moveFrom));
  const flaws: Flaw[] = [];
  const flaw = (what: string) => flaws.push({ line: undefined, what });
  for (const row of database.all('SELECT * FROM intents ORDER BY id')) {
    const id = Number(row['id']);
    const known = told.get(id);
    if (known?.state !== String(row['state'])) flaw(`the state of entry ${id} is not that of its last line`);
    if (known?.lasting !== lastingJson(row) || !isAsTold(row, known)) flaw(`entry ${id} was changed`);
    told.delete(id);
  }
  for (const id of told.keys()) flaw(`entry ${id} is missing`);
  return flaws;
}

function toldOf(moves: readonly Move[]): Map<number, Told> {
  const told = new Map<number, Told>();
  for (const { intentId = 0, from, to, facts } of moves) {
    const known = told.get(intentId) ?? { state: '', lasting: '', orderId: undefined, outcome: {}, attempts: 0 };
    told.set(intentId, known);
    known.state = to;
    if (to === 'planned') {
      known.lasting = facts;
      continue;
    }
    const { orderId, outcome } = factsIn(facts);
    if (typeof orderId === 'string') known.orderId ??= orderId;
    if (from !== to && outcome !== undefined) known.outcome = { ...known.outcome, ...factsIn(JSON.stringify(outcome)) };
    if (from !== to && to === 'sending') known.attempts += 1;
  }
  return told;
}

/** What came later than the first line. The order id of a follow-up is part of its key. */
function isAsTold(row: SqlRow, { orderId, outcome, attempts }: Told): boolean {
  const inKey = row['kind'] === 'opening' ? undefined : String(row['key']).includes(JSON.stringify(String(row['order_id'])));
  const isOrder = inKey === true || (row['order_id'] ?? undefined) === orderId;
  return isOrder && row['outcome'] === JSON.stringify(outcome) && Number(row['attempts']) === attempts;
}

function lastingJson(row: SqlRow): string {
  try {
    // The key as it stands: an order id that came later is no part of it.
    return JSON.stringify([row['key'], ...lastingOf(intentFrom(row)).slice(1)]);
  } catch {
    return '';
  }
}

import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { type Facts, factsIn, isFacts } from './chain.js';
import { intentColumns } from './intent.js';
import { keyWithEntry, upgradedImmutable } from './migration.js';
import { type Counted, countedInLine, countedValues, isSpent } from './spending.js';
import { rowsOf } from './sql-pages.js';
import { isState, mayBeFound, mayMove } from './states.js';

/** One thing that is wrong with a journal, in words. */
export interface Flaw {
  /** Number of the line; undefined when it is about the file. */
  readonly line: number | undefined;
  readonly what: string;
}

/** What the lines say of one entry. */
interface ReplayedIntent {
  state: string;
  /** Whether each line begins with the state of the one before and changes it legally. */
  isLegal: boolean;
  orderId: string | undefined;
  outcome: Facts;
  attempts: number;
  mayHaveArrived: boolean;
  /** When the newest attempt began, and what its line says. */
  attempt: { readonly at: number; readonly facts: Facts } | undefined;
  /** The newest line that led to another state, but for corrections. */
  change: { readonly at: number; readonly to: string; readonly reason: string } | undefined;
}

type Totals = Map<string, bigint>;

const intentsPerPage = 500;

/** Every intent against its lines, and the day totals against the intents; a page of intents at a time. */
export function intentFlaws(database: Database): Flaw[] {
  const version = Number(database.get('PRAGMA user_version')?.['user_version']);
  const flaws: Flaw[] = [];
  const totals: Totals = new Map();
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = database.get(
      'SELECT max(id) AS last, count(*) AS count FROM (SELECT id FROM intents WHERE id > ? ORDER BY id LIMIT ?)',
      after,
      intentsPerPage,
    );
    const isLast = Number(page?.['count']) < intentsPerPage;
    const last = isLast ? Number.MAX_SAFE_INTEGER : Number(page?.['last']);
    flaws.push(...pageFlaws(database, [after, last], version, totals));
    if (isLast) break;
    after = last;
  }
  return version === 1 ? flaws : [...flaws, ...totalFlaws(database, totals)];
}

function pageFlaws(
  database: Database,
  [after, last]: readonly [number, number],
  version: number,
  totals: Totals,
): Flaw[] {
  const replayed = replayLines(rowsOf(database, replayColumns, linesOfPage, after, last));
  const flaws: Flaw[] = [];
  const flaw = (what: string) => flaws.push({ line: undefined, what });
  const isVersion1 = version === 1;
  const columns = isVersion1 ? [...intentColumns.slice(0, -7), 'recorded'] : checkedColumns;
  let whole: ReadonlyMap<number, SqlRow> | undefined;
  const wholeOf = (id: number) => {
    whole ??= new Map(rowsOf(database, wholeColumns, wholeOfPage, after, last).map((row) => [Number(row['id']), row]));
    return whole.get(id) ?? {};
  };
  for (const row of rowsOf(database, columns, isVersion1 ? wholeOfPage : checkedOfPage, after, last)) {
    const id = Number(row['id']);
    const known = replayed.get(id);
    replayed.delete(id);
    if (known?.state !== row['state']) flaw(`the state of entry ${id} does not match its last line`);
    if (known?.isLegal === false) flaw(`the lines of entry ${id} are not a valid sequence`);
    const counted = known?.attempt === undefined ? undefined : countedIn(row, known.attempt);
    const recordedAs = row['is_recorded'] === 1 ? 'now' : recordedBy(isVersion1 ? row : wholeOf(id), isVersion1);
    const isUnchanged =
      known !== undefined &&
      recordedAs !== undefined &&
      matchesReplay(row, known) &&
      (recordedAs !== 'now' || matchesLastChange(row, known));
    if (!isUnchanged || counted === 'unreadable' || (version !== 1 && !isCounted(row, counted)))
      flaw(`entry ${id} was changed`);
    if (counted !== undefined && counted !== 'unreadable' && isSpent(known?.state))
      addTo(totals, String(row['profile']), counted);
  }
  for (const id of replayed.keys()) flaw(`entry ${id} is missing`);
  return flaws;
}

/** `unreadable` where the stored amount is no number. */
function countedIn(
  row: SqlRow,
  { at, facts }: NonNullable<ReplayedIntent['attempt']>,
): Counted | 'unreadable' | undefined {
  try {
    return countedInLine(row, at, facts);
  } catch {
    return 'unreadable';
  }
}

const replayColumns = ['intent_id', 'from_state', 'to_state', 'at', 'reason', 'facts'] as const;
// The immutable columns of an entry are compared with their line in SQL: see checkedOfPage.
const linesOfPage = `SELECT intent_id, from_state, to_state, at, reason,
  iif(to_state = 'planned' AND from_state <> 'planned', '', facts) AS facts FROM moves WHERE intent_id > ? AND intent_id <= ? ORDER BY intent_id, id`;

function replayLines(lines: readonly SqlRow[]): Map<number, ReplayedIntent> {
  const replayed = new Map<number, ReplayedIntent>();
  let known: ReplayedIntent | undefined;
  let knownId: number | undefined;
  for (const line of lines) {
    const intentId = Number(line['intent_id']);
    if (known === undefined || intentId !== knownId) {
      known = emptyReplay();
      knownId = intentId;
      replayed.set(intentId, known);
    }
    applyLine(known, line);
  }
  return replayed;
}

const noOutcome: Facts = {};

function emptyReplay(): ReplayedIntent {
  const empty = {
    orderId: undefined,
    outcome: noOutcome,
    attempts: 0,
    mayHaveArrived: false,
    attempt: undefined,
    change: undefined,
  };
  return { state: '', isLegal: true, ...empty };
}

function applyLine(known: ReplayedIntent, line: SqlRow): void {
  const [from, to, at] = [String(line['from_state']), String(line['to_state']), Number(line['at'])];
  known.isLegal &&= known.state === from && isLegalMove(from, to);
  known.state = to;
  if (from !== to && to === 'planned') return;
  const facts = readFacts(String(line['facts']));
  const { orderId, outcome } = facts;
  if (typeof orderId === 'string') known.orderId ??= orderId;
  if (from === to) return;
  known.change = { at, to, reason: String(line['reason']) };
  if (isFacts(outcome)) known.outcome = known.outcome === noOutcome ? outcome : { ...known.outcome, ...outcome };
  if (to === 'sending') {
    known.attempts += 1;
    known.attempt = { at, facts };
  } else if (to !== 'not_sent' && to !== 'refused') known.mayHaveArrived = true;
}

/** A line that cannot be read breaks the chain as well, which is reported elsewhere. */
function readFacts(json: string): Facts {
  try {
    return factsIn(json);
  } catch {
    return {};
  }
}

/** An entry begins as planned, and is planned once more when it is corrected after a refusal. */
export function isLegalMove(from: string, to: string): boolean {
  if (from === '' || to === 'planned')
    return (from === '' || from === 'refused' || from === 'planned') && to === 'planned';
  if (to === 'conflict') return isState(from);
  return isState(from) && isState(to) && (from === to || mayMove(from, to) || mayBeFound(from, to));
}

const immutableColumns = `key kind operation effect base endpoint_id login profile class client_order_id sequence minor
  currency last_four content made_at digits`.split(/\s+/);

/** The facts of the first line of an entry, or of that of its newest correction. */
const recordingLine = `SELECT facts FROM moves WHERE intent_id = intents.id AND to_state = 'planned' AND from_state <> 'planned'
  ORDER BY moves.id DESC LIMIT 1`;

// Immutable columns are compared with their line in SQL: reading both took most of the time.
const checkedOfPage = `SELECT *, json_array(${immutableColumns.join(', ')}) IS (${recordingLine}) AS is_recorded, iif(kind = 'opening', NULL, key) AS own_key
  FROM intents WHERE id > ? AND id <= ? ORDER BY id`;

const wholeOfPage = `SELECT *, (${recordingLine}) AS recorded FROM intents WHERE id > ? AND id <= ? ORDER BY id`;
const wholeColumns = ['id', ...immutableColumns, 'recorded'];

const senderColumns = ['host', 'pid', 'version', 'boot', 'namespace', 'started'];

const checkedColumns = [
  ...`id kind effect profile minor currency digits client_order_id order_id made_at state attempts may_have_arrived
  changed_at reason outcome counted_day counted_units counted_currency is_recorded own_key`.split(/\s+/),
  ...senderColumns,
];

/**
 * Whether the immutable columns are those in the first line of the entry, or in that of its newest correction: as
 * written now, or by version 1. SQL may write a text differently from paycli, so what it does not find equal is
 * compared here.
 */
function recordedBy(row: SqlRow, isVersion1: boolean): 'now' | 'before' | undefined {
  const immutable = immutableColumns.map((name) => row[name] ?? null);
  const recorded = String(row['recorded'] ?? '');
  if (isVersion1) return recorded === JSON.stringify(immutable.slice(0, -1)) ? 'before' : undefined;
  if (recorded === JSON.stringify(immutable)) return 'now';
  return isAsUpgraded(row, immutable, recorded) ? 'before' : undefined;
}

/**
 * Whether the columns are what the migration makes of a line of version 1. The key is compared as stored: an order id
 * that came later is not part of it.
 */
function isAsUpgraded(row: SqlRow, immutable: readonly SqlValue[], recorded: string): boolean {
  try {
    const [key, ...rest] = upgradedImmutable(listIn(recorded));
    const keys = [key, keyWithEntry(String(key), Number(row['id']))];
    return keys.some((each) => JSON.stringify([each, ...rest]) === JSON.stringify(immutable));
  } catch {
    // No list with a key.
    return false;
  }
}

// Earlier versions read the clock again for the line.
const slackMs = 1000;

/** Compares when and why its state last changed, who sent it last, and whether that may have arrived. */
function matchesLastChange(row: SqlRow, { change, attempt, mayHaveArrived }: ReplayedIntent): boolean {
  const at = change?.at ?? row['made_at'];
  const reason = change === undefined || change.to === 'sending' ? '' : change.reason;
  const late = Number(at) - Number(row['changed_at']);
  if (!(late >= 0 && late <= slackMs) || row['reason'] !== reason || row['may_have_arrived'] !== Number(mayHaveArrived))
    return false;
  return attempt === undefined || senderColumns.every((name) => (row[name] ?? undefined) === attempt.facts[name]);
}

function listIn(json: string): readonly SqlValue[] {
  try {
    const list: unknown = json === '' ? [] : JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/**
 * Compares what came later than the first line. The order id of a follow-up is part of its key, and so is that of a
 * request by hand which has one.
 */
function matchesReplay(row: SqlRow, { orderId, outcome, attempts }: ReplayedIntent): boolean {
  if (row['outcome'] !== JSON.stringify(outcome) || row['attempts'] !== attempts) return false;
  const stored = row['order_id'] ?? undefined;
  if (row['kind'] === 'opening') return stored === orderId;
  const inKey = listIn(String(row['own_key'] ?? row['key']))[3];
  return (
    stored === inKey || (row['kind'] === 'other' && stored === orderId && inKey === (row['client_order_id'] ?? ''))
  );
}

function isCounted(row: SqlRow, counted: Counted | undefined): boolean {
  const [day, units, currency] = countedValues(counted);
  return row['counted_day'] === day && row['counted_units'] === units && row['counted_currency'] === currency;
}

function addTo(totals: Totals, profile: string, { currency, day, units }: Counted): void {
  const key = JSON.stringify([profile, currency, day]);
  totals.set(key, (totals.get(key) ?? 0n) + units);
}

function totalFlaws(database: Database, totals: Totals): Flaw[] {
  const flaws: Flaw[] = [];
  const flaw = (day: unknown, profile: unknown) =>
    flaws.push({
      line: undefined,
      what: `the total of ${dateOf(Number(day))} of profile ${String(profile)} does not match its entries`,
    });
  for (const { profile, currency, day, units } of database.all(
    'SELECT * FROM day_totals ORDER BY day, profile, currency',
  )) {
    const key = JSON.stringify([profile, currency, day]);
    if (String(units) !== String(totals.get(key) ?? 0n)) flaw(day, profile);
    totals.delete(key);
  }
  for (const [key, units] of totals) {
    const [profile, , day] = listIn(key);
    if (units !== 0n) flaw(day, profile);
  }
  return flaws;
}

function dateOf(day: number): string {
  const date = new Date(day);
  return Number.isNaN(date.getTime()) ? 'invalid date' : date.toISOString().slice(0, 10);
}

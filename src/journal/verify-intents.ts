import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { type Facts, factsIn, isFacts } from './facts.js';
import { intentColumns } from './intent.js';
import { keyBeside, upgradedLasting } from './migration.js';
import { rowsOf } from './rows.js';
import { type Counted, countedInLine, countedValues, isSpent } from './spending.js';

/** One thing that is wrong with a journal, in words. */
export interface Flaw {
  /** Number of the line; undefined when it is about the file. */
  readonly line: number | undefined;
  readonly what: string;
}

/** What the lines say of one entry. */
interface Told {
  state: string;
  lasting: string;
  orderId: string | undefined;
  outcome: Facts;
  attempts: number;
  /** When the newest attempt began, and what its line says. */
  attempt: { readonly at: number; readonly facts: Facts } | undefined;
}

type Totals = Map<string, bigint>;

const atOnce = 500;

/** Every intent against its lines, and the totals of the days against the intents; some hundred intents at a time. */
export function intentFlaws(database: Database): Flaw[] {
  const version = Number(database.get('PRAGMA user_version')?.['user_version']);
  const flaws: Flaw[] = [];
  const totals: Totals = new Map();
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = database.get(
      'SELECT max(id) AS last, count(*) AS count FROM (SELECT id FROM intents WHERE id > ? ORDER BY id LIMIT ?)',
      after,
      atOnce,
    );
    const isLast = Number(page?.['count']) < atOnce;
    const last = isLast ? Number.MAX_SAFE_INTEGER : Number(page?.['last']);
    flaws.push(...pageFlaws(database, [after, last], version, totals));
    if (isLast) break;
    after = last;
  }
  return version === 1 ? flaws : [...flaws, ...totalFlaws(database, totals)];
}

function pageFlaws(database: Database, [after, last]: readonly [number, number], version: number, totals: Totals): Flaw[] {
  const told = toldOf(rowsOf(database, toldColumns, linesOfPage, after, last));
  const flaws: Flaw[] = [];
  const flaw = (what: string) => flaws.push({ line: undefined, what });
  const columns = version === 1 ? intentColumns.slice(0, -7) : intentColumns;
  for (const row of rowsOf(database, columns, 'SELECT * FROM intents WHERE id > ? AND id <= ? ORDER BY id', after, last)) {
    const id = Number(row['id']);
    const known = told.get(id);
    told.delete(id);
    if (known?.state !== String(row['state'])) flaw(`the state of entry ${id} is not that of its last line`);
    const counted = known?.attempt === undefined ? undefined : countedInLine(row, known.attempt.at, known.attempt.facts);
    const isWhole = known !== undefined && isVouchedFor(row, known.lasting, version) && isAsTold(row, known);
    if (!isWhole || (version !== 1 && !isCounted(row, counted))) flaw(`entry ${id} was changed`);
    if (counted !== undefined && isSpent(row['state'])) addTo(totals, String(row['profile']), counted);
  }
  for (const id of told.keys()) flaw(`entry ${id} is missing`);
  return flaws;
}

const toldColumns = ['intent_id', 'from_state', 'to_state', 'at', 'facts'] as const;
const linesOfPage = `SELECT ${toldColumns.join(', ')} FROM moves WHERE intent_id > ? AND intent_id <= ? ORDER BY intent_id, id`;

function toldOf(lines: readonly SqlRow[]): Map<number, Told> {
  const told = new Map<number, Told>();
  for (const line of lines) {
    const [intentId, from, to] = [Number(line['intent_id']), String(line['from_state']), String(line['to_state'])];
    const json = String(line['facts']);
    const known = told.get(intentId) ?? { state: '', lasting: '', orderId: undefined, outcome: {}, attempts: 0, attempt: undefined };
    told.set(intentId, known);
    known.state = to;
    if (to === 'planned') {
      known.lasting = json;
      continue;
    }
    const facts = factsIn(json);
    const { orderId, outcome } = facts;
    if (typeof orderId === 'string') known.orderId ??= orderId;
    if (from !== to && isFacts(outcome)) known.outcome = { ...known.outcome, ...outcome };
    if (from === to || to !== 'sending') continue;
    known.attempts += 1;
    known.attempt = { at: Number(line['at']), facts };
  }
  return told;
}

const lastingColumns = [
  ...['key', 'kind', 'operation', 'effect', 'base', 'endpoint_id', 'login', 'profile', 'class', 'client_order_id', 'sequence'],
  ...['minor', 'currency', 'last_four', 'content', 'made_at', 'digits'],
];

/** A line of version 1 vouches for what version 2 made of it. The key as it stands: an order id that came later is no part of it. */
function isVouchedFor(row: SqlRow, told: string, version: number): boolean {
  const lasting = lastingColumns.map((name) => row[name] ?? null);
  if (version === 1) return told === JSON.stringify(lasting.slice(0, -1));
  if (told === JSON.stringify(lasting)) return true;
  const [key, ...rest] = upgradedLasting(listIn(told));
  const keys = [key, keyBeside(String(key), Number(row['id']))];
  return keys.some((each) => JSON.stringify([each, ...rest]) === JSON.stringify(lasting));
}

function listIn(json: string): readonly SqlValue[] {
  const list: unknown = json === '' ? [] : JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

/** What came later than the first line. The order id of a follow-up is part of its key. */
function isAsTold(row: SqlRow, { orderId, outcome, attempts }: Told): boolean {
  const inKey = row['kind'] === 'opening' ? undefined : String(row['key']).includes(JSON.stringify(String(row['order_id'])));
  const isOrder = inKey === true || (row['order_id'] ?? undefined) === orderId;
  return isOrder && row['outcome'] === JSON.stringify(outcome) && Number(row['attempts']) === attempts;
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
    flaws.push({ line: undefined, what: `the total of ${dateOf(Number(day))} of profile ${String(profile)} is not that of its entries` });
  for (const { profile, currency, day, units } of database.all('SELECT * FROM day_totals ORDER BY day, profile, currency')) {
    const key = JSON.stringify([profile, currency, day]);
    if (BigInt(String(units)) !== (totals.get(key) ?? 0n)) flaw(day, profile);
    totals.delete(key);
  }
  for (const [key, units] of totals) {
    const [profile, , day] = listIn(key);
    if (units !== 0n) flaw(day, profile);
  }
  return flaws;
}

function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

import { fail } from '../errors/index.js';
import type { Database, SqlRow } from '../runtime/ports.js';
import { movesOf, operations } from '../spec/index.js';
import { decimalText, digitsOf } from '../wire/amount.js';
import { type Intent, intentsWithChainState, type Sum } from './intent.js';
import { spentStates } from './states.js';

/**
 * What the profiles sent on each day (UTC), by the newest attempt of each intent that moved money or may have: refusals
 * and what was proven not sent do not count. Kept in the transaction of every move, so that a cap needs no scan of the
 * journal.
 */
export const spendingTables = `
  CREATE TABLE day_totals (
    profile TEXT NOT NULL, currency TEXT NOT NULL, day INTEGER NOT NULL, units TEXT NOT NULL, PRIMARY KEY (profile, currency, day)
  ) WITHOUT ROWID;
`;

/** What an intent counts while it is in a state in which money has moved, or may have. */
export interface Counted {
  /** 00:00 UTC of the day, in milliseconds since 1970. */
  readonly day: number;
  /** See `unitsOf`. */
  readonly units: bigint;
  readonly currency: string;
}

/** What an attempt counts; undefined where it moves no money, or the amount is unknown. */
export function countedBy(effect: unknown, at: number, counts: Sum | undefined): Counted | undefined {
  if (effect !== 'money' || counts === undefined) return undefined;
  return { day: dayOf(at), units: unitsOf(counts), currency: counts.currency };
}

/** What is stored with an intent as counted. */
export function countedOf(database: Database, id: number): Counted | undefined {
  return countedInRow(
    database.get('SELECT counted_day, counted_units, counted_currency FROM intents WHERE id = ?', id) ?? {},
  );
}

function countedInRow({
  counted_day: day,
  counted_units: units,
  counted_currency: currency,
}: SqlRow): Counted | undefined {
  if (typeof day !== 'number' || typeof units !== 'string' || typeof currency !== 'string') return undefined;
  return { day, units: BigInt(units), currency };
}

/** In the order of the columns counted_day, counted_units, counted_currency. */
export function countedValues(counted: Counted | undefined) {
  return counted === undefined ? [null, null, null] : [counted.day, String(counted.units), counted.currency];
}

export function isSpent(state: unknown): boolean {
  return spentStates.some((each) => each === state);
}

/** Changes the total of a day, in a transaction of the caller. */
export function addToDay(database: Database, profile: string, { day, units, currency }: Counted, sign: 1n | -1n): void {
  const found = database.get(
    'SELECT units FROM day_totals WHERE profile = ? AND currency = ? AND day = ?',
    profile,
    currency,
    day,
  );
  const total = BigInt(String(found?.['units'] ?? 0)) + sign * units;
  database.run(
    'INSERT INTO day_totals VALUES (?, ?, ?, ?) ON CONFLICT (profile, currency, day) DO UPDATE SET units = excluded.units',
    ...[profile, currency, day, String(total)],
  );
}

/** Units a profile sent from a day on, without the intent `except`. */
export function spentSince(
  database: Database,
  profile: string,
  currency: string,
  since: number,
  except?: number,
): bigint {
  const days = database.all(
    'SELECT units FROM day_totals WHERE profile = ? AND currency = ? AND day >= ?',
    profile,
    currency,
    since,
  );
  const total = days.reduce((sum, { units }) => sum + BigInt(String(units)), 0n);
  const excluded = except === undefined ? undefined : database.get(`${intentsWithChainState} WHERE id = ?`, except);
  if (excluded === undefined || excluded['profile'] !== profile || !isSpent(excluded['chain_state'])) return total;
  const counted = countedInRow(excluded);
  return counted !== undefined && counted.currency === currency && counted.day >= since ? total - counted.units : total;
}

const dayMs = 86_400_000;

/** What a profile may send from 00:00 to 24:00 UTC. */
export interface DayLimit {
  readonly profile: string;
  readonly max: Sum;
}

/** 00:00 UTC of a day. */
export function dayOf(now: number): number {
  return now - (now % dayMs);
}

/** Throws CAP_EXCEEDED when this sum exceeds what is left of the day's limit; `spent` is in units (see `unitsOf`). */
export function checkDay({ profile, max }: DayLimit, sum: Sum, since: number, spent: bigint): void {
  const left = unitsOf(max) - spent;
  if (unitsOf(sum) <= left) return;
  const text = (units: bigint) => sumText(sumOfUnits(units, max.currency));
  const advice = left > 0n ? `at most ${text(left)} more today` : 'nothing more today';
  const resetsAt = new Date(since + dayMs).toISOString();
  throw fail('CAP_EXCEEDED', {
    profile,
    why: `max-total-per-day is ${sumText(max)}, ${text(spent)} of it has been sent since 00:00 UTC, and this request is for ${sumText(sum)}`,
    how: `nothing was sent; ${advice}, and the count restarts at ${resetsAt}`,
    cap: 'max-total-per-day',
    limit: sumText(max),
    spent: text(spent),
    asked: sumText(sum),
    resetsAt,
  });
}

// No currency has more fraction digits, in ISO 4217 and by assumption (A04).
const maxFractionDigits = 4;

/** Fraction digits of a sum of the journal: those it was recorded with, or those of ISO 4217. */
export function digitsOfSum({ currency, digits }: Sum): number {
  return digits ?? digitsOf(currency, 'iso4217', '') ?? 0;
}

/** A sum in ten-thousandths of its currency, so that sums of different digits compare. */
export function unitsOf(sum: Sum): bigint {
  return BigInt(sum.minor) * 10n ** BigInt(maxFractionDigits - digitsOfSum(sum));
}

/** The reverse of `unitsOf`, with the digits of ISO 4217 unless the amount needs more. */
export function sumOfUnits(units: bigint, currency: string): Sum {
  const iso = digitsOfSum({ minor: '0', currency });
  let digits = maxFractionDigits;
  let minor = units;
  for (; digits > iso && minor % 10n === 0n; digits -= 1) minor /= 10n;
  return digits === iso ? { minor: String(minor), currency } : { minor: String(minor), currency, digits };
}

/** The amount alone, with all its digits. */
export function amountText(sum: Sum): string {
  return decimalText(BigInt(sum.minor), digitsOfSum(sum));
}

/** Money with all its digits. */
export function sumText(sum: Sum): string {
  return `${amountText(sum)} ${sum.currency}`;
}

/** Whether a request moves all that is left of its order: how much that is, only the gateway knows. */
export function isOfWhole({ operation, sum }: Pick<Intent, 'operation' | 'sum'>): boolean {
  return sum === undefined && (movesOf(operation) === 'returns' || movesOf(operation) === 'captures');
}

/** What such a request moved, as the gateway said once it was done. */
export function sumOfWhole(intent: Pick<Intent, 'operation' | 'state' | 'sum' | 'outcome'>): Sum | undefined {
  const { amount = '', currency, 'transaction-type': type = '' } = intent.outcome;
  const types = operations.find(({ id }) => id === intent.operation)?.namedByStatus?.types ?? [];
  const isTold = intent.state === 'done' && isOfWhole(intent) && types.includes(type.toLowerCase());
  const [, digits = '', fraction = ''] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(amount) ?? [];
  if (!isTold || digits === '' || currency === undefined) return undefined;
  return { minor: String(BigInt(digits + fraction)), currency, digits: fraction.length };
}

/** Whether a request moved this sum, or all that was left where none is given. */
export function movesSameAmount(earlier: Intent, sum: Sum | undefined): boolean {
  const took = earlier.sum ?? (sum === undefined ? undefined : sumOfWhole(earlier));
  if (took === undefined || sum === undefined) return took === sum;
  return took.currency === sum.currency && unitsOf(took) === unitsOf(sum);
}

import { fail } from '../errors/index.js';
import type { Filter } from '../journal/index.js';
import { isState, type State, states } from '../journal/states.js';
import { allOperations } from '../spec/index.js';
import { digitsOf, parseAmount } from '../wire/amount.js';

export interface FilterFlags {
  readonly state?: readonly string[];
  readonly order?: string;
  readonly operation?: string;
  readonly since?: string;
  readonly until?: string;
  readonly min?: string;
  readonly max?: string;
}

/** Reads the filters of the journal's commands. Throws USAGE. */
export function readFilter(flags: FilterFlags, command: string, now: number): Filter {
  const refuse = (why: string): Error => fail('USAGE', { why, command });
  const [least, most] = [flags.min, flags.max].map((text) => (text === undefined ? undefined : readSum(text, refuse)));
  if (least !== undefined && most !== undefined && least.currency !== most.currency) throw refuse('--min and --max need the same currency');
  const currency = least?.currency ?? most?.currency;
  return {
    states: flags.state?.map((word) => readState(word, refuse)),
    order: flags.order,
    operation: flags.operation === undefined ? undefined : readOperation(flags.operation, refuse),
    from: flags.since === undefined ? undefined : readTime(flags.since, now, refuse),
    until: flags.until === undefined ? undefined : readTime(flags.until, now, refuse),
    sum: currency === undefined ? undefined : { currency, least: least?.minor, most: most?.minor },
  };
}

type Refuse = (why: string) => Error;

function readState(word: string, refuse: Refuse): State {
  if (isState(word)) return word;
  throw refuse(`--state takes one of ${Object.keys(states).join(', ')}`);
}

function readOperation(text: string, refuse: Refuse): string {
  const row = allOperations.find(({ id, command, aliases }) => id === text || command === text || aliases?.includes(text) === true);
  if (row !== undefined) return row.id;
  if (text.startsWith('/api/')) return text;
  throw refuse('--operation takes the words of a command, such as sale or payout pay');
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

function readTime(text: string, now: number, refuse: Refuse): number {
  const ago = /^(?<count>[1-9]\d{0,4})(?<unit>[dhm])$/.exec(text)?.groups;
  if (ago !== undefined) return now - Number(ago['count']) * (units[ago['unit'] ?? ''] ?? 0);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isDay || isMoment ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw refuse('a time is written as 2030-01-31, as 2030-01-31T12:00:00Z, or as 7d, 12h or 30m for so long ago');
  return time;
}

function readSum(text: string, refuse: Refuse): { readonly minor: bigint; readonly currency: string } {
  const [, amount = '', currency = ''] = /^(\S+) ([A-Z]{3})$/.exec(text) ?? [];
  if (currency === '') throw refuse('an amount is written with its currency, such as "10.00 EUR"');
  return { minor: parseAmount(amount, currency, digitsOf(currency, 'iso4217', '')), currency };
}

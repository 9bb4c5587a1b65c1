import { fail, problemsText, suggest } from '../../errors/index.js';
import type { Filter } from '../../journal/port.js';
import { isState, type State, states } from '../../journal/states.js';
import { allOperations } from '../../spec/index.js';
import { digitsOf, isCurrency, readAmount, readMoney, toUnits } from '../../wire/amount.js';
import { readDuration } from '../../wire/time.js';
import { suggestOperation } from './command-synonyms.js';

export interface FilterFlags {
  readonly state?: readonly string[];
  readonly order?: string;
  readonly operation?: string;
  readonly profile?: string;
  readonly since?: string;
  readonly until?: string;
  readonly min?: string;
  readonly max?: string;
}

/** Reads the filters of the journal's commands. Throws USAGE with everything wrong with them. */
export function readFilter(flags: FilterFlags, command: string, now: number): Filter {
  const problems: string[] = [];
  const refuse: Refuse = (why) => void problems.push(why);
  const min = readSum('--min', flags.min, refuse);
  const max = readSum('--max', flags.max, refuse);
  if (min !== undefined && max !== undefined && min.currency !== max.currency)
    refuse('--min and --max need the same currency');
  const currency = min?.currency ?? max?.currency;
  const filter = {
    states: flags.state?.flatMap((word) => readState(word, refuse)),
    order: flags.order,
    operation: readOperation(flags.operation, refuse),
    profile: flags.profile,
    from: readTime('--since', flags.since, now, refuse),
    until: readTime('--until', flags.until, now, refuse),
    amount: currency === undefined ? undefined : { currency, min: min?.units ?? '0', max: max?.units ?? noLimit },
  };
  if (problems.length > 0) throw fail('USAGE', { why: problemsText(problems), command });
  return filter;
}

/** More than any amount. */
const noLimit = '9'.repeat(18);

export type Refuse = (why: string) => void;

function readState(word: string, refuse: Refuse): State[] {
  if (isState(word)) return [word];
  const words = Object.keys(states);
  refuse(`--state: use one of ${words.join(', ')}${suggest(word, words)}`);
  return [];
}

export function readOperation(text: string | undefined, refuse: Refuse): string | undefined {
  if (text === undefined || text.startsWith('/api/')) return text;
  const row = allOperations.find(
    ({ id, command, aliases }) => id === text || command === text || aliases?.includes(text) === true,
  );
  if (row === undefined) refuse(`--operation: use a command, such as sale or payout pay${suggestOperation(text)}`);
  return row?.id;
}

const dayMs = 86_400_000;

export function readTime(flag: string, text: string | undefined, now: number, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  const midnight = now - (now % dayMs);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - dayMs;
  const ago = readDuration(text);
  if (ago !== undefined && ago < now) return now - ago;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isDay || isMoment ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    refuse(`${flag}: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or time ago: 7d, 12h, 30m`);
  return time;
}

/** An amount with its currency, in the units of `toUnits`. */
export function readSum(
  flag: string,
  text: string | undefined,
  refuse: Refuse,
): { readonly units: string; readonly currency: string } | undefined {
  if (text === undefined) return undefined;
  // In the digits of the list: where the profile assumes other digits (A04), more than ISO 4217 has.
  const [, amount = '', fraction = '', currency = ''] =
    /^(\d+(?:\.(\d{1,4}))?) ([A-Z]{3})$/.exec(text.toUpperCase()) ?? [];
  const digits = Math.max(fraction.length, digitsOf(currency, 'iso4217', '') ?? 0);
  const reading = readAmount(amount, currency, digits);
  if (isCurrency(currency) && reading.ok)
    return { units: String(toUnits({ minor: String(reading.minor), currency, digits })), currency };
  const money = readMoney(text);
  refuse(`${flag}: ${money.ok ? 'use an amount and a currency' : money.why}`);
  return undefined;
}

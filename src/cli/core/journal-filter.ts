import { fail, problemsText } from '../../errors/index.js';
import type { Filter } from '../../journal/port.js';
import { allOperations } from '../../spec/index.js';
import { digitsOf, isCurrency, readAmount, readMoney, toUnits } from '../../wire/amount.js';
import { readDuration } from '../../wire/time.js';
import { wrongValue } from '../usage.js';
import { suggestOperation } from './command-synonyms.js';

/** The id of an operation by its command, or the path of a request by hand. */
export function readOperation(text: string): string {
  if (text.startsWith('/api/')) return text;
  const row = allOperations.find(
    ({ id, command, aliases }) => id === text || command === text || aliases?.includes(text) === true,
  );
  if (row === undefined) throw wrongValue(`use a command, such as sale or payout pay${suggestOperation(text)}`);
  return row.id;
}

/** The times of --since and --until. Throws USAGE. */
export function readTimes(
  { since, until }: { readonly since?: string; readonly until?: string },
  command: string,
  now: number,
): Pick<Filter, 'from' | 'until'> {
  const times = { from: readTime(since, now), until: readTime(until, now) };
  const wrong = [Number.isNaN(times.from) ? '--since' : '', Number.isNaN(times.until) ? '--until' : ''];
  const problems = wrong
    .filter((flag) => flag !== '')
    .map(
      (flag) => `${flag}: use 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or time ago: 7d, 12h, 30m`,
    );
  if (problems.length > 0) throw fail('USAGE', { why: problemsText(problems), command });
  return times;
}

const dayMs = 86_400_000;

function readTime(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const midnight = now - (now % dayMs);
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - dayMs;
  const ago = readDuration(text);
  if (ago !== undefined && ago < now) return now - ago;
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  return isTime ? Date.parse(text) : Number.NaN;
}

const maxFractionDigits = 4;

/** An amount with its currency, or in any currency: none has more than four fraction digits. */
export function readEqualAmount(text: string): Filter['amount'] {
  const [, amount = '', fraction = '', currency = ''] =
    /^(\d+(?:\.(\d{1,4}))?) ([A-Z]{3})$/.exec(text.toUpperCase()) ?? [];
  // In the digits of the list: where the profile assumes other digits (A04), more than ISO 4217 has.
  const digits = Math.max(fraction.length, digitsOf(currency, 'iso4217', '') ?? 0);
  const reading = readAmount(amount, currency, digits);
  if (isCurrency(currency) && reading.ok) {
    const units = String(toUnits({ minor: String(reading.minor), currency, digits }));
    return { currency, min: units, max: units };
  }
  const money = readMoney(text);
  const isBare = !/\p{L}/u.test(text);
  const bare = readAmount(text, '', maxFractionDigits);
  if (isBare && bare.ok) return { min: String(bare.minor), max: String(bare.minor) };
  if (isBare && !bare.ok) throw wrongValue(`${bare.why}; examples: 25.00 or "25.00 EUR"`);
  throw wrongValue(money.ok ? 'use an amount and a currency' : money.why);
}

import { digitsOf, type Minor, readAmount } from '../wire/amount.js';
import type { ExplainRow } from './draft.js';
import type { ProfileShape } from './shape.js';

export interface Money {
  /** By the digits of ISO 4217, whatever the profile assumes about minor units. */
  readonly minor: Minor;
  readonly currency: string;
}

/** The largest payment and the largest sum of a day, at most one amount per currency. Without any there is no cap; else a currency that is not named is refused. */
export interface Caps {
  readonly maxAmount: readonly Money[];
  readonly maxTotalPerDay: readonly Money[];
  readonly rows: readonly ExplainRow[];
}

export const noCaps: Caps = { maxAmount: [], maxTotalPerDay: [], rows: [] };

type CapKey = 'max-amount' | 'max-total-per-day';

/** Reads `max-amount` and `max-total-per-day`: `500.00 EUR`, or a list of such texts. */
export function capsIn(shape: ProfileShape, originOf: (key: CapKey) => string, problem: (key: CapKey, why: string) => void): Caps {
  const read = (key: CapKey) => {
    const money: Money[] = [];
    for (const text of shape[key] ?? []) {
      const one = moneyOf(text);
      if (typeof one === 'string') problem(key, one);
      else if (money.some(({ currency }) => currency === one.currency)) problem(key, `names ${one.currency} twice`);
      else money.push(one);
    }
    return money;
  };
  const row = (key: CapKey): ExplainRow[] => {
    const texts = shape[key];
    return texts === undefined ? [] : [{ key, value: texts.join(', '), origin: originOf(key), hidden: false }];
  };
  return {
    maxAmount: read('max-amount'),
    maxTotalPerDay: read('max-total-per-day'),
    rows: [...row('max-amount'), ...row('max-total-per-day')],
  };
}

/** The money, or why it is none. */
function moneyOf(text: string): Money | string {
  const [, amount, currency] = /^(\S+) ([A-Z]{3})$/.exec(text) ?? [];
  if (amount === undefined || currency === undefined) return 'must be an amount and a currency such as "500.00 EUR"';
  const reading = readAmount(amount, currency, digitsOf(currency, 'iso4217', ''));
  return reading.ok ? { minor: reading.minor, currency } : `${reading.why}: write it as "${formOf(reading.form, currency)}"`;
}

function formOf(form: string, currency: string): string {
  return form.includes(' ') ? '500.00 EUR' : `${form} ${currency}`;
}

import { type Minor, readMoney } from '../wire/amount.js';
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
  /** Batches ask a second person: always, or on live above these amounts. */
  readonly requireApproval: boolean;
  readonly approvalAbove: readonly Money[];
  readonly rows: readonly ExplainRow[];
}

export const noCaps: Caps = { maxAmount: [], maxTotalPerDay: [], requireApproval: false, approvalAbove: [], rows: [] };

type MoneyKey = 'max-amount' | 'max-total-per-day' | 'approval-above';
type CapKey = MoneyKey | 'require-approval';

/** Reads `max-amount`, `max-total-per-day` and `approval-above`: `500.00 EUR`, or a list of such texts. */
export function capsIn(shape: ProfileShape, originOf: (key: CapKey) => string, problem: (key: CapKey, why: string) => void): Caps {
  const read = (key: MoneyKey) => {
    const money: Money[] = [];
    for (const text of shape[key] ?? []) {
      const one = readMoney(text);
      if (!one.ok) problem(key, one.why);
      else if (money.some(({ currency }) => currency === one.currency)) problem(key, `names ${one.currency} twice`);
      else money.push({ minor: one.minor, currency: one.currency });
    }
    return money;
  };
  const row = (key: CapKey): ExplainRow[] => {
    const found = shape[key];
    const value = typeof found === 'boolean' ? String(found) : found?.join(', ');
    return value === undefined ? [] : [{ key, value, origin: originOf(key), hidden: false }];
  };
  return {
    maxAmount: read('max-amount'),
    maxTotalPerDay: read('max-total-per-day'),
    requireApproval: shape['require-approval'] === true,
    approvalAbove: read('approval-above'),
    rows: (['max-amount', 'max-total-per-day', 'require-approval', 'approval-above'] as const).flatMap(row),
  };
}

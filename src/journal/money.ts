import { decimalText, digitsOf } from '../wire/amount.js';
import type { Sum } from './intent.js';

// No currency has more fraction digits, in ISO 4217 and by assumption (A04).
const finest = 4;

/** How many fraction digits a sum of the journal has: those it was written down with, or those of ISO 4217. */
export function digitsOfSum({ currency, digits }: Sum): number {
  return digits ?? digitsOf(currency, 'iso4217', '') ?? 0;
}

/** A sum in ten-thousandths of its currency, so that sums of different digits compare. */
export function unitsOf(sum: Sum): bigint {
  return BigInt(sum.minor) * 10n ** BigInt(finest - digitsOfSum(sum));
}

/** Such units as a sum, with the digits of ISO 4217 unless it is finer. */
export function sumOfUnits(units: bigint, currency: string): Sum {
  const iso = digitsOfSum({ minor: '0', currency });
  let digits = finest;
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

import { decimalText } from './amount.js';

// Amounts as decimal text, as the gateway writes them in its replies: `10.42`. Compared and subtracted exactly.

/** Whether text is an amount as the gateway writes it. The other functions here take only such text. */
export function isDecimal(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,3})?$/.test(text);
}

/** Whether an amount is zero. */
export function isZero(text: string): boolean {
  return /^[0.]+$/.test(text);
}

/** How many digits an amount has after the point. */
export function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** What is left of an amount once a part is taken off; zero where the part is larger. */
export function difference(from: string, part: string): string {
  const digits = Math.max(fractionOf(from), fractionOf(part));
  const left = unitsOf(from, digits) - unitsOf(part, digits);
  return decimalText(left > 0n ? left : 0n, digits);
}

/** The larger of two amounts; the first where they are equal. */
export function larger(one: string, other: string): string {
  const digits = Math.max(fractionOf(one), fractionOf(other));
  return unitsOf(other, digits) > unitsOf(one, digits) ? other : one;
}

/** Whether two amounts are equal, whatever zeros stand at their ends. */
export function isEqual(one: string, other: string): boolean {
  return isZero(difference(one, other)) && isZero(difference(other, one));
}

/** How much of an amount a part is; any part of an unknown amount counts as all of it. */
export function shareOf(part: string | undefined, whole: string | undefined): 'nothing' | 'part' | 'all' {
  if (part === undefined || isZero(part)) return 'nothing';
  return whole === undefined || isZero(difference(whole, part)) ? 'all' : 'part';
}

/** An amount in units of the last of so many digits after the point, of which it may have fewer. */
export function unitsOf(text: string, digits: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)));
}

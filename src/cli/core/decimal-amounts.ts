import { decimalText } from '../../wire/amount.js';

/** Whether decimal text means no money. */
export function isZero(text: string): boolean {
  return /^[0.]+$/.test(text);
}

/** Whether text is an amount as the gateway writes it. */
export function isDecimal(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,3})?$/.test(text);
}

/** How many digits an amount has after the point. */
export function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** One decimal amount less another. */
export function difference(from: string, part: string): string {
  const digits = Math.max(fractionOf(from), fractionOf(part));
  return decimalText(unitsOf(from, digits) - unitsOf(part, digits), digits);
}

/** The larger of two decimal amounts; the first where they are equal. */
export function larger(one: string, other: string): string {
  const digits = Math.max(fractionOf(one), fractionOf(other));
  return unitsOf(other, digits) > unitsOf(one, digits) ? other : one;
}

function unitsOf(text: string, digits: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)));
}

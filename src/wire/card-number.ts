import { maskCard } from './mask.js';
import { valueChecks } from './value-checks.js';

interface Brand {
  readonly name: string;
  readonly start: RegExp;
  readonly lengths: readonly number[];
}

/** Beginnings and lengths of the numbers of each brand. */
const brands: readonly Brand[] = [
  { name: 'VISA', start: /^4/, lengths: [13, 16, 18, 19] },
  { name: 'MASTERCARD', start: /^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, lengths: [16] },
  { name: 'AMEX', start: /^3[47]/, lengths: [15] },
  { name: 'DINERS', start: /^(?:30[0-5]|3[689])/, lengths: [14, 16, 19] },
  { name: 'JCB', start: /^35(?:2[89]|[3-8]\d)/, lengths: [16, 17, 18, 19] },
  { name: 'DISCOVER', start: /^(?:6011|64[4-9]|65)/, lengths: [16, 19] },
  { name: 'UNIONPAY', start: /^62/, lengths: [16, 17, 18, 19] },
  { name: 'MIR', start: /^220[0-4]/, lengths: [16, 17, 18, 19] },
  {
    name: 'MAESTRO',
    start: /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/,
    lengths: [13, 14, 15, 16, 17, 18, 19],
  },
];

/** The brand of a card number, by its beginning. */
export function brandOf(digits: string): string {
  return brands.find(({ start }) => start.test(digits))?.name ?? 'UNKNOWN';
}

/** True for the number of a card, grouped or not: beginning and length of a brand, and the right check digit. */
export function isCardNumber(text: string): boolean {
  if (!/^\d(?:[ -]?\d){12,18}$/.test(text)) return false;
  const digits = text.replace(/[ -]/g, '');
  return (
    brands.some(({ start, lengths }) => start.test(digits) && lengths.includes(digits.length)) &&
    valueChecks.luhn.holds(digits)
  );
}

// Digits in a row or in the groups that are printed on cards, which are no part of a word, a name of a file, a phone
// number or an id.
const groups = String.raw`\d{4}([ -])(?:\d{4}\1\d{4}\1\d{1,4}|\d{6}\1\d{4,5})`;
const candidates = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.+-])(?:\d{13,19}|${groups})(?![\p{L}\p{N}_]|[.+-][\p{L}\p{N}])`,
  'gu',
);

/** The card numbers that stand by themselves in a text, as they are written there. */
export function cardNumbersIn(text: string): string[] {
  return (text.match(candidates) ?? []).filter(isCardNumber);
}

/** Text from outside with dots for all but the last four digits of every card number in it. */
export function withoutCardNumbers(text: string): string {
  return text.replace(candidates, (number) => (isCardNumber(number) ? maskCard(number) : number));
}

/**
 * The one form of every masked value, on the screen, in files, in JSON and on pages. A key, a security code, a token, a
 * password and a signature are `•••`, however long they are. Of a card or an account the last four characters stay.
 */
export const hidden = '•••';

const hiddenStart = '••••';

/** Of a card number its last four digits, which PCI DSS lets anybody see; no card has more than 19 digits. */
export function maskCard(number: string): string {
  return number.length < 12 || number.length > 19 ? hiddenStart : maskedEnding(number.slice(-4));
}

/** The same where only the last four digits are known. */
export function maskedEnding(lastFour: string): string {
  return `${hiddenStart} ${lastFour}`;
}

/** Of an account, a phone or a wallet its last four characters, unless they are half of it. */
export function maskStart(text: string): string {
  const chars = [...text.slice(-8)];
  return text.length < 8 ? hiddenStart : maskedEnding(chars.slice(-4).join(''));
}

// Where console.log and util.inspect look, whatever copy of node:util they come from.
const inspected = Symbol.for('nodejs.util.inspect.custom');

/** A text that prints as dots everywhere. Only signing and the request body open it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  open(): string {
    return this.#text;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspected](): string {
    return hidden;
  }
}

/** Beginnings and lengths of the numbers of each brand. */
const brands: readonly (readonly [name: string, start: RegExp, lengths: readonly number[]])[] = [
  ['VISA', /^4/, [13, 16, 18, 19]],
  ['MASTERCARD', /^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, [16]],
  ['AMEX', /^3[47]/, [15]],
  ['DINERS', /^(?:30[0-5]|3[689])/, [14, 16, 19]],
  ['JCB', /^35(?:2[89]|[3-8]\d)/, [16, 17, 18, 19]],
  ['DISCOVER', /^(?:6011|64[4-9]|65)/, [16, 19]],
  ['UNIONPAY', /^62/, [16, 17, 18, 19]],
  ['MIR', /^220[0-4]/, [16, 17, 18, 19]],
  ['MAESTRO', /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
];

/** The brand of a card number, by its beginning. */
export function brandOf(digits: string): string {
  return brands.find(([, start]) => start.test(digits))?.[0] ?? 'UNKNOWN';
}

/** The formula of Luhn over the digits of a card number. */
export function hasCheckDigit(number: string): boolean {
  const values = [...number].reverse().map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 2));
  const sum = values.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0 && /[1-9]/.test(number);
}

/** True for the number of a card, grouped or not: beginning and length of a brand, and the right check digit. */
export function isCardNumber(text: string): boolean {
  if (!/^\d(?:[ -]?\d){12,18}$/.test(text)) return false;
  const digits = text.replace(/[ -]/g, '');
  const isOfBrand = brands.some(([, start, lengths]) => start.test(digits) && lengths.includes(digits.length));
  return isOfBrand && hasCheckDigit(digits);
}

// Digits in a row or in the groups that are printed on cards, which are no part of a hexadecimal text, a decimal number,
// a phone number or an id with hyphens or dots. A word may stand right beside them.
const groups = String.raw`\d{4}([ -])(?:\d{4}\1\d{4}\1\d{1,4}|\d{6}\1\d{4,5})`;
const candidates = new RegExp(
  String.raw`(?<![.+-]|\p{N}[a-f]*)(?:\d{13,19}|${groups})(?![a-f]*\p{N}|[.+-][\p{L}\p{N}])`,
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

const codeName = String.raw`(?:cvv|cvc|csc|cvn|security[^\da-z]{0,3}code)2?(?![a-z])`;
const nameOfCode = new RegExp(codeName, 'i');
// "cvv 123", "CVV2 is: 123", "cvv2=123": the digits right after such a name, with only filler words between.
const filler = '(?<![a-z])(?:is|was|code|number|value|no|of|the|card)(?![a-z])';
const fillers = String.raw`(?:%[\da-f]{2}|[^\da-z;,.]|${filler}){1,20}?(?<!%|%[\da-f])`;
const labelledCode = new RegExp(String.raw`(${codeName}${fillers})\d{3,4}(?!\d)`, 'gi');

/** True for the name of a field that holds the security code of a card. */
export function isNameOfCode(name: string): boolean {
  return nameOfCode.test(name);
}

/** True for a text that names a security code and has it. */
export function holdsSecurityCode(text: string): boolean {
  return text.search(labelledCode) !== -1;
}

/** Text from outside with dots for the security code of a card where the text names it as one. */
export function withoutSecurityCodes(text: string): string {
  // A bare number of JSON becomes a text, so that the whole stays JSON.
  return text.replace(labelledCode, (_, label: string) => label + (/":\s*$/.test(label) ? `"${hidden}"` : hidden));
}

/** Text from outside without card numbers and security codes. */
export function withoutCardData(text: string): string {
  return withoutSecurityCodes(withoutCardNumbers(text));
}

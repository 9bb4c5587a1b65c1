import { fail, suggest } from '../errors/index.js';
import type { Assume } from '../spec/index.js';
import { isoDigits } from './currencies.js';

declare const brand: unique symbol;

/** A positive amount in the smallest unit of its currency. Made by the parsers of this file only. */
export type Minor = bigint & { readonly [brand]: 'Minor' };

// At most 12 digits before the point; no sign, exponent, grouping, blank or needless zero.
const decimal = /^(?<whole>0|[1-9]\d{0,11})(?:\.(?<fraction>\d+))?$/;
const override = /^(?:(?<endpoint>\d+)\/)?(?<code>[A-Z]{3})=(?<digits>[0-4])$/;

export function isCurrency(text: string): boolean {
  return isoDigits.has(text);
}

// Signs and words written instead of a code; several currencies share some of these.
const insteadOfCodes: Readonly<Record<string, string>> = {
  ...{
    '€': 'EUR',
    euros: 'EUR',
    '£': 'GBP',
    pound: 'GBP',
    pounds: 'GBP',
    '₹': 'INR',
    '₴': 'UAH',
    '₺': 'TRY',
    '₽': 'RUB',
  },
  ...{ $: 'USD, CAD or AUD', dollar: 'USD, CAD or AUD', dollars: 'USD, CAD or AUD', '¥': 'JPY or CNY', yen: 'JPY' },
};

// The usual ones first: of several that are equally near, the first is suggested.
const likeliest = new Set(['EUR', 'USD', 'GBP', 'JPY', 'CHF', ...isoDigits.keys()]);

/** A hint for a text that is no currency: the code that was probably meant. */
export function currencyHint(text: string): string {
  const plain = text.trim().toLowerCase();
  if (Object.hasOwn(insteadOfCodes, plain)) return `; write the code, such as ${insteadOfCodes[plain] ?? ''}`;
  return suggest(text, likeliest);
}

/**
 * A04: how many fraction digits a currency has at an endpoint; undefined for an unknown currency. `minorDigits` is the
 * switch's value. Listed currencies differ from ISO 4217, an entry with the endpoint winning over one without.
 */
export function digitsOf(currency: string, minorDigits: string, endpointId: string): number | undefined {
  const iso = isoDigits.get(currency);
  if (iso === undefined || minorDigits === 'iso4217') return iso;
  if (minorDigits === 'hundredths') return 2;
  const entries = minorDigits.split(',').map((entry) => override.exec(entry)?.groups);
  const here = entries.filter((entry) => entry?.['code'] === currency);
  const chosen =
    here.find((entry) => entry?.['endpoint'] === endpointId) ?? here.find((entry) => entry?.['endpoint'] === undefined);
  return chosen === undefined ? iso : Number(chosen['digits']);
}

/** Why a text is no amount. `why` fits after a field's name, `form` is an example of the right form. */
interface WrongAmount {
  readonly ok: false;
  readonly why: string;
  readonly form: string;
  /** How the form follows the reason; empty where the reason needs none. */
  readonly link: '' | ' such as ' | ': write ' | '; example: ';
  /** `currency`: the text names a currency, which has a field of its own. `size`: too large in any currency. */
  readonly about?: 'currency' | 'size';
}

type AmountReading = { readonly ok: true; readonly minor: Minor } | WrongAmount;

/** Reads a decimal amount. */
export function readAmount(text: string, currency: string, digits: number | undefined): AmountReading {
  if (digits === undefined)
    return {
      ...{ ok: false, why: 'needs an ISO 4217 currency' },
      ...{ form: '10.42 with a currency such as USD', link: '; example: ' },
    };
  const mistake = amountMistake(text);
  const right = mistake === undefined ? text : mistake.right;
  const { whole = '', fraction = '' } = (right === undefined ? undefined : decimal.exec(right)?.groups) ?? {};
  // Not the digits of the given amount: a copied example must not be a hundred times what was meant.
  const form = digits === 0 ? '500' : `10${fractionOf('42', digits)}`;
  if (fraction.length > digits) return { ok: false, why: tooFine(currency, digits), form, link: '; example: ' };
  if (mistake !== undefined) return { ok: false, ...mistake, form: right ?? form };
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  return isPositive(minor) ? { ok: true, minor } : { ok: false, why: notPositive, form, link: '' };
}

/**
 * Why a text is no amount in any currency, with the right form, in words that fit after a field's name. `show` writes
 * the form as the reader has to write it.
 */
export function amountReason(text: string, show?: (form: string) => string): string {
  // No currency has more than four digits after the point.
  const reading = readAmount(text, '', 4);
  const wrong: WrongAmount = reading.ok ? { ok: false, ...fallback, form: '10.42' } : reading;
  return reasonWithForm({ ...wrong, form: wrong.link === ': write ' ? wrong.form : '10.42' }, show);
}

/** The reason followed by the right form. */
export function reasonWithForm({ why, form, link }: WrongAmount, show = (one: string) => one): string {
  return link === '' ? why : why + link + show(form);
}

interface AmountMistake extends Pick<WrongAmount, 'why' | 'link' | 'about'> {
  /** The same amount as it has to be written; undefined where two could be meant. */
  readonly right?: string | undefined;
}

const notPositive = 'use an amount above zero';
const fallback: AmountMistake = { why: 'use a decimal number', link: ' such as ' };
const withCurrency = /^(?:(\p{Sc})|([A-Z]{3}))[ \u00a0]?(?=[\d.,])|(?<=[\d.,])[ \u00a0]?(?:(\p{Sc})|([A-Z]{3}))$/u;
const thousands = [
  // The thousands separator occurs more than once, or a decimal separator follows it. An apostrophe is always a
  // thousands separator.
  /^\d{1,3}(?:,\d{3})+\.\d+$/,
  /^\d{1,3}(?:,\d{3}){2,}$/,
  /^\d{1,3}(?:\.\d{3})+,\d+$/,
  /^\d{1,3}(?:\.\d{3}){2,}$/,
  /^\d{1,3}(?:['\u2019_]\d{3})+(?:[.,]\d+)?$/,
];

/** What is wrong with a text whatever its currency; undefined where nothing is, except that it may be zero. */
function amountMistake(text: string): AmountMistake | undefined {
  if (decimal.test(text)) return undefined;
  const [found, ...signs] = withCurrency.exec(text) ?? [];
  if (found !== undefined && signs.some((sign) => sign !== undefined && (sign.length < 3 || isCurrency(sign)))) {
    const isSign = signs.some((sign) => sign !== undefined && sign.length < 3);
    const why = `leave out the currency ${isSign ? 'sign' : 'code'}`;
    return { ...corrected(why, text.replace(withCurrency, '')), about: 'currency' };
  }
  if (/^[-\u2212]\s?[\d.,]+$/.test(text) || /^0+(?:[.,]0*)?$/.test(text)) return { why: notPositive, link: '' };
  if (/^\+[\d.,]+$/.test(text)) return corrected('leave out the sign', text.slice(1));
  if (/^[\d.,\s]+$/.test(text) && /\s/.test(text)) return corrected('leave out the spaces', text);
  if (thousands.some((form) => form.test(text))) return corrected('leave out the thousands separators', text);
  if (/^\d*,\d*$/.test(text)) return corrected(commaReason(text), text);
  if (/^\.\d+$/.test(text)) return corrected('use a digit before the point', text);
  if (/^\d+\.$/.test(text)) return corrected('use a digit after the point', text);
  if (/^[1-9]\d{12,}(?:\.\d+)?$/.test(text))
    return { why: 'use at most 12 digits before the point', link: '', about: 'size' };
  if (/^0\d+(?:\.\d+)?$/.test(text)) return corrected('leave out the leading zero', text);
  const [letter] = /^[\dOolI.]*$/.test(text) ? (/[OolI]/.exec(text) ?? []) : [];
  if (letter !== undefined && /\d/.test(text))
    return { why: `use digits only, without the letter ${letter}`, link: '; example: ' };
  return fallback;
}

function commaReason(text: string): string {
  return isAmbiguous(text)
    ? 'leave out the commas: use a point before the decimals, and no thousands separators'
    : 'use a point instead of the comma';
}

/** 1,000 may be a thousand, or one with three decimals. */
function isAmbiguous(text: string): boolean {
  return /^[1-9]\d{0,2},\d{3}$/.test(text);
}

/** With the amount as it has to be written, unless that is not certain or too long to be repeated. */
function corrected(why: string, text: string): AmountMistake {
  const right = plainAmount(text);
  return right === undefined ? { why, link: '; example: ' } : { why, link: ': write ', right };
}

const maxRepeatedLength = 12;

function plainAmount(text: string): string | undefined {
  const one = text.trim();
  const solid = /^\d{1,3}(?:\s\d{3})+(?:[.,]\d+)?$/.test(one) ? one.replaceAll(/\s/g, '') : one;
  const isGrouped = thousands.some((form) => form.test(solid));
  if (isAmbiguous(solid)) return undefined;
  const point = Math.max(solid.lastIndexOf(','), solid.lastIndexOf('.'));
  // A separator that occurs several times is one for thousands.
  const isDecimal = point !== -1 && (!isGrouped || solid.indexOf(solid.charAt(point)) === point);
  const cut = isDecimal ? point : solid.length;
  const whole = (isGrouped ? solid.slice(0, cut).replaceAll(/\D/g, '') : solid.slice(0, cut)).replace(/^0+(?=\d)/, '');
  const fraction = solid.slice(cut + 1);
  const right = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
  // Digits alone could be the number of an account in the wrong place.
  const isShort = right.length <= maxRepeatedLength && !/^\d{8,}$/.test(text);
  return isShort && decimal.test(right) && /[1-9]/.test(right) ? right : undefined;
}

/** The largest amount that is sent in `max` characters (A03). */
export function largestAmount(max: number, digits: number, assume: Pick<Assume, 'body-amount'>): bigint {
  const point = digits === 0 || assume['body-amount'] === 'minor' ? 0 : 1;
  return 10n ** BigInt(max - point) - 1n;
}

/** Reads a decimal amount such as 10.42; fewer digits than the currency has are filled up. Throws AMOUNT_INVALID. */
export function parseAmount(text: string, currency: string, digits: number | undefined): Minor {
  const reading = readAmount(text, currency, digits);
  if (!reading.ok) throw fail('AMOUNT_INVALID', { why: reading.why, form: reading.form });
  return reading.minor;
}

type MoneyReading =
  | { readonly ok: true; readonly minor: Minor; readonly currency: string }
  | { readonly ok: false; readonly why: string };

/**
 * Reads an amount with its currency, such as `10.00 EUR`, by the digits of ISO 4217 whatever is assumed about minor
 * units. `why` fits after a name and shows the right form.
 */
export function readMoney(text: string): MoneyReading {
  const [, amount, letters] = /^(\S+) ([A-Za-z]{3})$/.exec(text) ?? [];
  const currency = letters?.toUpperCase();
  if (amount === undefined || currency === undefined)
    return { ok: false, why: 'use an amount and a currency, such as "500.00 EUR"' };
  if (!isCurrency(currency)) return { ok: false, why: `use an ISO 4217 currency${currencyHint(currency)}` };
  const reading = readAmount(amount, currency, isoDigits.get(currency));
  return reading.ok
    ? { ...reading, currency }
    : { ok: false, why: reasonWithForm(reading, (form) => `"${form} ${currency}"`) };
}

/** Reads an amount already in minor units, such as 1042. Throws AMOUNT_INVALID. */
export function parseMinor(text: string): Minor {
  const minor = /^[1-9]\d{0,15}$/.test(text) ? BigInt(text) : 0n;
  if (!isPositive(minor)) throw fail('minorUnitsNotOfForm');
  return minor;
}

/** Major units with every digit of the currency: 1050 at two digits is 10.50. */
export function decimalText(minor: bigint, digits: number): string {
  const text = String(minor).padStart(digits + 1, '0');
  const cut = text.length - digits;
  return `${text.slice(0, cut)}${fractionOf(text.slice(cut), digits)}`;
}

/** A03: an amount as the body carries it. */
export function amountText(minor: bigint, digits: number, assume: Pick<Assume, 'body-amount'>): string {
  return assume['body-amount'] === 'minor' ? minorText(minor) : decimalText(minor, digits);
}

export function minorText(minor: bigint): string {
  return String(minor);
}

function fractionOf(text: string, digits: number): string {
  return digits === 0 ? '' : `.${text.padEnd(digits, '0').slice(0, digits)}`;
}

function tooFine(currency: string, digits: number): string {
  if (digits === 0) return `use a whole number: ${currency} has no decimals`;
  const where = currency === '' ? '' : ` in ${currency}`;
  return `use at most ${digits} ${digits === 1 ? 'digit' : 'digits'} after the decimal point${where}`;
}

function isPositive(value: bigint): value is Minor {
  return value > 0n;
}

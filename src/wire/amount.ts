import * as iso4217 from 'dinero.js/currencies';
import { fail, suggest } from '../errors/index.js';
import type { Assume } from '../spec/index.js';

declare const brand: unique symbol;

/** A positive amount in the smallest unit of its currency. Made by the parsers of this file only. */
export type Minor = bigint & { readonly [brand]: 'Minor' };

// Ariary and ouguiya divide by five in this table; ISO 4217 gives them two digits.
const isoDigits: ReadonlyMap<string, number> = new Map(
  Object.values(iso4217).map(({ code, base, exponent }) => [code, base === 10 ? exponent : 2]),
);

// At most 12 digits before the point; no sign, exponent, grouping, blank or needless zero.
const decimal = /^(?<whole>0|[1-9]\d{0,11})(?:\.(?<fraction>\d+))?$/;
const override = /^(?:(?<endpoint>\d+)\/)?(?<code>[A-Z]{3})=(?<digits>[0-4])$/;

export function isCurrency(text: string): boolean {
  return isoDigits.has(text);
}

// What people write instead of a code; several currencies share some of these.
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

/** What to add about a text that is no currency: the code that was meant. */
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

type AmountReading =
  | { readonly ok: true; readonly minor: Minor }
  | { readonly ok: false; readonly why: string; readonly form: string };

/** Reads a decimal amount. `why` fits after a field's name, `form` is an example of the right form. */
export function readAmount(text: string, currency: string, digits: number | undefined): AmountReading {
  if (digits === undefined)
    return { ok: false, why: 'needs an ISO 4217 currency', form: '10.42 with a currency such as USD' };
  const groups = decimal.exec(text)?.groups;
  // Never the digits of another amount: what is copied from here must not be a hundred times what was meant.
  const form = digits === 0 ? '500' : `10${fractionOf('42', digits)}`;
  if (groups === undefined) return { ok: false, why: 'must be at most 12 digits, optionally with decimals', form };
  const { whole = '', fraction = '' } = groups;
  if (fraction.length > digits) return { ok: false, why: tooFine(currency, digits), form };
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  return isPositive(minor) ? { ok: true, minor } : { ok: false, why: 'must not be zero', form };
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
  const [, amount, currency] = /^(\S+) ([A-Z]{3})$/.exec(text) ?? [];
  if (amount === undefined || currency === undefined)
    return { ok: false, why: 'must be an amount and a currency, such as "500.00 EUR"' };
  if (!isCurrency(currency)) return { ok: false, why: `needs an ISO 4217 currency${currencyHint(currency)}` };
  const reading = readAmount(amount, currency, isoDigits.get(currency));
  return reading.ok
    ? { ...reading, currency }
    : { ok: false, why: `${reading.why}; example: "${reading.form} ${currency}"` };
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
  if (digits === 0) return `must be whole: ${currency} has no decimals`;
  return `must have at most ${digits} ${digits === 1 ? 'digit' : 'digits'} after the decimal point in ${currency}`;
}

function isPositive(value: bigint): value is Minor {
  return value > 0n;
}

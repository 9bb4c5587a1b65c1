import { fail } from '../errors/index.js';
import type { Assume } from '../spec/index.js';

declare const brand: unique symbol;

/** Money in the smallest unit of its currency, with the fraction digits of that unit. */
export interface Sum {
  readonly minor: string;
  readonly currency: string;
  readonly digits: number;
}

/** A positive amount in the smallest unit of its currency. Made by the parsers of this file only. */
export type Minor = bigint & { readonly [brand]: 'Minor' };

// At most 12 digits before the point; no sign, exponent, grouping, blank or needless zero.
const decimal = /^(?<whole>0|[1-9]\d{0,11})(?:\.(?<fraction>\d+))?$/;

/** ISO 4217: the codes of money, by how many fraction digits each has. */
const codesByDigits: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW ' +
    'CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
    'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV ' +
    'MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD ' +
    'SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** How many fraction digits a currency has. */
export const isoDigits: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByDigits).flatMap(([digits, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(digits)]),
  ),
);

export function isCurrency(text: string): boolean {
  return isoDigits.has(text);
}

/**
 * A04: how many fraction digits a currency has at an endpoint; undefined for an unknown currency. `minorDigits` is the
 * switch's value. Listed currencies differ from ISO 4217, an entry with the endpoint winning over one without.
 */
export function digitsOf(currency: string, minorDigits: string, endpointId: string): number | undefined {
  const iso = isoDigits.get(currency);
  if (iso === undefined || minorDigits === 'iso4217') return iso;
  if (minorDigits === 'hundredths') return 2;
  const listed = new Map(minorDigits.split(',').map((entry) => [entry.slice(0, -2), Number(entry.slice(-1))]));
  return listed.get(`${endpointId}/${currency}`) ?? listed.get(currency) ?? iso;
}

/** Why a text is no amount: `why` fits after a field's name, `form` is an example of the right form. */
interface WrongAmount {
  readonly ok: false;
  readonly why: string;
  readonly form: string;
}

type AmountReading = { readonly ok: true; readonly minor: Minor } | WrongAmount;

/** Reads a decimal amount. */
export function readAmount(text: string, currency: string, digits: number | undefined): AmountReading {
  if (digits === undefined)
    return { ok: false, why: 'needs an ISO 4217 currency', form: '10.42 with a currency such as USD' };
  // Not the digits of the given amount: a copied example must not be a hundred times what was meant.
  const form = digits === 0 ? '500' : `10${fractionText('42', digits)}`;
  const { whole, fraction = '' } = decimal.exec(text)?.groups ?? {};
  if (whole === undefined) return { ok: false, why: 'use a decimal number', form };
  if (fraction.length > digits) return { ok: false, why: tooFine(currency, digits), form };
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  return isPositive(minor) ? { ok: true, minor } : { ok: false, why: notPositive, form };
}

/** A decimal amount in whole minor units; undefined for any other text. `minorDigits` is the value of A04. */
export function readSum(text: string | undefined, currency: string, minorDigits: string, endpointId: string) {
  const digits = digitsOf(currency, minorDigits, endpointId);
  const reading = readAmount(text ?? '', currency, digits);
  return reading.ok && digits !== undefined ? { minor: String(reading.minor), digits, currency } : undefined;
}

const notPositive = 'use an amount above zero';

/** The reason followed by the right form. */
export function reasonWithForm({ why, form }: Pick<WrongAmount, 'why' | 'form'>): string {
  return `${why}, such as ${form}`;
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
  if (!isCurrency(currency)) return { ok: false, why: 'use an ISO 4217 currency' };
  const reading = readAmount(amount, currency, isoDigits.get(currency));
  return reading.ok
    ? { ...reading, currency }
    : { ok: false, why: reasonWithForm({ why: reading.why, form: `"${reading.form} ${currency}"` }) };
}

/** Major units with every digit of the currency: 1050 at two digits is 10.50. */
export function decimalText(minor: bigint, digits: number): string {
  const text = String(minor).padStart(digits + 1, '0');
  const cut = text.length - digits;
  return `${text.slice(0, cut)}${fractionText(text.slice(cut), digits)}`;
}

/** A03: an amount as the body carries it. */
export function amountText(minor: bigint, digits: number, assume: Pick<Assume, 'body-amount'>): string {
  return assume['body-amount'] === 'minor' ? String(minor) : decimalText(minor, digits);
}

function fractionText(text: string, digits: number): string {
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

// Amounts as decimal text, as the gateway writes them in its replies: `10.42`. Compared and subtracted exactly.

// No currency has more.
const mostDigits = 4;

/** Whether text is an amount as the gateway writes it. The other functions here take only such text. */
export function isDecimal(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,4})?$/.test(text);
}

export function isZero(text: string): boolean {
  return /^[0.]+$/.test(text);
}

/** How many digits an amount has after the point. */
export function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** How much of an amount a part is; any part of an unknown amount counts as all of it. */
export function shareOf(part: string | undefined, whole: string | undefined): 'nothing' | 'part' | 'all' {
  if (part === undefined || isZero(part)) return 'nothing';
  if (whole === undefined) return 'all';
  const digits = Math.max(fractionOf(part), fractionOf(whole));
  return unitsOf(part, digits) < unitsOf(whole, digits) ? 'part' : 'all';
}

/** An amount in units of the last of so many digits after the point, of which it may have fewer. */
export function unitsOf(text: string, digits = mostDigits): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)));
}

/** A sum in ten-thousandths of its currency, so that sums of different digits compare. */
export function toUnits({ minor, digits }: Sum): bigint {
  return BigInt(minor) * 10n ** BigInt(mostDigits - digits);
}

/** The reverse of `toUnits`, with the digits of ISO 4217 unless the amount needs more. */
export function fromUnits(units: bigint, currency: string): Sum {
  const usual = isoDigits.get(currency) ?? 0;
  let [minor, digits] = [units, mostDigits];
  for (; digits > usual && minor % 10n === 0n; digits -= 1) minor /= 10n;
  return { minor: String(minor), currency, digits };
}

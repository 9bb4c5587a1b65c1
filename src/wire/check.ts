import { reasonText } from '../errors/index.js';
import {
  type Assume,
  assumeDefaults,
  type Field,
  type Kind,
  kindOf,
  type Operation,
  type PlainProtection,
} from '../spec/index.js';
import { webAddress } from './address.js';
import { amountText, decimalText, digitsOf, isCurrency, type Minor, readAmount, reasonWithForm } from './amount.js';
import type { Pair } from './form.js';
import { hasCheckDigit } from './mask.js';
import { type Problem, problemsWith, rulesInForce } from './rules.js';
import { isDate } from './time.js';

interface CheckOptions {
  readonly assume: Assume;
  readonly endpointId: string;
  /** The user's name of a field: its flag, or its name on the wire. */
  readonly name: (key: string) => string;
}

interface FieldsInForce {
  readonly fields: readonly (readonly [key: string, field: Field])[];
  readonly keys: ReadonlySet<string>;
  readonly keysByWire: ReadonlyMap<string, string>;
}

// A sandbox asks for them several times in each request.
const known = new WeakMap<Assume, Map<Operation, FieldsInForce>>();

function inForce(row: Operation, assume: Assume): FieldsInForce {
  const rows = known.get(assume) ?? new Map<Operation, FieldsInForce>();
  const found = rows.get(row) ?? findInForce(row, assume);
  known.set(assume, rows.set(row, found));
  return found;
}

function findInForce(row: Operation, assume: Assume): FieldsInForce {
  const fields = Object.entries(row.fields).filter(([, field]) => !isOutOfForce(field, assume));
  const keys = new Set(fields.map(([key]) => key));
  return { fields, keys, keysByWire: new Map(fields.map(([key, { wire }]) => [wire, key])) };
}

/** The fields a row has under these assumptions, in the order they are sent. */
export function fieldsInForce(row: Operation, assume: Assume): FieldsInForce['fields'] {
  return inForce(row, assume).fields;
}

/** True for a field that is sent only under another value of a switch than the one assumed. */
export function isOutOfForce(field: Field, assume: Assume): boolean {
  return field.when !== undefined && assume[field.when.switch] !== field.when.value;
}

/** The keys of the fields in force by their names on the wire. */
export function keysByWire(row: Operation, assume: Assume): ReadonlyMap<string, string> {
  return inForce(row, assume).keysByWire;
}

/** How a row is signed under these assumptions. A switch value the row does not know means unsigned, as described. */
export function protectionOf({ protection }: Operation, assume: Assume): PlainProtection {
  if (protection.scheme !== 'switched') return protection;
  const value = assume[protection.by];
  return (Object.hasOwn(protection.values, value) ? protection.values[value] : undefined) ?? { scheme: 'none' };
}

/** Most characters of a field under these assumptions. */
export function maxLength(field: Field, assume: Assume): number {
  const { max, maxBy } = kindOf(field.kind);
  return field.max ?? (maxBy === undefined ? max : Number(assume[maxBy]));
}

/** The pattern of a field's kind under these assumptions, and its words. */
export function formOf(field: Field, assume: Assume): Pick<Kind, 'form' | 'pattern'> {
  const kind = kindOf(field.kind);
  return kind.other !== undefined && assume[kind.other.switch] === kind.other.value ? kind.other : kind;
}

/** True for a field that holds an amount, or several. */
export function isAmountField({ kind }: Field): boolean {
  return kind === 'amount' || kind === 'amountList';
}

/**
 * Why a text is no value of this field, in words that fit after the field's name; undefined when it is one. Never
 * repeats the text. The length of an amount is not checked here: what is sent has other digits.
 */
export function checkValue(field: Field, text: string, assume: Assume = assumeDefaults): string | undefined {
  const kind = kindOf(field.kind);
  const { form, pattern } = formOf(field, assume);
  if (!text.isWellFormed()) return 'use text that UTF-8 can encode; this contains an unpaired surrogate';
  if (field.takesAny === true) return undefined;
  if (field.values !== undefined && !field.values.includes(text)) return `use one of ${field.values.join(', ')}`;
  if (!pattern.test(text)) return `use ${form}`;
  const max = maxLength(field, assume);
  if (!isAmountField(field) && text.length > max && [...text].length > max) return `use at most ${max} characters`;
  if (kind.check === undefined) return undefined;
  const [holds, why] = valueChecks[kind.check];
  return holds(text) ? undefined : why;
}

/**
 * Everything wrong with a request's values, by field key, in the row's order. Empty text counts as absent; keys that
 * are no field in force are ignored. Amounts are decimal text. Whether the gateway would accept the request is not
 * checked.
 */
export function checkRequest(
  row: Operation,
  values: Readonly<Record<string, string>>,
  options: CheckOptions,
): Problem[] {
  const { assume, name } = options;
  const { fields, keys } = inForce(row, assume);
  const present = new Map(Object.entries(values).filter(([key, text]) => text !== '' && keys.has(key)));
  const currency = values[fields.find(([, { kind }]) => kind === 'currency')?.[0] ?? ''] ?? '';
  const ofFields = fields.flatMap(([key, field]): Problem[] => {
    const text = present.get(key);
    if (text === undefined)
      return field.need === 'required' ? [{ key, kind: 'missing', why: `${name(key)} is missing` }] : [];
    const isAmount = isAmountField(field) && field.takesAny !== true;
    const reason = isAmount ? amountReasonAgainst(field, text, currency, options) : checkValue(field, text, assume);
    return reason === undefined ? [] : [{ key, kind: 'invalid', why: reasonText(name(key), reason) }];
  });
  const ofRules = rulesInForce(row, assume).flatMap((rule) =>
    problemsWith(rule, { values: present, inForce: keys, name }),
  );
  return [...ofFields, ...ofRules];
}

/**
 * Checks amounts against the request's currency, and their length as they are sent: 5 in USD is sent as 5.00. A wrong
 * currency is reported by its own field; without one an amount is sent unchanged.
 */
function amountReasonAgainst(
  field: Field,
  text: string,
  code: string,
  { assume, endpointId }: CheckOptions,
): string | undefined {
  const digits = digitsOf(code, assume['minor-digits'], endpointId);
  const max = maxLength(field, assume);
  // An amount list of the wrong form is said of the list.
  const ownReason = field.kind === 'amountList' || digits === undefined ? checkValue(field, text, assume) : undefined;
  if (ownReason !== undefined || digits === undefined) return ownReason ?? tooLong(text, max);
  // A03: the point is a character of its own.
  const point = digits === 0 || assume['body-amount'] === 'minor' ? 0 : 1;
  const limit = 10n ** BigInt(Math.min(kindOf('amount').max, max) - point) - 1n;
  const minors: Minor[] = [];
  for (const item of field.kind === 'amount' ? [text] : text.split(',')) {
    const reading = readAmount(item, code, digits);
    if (!reading.ok) return reasonWithForm(reading);
    if (reading.minor > limit) return `use at most ${decimalText(limit, digits)} in ${code}`;
    minors.push(reading.minor);
  }
  return tooLong(minors.map((minor) => amountText(minor, digits, assume)).join(','), max);
}

function tooLong(sent: string, max: number): string | undefined {
  return sent.length > max ? `use at most ${max} characters as sent; this has ${sent.length}` : undefined;
}

/** Gateways of this family drop the spaces at both ends of a value. */
export function withoutOuterSpaces(text: string): string {
  let [from, to] = [0, text.length];
  while (text[from] === ' ') from += 1;
  while (to > from && text[to - 1] === ' ') to -= 1;
  return text.slice(from, to);
}

/**
 * The pairs of a form body with the plus sign back in each value that is malformed only because its `+` was sent
 * unencoded, as in an e-mail address, and what is to be said of each.
 */
export function withLostPlusSigns(
  pairs: readonly Pair[],
  body: Uint8Array | string,
  row: Operation,
  assume: Assume,
): { readonly pairs: readonly Pair[]; readonly findings: readonly string[] } {
  const findings: string[] = [];
  const keys = keysByWire(row, assume);
  const isRaw = (name: string) => {
    const pieces = Buffer.from(body).toString('latin1').split('&');
    return pieces.some((piece) => piece.includes('+') && piece.split('=', 1)[0] === name);
  };
  const mended = pairs.map((pair): Pair => {
    const [name, value] = pair;
    const field = row.fields[keys.get(name) ?? ''];
    if (field === undefined || !value.includes(' ') || checkValue(field, value, assume) === undefined) return pair;
    const whole = value.replaceAll(' ', '+');
    if (!isRaw(name) || checkValue(field, whole, assume) !== undefined) return pair;
    findings.push(`${name}: its + is not encoded, and a + in a form body means a space: write %2B`);
    return [name, whole];
  });
  return { pairs: mended, findings };
}

/** Checks that a pattern cannot make, each after the pattern of its kind. The reason fits after the field's name. */
const valueChecks: Readonly<
  Record<NonNullable<Kind['check']>, readonly [holds: (text: string) => boolean, why: string]>
> = {
  luhn: [hasCheckDigit, 'check the number: its check digit is wrong'],
  currency: [isCurrency, 'use an ISO 4217 currency code'],
  country: [(text) => countries.has(text), 'use an ISO 3166 country code'],
  date: [isDate, 'use a date that exists'],
  url: [(text) => webAddress(text) !== undefined, 'use an http or https address with a host and without a user name'],
  ip: [isIp, 'use an IPv4 or IPv6 address'],
  base64: [isBase64, 'use complete Base64: its length or its padding is wrong'],
};

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

// Not node:net, which costs a millisecond of every start; the URL parser knows IPv6 as well.
function isIp(text: string): boolean {
  return ipv4.test(text) || (text.includes(':') && URL.canParse(`http://[${text}]/`));
}

// RFC 4648: 6 bits a character, so a single character is left over by no number of bytes; padding fills groups of four.
function isBase64(text: string): boolean {
  const bare = text.replace(/=+$/, '');
  const isMixed = /[+/]/.test(bare) && /[-_]/.test(bare);
  return bare.length % 4 !== 1 && (bare.length === text.length || text.length % 4 === 0) && !isMixed;
}

// ISO 3166-1 alpha-2, the 249 codes officially assigned.
const countries: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
    'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
    'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
    'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
    'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
    'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

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
import {
  amountReason,
  amountText,
  decimalText,
  digitsOf,
  largestAmount,
  type Minor,
  readAmount,
  reasonWithForm,
} from './amount.js';
import { type Problem, ruleProblems, rulesInForce } from './field-rules.js';
import type { Pair } from './form.js';
import { hintFor, valueChecks } from './value-checks.js';

export { type Problem, rulesInForce } from './field-rules.js';

type KeyedField = readonly [key: string, field: Field];

interface CheckOptions {
  readonly assume: Assume;
  readonly endpointId: string;
  /** The user's name of a field: its flag, or its name on the wire. */
  readonly name: (key: string) => string;
}

/** The fields a row has under these assumptions, in the order they are sent. */
export function fieldsInForce(row: Operation, assume: Assume): readonly KeyedField[] {
  return shapeOf(row, assume).fields;
}

/** True for a field that is sent only under another value of a switch than the one assumed. */
export function isOutOfForce(field: Field, assume: Assume): boolean {
  return field.when !== undefined && assume[field.when.switch] !== field.when.value;
}

/** The keys of those fields by their names on the wire. */
export function keysByWire(row: Operation, assume: Assume): ReadonlyMap<string, string> {
  return shapeOf(row, assume).keysByWire;
}

interface Shape {
  readonly fields: readonly KeyedField[];
  readonly keys: ReadonlySet<string>;
  readonly keysByWire: ReadonlyMap<string, string>;
  /** The key of the field whose currency the amounts are in. */
  readonly currencyKey: string | undefined;
}

// A server asks for the same few shapes with every request.
const shapes = new WeakMap<Assume, WeakMap<Operation, Shape>>();

function shapeOf(row: Operation, assume: Assume): Shape {
  const known = shapes.get(assume) ?? new WeakMap<Operation, Shape>();
  shapes.set(assume, known);
  const found = known.get(row);
  if (found !== undefined) return found;
  const fields = Object.entries(row.fields).filter(([, field]) => !isOutOfForce(field, assume));
  const made: Shape = {
    fields,
    keys: new Set(fields.map(([key]) => key)),
    keysByWire: new Map(fields.map(([key, { wire }]) => [wire, key])),
    currencyKey: fields.find(([, { kind }]) => kind === 'currency')?.[0],
  };
  known.set(row, made);
  return made;
}

/** How a row is signed under these assumptions. A switch value the row does not know means unsigned, as described. */
export function protectionOf(row: Operation, assume: Assume): PlainProtection {
  const { protection } = row;
  if (protection.scheme !== 'switched') return protection;
  const value = assume[protection.by];
  return (Object.hasOwn(protection.values, value) ? protection.values[value] : undefined) ?? { scheme: 'none' };
}

/**
 * Why a text is no value of this field, and what was probably meant, in words that fit after the field's name;
 * undefined when it is one. Never repeats the text, except an amount as it has to be written. The length of an amount
 * is not checked here: what is sent has other digits.
 */
export function checkValue(field: Field, text: string, assume: Assume = assumeDefaults): string | undefined {
  const why = reasonAgainst(field, text, assume);
  return why === undefined ? undefined : why + hintFor(field, text);
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

function reasonAgainst(field: Field, text: string, assume: Assume): string | undefined {
  const kind = kindOf(field.kind);
  const { form, pattern } = formOf(field, assume);
  if (!text.isWellFormed()) return 'use text that UTF-8 can encode; this contains an unpaired surrogate';
  if (field.takesAny === true) return undefined;
  if (field.values !== undefined && !field.values.includes(text)) return `use one of ${field.values.join(', ')}`;
  if (!pattern.test(text)) return field.kind === 'amount' ? amountReason(text) : `use ${form}`;
  const max = maxLength(field, assume);
  if (!isAmountField(field) && text.length > max && [...text].length > max) return `use at most ${max} characters`;
  const check = kind.check === undefined ? undefined : valueChecks[kind.check];
  return check === undefined || check.holds(text) ? undefined : check.why;
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
  const { fields, keys: inForce, currencyKey } = shapeOf(row, options.assume);
  const present = new Map<string, string>();
  const reasonFor = amountReasons(values[currencyKey ?? ''] ?? '', currencyKey, options);
  const problems: Problem[] = [];
  for (const keyed of fields) {
    const key = keyed[0];
    const field = keyed[1];
    const value = values[key];
    const text = value === '' ? undefined : value;
    if (text !== undefined) present.set(key, text);
    else if (field.need !== 'required') continue;
    const problem = fieldProblem(key, field, text, options, reasonFor);
    if (problem !== undefined) problems.push(problem);
  }
  for (const rule of rulesInForce(row, options.assume))
    problems.push(...ruleProblems(rule, { values: present, inForce, name: options.name }));
  return problems;
}

type Reason = (field: Field, text: string) => string | undefined;

function fieldProblem(
  key: string,
  field: Field,
  text: string | undefined,
  { name, assume }: CheckOptions,
  reasonFor: Reason,
): Problem | undefined {
  if (text === undefined)
    return field.need === 'required' ? { key, kind: 'missing', why: `${name(key)} is missing` } : undefined;
  // With its currency, more can be said about an amount.
  const reason =
    field.kind === 'amount' ? reasonFor(field, text) : (checkValue(field, text, assume) ?? reasonFor(field, text));
  return reason === undefined ? undefined : { key, kind: 'invalid', why: reasonText(name(key), reason) };
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
  let raw: ReadonlySet<string> | undefined;
  const mended = pairs.map((pair): Pair => {
    const [name, value] = pair;
    const field = row.fields[keysByWire(row, assume).get(name) ?? ''];
    const text = withoutOuterSpaces(value);
    if (field === undefined || !text.includes(' ') || checkValue(field, text, assume) === undefined) return pair;
    const whole = text.replaceAll(' ', '+');
    raw ??= namesWithPlus(body);
    if (!raw.has(name) || checkValue(field, whole, assume) !== undefined) return pair;
    findings.push(`${name}: its + is not encoded, and a + in a form body means a space: write %2B`);
    return [name, whole];
  });
  return { pairs: mended, findings };
}

function namesWithPlus(body: Uint8Array | string): ReadonlySet<string> {
  const pieces = Buffer.from(body).toString('latin1').split('&');
  return new Set(pieces.filter((piece) => piece.includes('+')).map((piece) => piece.split('=', 1)[0] ?? ''));
}

/** True for a field that holds an amount, or several. */
export function isAmountField({ kind }: Field): boolean {
  return kind === 'amount' || kind === 'amountList';
}

/**
 * Checks amounts against the request's currency, and their length as they are sent: 5 in USD is sent as 5.00. A wrong
 * currency is reported by its own field; without one an amount is sent unchanged.
 */
function amountReasons(
  currency: string,
  currencyKey: string | undefined,
  { assume, endpointId, name }: CheckOptions,
): Reason {
  const digits = digitsOf(currency, assume['minor-digits'], endpointId);
  const single = kindOf('amount').max;
  return (field, text) => {
    if (!isAmountField(field) || field.takesAny === true) return undefined;
    const max = maxLength(field, assume);
    if (digits === undefined) return checkValue(field, text, assume) ?? tooLong(text, max);
    const limit = largestAmount(Math.min(single, max), digits, assume);
    const tooLarge = `use at most ${decimalText(limit, digits)} in ${currency}`;
    const belongs = `; the currency belongs in ${name(currencyKey ?? '')}`;
    const minors: Minor[] = [];
    for (const item of field.kind === 'amount' ? [text] : text.split(',')) {
      const reading = readAmount(item, currency, digits);
      if (!reading.ok) {
        if (reading.about === 'size') return tooLarge;
        const hint = reading.about === 'currency' && currencyKey !== undefined ? belongs : '';
        return reasonWithForm(reading) + hint;
      }
      if (reading.minor > limit) return tooLarge;
      minors.push(reading.minor);
    }
    return tooLong(minors.map((minor) => amountText(minor, digits, assume)).join(','), max);
  };
}

function tooLong(sent: string, max: number): string | undefined {
  return sent.length > max ? `use at most ${max} characters as sent; this has ${sent.length}` : undefined;
}

import { type Assume, type Field, kindOf, type Operation, type PlainProtection } from '../spec/index.js';
import { digitsOf, readAmount } from './amount.js';
import { broken, type Problem } from './rules.js';
import { hintFor, valueChecks } from './value-checks.js';

export type { Problem } from './rules.js';

export type KeyedField = readonly [key: string, field: Field];

export interface CheckOptions {
  readonly assume: Assume;
  readonly endpointId: string;
  /** How the reader knows a field: its flag, or its name on the wire. */
  readonly name: (key: string) => string;
}

/** The fields a row has under these assumptions, in the order they are sent. */
export function fieldsInForce(row: Operation, assume: Assume): readonly KeyedField[] {
  return shapeOf(row, assume).fields;
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
  const fields = Object.entries(row.fields).filter(([, { when }]) => when === undefined || assume[when.switch] === when.value);
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
 * Why a text is no value of this field, and what was meant where that can be told, in words that fit after the field's name;
 * undefined when it is one. Never repeats the text.
 */
export function checkValue(field: Field, text: string): string | undefined {
  const why = reasonAgainst(field, text);
  return why === undefined ? undefined : why + hintFor(field, text);
}

const plain = /^[!-~](?:[ -~]*[!-~])?$/;

function reasonAgainst(field: Field, text: string): string | undefined {
  const kind = kindOf(field.kind);
  const max = field.max ?? kind.max;
  if (!text.isWellFormed()) return 'holds half of a surrogate pair, which UTF-8 cannot carry';
  if (field.values !== undefined && !field.values.includes(text)) return `must be one of ${field.values.join(', ')}`;
  if (!(kind.takesPlain === true && plain.test(text)) && !kind.pattern.test(text)) return `must be ${kind.form}`;
  if (text.length > max && [...text].length > max) return `must have at most ${max} characters`;
  const check = kind.check === undefined ? undefined : valueChecks[kind.check];
  return check === undefined || check.holds(text) ? undefined : check.why;
}

/**
 * Everything wrong with a request's values, by field key, in the row's order. Empty text counts as absent; keys that are no
 * field in force are passed over. Amounts are decimal text; whether the gateway would take the request is another matter.
 */
export function checkRequest(row: Operation, values: Readonly<Record<string, string>>, options: CheckOptions): Problem[] {
  const { fields, keys: inForce, currencyKey } = shapeOf(row, options.assume);
  const given = new Map<string, string>();
  const reasonFor = amountReasons(values[currencyKey ?? ''] ?? '', options);
  const problems: Problem[] = [];
  for (const keyed of fields) {
    const key = keyed[0];
    const field = keyed[1];
    const value = values[key];
    const text = value === '' ? undefined : value;
    if (text !== undefined) given.set(key, text);
    else if (field.need !== 'required') continue;
    const problem = fieldProblem(key, field, text, options.name, reasonFor);
    if (problem !== undefined) problems.push(problem);
  }
  for (const rule of row.rules) problems.push(...broken(rule, { values: given, inForce, name: options.name }));
  return problems;
}

type Reason = (field: Field, text: string) => string | undefined;

function fieldProblem(
  key: string,
  field: Field,
  text: string | undefined,
  name: CheckOptions['name'],
  reasonFor: Reason,
): Problem | undefined {
  if (text === undefined) return field.need === 'required' ? { key, kind: 'missing', why: `${name(key)} is missing` } : undefined;
  const reason = checkValue(field, text) ?? reasonFor(field, text);
  return reason === undefined ? undefined : { key, kind: 'invalid', why: `${name(key)} ${reason}` };
}

/** True for a field that holds an amount, or several. */
export function isMoney({ kind }: Field): boolean {
  return kind === 'amount' || kind === 'amountList';
}

/** Holds amounts against the request's currency; silent when there is none, or a wrong one, which is reported by itself. */
function amountReasons(currency: string, options: CheckOptions): Reason {
  const digits = digitsOf(currency, options.assume['minor-digits'], options.endpointId);
  return (field, text) => {
    if (digits === undefined || !isMoney(field)) return undefined;
    const readings = text.split(',').map((item) => readAmount(item, currency, digits));
    const wrong = readings.find((reading) => !reading.ok);
    return wrong === undefined ? undefined : `${wrong.why}; write it as ${wrong.form}`;
  };
}

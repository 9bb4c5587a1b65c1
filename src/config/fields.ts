import { allOperations, type Field, type KindName, kindOf } from '../spec/index.js';
import { checkValue } from '../wire/check.js';

/** One field of the interface, with every form it takes in the operations that have it. */
interface KnownField {
  readonly key: string;
  readonly forms: Field[];
}

const byKey = new Map<string, KnownField>();
const byName = new Map<string, KnownField>();
for (const operation of allOperations) {
  for (const [key, field] of Object.entries(operation.fields)) {
    const known = byKey.get(key) ?? { key, forms: [] };
    known.forms.push(field);
    byKey.set(key, known);
    for (const name of [plain(key), plain(field.wire)]) if (!byName.has(name)) byName.set(name, known);
  }
}

/** The field behind a flag name, a wire name or a key, however its words are joined. */
export function fieldNamed(name: string): KnownField | undefined {
  return byName.get(plain(name));
}

/** Names to suggest from. */
export function fieldNames(): string[] {
  return [...byKey.values()].flatMap(({ key, forms }) => [flagOf(key), ...forms.map((form) => form.wire)]);
}

// Where money goes, how much of it and for which order, and who is asking.
const weighty: ReadonlySet<KindName> = new Set([
  'url',
  'amount',
  'amountList',
  'clientOrderId',
  'gatewayId',
  'login',
  'serial',
  'uuid',
  'base64',
]);

/** True for a field whose default even a file nobody vouched for may set. */
export function isHarmless(field: KnownField): boolean {
  return field.forms.every(({ kind }) => kindOf(kind).secrecy === 'open' && !weighty.has(kind));
}

/** Why this cannot be a default, in words that fit after the field's name; undefined when it can. Never repeats the value. */
export function defaultProblem(field: KnownField, value: unknown): string | undefined {
  const secrecies = field.forms.map(({ kind }) => kindOf(kind).secrecy);
  if (secrecies.includes('card') || secrecies.includes('secret'))
    return 'is card data, which has no default; use --card-file or --test-card';
  if (field.key === 'login') return 'is no default; set login in the profile';
  if (typeof value !== 'string' && typeof value !== 'boolean') return 'must be text: put it in quotes';
  const problems = field.forms.map((form) => checkValue(form, String(value)));
  return problems.includes(undefined) ? undefined : problems[0];
}

function flagOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

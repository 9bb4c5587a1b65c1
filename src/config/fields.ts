import { allOperations, type Field, kindOf } from '../spec/index.js';
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

// Texts for the payer or for one's own books: none says who pays, who is paid, how much, in which currency or from where.
const harmless: readonly string[] = ['orderDesc', 'purpose', 'siteUrl', 'merchantData'];

/** True for a field whose default even a file nobody vouched for may set. */
export function isHarmless({ key }: KnownField): boolean {
  return harmless.includes(key);
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

/** The entries of the mappings of a file: `endpoints`, `assume` and `defaults`. */
import {
  type Assumption,
  allOperations,
  assumeDefaults,
  assumptionNamed,
  type Field,
  kindOf,
  mayBe,
  operationNamed,
} from '../spec/index.js';
import { checkValue } from '../wire/check.js';
import { endpointId, isMapping, type Read, wrong } from './settings.js';

/** The name by which an entry is known, and how its value is read. */
interface Entry {
  readonly name: string;
  readonly read: Read<string>;
}

/** For each mapping, the entry that a name in it means. Throws FIELD_INVALID for a name that means none. */
export const entryReaders = {
  /** `EUR`, `payout`, `card-ref-create`, `payout/EUR`. */
  endpoints: (written: string): Entry => {
    const name = endpointName(written);
    return name === undefined
      ? wrong('is neither a currency, an operation nor operation/CURRENCY')
      : { name, read: endpointId };
  },
  assume: (written: string): Entry => {
    const assumption = assumptionNamed(written);
    if (assumption === undefined || !Object.hasOwn(assumeDefaults, assumption.switch))
      return wrong('is not a switch; `paycli assumptions` shows them');
    return { name: assumption.switch, read: (raw) => readAssumption(assumption, raw) };
  },
  defaults: (written: string): Entry => {
    const field = fieldNamed(written);
    return field === undefined
      ? wrong('is unknown; use a field of the API, such as order-desc')
      : { name: field.key, read: (raw) => readDefault(field, raw) };
  },
} as const;

export type MappingName = keyof typeof entryReaders;

function endpointName(written: string): string | undefined {
  const isCurrency = (text: string) => kindOf('currency').pattern.test(text);
  if (isCurrency(written)) return written;
  const [name = '', currency, ...rest] = written.split('/');
  const word = operationWord(name);
  if (word === undefined || rest.length > 0 || (currency !== undefined && !isCurrency(currency))) return undefined;
  return currency === undefined ? word : `${word}/${currency}`;
}

// A key of a file is one word, so `card-ref create` is written card-ref-create there.
function operationWord(name: string): string | undefined {
  const joined = (command: string) => command.replaceAll(' ', '-');
  const row =
    operationNamed(name) ??
    allOperations.find(({ command, aliases = [] }) => [command, ...aliases].map(joined).includes(name));
  return row && joined(row.command);
}

/** The names of the entries of `endpoints` that fit an operation, the most specific one first. */
export function endpointNames(operation: string, currency: string | undefined): readonly string[] {
  const word = operationWord(operation);
  return [
    ...(word === undefined || currency === undefined ? [] : [`${word}/${currency}`]),
    ...(word === undefined ? [] : [word]),
    ...(currency === undefined ? [] : [currency]),
  ];
}

function readAssumption(assumption: Assumption, raw: unknown): string {
  // `{ JPY: 2, 4001/KWD: 3 }` is written JPY=2,4001/KWD=3 in the register.
  const value = isMapping(raw)
    ? Object.entries(raw)
        .map(([key, each]) => `${key}=${plainText(each)}`)
        .join(',')
    : plainText(raw);
  const { default: usual, others } = assumption;
  return mayBe(assumption, value) ? value : wrong(`use one of ${[usual, ...others].join(', ')}`);
}

/** Empty for what is neither text nor number: lists may unfold without end. */
function plainText(raw: unknown): string {
  return typeof raw === 'string' || typeof raw === 'number' ? String(raw) : '';
}

/** One field of the interface, with every form it takes in the operations that have it. */
interface KnownField {
  readonly key: string;
  readonly forms: Field[];
}

const fields = new Map<string, KnownField>();
for (const operation of allOperations)
  for (const [key, field] of Object.entries(operation.fields)) {
    const known = fields.get(key) ?? { key, forms: [] };
    known.forms.push(field);
    fields.set(key, known);
  }

/** The field behind a flag name, a wire name or a key, however its words are joined. */
export function fieldNamed(name: string): KnownField | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '');
  return [...fields.values()].find(({ key, forms }) =>
    [key, ...forms.map(({ wire }) => wire)].some((each) => plain(each) === plain(name)),
  );
}

function readDefault({ key, forms }: KnownField, raw: unknown): string {
  const secrecies = forms.map(({ kind }) => kindOf(kind).secrecy);
  if (secrecies.includes('card') || secrecies.includes('secret'))
    wrong('is card data, which cannot have a default; use --input or --test-card');
  if (key === 'login') wrong('is no default; set login in the profile');
  if (typeof raw !== 'string' && typeof raw !== 'boolean') return wrong('use text: put it in quotes');
  const problems = forms.map((form) => checkValue(form, String(raw)));
  return problems.includes(undefined) ? String(raw) : wrong(problems[0] ?? 'use another text');
}

/**
 * Texts for the payer or for the merchant's books, which a project file may set: none says who pays, who is paid, how
 * much, in which currency or from where.
 */
export const descriptiveFields: readonly string[] = ['orderDesc', 'purpose', 'siteUrl', 'merchantData'];

import { suggest } from '../../errors/index.js';
import { type Assume, kindOf, type Operation } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check.js';
import type { Fault } from './source.js';

export interface ColumnNaming {
  readonly row: Operation;
  readonly assume: Assume;
  /** Names of the user's own and the field keys they stand for. */
  readonly map: Readonly<Record<string, string>>;
  readonly allowCards: boolean;
}

/** The field behind a name of a file, or why there is none, in words that fit after the name. */
type FieldMatch = { readonly key: string } | { readonly key?: undefined; readonly why: string };

/** Field keys by the names they have on the wire, as flags and as keys; the login comes from the profile. */
export function keysByName({ row, assume }: Pick<ColumnNaming, 'row' | 'assume'>): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const [key, { wire }] of fieldsInForce(row, assume)) {
    if (key === 'login') continue;
    for (const name of [wire, flagName(key), `--${flagName(key)}`, key]) keys.set(name, key);
  }
  return keys;
}

/** Finds fields by the names they have on the wire, as flags, as keys, or in the user's own words. */
export function fieldFinder(naming: ColumnNaming): (name: string) => FieldMatch {
  const keys = keysByName(naming);
  return (name) => matchField(name, keys, naming);
}

const securityCodeNames = /^(?:cvv2?|cvc2?|cid|card.?security.?code|security.?code)$/i;
const maxColumns = 200;

function matchField(
  name: string,
  keys: ReadonlyMap<string, string>,
  { row, map, allowCards }: ColumnNaming,
): FieldMatch {
  const key = Object.hasOwn(map, name) ? map[name] : keys.get(name);
  const kind = key === undefined ? undefined : row.fields[key]?.kind;
  const secrecy = kind === undefined ? undefined : kindOf(kind).secrecy;
  if (securityCodeNames.test(name) || secrecy === 'secret')
    return { why: 'contains card security codes, which must never be in a file; remove it' };
  if (secrecy === 'card' && !allowCards)
    return { why: 'contains card data; use card references, or add --allow-pan-file for a file of mode 0600' };
  if (key !== undefined) return { key };
  if (name === 'login') return { why: 'comes from the profile; remove it' };
  return {
    why: `is not a field of ${row.command}${suggest(name, keys.keys(), ';')} use --map to assign a field to the column`,
  };
}

/** The key as words of a flag: `clientOrderId` is client-order-id. */
function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface Column {
  /** As the file has it. */
  readonly name: string;
  readonly key: string;
}

interface Header {
  readonly columns: readonly Column[];
  readonly faults: readonly Fault[];
}

/** Reads the header of a CSV file. `elsewhere` are the keys that need no column. */
export function readHeader(names: readonly string[], line: number, naming: ColumnNaming, source: HeaderSource): Header {
  const wrongSeparator = separatorProblem(names, source.delimiter);
  if (wrongSeparator !== undefined) return { columns: [], faults: [{ line, why: wrongSeparator }] };
  if (names.length > maxColumns)
    return {
      columns: [],
      faults: [{ line, why: `the header has ${names.length} columns, more than any operation has fields` }],
    };
  const find = fieldFinder(naming);
  const faults: Fault[] = [];
  const places = new Map<string, number>();
  const columns = names.map((name, at): Column => {
    const found = find(name);
    const label = columnLabel(name, at);
    if (found.key === undefined) {
      faults.push({ line, field: label, why: `${label} ${found.why}` });
      return { name, key: '' };
    }
    const before = places.get(found.key);
    if (before !== undefined)
      faults.push({
        line,
        field: label,
        why: `${columnLabel(names[before] ?? '', before)} and ${label} are the same field`,
      });
    places.set(found.key, before ?? at);
    return { name, key: found.key };
  });
  for (const name of Object.keys(naming.map))
    if (!names.includes(name))
      faults.push({
        line,
        why: `--map names a column that the header does not have: ${nameLabel(name) ?? '(name not shown)'}`,
      });
  faults.push(...missingColumns(columns, line, naming, source));
  return { columns, faults };
}

interface HeaderSource {
  readonly delimiter: string;
  /** Keys that need no column: the profile has them. */
  readonly elsewhere: ReadonlySet<string>;
}

function missingColumns(
  columns: readonly Column[],
  line: number,
  { row, assume }: ColumnNaming,
  { elsewhere }: HeaderSource,
): Fault[] {
  return fieldsInForce(row, assume)
    .filter(
      ([key, { need }]) =>
        need === 'required' && key !== 'login' && !elsewhere.has(key) && columns.every((column) => column.key !== key),
    )
    .map(([, { wire }]) => ({ line, field: wire, why: `the header lacks ${wire}, which ${row.command} needs` }));
}

const separators: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };
const flags: Readonly<Record<string, string>> = {
  ',': "--delimiter ','",
  ';': "--delimiter ';'",
  '\t': '--delimiter tab',
};

function separatorProblem([only = '', ...others]: readonly string[], delimiter: string): string | undefined {
  if (others.length > 0) return undefined;
  const other = Object.keys(separators).find((each) => each !== delimiter && only.includes(each));
  if (other === undefined) return undefined;
  return `the cells are separated by ${separators[other] ?? ''}, not by ${separators[delimiter] ?? delimiter}: add ${flags[other] ?? ''}`;
}

function columnLabel(name: string, at: number): string {
  const label = nameLabel(name);
  return label === undefined ? `column ${at + 1}` : `column ${at + 1} (${label})`;
}

/** A column name, if it may be repeated in a message: a file without a header has data in its place. */
export function nameLabel(name: string): string | undefined {
  return /^\p{L}[\p{L}\p{N} _.-]{0,39}$/u.test(name) && !/\d{4}/.test(name) ? name : undefined;
}

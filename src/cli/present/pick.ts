import { exactJson, isExactNumber } from './exact.js';
import type { Document, Shown } from './shown.js';

/** The entries of a result: its list, or itself alone. */
export function entriesOf({ document, list }: Shown): readonly Document[] {
  const entries = list === undefined ? undefined : document[list];
  return Array.isArray(entries) ? entries.map((entry) => (isDocument(entry) ? entry : { value: entry })) : [document];
}

/** Whether names mean what stands beside a list, such as its `total`, and not a part of each entry. */
export function areBeside(names: readonly string[], document: Document, [entry]: readonly Document[]): boolean {
  const isPartOf = (whole: Document) => names.every((name) => Object.hasOwn(whole, name.split('.')[0] ?? ''));
  return isPartOf(document) && !(entry !== undefined && isPartOf(entry));
}

/** Only the named parts: `order.orderId` by path, or a field of the gateway's reply by its own name. What is not there is null. */
export function picked(document: Document, names: readonly string[]): Document {
  return Object.fromEntries(names.map((name) => [name, partOf(document, name) ?? null]));
}

/** One part by its path, or a reply field by its own name. */
export function partOf(document: Document, name: string): unknown {
  return at(document, name.split('.')) ?? at(document, ['result', name]);
}

/** `a,b` as names. */
export function namesIn(select: string | undefined): readonly string[] | undefined {
  const names = select?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

function at(value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (!isDocument(value) || !Object.hasOwn(value, head)) return undefined;
  return at(value[head], rest);
}

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Nested values as one row of texts by path: `order.orderId`. A list of plain values is one text with blanks between. */
export function flat(document: Document, prefix = ''): ReadonlyMap<string, string> {
  const cells = Object.entries(document).flatMap(([name, value]): [string, string][] =>
    isDocument(value) ? [...flat(value, `${prefix}${name}.`)] : [[`${prefix}${name}`, textOf(value)]],
  );
  return new Map(cells);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) return String(value);
  return value.some((each) => typeof each === 'object') ? exactJson(value) : value.join(' ');
}

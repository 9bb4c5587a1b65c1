import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { membersOf } from '../../wire/reply-fields.js';
import type { Document } from './shown.js';

/** The fields of a reply for programs: in the order of the gateway, with null, truth values and nested values as they came. */
export function replyDocument(fields: ReadonlyMap<string, string>): Document {
  const members = membersOf(fields);
  const values = Object.fromEntries(members.map(({ name, text, isJson }) => [name, isJson ? jsonValue(text) : text]));
  const names = [...new Set(members.map(({ name }) => name))];
  // An object by itself puts names such as `10` before all others.
  return names.some((name) => /^\d+$/.test(name)) ? new Proxy(values, { ownKeys: () => names }) : values;
}

/** Text where a number was masked, so that it is JSON no longer. */
function jsonValue(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** True for a number that keeps all its digits. */
export function isExactNumber(value: unknown): boolean {
  return isLosslessNumber(value);
}

/** JSON with every digit of its numbers. */
export function exactJson(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

/** For writers that know no number beyond those of JavaScript: another one becomes text. */
export function withPlainNumbers(value: unknown): unknown {
  if (isLosslessNumber(value)) return String(Number(value.value)) === value.value ? Number(value.value) : value.value;
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withPlainNumbers(each)]));
}

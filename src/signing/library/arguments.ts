import { KeyObject } from 'node:crypto';
import { halfOfSurrogatePair, type Pair } from '../../wire/form.js';
import type { ControlEncoding, HmacKeyForm } from '../schemes/public-types.js';
import type { ArgumentError } from './types.js';

/**
 * What is thrown for a wrong argument, with a code as Node's own errors have. No value may stand in the message, for it
 * may be a key that came at the wrong place.
 */
export function argumentError(message: string): ArgumentError {
  return Object.assign(new TypeError(message), { code: 'ERR_PAYCLI_ARGUMENT' as const });
}

/** A text, which may be empty. */
export function textArgument(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw argumentError(`${name} must be a string`);
}

/** A text that is not empty. */
export function filledArgument(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw argumentError(`${name} must be a string that is not empty`);
}

/** A control key or a secret. An unpaired surrogate is told here, so that it is never taken for a wrong request. */
export function keyArgument(value: unknown, name: string): string {
  const key = filledArgument(value, name);
  if (!key.isWellFormed()) throw halfOfSurrogatePair(name);
  return key;
}

/** One key or several, each by `read`. */
export function keysArgument<Key>(value: unknown, name: string, read: (value: unknown, name: string) => Key): Key[] {
  if (!Array.isArray(value)) return [read(value, name)];
  if (value.length === 0) throw argumentError(`${name} must hold at least one key`);
  return Array.from(value, (each: unknown, index) => read(each, `${name}[${index}]`));
}

/** Whole seconds, at least so many. A number after the year 5138 counts milliseconds. */
export function secondsArgument(value: unknown, name: string, least = 0): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 99_999_999_999) return value;
  throw argumentError(`${name} must be a whole number of seconds, not of milliseconds`);
}

/** One of the words, or the first of them where it is left out. */
function wordArgument<Word extends string | boolean>(value: unknown, name: string, words: readonly [Word, ...Word[]]) {
  const word = value === undefined ? words[0] : words.find((each) => each === value);
  if (word !== undefined) return word;
  throw argumentError(`${name} must be ${words.join(', ')} or left out`);
}

/** How a checksum is written (A01). */
export function encodingArgument(value: unknown, name = 'options.encoding'): ControlEncoding {
  return wordArgument(value, name, ['hex-lower', 'hex-upper', 'base64']);
}

/** RFC 5849 3.4.2 or A51. */
export function keyFormArgument(value: unknown, name = 'keyForm'): HmacKeyForm {
  return wordArgument(value, name, ['encoded', 'raw']);
}

/** True or false; false where it is left out. */
export function flagArgument(value: unknown, name: string): boolean {
  return wordArgument(value, name, [false, true]);
}

export type Given = Readonly<Record<string, unknown>>;

/** A plain object with no property but these, for a misspelt one would be left unread. */
export function objectArgument(value: unknown, name: string, known: readonly string[]): Given {
  if (!isPlainObject(value)) throw argumentError(`${name} must be a plain object`);
  if (Object.keys(value).some((each) => !known.includes(each)))
    throw argumentError(`${name} has a property that is none of ${known.join(', ')}`);
  return value;
}

/** Options, which may be left out. */
export function optionsArgument(value: unknown, known: readonly string[]): Given {
  return value === undefined ? {} : objectArgument(value, 'options', known);
}

/** A copy of an array of texts. */
export function textsArgument(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw argumentError(`${name} must be an array of strings`);
  return Array.from(value, (each: unknown, index) => textArgument(each, `${name}[${index}]`));
}

/** Pairs in the order they are sent; an error names the place and not the name or value. */
export function fieldsArgument(value: unknown, name: string): readonly Pair[] {
  const pairs = pairsIn(value);
  const at = pairs?.findIndex((pair) => !isPair(pair));
  if (pairs?.every(isPair) === true) return pairs;
  throw argumentError(
    at === undefined
      ? `${name} must be pairs [name, value] or a plain object`
      : `${name}: item ${at + 1} is no pair of strings`,
  );
}

function pairsIn(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Symbol.iterator in value && typeof value[Symbol.iterator] === 'function')
    return Array.from(value as Iterable<unknown>);
  if (!isPlainObject(value)) return undefined;
  return Object.entries(value).flatMap(([field, given]) =>
    Array.isArray(given) ? Array.from(given, (each: unknown) => [field, each]) : [[field, given]],
  );
}

function isPair(pair: unknown): pair is Pair {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && typeof pair[1] === 'string';
}

/** PEM text or a key of `node:crypto`; whether it can serve is decided where it is used, by KEY_UNUSABLE. */
export function rsaKeyArgument(value: unknown, name: string): string | KeyObject {
  if (value instanceof KeyObject || (typeof value === 'string' && value !== '')) return value;
  throw argumentError(`${name} must be PEM text or a KeyObject of node:crypto`);
}

/** Of any realm: its prototype has no prototype of its own. */
function isPlainObject(value: unknown): value is Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

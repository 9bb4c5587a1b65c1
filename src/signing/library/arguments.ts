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
  return Array.from(value, (each: unknown) => read(each, name));
}

/** PEM text or a key of `node:crypto`; whether it can serve is decided where it is used, by KEY_UNUSABLE. */
export function rsaKeyArgument(value: unknown, name: string): string | KeyObject {
  if (value instanceof KeyObject || (typeof value === 'string' && value !== '')) return value;
  throw argumentError(`${name} must be PEM text or a KeyObject of node:crypto`);
}

/** Whole seconds. A number after the year 5138 counts milliseconds. */
export function secondsArgument(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 99_999_999_999) return value;
  throw argumentError(`${name} must be a whole number of seconds, not of milliseconds`);
}

/** One of the words, or the first of them where it is left out. */
function wordArgument<Word extends string>(value: unknown, name: string, words: readonly [Word, ...Word[]]) {
  const word = value === undefined ? words[0] : words.find((each) => each === value);
  if (word !== undefined) return word;
  throw argumentError(`${name} must be ${words.join(', ')} or left out`);
}

/** How a checksum is written (A01). */
export function encodingArgument(value: unknown): ControlEncoding {
  return wordArgument(value, 'encoding', ['hex-lower', 'hex-upper', 'base64']);
}

/** RFC 5849 3.4.2 or A51. */
export function keyFormArgument(value: unknown): HmacKeyForm {
  return wordArgument(value, 'keyForm', ['encoded', 'raw']);
}

export type Given = Readonly<Record<string, unknown>>;

export function objectArgument(value: unknown, name: string): Given {
  if (isRecord(value)) return value;
  throw argumentError(`${name} must be an object`);
}

/** A copy of an array of texts. */
export function textsArgument(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw argumentError(`${name} must be an array of strings`);
  return Array.from(value, (each: unknown) => textArgument(each, `each of ${name}`));
}

/** Pairs in the order they are sent; an error never names a name or a value. */
export function fieldsArgument(value: unknown, name: string): readonly Pair[] {
  const pairs = pairsIn(value);
  if (pairs?.every(isPair) === true) return pairs;
  throw argumentError(`${name} must be pairs [name, value] of strings, or an object of strings`);
}

function pairsIn(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Symbol.iterator in value && typeof value[Symbol.iterator] === 'function')
    return Array.from(value as Iterable<unknown>);
  return Object.entries(value).flatMap(([field, given]) =>
    Array.isArray(given) ? Array.from(given, (each: unknown) => [field, each]) : [[field, given]],
  );
}

function isPair(pair: unknown): pair is Pair {
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && typeof pair[1] === 'string';
}

function isRecord(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

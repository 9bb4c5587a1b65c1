import { KeyObject } from 'node:crypto';
import { halfOfSurrogatePair, type Pair } from '../../wire/form.js';
import type { ControlEncoding, HmacKeyForm } from '../schemes/public-types.js';
import type { ArgumentError } from './types.js';

/**
 * What is thrown for a wrong argument, with a code as Node's own errors have: `throw argumentError('url is missing')`.
 * No value may stand in the message, for it may be a key that came at the wrong place.
 */
export function argumentError(message: string): ArgumentError {
  return Object.assign(new TypeError(message), { code: 'ERR_PAYCLI_ARGUMENT' as const });
}

/** A text, which may be empty: `textArgument('', 'text')`. Throws ERR_PAYCLI_ARGUMENT for all but a string. */
export function textArgument(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw argumentError(`${name} must be a string, but it is ${kindOf(value)}`);
}

/** A text that is not empty: `filledArgument(key, 'controlKey')`. Throws ERR_PAYCLI_ARGUMENT. */
export function filledArgument(value: unknown, name: string): string {
  const text = textArgument(value, name);
  if (text === '') throw argumentError(`${name} must not be empty`);
  return text;
}

/**
 * A control key or a secret: `keyArgument(key, 'controlKey')`. Throws ERR_PAYCLI_ARGUMENT for all but a filled string,
 * and TEXT_INVALID for an unpaired surrogate, so that a key that cannot be used is never taken for a wrong request.
 */
export function keyArgument(value: unknown, name: string): string {
  const key = filledArgument(value, name);
  if (!key.isWellFormed()) throw halfOfSurrogatePair(name);
  return key;
}

/**
 * One key or several, each by `read`: `keysArgument(['a', 'b'], 'controlKey', keyArgument)`. Throws
 * ERR_PAYCLI_ARGUMENT for an empty array, and what `read` throws.
 */
export function keysArgument<Key>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => Key,
): readonly Key[] {
  if (!Array.isArray(value)) return [read(value, name)];
  if (value.length === 0) throw argumentError(`${name} must hold at least one key`);
  return Array.from(value, (each: unknown, index) => read(each, `${name}[${index}]`));
}

/** Whole seconds, none below zero: `secondsArgument(300, 'tolerance')`. Throws ERR_PAYCLI_ARGUMENT. */
export function secondsArgument(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= lastSecond) return value;
  throw argumentError(`${name} must be a whole number of seconds, not of milliseconds`);
}

/** The last second before the year 5138. A larger number counts milliseconds. */
export const lastSecond = 99_999_999_999;

/**
 * One of the words, or the first of them for undefined: `wordArgument(form, 'keyForm', ['encoded', 'raw'])`. Throws
 * ERR_PAYCLI_ARGUMENT, naming the words.
 */
export function wordArgument<Word extends string>(
  value: unknown,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  if (value === undefined) return words[0];
  const word = words.find((each) => each === value);
  if (word !== undefined) return word;
  throw argumentError(`${name} must be ${words.join(', ')} or left out`);
}

/** How a checksum is written (A01): `encodingArgument(undefined)` is `hex-lower`. Throws ERR_PAYCLI_ARGUMENT. */
export function encodingArgument(value: unknown, name = 'options.encoding'): ControlEncoding {
  return wordArgument(value, name, ['hex-lower', 'hex-upper', 'base64']);
}

/** RFC 5849 3.4.2 or A51: `keyFormArgument(undefined)` is `encoded`. Throws ERR_PAYCLI_ARGUMENT. */
export function keyFormArgument(value: unknown, name = 'keyForm'): HmacKeyForm {
  return wordArgument(value, name, ['encoded', 'raw']);
}

/** `flagArgument(undefined, 'oauthInBody')` is false. Throws ERR_PAYCLI_ARGUMENT for all but a boolean. */
export function flagArgument(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw argumentError(`${name} must be true or false, but it is ${kindOf(value)}`);
}

/**
 * A plain object with no property but these, for a misspelt one would be left unread:
 * `objectArgument({ realm: 'pay' }, 'options', ['realm'])`. Throws ERR_PAYCLI_ARGUMENT.
 */
export function objectArgument(
  value: unknown,
  name: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) throw argumentError(`${name} must be a plain object, but it is ${kindOf(value)}`);
  if (Object.keys(value).some((each) => !known.includes(each)))
    throw argumentError(`${name} has a property that is none of ${known.join(', ')}`);
  return value;
}

/** Options, which may be left out: `optionsArgument(undefined, [])` is `{}`. Throws ERR_PAYCLI_ARGUMENT. */
export function optionsArgument(value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : objectArgument(value, 'options', known);
}

/** A copy of an array of texts: `textsArgument(['1', ''], 'values')`. Throws ERR_PAYCLI_ARGUMENT. */
export function textsArgument(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw argumentError(`${name} must be an array of strings, but it is ${kindOf(value)}`);
  // Array.from also visits the holes of an array, which forEach passes over.
  return Array.from(value, (each: unknown, index) => textArgument(each, `${name}[${index}]`));
}

/**
 * Pairs in the order they are sent: `fieldsArgument({ a: ['1', '2'] }, 'fields')` is `[['a', '1'], ['a', '2']]`. Throws
 * ERR_PAYCLI_ARGUMENT, naming the place and not the name or value.
 */
export function fieldsArgument(value: unknown, name: string): readonly Pair[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value))
    throw argumentError(`${name} must be pairs or a plain object, but it is ${kindOf(value)}`);
  if (arePairs(value)) return value;
  if (isIterable(value)) return Array.from(value, (each, index) => pairArgument(each, `${name}[${index}]`));
  if (!isPlainObject(value)) throw argumentError(`${name} must be pairs or a plain object, but it is ${kindOf(value)}`);
  return Object.entries(value).flatMap(([field, given], index) => {
    const where = `value ${index + 1} of ${name}`;
    const values = Array.isArray(given) ? textsArgument(given, where) : [textArgument(given, where)];
    return values.map((each): Pair => [field, each]);
  });
}

/** The usual case, without the names that only a message needs: they would take as long as the signature. */
function arePairs(value: object): value is readonly Pair[] {
  if (!Array.isArray(value)) return false;
  for (let at = 0; at < value.length; at += 1) {
    const pair: unknown = value[at];
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string' || typeof pair[1] !== 'string')
      return false;
  }
  return true;
}

function pairArgument(value: unknown, name: string): Pair {
  if (!Array.isArray(value) || value.length !== 2)
    throw argumentError(`${name} must be a pair [name, value], but it is ${kindOf(value)}`);
  return [textArgument(value[0], `${name}[0]`), textArgument(value[1], `${name}[1]`)];
}

/**
 * PEM text or a key of `node:crypto`: `rsaKeyArgument(pem, 'privateKey')`. Throws ERR_PAYCLI_ARGUMENT; whether the key
 * can serve is decided where it is used, by KEY_UNUSABLE.
 */
export function rsaKeyArgument(value: unknown, name: string): string | KeyObject {
  if (value instanceof KeyObject) return value;
  if (typeof value === 'string') return filledArgument(value, name);
  throw argumentError(`${name} must be PEM text or a KeyObject of node:crypto, but it is ${kindOf(value)}`);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}

/** Of any realm: its prototype has no prototype of its own. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (Buffer.isBuffer(value)) return 'a Buffer';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return isPlainObject(value) ? 'an object' : 'an object of a class';
}

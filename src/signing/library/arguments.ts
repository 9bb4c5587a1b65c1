import { KeyObject } from 'node:crypto';
import type { Pair } from '../../wire/form.js';
import type { ControlEncoding, HmacKeyForm } from '../schemes/public-types.js';
import type { ArgumentError } from './types.js';

/** No value stands in the message, for it may be a key that came at the wrong place. */
export function argumentError(message: string): ArgumentError {
  return Object.assign(new TypeError(message), { code: 'ERR_PAYCLI_ARGUMENT' as const });
}

/** A text, which may be empty. */
export function textArgument(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw argumentError(`${name} must be a string, but it is ${kindOf(value)}`);
}

export function filledArgument(value: unknown, name: string): string {
  const text = textArgument(value, name);
  if (text === '') throw argumentError(`${name} must not be empty`);
  return text;
}

/** One of the words, or the first of them when there is none. */
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

export function encodingArgument(value: unknown, name = 'options.encoding'): ControlEncoding {
  return wordArgument(value, name, ['hex-lower', 'hex-upper', 'base64']);
}

export function keyFormArgument(value: unknown, name = 'keyForm'): HmacKeyForm {
  return wordArgument(value, name, ['encoded', 'raw']);
}

export function flagArgument(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw argumentError(`${name} must be true or false, but it is ${kindOf(value)}`);
}

/** A plain object with no property but these; a misspelt one would be left unread. */
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

/** Options may be left out altogether. */
export function optionsArgument(value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : objectArgument(value, 'options', known);
}

export function textsArgument(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw argumentError(`${name} must be an array of strings, but it is ${kindOf(value)}`);
  // Array.from also visits the holes of an array, which forEach passes over.
  return Array.from(value, (each: unknown, index) => textArgument(each, `${name}[${index}]`));
}

/** Pairs in the order they are sent. */
export function fieldsArgument(value: unknown, name: string): readonly Pair[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value))
    throw argumentError(`${name} must be pairs or a plain object, but it is ${kindOf(value)}`);
  if (isIterable(value)) return Array.from(value, (each, index) => pairArgument(each, `${name}[${index}]`));
  if (!isPlainObject(value)) throw argumentError(`${name} must be pairs or a plain object, but it is ${kindOf(value)}`);
  return Object.entries(value).flatMap(([field, given], index) => {
    const where = `value ${index + 1} of ${name}`;
    const values = Array.isArray(given) ? textsArgument(given, where) : [textArgument(given, where)];
    return values.map((each): Pair => [field, each]);
  });
}

function pairArgument(value: unknown, name: string): Pair {
  if (!Array.isArray(value) || value.length !== 2)
    throw argumentError(`${name} must be a pair [name, value], but it is ${kindOf(value)}`);
  return [textArgument(value[0], `${name}[0]`), textArgument(value[1], `${name}[1]`)];
}

/** PEM text or a key of `node:crypto`. Whether it can serve is decided where it is used, by KEY_UNUSABLE. */
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

import { fail, type PaycliError } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { formType } from '../request-form.js';
import type { PastedRequest } from './pasted-request.js';

/** Reads `{ "method", "url", "headers", "body" | "fields" }`. Throws TEXT_INVALID. */
export function readJsonRequest(text: string): PastedRequest {
  const given = parseJson(text, 'JSON request');
  if (!isRecord(given)) throw refused('write it as an object with url, headers and fields');
  const { method = 'POST', url, headers = {}, body = '', fields } = given;
  if (typeof method !== 'string') throw refused('write method as a string');
  if (typeof url !== 'string') throw refused('url is missing, or not a string');
  if (given['body'] !== undefined && fields !== undefined)
    throw refused('it has both body and fields; give one of them');
  if (typeof body !== 'string')
    throw refused('write body as the text that is sent, form-encoded; fields may be an object');
  const named = pairsIn(headers, 'headers');
  if (fields === undefined) return { method, url, headers: named, body, notes: [] };
  const isTyped = named.some(([name]) => name.toLowerCase() === 'content-type');
  const all: Pair[] = isTyped ? named : [...named, ['Content-Type', formType]];
  return { method, url, headers: all, body: encodeForm(pairsIn(fields, 'fields')), notes: [] };
}

/** An object of texts, or a list of `[name, value]` where names come more than once. */
function pairsIn(given: unknown, key: string): Pair[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : isRecord(given) ? Object.entries(given) : [null];
  return list.map((item, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw refused(`${key}, item ${at + 1}: write names and values as strings, with numbers in quotes`);
    return [name, value];
  });
}

function refused(why: string): PaycliError {
  return fail('TEXT_INVALID', { field: 'JSON request', why });
}

/** True for a HAR file, and for one request copied out of it. */
export function isHar(text: string): boolean {
  return /^\{\s*"log"\s*:/.test(text) || (/"headers"\s*:\s*\[\s*\{/.test(text) && /"url"\s*:/.test(text));
}

/** Every request of a HAR file (version 1.2). Throws TEXT_INVALID. */
export function readHar(text: string): PastedRequest[] {
  const given = parseJson(text, 'HAR file');
  const log = isRecord(given) ? given['log'] : undefined;
  const entries = isRecord(log) ? log['entries'] : [given];
  if (!Array.isArray(entries) || entries.length === 0)
    throw fail('TEXT_INVALID', { field: 'HAR file', why: 'it has no log.entries with a request in it' });
  return entries.map((entry: unknown, at) => {
    const request = isRecord(entry) && isRecord(entry['request']) ? entry['request'] : entry;
    const read = harRequest(isRecord(request) ? request : {});
    if (read !== undefined) return read;
    const why = 'it is not a request with method, url and headers as { "name", "value" }';
    throw fail('TEXT_INVALID', { field: `HAR file, entry ${at + 1}`, why });
  });
}

function harRequest({ method, url, headers = [], postData = {} }: Record<string, unknown>): PastedRequest | undefined {
  const { text = '', params = [] } = isRecord(postData) ? postData : {};
  const [named, fields] = [harPairs(headers), harPairs(params)];
  if (typeof method !== 'string' || typeof url !== 'string' || typeof text !== 'string') return undefined;
  if (named === undefined || fields === undefined) return undefined;
  const isWhole = text !== '' || fields.length === 0;
  return {
    method,
    url,
    // Those of HTTP/2 that begin with a colon repeat the method and the address.
    headers: named.filter(([name]) => !name.startsWith(':')),
    body: isWhole ? text : encodeForm(fields),
    notes: isWhole ? [] : ['the HAR entry has only the parameters, not the text of the body'],
  };
}

function harPairs(given: unknown): Pair[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const pairs = given.map((item: unknown) => (isRecord(item) ? [item['name'], item['value']] : []));
  return pairs.every((pair): pair is [string, string] => pair.every((each) => typeof each === 'string')) &&
    pairs.every(({ length }) => length === 2)
    ? pairs
    : undefined;
}

function isRecord(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/** Throws TEXT_INVALID with the place where it stops being JSON. */
function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, at] = error instanceof SyntaxError ? (/at position (\d+)/.exec(error.message) ?? []) : [];
    const before = text.slice(0, Number(at ?? 0));
    const place = `, line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`;
    throw fail('TEXT_INVALID', { field: at === undefined ? what : what + place, why: 'it is not JSON' });
  }
}

import { fail, type PaycliError } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { formType } from '../request-form.js';
import type { PastedRequest } from './pasted-request.js';

/** Reads `{ "method", "url", "headers", "body" | "fields" }`. Throws TEXT_INVALID. */
export function readJsonRequest(text: string): PastedRequest {
  const given = parseJson(text, 'JSON request');
  if (!isRecord(given)) throw refused('write it as an object with url, headers and fields');
  const { method = 'POST', url, headers = {}, body = '', fields } = given;
  if (typeof method !== 'string' || typeof url !== 'string') throw refused('write method and url as strings');
  if (typeof body !== 'string' || (given['body'] !== undefined && fields !== undefined))
    throw refused('write the body as the text that is sent, or as fields, which may be an object');
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
  const entries: unknown = isRecord(log) ? log['entries'] : [given];
  return (Array.isArray(entries) ? entries : []).map((entry: unknown, at) => {
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
  // Headers of HTTP/2 that begin with a colon repeat the method and the address.
  const own = named.filter(([name]) => !name.startsWith(':'));
  return { method, url, headers: own, body: text === '' ? encodeForm(fields) : text, notes: [] };
}

function harPairs(given: unknown): Pair[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const pairs = given.map((item: unknown) => (isRecord(item) ? [item['name'], item['value']] : []));
  return pairs.every(
    (pair): pair is [string, string] => pair.length === 2 && pair.every((each) => typeof each === 'string'),
  )
    ? pairs
    : undefined;
}

function isRecord(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of the parser could quote the text.
    throw fail('TEXT_INVALID', { field, why: 'it is not JSON' });
  }
}

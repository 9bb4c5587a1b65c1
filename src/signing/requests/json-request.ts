import { fail, type PaycliError } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { formType, type PastedRequest } from './pasted-request.js';

const what = 'JSON request';

/** Reads `{ "method", "url", "headers", "body" | "fields" }`. Throws TEXT_INVALID. */
export function readJsonRequest(text: string): PastedRequest {
  const given = parseJson(text, what);
  if (!isRecord(given))
    throw fail('TEXT_INVALID', { field: what, why: 'write it as an object with url, headers and fields' });
  const { method = 'POST', url, headers, body, fields } = given;
  if (typeof method !== 'string') throw fail('TEXT_INVALID', { field: what, why: 'write method as a string' });
  if (typeof url !== 'string') throw fail('TEXT_INVALID', { field: what, why: 'url is missing, or not a string' });
  if (body !== undefined && fields !== undefined)
    throw fail('TEXT_INVALID', { field: what, why: 'it has both body and fields; give one of them' });
  if (body !== undefined && typeof body !== 'string')
    throw fail('TEXT_INVALID', {
      field: what,
      why: 'write body as the text that is sent, form-encoded; fields may be an object',
    });
  const sent = fields === undefined ? (body ?? '') : encodeForm(pairsOf(fields, 'fields'));
  const named = headers === undefined ? [] : pairsOf(headers, 'headers');
  const isTyped = fields === undefined || named.some(([name]) => name.toLowerCase() === 'content-type');
  return { method, url, headers: isTyped ? named : [...named, ['Content-Type', formType]], body: sent, notes: [] };
}

/** Throws TEXT_INVALID with the place where it stops being JSON. */
function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, at] = error instanceof SyntaxError ? (/at position (\d+)/.exec(error.message) ?? []) : [];
    if (at === undefined) throw fail('TEXT_INVALID', { field, why: 'it is not JSON' });
    const before = text.slice(0, Number(at));
    const line = before.split('\n').length;
    throw fail('TEXT_INVALID', {
      field: `${field}, line ${line}, column ${Number(at) - before.lastIndexOf('\n')}`,
      why: 'it is not JSON',
    });
  }
}

/** An object of texts, or a list of `[name, value]` where names come more than once. */
function pairsOf(given: unknown, key: string): Pair[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : isRecord(given) ? Object.entries(given) : [null];
  return list.map((item, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw fail('TEXT_INVALID', {
        field: what,
        why: `${key}, item ${at + 1}: write names and values as strings, with numbers in quotes`,
      });
    return [name, value];
  });
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
  return entries.map((entry: unknown, at) =>
    harRequest(isRecord(entry) && isRecord(entry['request']) ? entry['request'] : entry, at),
  );
}

function harRequest(given: unknown, at: number): PastedRequest {
  const field = `HAR file, entry ${at + 1}`;
  if (!isRecord(given)) throw harEntryNoRequest(field);
  const { method, url, headers = [], postData } = given;
  if (typeof method !== 'string' || typeof url !== 'string') throw harEntryNoRequest(field);
  const { body, notes } = harBody(postData, field);
  // Those of HTTP/2 that begin with a colon repeat the method and the address.
  return { method, url, headers: harPairs(headers, field).filter(([name]) => !name.startsWith(':')), body, notes };
}

function harBody(given: unknown, field: string): Pick<PastedRequest, 'body' | 'notes'> {
  if (!isRecord(given)) return { body: '', notes: [] };
  const { text, params } = given;
  if (typeof text === 'string' && text !== '') return { body: text, notes: [] };
  if (!Array.isArray(params) || params.length === 0) return { body: '', notes: [] };
  const body = encodeForm(harPairs(params, field));
  return { body, notes: ['the HAR entry has only the parameters, not the text of the body'] };
}

function harPairs(given: unknown, field: string): Pair[] {
  if (!Array.isArray(given)) throw harEntryNoRequest(field);
  return given.map((item: unknown): Pair => {
    const { name, value } = isRecord(item) ? item : {};
    if (typeof name !== 'string' || typeof value !== 'string') throw harEntryNoRequest(field);
    return [name, value];
  });
}

function isRecord(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function harEntryNoRequest(field: string): PaycliError {
  return fail('TEXT_INVALID', {
    field,
    why: 'it is not a request with method, url and headers as { "name", "value" }',
  });
}

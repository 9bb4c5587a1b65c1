import { fail } from '../../../errors/index.js';
import { encodeForm, type Pair } from '../../../wire/form.js';
import { readCurl } from './pasted-curl.js';
import { formType, headerOf, type PastedRequest, requireForm } from './pasted-request.js';

const requestLine = /^(?<method>[!#$%&'*+.^`|~\w-]+) (?<target>\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Reads a raw HTTP request: request line, headers, an empty line, body. Lines may end in LF. Throws TEXT_INVALID. */
export function readHttp(text: string): PastedRequest {
  const found = /\r?\n\r?\n/.exec(text);
  const head = found === null ? text.trimEnd() : text.slice(0, found.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const { method, target } = requestLine.exec(first.trimEnd())?.groups ?? {};
  if (method === undefined || target === undefined) throw fail('httpWithoutRequestLine');
  const headers = headersOf(lines);
  const host = headerOf({ headers }, 'host');
  const isWhole = /^https?:\/\//i.test(target);
  if (!isWhole && host === undefined) throw fail('httpWithoutHost');
  const rest = found === null ? '' : text.slice(found.index + found[0].length);
  const { body, notes } = bodyOf(rest, headerOf({ headers }, 'content-length'));
  return { method, url: target, host: isWhole ? undefined : host, headers, body, notes };
}

function headersOf(lines: readonly string[]): Pair[] {
  const headers: Pair[] = [];
  for (const [at, line] of lines.entries()) {
    const last = headers.at(-1);
    const [, name, value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    // RFC 9112 5.2: a line that begins with a blank goes on where the one before ended.
    if (/^[ \t]/.test(line) && last !== undefined) headers[headers.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
    else if (name === undefined) throw fail('httpLineNoHeader', { line: at + 2 });
    else headers.push([name, value]);
  }
  return headers;
}

/** A file ends in a line break that the request did not have; Content-Length tells where there is one. */
function bodyOf(rest: string, length: string | undefined): Pick<PastedRequest, 'body' | 'notes'> {
  const bytes = Buffer.from(rest);
  const stated = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
  if (
    stated !== undefined &&
    stated <= bytes.length &&
    rest.slice(Buffer.from(bytes.subarray(0, stated)).toString('utf8').length).trim() === ''
  )
    return { body: bytes.subarray(0, stated).toString('utf8'), notes: [] };
  const body = rest.replace(/\r?\n$/, '');
  if (stated === undefined) return { body, notes: [] };
  return { body, notes: [`Content-Length says ${stated} bytes, but the body has ${Buffer.byteLength(body)}`] };
}

/** Reads `{ "method", "url", "headers", "body" | "fields" }`. Throws TEXT_INVALID. */
export function readJsonRequest(text: string): PastedRequest {
  const given = parseObject(text);
  const { method = 'POST', url, headers, body, fields } = given;
  if (typeof method !== 'string') throw fail('jsonMethodNoText');
  if (typeof url !== 'string') throw fail('jsonUrlNoText');
  if (body !== undefined && fields !== undefined) throw fail('jsonBodyAndFields');
  if (body !== undefined && typeof body !== 'string') throw fail('jsonBodyNoText');
  const sent = fields === undefined ? (body ?? '') : encodeForm(pairsOf(fields, 'fields'));
  const named = headers === undefined ? [] : pairsOf(headers, 'headers');
  const isTyped = fields === undefined || named.some(([name]) => name.toLowerCase() === 'content-type');
  return { method, url, headers: isTyped ? named : [...named, ['Content-Type', formType]], body: sent, notes: [] };
}

function parseObject(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw fail('inputNotJson', { field: 'JSON request' });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw fail('jsonNoObject');
  return { ...given };
}

/** An object of texts, or a list of `[name, value]` where names come more than once. */
function pairsOf(given: unknown, key: string): Pair[] {
  const list: readonly unknown[] = Array.isArray(given)
    ? given
    : typeof given === 'object' && given !== null
      ? Object.entries(given)
      : [null];
  return list.map((item, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw fail('jsonItemNoTexts', { key, item: at + 1 });
    return [name, value];
  });
}

const requestFormats = ['curl', 'http', 'json'] as const;
export type RequestFormat = (typeof requestFormats)[number];

const readers: Readonly<Record<RequestFormat, (text: string) => PastedRequest>> = {
  curl: readCurl,
  http: readHttp,
  json: readJsonRequest,
};

/** Reads a pasted request in the format it seems to have, or in the one that is named. Throws TEXT_INVALID. */
export function readRequest(text: string, format: RequestFormat | undefined, source: string): PastedRequest {
  const bare = text.replace(/^\uFEFF/, '').trimStart();
  const seen = format ?? formatOf(bare);
  if (seen !== undefined) return requireForm(readers[seen](bare));
  throw fail(bare === '' ? 'requestEmpty' : 'requestFormatUnknown', { field: source });
}

function formatOf(text: string): RequestFormat | undefined {
  if (text.startsWith('{')) return 'json';
  if (/^(?:[$%#>]\s+)?(?:\S*[/\\])?curl(?:\.exe)?\s/.test(text)) return 'curl';
  return /^[A-Z]+ \S+ HTTP\/\d/.test(text) ? 'http' : undefined;
}

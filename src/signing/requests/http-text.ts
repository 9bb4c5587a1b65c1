import { fail, type PaycliError } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { headerOf, type PastedRequest } from './pasted-request.js';

const what = 'HTTP request';
const requestLine = /^(?<method>[!#$%&'*+.^`|~\w-]+) (?<target>\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/**
 * Reads a raw HTTP request: request line, headers, an empty line, body. Lines may end in LF; those of HTTP/2 begin with
 * :method, :scheme, :authority and :path. Throws TEXT_INVALID.
 */
export function readHttp(text: string): PastedRequest {
  if (isHttp2(text)) return readHttp2(text);
  const found = /\r?\n\r?\n/.exec(text);
  const head = found === null ? text.trimEnd() : text.slice(0, found.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const { method, target } = requestLine.exec(first.trimEnd())?.groups ?? {};
  if (method === undefined || target === undefined)
    throw fail('TEXT_INVALID', {
      field: `${what}, line 1`,
      why: 'its first line is not a request line such as POST /api/v2/sale/4001 HTTP/1.1',
    });
  const headers = headersOf(lines, 2);
  const host = headerOf({ headers }, 'host');
  const isWhole = /^https?:\/\//i.test(target);
  if (!isWhole && host === undefined)
    throw fail('TEXT_INVALID', { field: what, why: 'it has no Host header, so the address is not known' });
  const rest = found === null ? '' : text.slice(found.index + found[0].length);
  const { body, notes } = bodyOf(rest, headerOf({ headers }, 'content-length'));
  return { method, url: target, host: isWhole ? undefined : host, headers, body, notes };
}

function headersOf(lines: readonly string[], firstLine: number): Pair[] {
  const headers: Pair[] = [];
  for (const [at, line] of lines.entries()) {
    const last = headers.at(-1);
    const [, name, value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    // RFC 9112 5.2: a line that begins with a blank goes on where the one before ended.
    if (/^[ \t]/.test(line) && last !== undefined) headers[headers.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
    else if (name === undefined) throw httpLineNoHeader(at + firstLine, what);
    else headers.push([name, value]);
  }
  return headers;
}

/**
 * A file ends in a line break that the request did not have; Content-Length tells where there is one. What a client
 * printed behind it, such as the reply, is left out.
 */
function bodyOf(rest: string, length: string | undefined): Pick<PastedRequest, 'body' | 'notes'> {
  const bytes = Buffer.from(rest);
  const stated = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
  const counted = bytes.subarray(0, stated ?? 0).toString('utf8');
  const behind = rest.slice(counted.length);
  const isReply = /^\s*HTTP\/\d/.test(behind);
  if (stated !== undefined && stated <= bytes.length && (behind.trim() === '' || isReply))
    return { body: counted, notes: [] };
  const body = rest.replace(/\r?\n$/, '');
  if (stated === undefined) return { body, notes: [] };
  return { body, notes: [`Content-Length says ${stated} bytes, but the body has ${Buffer.byteLength(body)}`] };
}

const pseudo = /^[ \t]*(?:\[[^\]\n]*\][ \t]*)?:(?:method|path|authority|scheme):?(?:[ \t]|\r?$)/m;

/** RFC 9113 8.3.1, as browsers and nghttp print it. */
export function isHttp2(text: string): boolean {
  return pseudo.test(text.slice(0, 2000)) && !/^[A-Z]+ \S+ HTTP\/\d/.test(text);
}

/** Name and value on one line, or the value on the line below, as the panel of a browser gives them. */
function readHttp2(text: string): PastedRequest {
  const start = pseudo.exec(text)?.index ?? 0;
  const found = /\r?\n[ \t]*\r?\n/.exec(text.slice(start));
  const end = found === null ? text.length : start + found.index;
  const fields = fieldsOf(text.slice(start, end).split(/\r?\n/), text.slice(0, start).split('\n').length);
  const taken = (name: string) => fields.find((pair) => pair[0] === name)?.[1];
  const [method, path, authority] = [taken(':method'), taken(':path'), taken(':authority') ?? taken('host')];
  if (method === undefined || path === undefined || authority === undefined) {
    const name = method === undefined ? ':method' : path === undefined ? ':path' : ':authority';
    throw fail('TEXT_INVALID', { why: `it has no ${name}`, name, field: 'HTTP/2 request' });
  }
  const headers = fields.filter(([name]) => !name.startsWith(':'));
  const rest = found === null ? '' : text.slice(end + found[0].length);
  const { body, notes } = bodyOf(rest, headerOf({ headers }, 'content-length'));
  const url = `${taken(':scheme') ?? 'https'}://${authority}${path}`;
  return { method, url, headers, body, notes };
}

function fieldsOf(lines: readonly string[], firstLine: number): Pair[] {
  const fields: Pair[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/^[ \t]*(?:\[[^\]]*\][ \t]*)?/, '').trimEnd();
    const [, name, value] = /^(:?[^\s:]+):?(?:[ \t]+(.*))?$/.exec(line) ?? [];
    const isAlone = name !== undefined && value === undefined && !/^:?[^\s:]+:$/.test(line);
    if (name === undefined || (isAlone && lines[at + 1] === undefined))
      throw httpLineNoHeader(at + firstLine, 'HTTP/2 request');
    fields.push([name, isAlone ? (lines[at + 1] ?? '').trim() : (value ?? '')]);
    if (isAlone) at += 1;
  }
  return fields;
}

function httpLineNoHeader(line: number, field: string): PaycliError {
  return fail('TEXT_INVALID', { why: `line ${line} is not a header; put an empty line before the body`, line, field });
}

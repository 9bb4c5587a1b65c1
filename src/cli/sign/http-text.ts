import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { headerOf, type Pasted } from './pasted.js';

const requestLine = /^(?<method>[!#$%&'*+.^`|~\w-]+) (?<target>\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Reads a raw HTTP request: request line, headers, an empty line, body. Lines may end in LF. Throws TEXT_INVALID. */
export function readHttp(text: string): Pasted {
  const found = /\r?\n\r?\n/.exec(text);
  const head = found === null ? text.trimEnd() : text.slice(0, found.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const { method, target } = requestLine.exec(first.trimEnd())?.groups ?? {};
  if (method === undefined || target === undefined)
    throw refused('its first line is no request line such as POST /api/v2/sale/4001 HTTP/1.1');
  const headers = headersOf(lines);
  const host = headerOf({ headers }, 'host');
  const isWhole = /^https?:\/\//i.test(target);
  if (!isWhole && host === undefined) throw refused('it has no Host header, so the address is not known');
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
    else if (name === undefined) throw refused(`line ${at + 2} is no header; an empty line must stand before the body`);
    else headers.push([name, value]);
  }
  return headers;
}

/** A file ends in a line break that the request did not have; Content-Length tells where there is one. */
function bodyOf(rest: string, length: string | undefined): Pick<Pasted, 'body' | 'notes'> {
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
  return { body, notes: [`Content-Length says ${stated} bytes, and the body has ${Buffer.byteLength(body)}`] };
}

function refused(why: string): Error {
  return fail('TEXT_INVALID', { field: 'HTTP request', why });
}

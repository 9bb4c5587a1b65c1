import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { headerOf, type PastedRequest } from './pasted-request.js';

const what = 'HTTP request';
const requestLine = /^(?<method>[!#$%&'*+.^`|~\w-]+) (?<target>\S+)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Reads a raw HTTP request: request line, headers, an empty line, body. Lines may end in LF. Throws TEXT_INVALID. */
export function readHttp(text: string): PastedRequest {
  const found = /\r?\n\r?\n/.exec(text);
  const head = found === null ? text.trimEnd() : text.slice(0, found.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const { method, target } = requestLine.exec(first.trimEnd())?.groups ?? {};
  if (method === undefined || target === undefined)
    throw fail('TEXT_INVALID', {
      field: `${what}, line 1`,
      why: 'its first line is not a request line such as POST /api/v2/sale/4001 HTTP/1.1',
    });
  const headers = headersIn(lines);
  const host = headerOf({ headers }, 'host');
  const isWhole = /^https?:\/\//i.test(target);
  if (!isWhole && host === undefined)
    throw fail('TEXT_INVALID', { field: what, why: 'it has no Host header, so the address is not known' });
  const rest = found === null ? '' : text.slice(found.index + found[0].length);
  const { body, notes } = bodyIn(rest, headerOf({ headers }, 'content-length'));
  return { method, url: target, host: isWhole ? undefined : host, headers, body, notes };
}

function headersIn(lines: readonly string[]): Pair[] {
  const headers: Pair[] = [];
  for (const [at, line] of lines.entries()) {
    const last = headers.at(-1);
    const [, name, value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    // RFC 9112 5.2: a line that begins with a blank goes on where the one before ended.
    if (/^[ \t]/.test(line) && last !== undefined) headers[headers.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
    else if (name !== undefined) headers.push([name, value]);
    else
      throw fail('TEXT_INVALID', {
        why: `line ${at + 2} is not a header; put an empty line before the body`,
        line: at + 2,
        field: what,
      });
  }
  return headers;
}

/**
 * A file ends in a line break that the request did not have; Content-Length tells where there is one. What a client
 * printed behind it, such as the reply, is left out.
 */
function bodyIn(rest: string, length: string | undefined): Pick<PastedRequest, 'body' | 'notes'> {
  const bytes = Buffer.from(rest);
  const stated = length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
  const counted = bytes.subarray(0, stated ?? 0).toString('utf8');
  const behind = rest.slice(counted.length);
  const isReply = /^\s*HTTP\/\d/.test(behind);
  if (stated !== undefined && stated <= bytes.length && (behind.trim() === '' || isReply))
    return { body: counted, notes: [] };
  const body = rest.replace(/\r?\n$/, '');
  // In characters, where it was sent in an encoding of one byte each.
  if (stated === undefined || stated === body.length) return { body, notes: [] };
  return { body, notes: [`Content-Length says ${stated} bytes, but the body has ${Buffer.byteLength(body)}`] };
}

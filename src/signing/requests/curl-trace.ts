import { fail } from '../../errors/index.js';
import { readCurl, readCurlForCmd } from './curl.js';
import { readHttp } from './http-text.js';
import type { PastedRequest } from './pasted-request.js';

const what = 'curl trace';

/** True for what `curl -v` and `curl --trace-ascii` print. */
export function isCurlTrace(text: string): boolean {
  return /^> \S+ \S+ HTTP\/\d/m.test(text) || /^=> Send header/m.test(text);
}

/**
 * Reads what curl said of a request: -v shows request line and headers, --trace-ascii the body as well. A body that the
 * command above the trace shows is taken from it. Throws TEXT_INVALID.
 */
export function readCurlTrace(text: string): PastedRequest[] {
  const requests = /^=> Send header/m.test(text) ? dumped(text) : verbose(text);
  if (requests.length === 0) throw fail('traceWithoutRequest', { field: what });
  return requests;
}

/** Lines behind `> `, one block for each request. */
function verbose(text: string): PastedRequest[] {
  const lines = text.split(/\r?\n/);
  const command = bodyOfCommand(text);
  const heads: { at: number; lines: string[] }[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const sent = /^> ?(.*)$/.exec(line)?.[1];
    if (sent === undefined) continue;
    if (!isOpen) heads.push({ at, lines: [] });
    isOpen = sent !== '';
    if (sent !== '') heads.at(-1)?.lines.push(sent);
  }
  return heads.map(({ at, lines: head }) => {
    const read = readHttp(`${head.filter((line) => !/^content-length:/i.test(line)).join('\n')}\n\n`);
    const isTls = /^\* .*(?:SSL connection|TLSv1|ALPN)|port 443\b/m.test(lines.slice(0, at).join('\n'));
    const isSent = head.some((line) => /^(?:content-length:\s*[1-9]|transfer-encoding:)/i.test(line));
    return { ...withScheme(read, isTls), body: command ?? '', lacksBody: command === undefined && isSent };
  });
}

function withScheme(read: PastedRequest, isTls: boolean): PastedRequest {
  return read.host === undefined
    ? read
    : { ...read, url: `${isTls ? 'https' : 'http'}://${read.host}${read.url}`, host: undefined };
}

/** The body of the command that was typed above its trace. */
function bodyOfCommand(text: string): string | undefined {
  const command = /^[\s\S]*?(?=^(?:[*>] |=> |\s+% Total))/m.exec(text)?.[0] ?? '';
  if (!/\bcurl(?:\.exe)?\s/.test(command)) return undefined;
  return (/\^\r?\n|\^"/.test(command) ? readCurlForCmd : readCurl)(command).body;
}

/** `=> Send header, 245 bytes (0xf5)` and `=> Send data, …`, each with lines of at most 64 characters. */
function dumped(text: string): PastedRequest[] {
  const requests: { head: string; data: string; isTls: boolean }[] = [];
  let target: 'head' | 'data' | undefined;
  let isTls = false;
  let next = 0;
  for (const line of text.split(/\r?\n/)) {
    if (/^== Info: .*(?:SSL connection|TLSv1|ALPN)/.test(line)) isTls = true;
    const mark = /^(?:[\d:.]+ )?(=>|<=|==) (Send header|Send data)?/.exec(line);
    if (mark !== null) {
      target = mark[2] === 'Send header' ? 'head' : mark[2] === 'Send data' ? 'data' : undefined;
      if (target === 'head') requests.push({ head: '', data: '', isTls });
      next = 0;
      continue;
    }
    const [, offset = '', piece = ''] = /^([0-9a-f]{4,8}): (.*)$/.exec(line) ?? [];
    const request = requests.at(-1);
    if (target === undefined || offset === '' || request === undefined) continue;
    // The two characters of a line end are counted, and not shown.
    const at = Number.parseInt(offset, 16);
    request[target] += (at > next ? '\r\n' : '') + piece;
    next = at + piece.length;
  }
  return requests.map(({ head, data, isTls: isSecure }) => ({
    ...withScheme(readHttp(`${head.replace(/\r\ncontent-length:[^\r]*/i, '').trimEnd()}\r\n\r\n`), isSecure),
    body: data,
    notes: /\./.test(data) && !/^[\w.%&=+~-]*$/.test(data) ? [dotsRemark] : [],
  }));
}

const dotsRemark = 'the trace shows a dot for every byte outside ASCII; use --trace-ascii only with encoded bodies';

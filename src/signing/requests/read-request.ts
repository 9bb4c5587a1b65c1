import { fail } from '../../errors/index.js';
import { formType } from '../request-form.js';
import { isCurl, readCurl } from './curl.js';
import { readHttp } from './http-text.js';
import { isHar, readHar, readJsonRequest } from './json-request.js';
import { headerOf, operationAt, type PastedRequest } from './pasted-request.js';

/** The ways to write a request down, in the order in which a text is tried. */
export type RequestFormat = 'curl' | 'har' | 'json' | 'http' | 'body';

interface Format {
  readonly format: RequestFormat;
  /** In messages. */
  readonly words: string;
  readonly looksLikeIt: (text: string) => boolean;
  /** All requests of the text. */
  readonly read: (text: string) => readonly PastedRequest[];
}

const one = (read: (text: string) => PastedRequest) => (text: string) => [read(text)];
const isHttp = (text: string) => /^[A-Z]+ \S+ HTTP\/\d/.test(text);
const isBody = (text: string) => /^[^\s=&{}"']+=[^\s]*$/.test(text.trim());

const formats: readonly Format[] = [
  { format: 'curl', words: 'curl command', looksLikeIt: isCurl, read: one(readCurl) },
  { format: 'har', words: 'HAR file', looksLikeIt: isHar, read: readHar },
  { format: 'json', words: 'JSON request', looksLikeIt: (text) => text.startsWith('{'), read: one(readJsonRequest) },
  { format: 'http', words: 'HTTP request', looksLikeIt: isHttp, read: one(readHttp) },
  { format: 'body', words: 'form body', looksLikeIt: isBody, read: one(readBody) },
];

/** A pasted request, and what it was taken for. */
export interface ReadRequest extends PastedRequest {
  readonly format: RequestFormat;
}

/**
 * Reads a request in the format it seems to have; `url` takes the place of its address, and `source` is how messages
 * call the text. Of several requests it is the one that goes to an operation. Throws TEXT_INVALID.
 */
export function readRequest(text: string, url: string | undefined, source: string): ReadRequest {
  const trimmed = text.replace(/^\uFEFF/, '').trimStart();
  const found = formats.find(({ looksLikeIt }) => looksLikeIt(trimmed));
  if (found === undefined) {
    const why = 'it was not recognized as a curl command, an HTTP request, a HAR file, JSON or a form body';
    throw fail('TEXT_INVALID', { field: source, why });
  }
  const { format, words, read } = found;
  const pasted = { ...choose(read(trimmed), words), ...(url === undefined ? {} : { url, host: undefined }) };
  if (pasted.url === '') {
    const why = 'a body alone does not say where it goes; name the address with --url';
    throw fail('TEXT_INVALID', { field: words, why });
  }
  requireForm(pasted);
  return { ...pasted, format, notes: [...pasted.notes, ...maskNotes(trimmed)] };
}

function readBody(text: string): PastedRequest {
  return { method: 'POST', url: '', headers: [['Content-Type', formType]], body: text.trim(), notes: [] };
}

function choose(requests: readonly PastedRequest[], field: string): PastedRequest {
  const fitting = requests.length === 1 ? requests : requests.filter(({ url }) => operationAt(url) !== undefined);
  const [first] = fitting;
  if (fitting.length === 1 && first !== undefined) return first;
  const why = `it contains ${fitting.length} requests to operations; copy one of them into a file of its own`;
  throw fail('TEXT_INVALID', { why, field });
}

/** Refuses a body the interface does not take, and which no signature covers. */
function requireForm(pasted: PastedRequest): void {
  const type = headerOf(pasted, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? formType;
  if (pasted.body === '' || (type === formType && !/^\s*[[{]/.test(pasted.body))) return;
  const why = `its body is not sent as ${formType}: no other body is accepted or signed`;
  throw fail('TEXT_INVALID', { field: 'request', why });
}

/** A request from a log or a screen may have masks in place of card data. */
function maskNotes(text: string): string[] {
  if (!/•|%E2%80%A2/i.test(text)) return [];
  return ['it contains masks (••••): an OAuth signature covers what they hide, so only a control can be checked'];
}

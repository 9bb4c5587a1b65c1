import { fail } from '../../errors/index.js';
import { formType } from '../request-form.js';
import { isCurl, readCurl } from './curl.js';
import { readHttp } from './http-text.js';
import { isHar, readHar, readJsonRequest } from './json-request.js';
import { checkMasks } from './masked-request.js';
import { operationAt, type PastedRequest, type RequestFormat, requestFormats, requireForm } from './pasted-request.js';

/** One way to write a request down. */
interface Format {
  /** In messages. */
  readonly words: string;
  readonly looksLikeIt: (text: string) => boolean;
  /** All requests of the text, at least one. */
  readonly read: (text: string) => readonly PastedRequest[];
}

const one = (read: (text: string) => PastedRequest) => (text: string) => [read(text)];

const formats: Readonly<Record<RequestFormat, Format>> = {
  curl: { words: 'curl command', looksLikeIt: isCurl, read: one(readCurl) },
  har: { words: 'HAR file', looksLikeIt: isHar, read: readHar },
  json: { words: 'JSON request', looksLikeIt: (text) => text.startsWith('{'), read: one(readJsonRequest) },
  http: {
    words: 'HTTP request',
    looksLikeIt: (text) => /^[A-Z]+ \S+ HTTP\/\d/.test(text),
    read: one(readHttp),
  },
  body: { words: 'form body', looksLikeIt: (text) => /^[^\s=&{}"']+=[^\s]*$/.test(text.trim()), read: one(readBody) },
};

/** A pasted request, and what it was taken for. */
export interface ReadRequest extends PastedRequest {
  readonly format: RequestFormat;
}

/**
 * Reads a request in the format it seems to have; `url` takes the place of its address, and `source` is how messages
 * call the text. Of several requests it is the one that goes to an operation. Throws TEXT_INVALID, which says what the
 * text was taken for, and where reading it stopped.
 */
export function readRequest(text: string, url: string | undefined, source: string): ReadRequest {
  const trimmed = text.replace(/^\uFEFF/, '').trimStart();
  if (trimmed === '') throw fail('TEXT_INVALID', { field: source, why: 'it is empty' });
  const format = requestFormats.find((name) => formats[name].looksLikeIt(trimmed));
  if (format === undefined)
    throw fail('TEXT_INVALID', {
      field: source,
      why: 'it was not recognized as a curl command, an HTTP request, a HAR file, JSON or a form body',
    });
  const { words, read } = formats[format];
  const request = { ...choose(read(trimmed), words), ...(url === undefined ? {} : { url, host: undefined }) };
  if (request.url === '')
    throw fail('TEXT_INVALID', {
      field: words,
      why: 'a body alone does not say where it goes; name the address with --url',
    });
  return checkMasks(requireForm({ ...request, format }), words);
}

function readBody(text: string): PastedRequest {
  return { method: 'POST', url: '', headers: [['Content-Type', formType]], body: text.trim(), notes: [] };
}

function choose(requests: readonly PastedRequest[], words: string): PastedRequest {
  const [first] = requests;
  if (requests.length === 1 && first !== undefined) return first;
  const fitting = requests.flatMap((request, at) =>
    operationAt(request.url) === undefined ? [] : [{ request, number: at + 1 }],
  );
  const [chosen, another] = fitting;
  if (chosen !== undefined && another === undefined) {
    const note = `entry ${chosen.number} of ${requests.length} goes to an operation and was used`;
    return { ...chosen.request, notes: [...chosen.request.notes, note] };
  }
  const numbers = fitting.map(({ number }) => number).join(', ');
  const which = chosen === undefined ? 'none goes to an operation' : `these go to an operation: ${numbers}`;
  const why = `it contains ${requests.length} requests, and ${which}; copy one of them into a file of its own`;
  throw fail('TEXT_INVALID', { why, count: requests.length, field: words });
}

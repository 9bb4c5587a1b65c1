import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { formType } from '../request-form.js';
import { readCurl } from './curl.js';
import { readHttp } from './http-text.js';
import { isHar, readHar, readJsonRequest } from './json-request.js';
import { checkMasks } from './masked-request.js';
import { headerOf, type PastedRequest, type RequestFormat, requestFormats, requireForm } from './pasted-request.js';
import { operationAt } from './received-request.js';

/** One way to write a request down. */
interface Format {
  /** In messages. */
  readonly words: string;
  readonly looksLikeIt: (text: string) => boolean;
  /** All requests of the text, at least one. */
  readonly read: (text: string) => readonly PastedRequest[];
}

// With a prompt, variables or `sudo` before it.
const isCurl =
  /^\s*(?:[^\n'"]{0,60}?[$%#>]\s?)?\s*(?:(?:\w+=\S*|sudo|time|command|env|exec)\s+)*(?:\S*[/\\])?curl(?:\.exe)?\s/i;
const one = (read: (text: string) => PastedRequest) => (text: string) => [read(text)];

const formats: Readonly<Record<RequestFormat, Format>> = {
  curl: { words: 'curl command', looksLikeIt: (text) => isCurl.test(text), read: one(readCurl) },
  har: { words: 'HAR file', looksLikeIt: isHar, read: readHar },
  json: { words: 'JSON request', looksLikeIt: (text) => text.startsWith('{'), read: one(readJsonRequest) },
  http: {
    words: 'HTTP request',
    looksLikeIt: (text) => /^[A-Z]+ \S+ HTTP\/\d/.test(text),
    read: one(readHttp),
  },
  body: { words: 'form body', looksLikeIt: (text) => /^[^\s=&{}"']+=[^\s]*$/.test(text.trim()), read: one(readBody) },
};

/** What is known of a request besides its text. */
export interface RequestHints {
  /** Undefined to recognise it. */
  readonly format?: RequestFormat | undefined;
  /** Which of several, from 1. */
  readonly entry?: number | undefined;
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly authorization?: string | undefined;
  readonly body?: string | undefined;
}

/** A pasted request, and what it was taken for. */
export interface ReadRequest extends PastedRequest {
  readonly format: RequestFormat;
  readonly formatWords: string;
}

// Some programs colour what they print. No request holds this sequence: it has control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is searched for.
const colours = /\x1b\[[\d;]*m/g;

/**
 * Reads a request in the format it seems to have, or in the one that is named; `source` is how messages call the text.
 * Of several requests it is the one that goes to an operation. Throws TEXT_INVALID, which says what the text was taken
 * for, and where reading it stopped.
 */
export function readRequest(text: string, hints: RequestHints, source: string): ReadRequest {
  const bare = text.replace(/^\uFEFF/, '').replace(colours, '');
  const trimmed = bare.trimStart();
  if (trimmed === '' && hints.url === undefined) throw fail('TEXT_INVALID', { field: source, why: 'it is empty' });
  const format = hints.format ?? requestFormats.find((name) => formats[name].looksLikeIt(trimmed));
  if (format === undefined)
    throw fail('TEXT_INVALID', {
      field: source,
      why: 'it was not recognized as a curl command, an HTTP request, a HAR file, JSON or a form body',
    });
  const { words, read } = formats[format];
  const chosen = choose(read(trimmed), hints, words);
  return checkMasks(requireForm({ ...withHints(chosen, hints, words), format, formatWords: words }), words);
}

function readBody(text: string): PastedRequest {
  return { method: 'POST', url: '', headers: [['Content-Type', formType]], body: text.trim(), notes: [] };
}

function choose(requests: readonly PastedRequest[], { entry }: RequestHints, words: string): PastedRequest {
  const [first] = requests;
  if (requests.length === 1 && first !== undefined && entry === undefined) return first;
  const fitting = requests.flatMap(({ url }, at) => (operationAt(url) === undefined ? [] : [at + 1]));
  const number = entry ?? (fitting.length === 1 ? fitting[0] : undefined);
  const chosen = number === undefined ? undefined : requests[number - 1];
  if (chosen === undefined) {
    const which =
      fitting.length === 0 ? 'none goes to an operation' : `these go to an operation: ${fitting.join(', ')}`;
    const choice = entry === undefined ? `, and ${which}; choose one with --entry` : '; --entry counts from 1';
    const why = `it contains ${requests.length} requests${choice}`;
    throw fail('TEXT_INVALID', { why, count: requests.length, field: words });
  }
  if (entry !== undefined) return chosen;
  const note = `entry ${number} of ${requests.length} goes to an operation and was used`;
  return { ...chosen, notes: [...chosen.notes, note] };
}

/** What a flag says takes the place of what the text says. */
function withHints(request: PastedRequest, hints: RequestHints, words: string): PastedRequest {
  const { url = request.url, method = request.method, authorization, body } = hints;
  if (url === '')
    throw fail('TEXT_INVALID', {
      field: words,
      why: 'a body alone does not say where it goes; name the address with --url',
    });
  const headers: Pair[] = request.headers.filter(
    ([name]) => authorization === undefined || name.toLowerCase() !== 'authorization',
  );
  if (authorization !== undefined) headers.push(['Authorization', authorization]);
  if (body !== undefined && headerOf(request, 'content-type') === undefined) headers.push(['Content-Type', formType]);
  const host = hints.url === undefined ? request.host : undefined;
  return { ...request, url, host, method, headers, body: body ?? request.body };
}

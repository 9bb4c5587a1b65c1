import { fail } from '../../errors/index.js';
import { readCurl } from './curl.js';
import { readHttp } from './http-text.js';
import { readJsonRequest } from './json-request.js';
import { type Pasted, requireForm } from './pasted.js';

export const requestFormats = ['curl', 'http', 'json'] as const;
export type RequestFormat = (typeof requestFormats)[number];

const readers: Readonly<Record<RequestFormat, (text: string) => Pasted>> = { curl: readCurl, http: readHttp, json: readJsonRequest };

/** Reads a pasted request in the format it seems to have, or in the one that is named. Throws TEXT_INVALID. */
export function readRequest(text: string, format: RequestFormat | undefined, source: string): Pasted {
  const bare = text.replace(/^\uFEFF/, '').trimStart();
  const seen = format ?? formatOf(bare);
  if (seen !== undefined) return requireForm(readers[seen](bare));
  const why =
    bare === '' ? 'it is empty' : 'it is no curl command, no HTTP request and no JSON request; say which with --format curl, http or json';
  throw fail('TEXT_INVALID', { field: source, why });
}

function formatOf(text: string): RequestFormat | undefined {
  if (text.startsWith('{')) return 'json';
  if (/^(?:[$%#>]\s+)?(?:\S*[/\\])?curl(?:\.exe)?\s/.test(text)) return 'curl';
  return /^[A-Z]+ \S+ HTTP\/\d/.test(text) ? 'http' : undefined;
}

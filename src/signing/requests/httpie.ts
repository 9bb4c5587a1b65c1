import { fail } from '../../errors/index.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { withoutPrompt, withQuery } from './curl.js';
import { flagsNamed, formType, type PastedRequest, placeIn } from './pasted-request.js';
import { shellWords } from './shell-words.js';

const what = 'HTTPie command';

/** True for HTTPie's own commands and for xh, which takes the same words. */
export function isHttpie(text: string): boolean {
  const [, rest = ''] = /^\s*(?:(?:PS )?[^\n'"]{0,60}?[$%#>]\s+)?(?:https?|xhs?)\s+(\S[\s\S]*)/.exec(text) ?? [];
  return rest !== '';
}

const valuedShort = /^-[pos]$/;
const bareShort = /^-[vhbmdcqFISx]+$/;
const valuedLong = flagsNamed(
  'print output session session-read-only timeout verify proxy cert cert-key ssl style pretty format-options max-redirects default-scheme response-charset response-mime ciphers max-headers boundary',
);
const bareLong = flagsNamed(
  `verbose headers meta body download continue quiet follow check-status ignore-stdin offline stream all compress no-\\w+ debug traceback chunked path-as-is unsorted sorted`,
);

/** Items of a request, by the mark between name and value; the longest mark at the first place counts. */
const item = /^((?:[^\\:=@]|\\[\s\S])*?)(:=@|=@|:=|==|=|@|:|;)([\s\S]*)$/;

/** Reads a pasted HTTPie command. Throws TEXT_INVALID. */
export function readHttpie(text: string): PastedRequest {
  const source = withoutPrompt(text);
  const { words, starts } = shellWords(source, what);
  const placeOf = (at: number) => placeIn(what, source, starts[at] ?? source.length);
  let kind: 'form' | 'json' = 'json';
  let raw: string | undefined;
  const rest: { readonly word: string; readonly at: number }[] = [];
  const notes: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, flag = word, joined] = /^(--[\w-]+)=([\s\S]*)$/.exec(word) ?? [];
    if (flag === '--form' || /^-[vhbmF]*f[vhbmF]*$/.test(flag)) kind = 'form';
    else if (flag === '--json' || flag === '-j') kind = 'json';
    else if (flag === '--multipart') throw fail('curlMultipart', { form: formType, field: placeOf(at) });
    else if (flag === '--auth' || flag === '-a' || flag === '-A') throw fail('curlUser', { field: placeOf(at) });
    else if (flag === '--raw') {
      raw = joined ?? words[at + 1] ?? '';
      at += joined === undefined ? 1 : 0;
    } else if (valuedShort.test(flag) || valuedLong.test(flag)) at += joined === undefined ? 1 : 0;
    else if (!word.startsWith('-')) rest.push({ word, at });
    else if (!bareShort.test(flag) && !bareLong.test(flag))
      notes.push('a flag is not a known HTTPie flag and was ignored');
  }
  return composed(rest, { kind, raw, notes, program: words[0] ?? '' }, placeOf);
}

interface Settings {
  readonly kind: 'form' | 'json';
  readonly raw: string | undefined;
  readonly notes: readonly string[];
  readonly program: string;
}

function composed(
  rest: readonly { readonly word: string; readonly at: number }[],
  { kind, raw, notes, program }: Settings,
  placeOf: (at: number) => string,
): PastedRequest {
  const [first, second] = rest;
  const hasMethod = first !== undefined && second !== undefined && /^[A-Za-z]+$/.test(first.word);
  const [address, ...items] = hasMethod ? rest.slice(1) : rest;
  if (address === undefined) throw fail('curlWithoutAddress', { field: what });
  const headers: Pair[] = [];
  const query: Pair[] = [];
  const fields: (readonly [name: string, value: string, isJson: boolean])[] = [];
  for (const { word, at } of items) {
    const [, name = '', mark, value = ''] = item.exec(word) ?? [];
    if (mark === undefined) throw fail('httpieItem', { field: placeOf(at) });
    if (mark.includes('@')) throw fail('curlReadsFile', { flag: mark, field: placeOf(at) });
    const plain = name.replace(/\\([\s\S])/g, '$1');
    if (mark === '==') query.push([plain, value]);
    else if (mark === '=' || mark === ':=') fields.push([plain, value, mark === ':=']);
    else if (value !== '' || mark === ';') headers.push([plain, value]);
  }
  const hasBody = fields.length > 0 || raw !== undefined;
  const method = hasMethod ? first.word.toUpperCase() : hasBody ? 'POST' : 'GET';
  const url = withQuery(addressOf(address.word, program), encodeForm(query));
  const isTyped = !hasBody || headers.some(([name]) => name.toLowerCase() === 'content-type');
  const type = kind === 'form' ? formType : 'application/json';
  const body =
    raw ?? (kind === 'form' ? encodeForm(fields.map(([name, value]): Pair => [name, value])) : jsonOf(fields));
  return { method, url, headers: isTyped ? headers : [...headers, ['Content-Type', type]], body, notes };
}

/** Only as much as tells that the body is JSON, which no signature covers. */
function jsonOf(fields: readonly (readonly [name: string, value: string, isJson: boolean])[]): string {
  return fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, value])));
}

/** `:8080/path` is this machine, and a host alone is http, or https by that name of the program. */
function addressOf(word: string, program: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return word;
  const scheme = /^(?:https|xhs)$/.test(program) ? 'https' : 'http';
  const here = /^:(?:(\d+))?(\/.*)?$/s.exec(word);
  if (here === null) return `${scheme}://${word.replace(/^:\/\//, '')}`;
  return `${scheme}://localhost${here[1] === undefined ? '' : `:${here[1]}`}${here[2] ?? '/'}`;
}

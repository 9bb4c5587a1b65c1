import { parseArgs } from 'node:util';
import { fail, type PaycliError } from '../../errors/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { formType } from '../request-form.js';
import type { PastedRequest } from './pasted-request.js';
import { shellWords } from './shell-words.js';

/** What a command line says, while it is read. */
interface Draft {
  method?: string;
  url?: string;
  /** -G: the data belongs to the query. */
  get?: boolean;
  readonly headers: Pair[];
  /** Headers that are given or taken away, in lower case: curl sends no others in their place. */
  readonly named: Set<string>;
  readonly data: string[];
}

const addData = (draft: Draft, value: string) => void draft.data.push(notOfFile(value));
const otherBody = `it sends another body than ${formType}, which no signature covers; use --data`;
const refuse = (why: string) => () => {
  throw refused(why);
};

/** Flags that matter, by their long name. Each gets its value, or '' when it takes none. */
const readers: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  request: (draft, value) => {
    draft.method = value;
  },
  url: addUrl,
  header: addHeader,
  data: addData,
  'data-ascii': addData,
  'data-binary': addData,
  'data-raw': (draft, value) => void draft.data.push(value),
  'data-urlencode': (draft, value) => void draft.data.push(urlencoded(value)),
  get: (draft) => {
    draft.get = true;
  },
  json: refuse(otherBody),
  form: refuse(otherBody),
  user: refuse('-u sends an Authorization header of its own, where the signature belongs; leave it out'),
  config: refuse('-K reads a file that is not here'),
  next: refuse('it names two addresses; paste the request for one of them'),
};

/** Flags by long name and letter; those not above say nothing about the signature, but a value must be passed over. */
const valued =
  'request:X url header:H data:d data-ascii data-binary data-raw data-urlencode json form:F user:u config:K user-agent:A cookie:b cookie-jar:c dump-header:D referer:e cert:E cert-type key key-type cacert capath max-time:m connect-timeout output:o range:r proxy-user:U write-out:w proxy:x noproxy resolve connect-to interface retry retry-delay max-redirs ciphers trace trace-ascii unix-socket';
const bare =
  'get:G head:I next:: silent:s show-error:S verbose:v insecure:k location:L include:i fail:f fail-with-body globoff:g no-buffer:N remote-name:O progress-bar:# compressed disable:q http1.0:0 http1.1 http2 http3 tlsv1:1 tlsv1.2 tlsv1.3 ipv4:4 ipv6:6 path-as-is raw';
const options = Object.fromEntries([...flagsIn(valued, 'string'), ...flagsIn(bare, 'boolean')]);

function flagsIn(names: string, type: 'string' | 'boolean') {
  return names.split(' ').map((each) => {
    const [name = '', short] = [each.split(':', 1)[0], each.includes(':') ? each.at(-1) : undefined];
    return [name, short === undefined ? { type } : { type, short }] as const;
  });
}

const command = /^\s*(?:[^\n'"]{0,60}?[$%#>]\s+)?(?=(?:\S*[/\\])?curl(?:\.exe)?\s)/i;

/** True for a curl command, with what a terminal shows before it. */
export function isCurl(text: string): boolean {
  return command.test(text);
}

/** Reads a pasted curl command, as bash would. Throws TEXT_INVALID. */
export function readCurl(text: string): PastedRequest {
  const { words, endedBy } = shellWords(text.replace(command, ''));
  const draft: Draft = { headers: [], named: new Set(), data: [] };
  const notes: string[] = [];
  if (endedBy !== undefined)
    notes.push(`the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`);
  const args = words.slice(1);
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') addUrl(draft, token.value);
    if (token.kind !== 'option') continue;
    const flag = options[token.name];
    if (flag === undefined) notes.push('a flag is not a known curl flag and was ignored');
    if (flag?.type === 'string' && token.value === undefined) throw refused(`${token.rawName} has no value`);
    if (Object.hasOwn(readers, token.name)) readers[token.name]?.(draft, token.value ?? '');
  }
  return pastedFrom(draft, notes);
}

function addUrl(draft: Draft, url: string): void {
  if (draft.url !== undefined) throw refused('it names two addresses; paste the request for one of them');
  draft.url = url;
}

function addHeader(draft: Draft, text: string): void {
  const [, name, mark, value = ''] = /^\s*([^:;\s]+)\s*([:;])\s*([\s\S]*?)\s*$/.exec(notOfFile(text)) ?? [];
  if (name === undefined) throw refused('a header has no colon; write it as "Name: value"');
  draft.named.add(name.toLowerCase());
  // `Name:` takes a header of curl's own away, `Name;` sends it empty.
  if (value !== '' || mark === ';') draft.headers.push([name, value]);
}

/** `text`, `=text` and `name=text`; the name is sent as it stands. */
function urlencoded(given: string): string {
  const cut = given.search(/[=@]/);
  notOfFile(given.slice(Math.max(0, cut)));
  const value = percentEncode(given.slice(cut + 1), '--data-urlencode');
  return cut > 0 ? `${given.slice(0, cut)}=${value}` : value;
}

function pastedFrom({ method, url, get, headers: given, named, data }: Draft, notes: string[]): PastedRequest {
  if (url === undefined) throw refused('it names no address');
  const body = data.join('&');
  // What curl says where no header does.
  const typed: readonly Pair[] = data.length > 0 && get !== true ? [['Content-Type', formType]] : [];
  const own: readonly Pair[] = [['Accept', '*/*'], ...typed];
  const headers = [...given, ...own.filter(([name]) => !named.has(name.toLowerCase()))];
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (get === true) {
    const asked = body === '' ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${body}`;
    return { method: method ?? 'GET', url: asked, headers, body: '', notes };
  }
  return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), url: whole, headers, body, notes };
}

function notOfFile(value: string): string {
  if (!value.startsWith('@')) return value;
  throw refused('it reads a file (@) that is not here; paste its contents instead, with --data-raw for the body');
}

function refused(why: string): PaycliError {
  return fail('TEXT_INVALID', { field: 'curl command', why });
}

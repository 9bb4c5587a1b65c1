import { parseArgs } from 'node:util';
import { fail, type PaycliError } from '../../errors/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { formType } from '../request-form.js';
import type { PastedRequest } from './pasted-request.js';
import { shellWords } from './shell-words.js';

const what = 'curl command';

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
  readonly notes: string[];
}

type FlagReader = (draft: Draft, value: string) => void;

/** Flags that matter, by their long name. Each gets its value, or '' when it takes none. */
const readers: Readonly<Record<string, FlagReader>> = {
  request: (draft, value) => {
    draft.method = value;
  },
  url: (draft, value) => addUrl(draft, value),
  header: (draft, value) => addHeader(draft, value),
  data: (draft, value) => void draft.data.push(notOfFile(value, '--data')),
  'data-ascii': (draft, value) => void draft.data.push(notOfFile(value, '--data-ascii')),
  'data-binary': (draft, value) => void draft.data.push(notOfFile(value, '--data-binary')),
  'data-raw': (draft, value) => void draft.data.push(value),
  'data-urlencode': (draft, value) => void draft.data.push(urlencoded(value)),
  json: () => {
    throw refused(`--json sends JSON, and the API takes ${formType}; use --data`);
  },
  get: (draft) => {
    draft.get = true;
  },
  form: () => {
    throw refused(
      `-F sends multipart/form-data, and the API takes ${formType}; no signature covers any other body. Use --data`,
    );
  },
  user: () => {
    throw refused(
      '-u sends a name and a password in the Authorization header, where the signature belongs; leave it out',
    );
  },
  config: () => {
    throw readsFile('-K');
  },
  next: () => {
    throw twoAddresses();
  },
};

/** Flags by long name and letter; those not above say nothing about the signature, but a value must be passed over. */
const valued =
  'request:X url header:H data:d data-ascii data-binary data-raw data-urlencode json form:F user:u config:K user-agent:A cookie:b cookie-jar:c continue-at:C dump-header:D referer:e cert:E cert-type key key-type cacert capath max-time:m connect-timeout output:o output-dir ftp-port:P quote:Q range:r telnet-option:t upload-file:T proxy-user:U write-out:w proxy:x speed-time:y speed-limit:Y time-cond:z noproxy resolve connect-to interface limit-rate retry retry-delay retry-max-time max-redirs ciphers tls-max tls13-ciphers pinnedpubkey stderr trace trace-ascii trace-config unix-socket dns-servers keepalive-time local-port pass proto proto-default socks5 socks5-hostname';
const bare =
  'get:G head:I next:: silent:s show-error:S verbose:v insecure:k location:L include:i fail:f fail-with-body globoff:g no-buffer:N remote-name:O remote-time:R progress-bar:# no-progress-meter compressed junk-session-cookies:j disable:q http1.0:0 http1.1 http2 http2-prior-knowledge http3 tlsv1:1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2:2 sslv3:3 ipv4:4 ipv6:6 no-keepalive path-as-is raw trace-time trace-ids ssl-no-revoke ca-native';
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
  if (!isCurl(text)) throw refused('it does not start with the word curl');
  const { words, endedBy } = shellWords(text.replace(command, ''));
  const draft: Draft = { headers: [], named: new Set(), data: [], notes: [] };
  if (endedBy !== undefined)
    draft.notes.push(
      `the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`,
    );
  const args = words.slice(1);
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') addUrl(draft, token.value);
    if (token.kind !== 'option') continue;
    const flag = options[token.name];
    if (flag === undefined) draft.notes.push(`${shownFlag(token.rawName)} is not a known curl flag and was ignored`);
    if (flag?.type === 'string' && token.value === undefined) throw refused(`${token.rawName} has no value`);
    if (Object.hasOwn(readers, token.name)) readers[token.name]?.(draft, token.value ?? '');
  }
  return pastedFrom(draft);
}

/** What curl says of data where no header does. */
const typeOfData: Pair = ['Content-Type', formType];

function addUrl(draft: Draft, url: string): void {
  if (draft.url !== undefined) throw twoAddresses();
  draft.url = url;
}

function addHeader(draft: Draft, text: string): void {
  notOfFile(text, '-H');
  const [, name, mark, value = ''] = /^\s*([^:;\s]+)\s*([:;])\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  if (name === undefined) throw refused('a header has no colon; write it as "Name: value"');
  draft.named.add(name.toLowerCase());
  // `Name:` takes a header of curl's own away, `Name;` sends it empty.
  if (value !== '' || mark === ';') draft.headers.push([name, value]);
}

/** `text`, `=text` and `name=text`; the name is sent as it stands. */
function urlencoded(given: string): string {
  const cut = given.search(/[=@]/);
  if (given[cut] === '@') throw readsFile('--data-urlencode');
  const value = percentEncode(given.slice(cut + 1), '--data-urlencode');
  return cut > 0 ? `${given.slice(0, cut)}=${value}` : value;
}

function pastedFrom({ method, url, get, headers: given, named, data, notes }: Draft): PastedRequest {
  if (url === undefined) throw refused('it names no address');
  const body = data.join('&');
  const own: readonly Pair[] = [['Accept', '*/*'], ...(data.length > 0 && get !== true ? [typeOfData] : [])];
  const headers = [...given, ...own.filter(([name]) => !named.has(name.toLowerCase()))];
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  if (get === true) {
    const asked = body === '' ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${body}`;
    return { method: method ?? 'GET', url: asked, headers, body: '', notes };
  }
  return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), url: whole, headers, body, notes };
}

/** A flag as messages may repeat it: only what looks like one. */
function shownFlag(flag: string): string {
  return /^--?[A-Za-z][\w-]{0,39}$/.test(flag) ? flag : 'a flag';
}

function notOfFile(value: string, flag: string): string {
  if (value.startsWith('@')) throw readsFile(flag);
  return value;
}

function refused(why: string): PaycliError {
  return fail('TEXT_INVALID', { field: what, why });
}

function readsFile(flag: string): PaycliError {
  return refused(`${flag} reads a file that is not here; paste its contents instead, with --data-raw for the body`);
}

function twoAddresses(): PaycliError {
  return refused('it names two addresses; paste the request for one of them');
}

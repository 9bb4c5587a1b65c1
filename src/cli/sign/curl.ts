import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { formType, type Pasted } from './pasted.js';
import { shellWords } from './shell-words.js';

/** What a command line says, while it is read. */
interface Draft {
  method?: string;
  url?: string;
  /** -G: the data belongs to the query. */
  get?: boolean;
  readonly headers: Pair[];
  readonly data: string[];
  readonly notes: string[];
}

/** Flags that matter, by their long name. Each gets its value, or '' when it takes none. */
const flags: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  '--request': (draft, value) => {
    draft.method = value;
  },
  '--url': (draft, value) => {
    draft.url = value;
  },
  '--header': (draft, value) => addHeader(draft, value),
  '--data': (draft, value) => addData(draft, '--data', value),
  '--data-ascii': (draft, value) => addData(draft, '--data-ascii', value),
  '--data-binary': (draft, value) => addData(draft, '--data-binary', value),
  '--data-raw': (draft, value) => void draft.data.push(value),
  '--data-urlencode': (draft, value) => void draft.data.push(urlencoded(value)),
  '--json': (draft, value) => {
    addData(draft, '--json', value);
    draft.headers.push(['Content-Type', 'application/json']);
  },
  '--get': (draft) => {
    draft.get = true;
  },
  '--head': (draft) => {
    draft.method ??= 'HEAD';
  },
  '--form': () => {
    throw refused(`-F sends multipart/form-data, and the interface takes ${formType}; no signature covers another body. Use --data`);
  },
  '--user': () => {
    throw refused('-u sends a name and a password in the Authorization header, where the signature belongs; leave it out');
  },
};

const valueless = ['--get', '--head'];
const longByShort: Readonly<Record<string, string>> = {
  ...{ X: '--request', H: '--header', d: '--data', G: '--get', I: '--head', F: '--form', u: '--user' },
};
/** Flags that say nothing about the signature: those with a value, whose value must be passed over too, and those without. */
const idleShort = { valued: 'AbcCDeEhKmMoPQrtTUwxyYz', bare: 'sSvkLifgNORqjJlnaB#0123456' };
const idleLong = {
  valued:
    /^--(?:user-agent|cookie|cookie-jar|dump-header|referer|cert|cert-type|key|key-type|cacert|capath|config|max-time|connect-timeout|output|output-dir|range|upload-file|write-out|proxy|proxy-user|noproxy|resolve|connect-to|interface|limit-rate|retry|retry-delay|retry-max-time|max-redirs|ciphers|tls-max|tls13-ciphers|pinnedpubkey|stderr|trace|trace-ascii|unix-socket|dns-servers|keepalive-time|local-port|pass|proto|proto-default|socks5|socks5-hostname)$/,
  bare: /^--(?:silent|show-error|verbose|insecure|location|include|fail|fail-with-body|globoff|progress-bar|no-progress-meter|no-buffer|compressed|http[\d.]+|http2-prior-knowledge|tlsv[\d.]+|ipv[46]|no-keepalive|path-as-is|raw|remote-name)$/,
};

/** Reads a pasted curl command. Throws TEXT_INVALID. */
export function readCurl(text: string): Pasted {
  const { words, endedBy } = shellWords(text.trim().replace(/^[$%#>]\s+/, ''));
  const [program = '', ...args] = words;
  if (!/(?:^|[/\\])curl(?:\.exe)?$/.test(program)) throw refused('it does not start with the word curl');
  const draft: Draft = { headers: [], data: [], notes: [] };
  if (endedBy !== undefined)
    draft.notes.push(`the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`);
  readArguments(args, draft);
  return pastedOf(draft);
}

function readArguments(args: readonly string[], draft: Draft): void {
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') continue;
    if (word.startsWith('--')) readFlag(word, word, left, draft);
    else if (word.startsWith('-') && word.length > 1) readShort(word.slice(1), left, draft);
    else if (draft.url === undefined) draft.url = word;
    else throw refused('it names two addresses; paste the request for one of them');
  }
}

/** `-sSX POST` and `-XPOST`: letters until one takes a value, which is the rest of the word or the next one. */
function readShort(letters: string, left: string[], draft: Draft): void {
  const [letter = '', rest] = [letters[0], letters.slice(1)];
  const long = longByShort[letter] ?? `-${letter}`;
  const takes = !valueless.includes(long) && (long in flags || idleShort.valued.includes(letter));
  if (takes && rest !== '') left.unshift(rest);
  readFlag(long, `-${letter}`, left, draft);
  if (!takes && rest !== '') readShort(rest, left, draft);
}

function readFlag(flag: string, typed: string, left: string[], draft: Draft): void {
  const known = Object.hasOwn(flags, flag) ? flags[flag] : undefined;
  const letter = flag.length === 2 ? flag.slice(1) : undefined;
  const idle = letter === undefined ? idleLong.valued.test(flag) : idleShort.valued.includes(letter);
  const takes = (known !== undefined && !valueless.includes(flag)) || idle;
  const value = takes ? left.shift() : '';
  if (value === undefined) throw refused(`${shownFlag(typed)} has no value`);
  if (known !== undefined) known(draft, value);
  else if (!idle && !(letter === undefined ? idleLong.bare.test(flag) : idleShort.bare.includes(letter)))
    draft.notes.push(`${shownFlag(typed)} is no flag of curl known here and was passed over`);
}

/** Only what looks like a flag is repeated. */
function shownFlag(flag: string): string {
  return /^--?[A-Za-z][\w-]{0,39}$/.test(flag) ? flag : 'a flag';
}

function addHeader(draft: Draft, text: string): void {
  if (text.startsWith('@')) throw fromFile('-H');
  const [, name, mark, value = ''] = /^\s*([^:;\s]+)\s*([:;])\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  if (name === undefined) throw refused('a header has no colon; write it as "Name: value"');
  // `Name:` takes a header of curl's own away, `Name;` sends it empty.
  if (value !== '' || mark === ';') draft.headers.push([name, value]);
}

function addData(draft: Draft, flag: string, value: string): void {
  if (value.startsWith('@')) throw fromFile(flag);
  draft.data.push(value);
}

/** `text`, `=text` and `name=text`; the name is sent as it stands. */
function urlencoded(given: string): string {
  const cut = given.search(/[=@]/);
  if (given[cut] === '@') throw fromFile('--data-urlencode');
  if (cut === -1) return percentEncode(given, '--data-urlencode');
  const [name, value] = [given.slice(0, cut), percentEncode(given.slice(cut + 1), '--data-urlencode')];
  return name === '' ? value : `${name}=${value}`;
}

function pastedOf({ method, url, get, headers, data, notes }: Draft): Pasted {
  if (url === undefined) throw refused('it names no address');
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const body = data.join('&');
  if (get !== true) return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), url: whole, headers, body, notes };
  const asked = body === '' ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${body}`;
  return { method: method ?? 'GET', url: asked, headers, body: '', notes };
}

function fromFile(flag: string): Error {
  return refused(`${flag} reads a file that is not here; paste what the file holds, with --data-raw for the body`);
}

function refused(why: string): Error {
  return fail('TEXT_INVALID', { field: 'curl command', why });
}

import { fail, type PaycliError } from '../../errors/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { formType, type PastedRequest } from './pasted-request.js';
import { placeIn, shellWords } from './shell-words.js';

/** What a command line says, while it is read. */
interface Draft {
  method?: string;
  url?: string;
  /** -G: the data belongs to the query. */
  get?: boolean;
  readonly headers: Pair[];
  readonly data: string[];
  readonly query: string[];
  readonly notes: string[];
  /** How messages call a word of the command. */
  readonly placeOf: (word: number) => string;
}

type FlagReader = (draft: Draft, value: string, place: string) => void;

/** Flags that matter, by their long name. Each gets its value, or '' when it takes none. */
const curlFlags: Readonly<Record<string, FlagReader>> = {
  '--request': (draft, value) => {
    draft.method = value;
  },
  '--url': (draft, value) => {
    draft.url = value;
  },
  '--header': (draft, value, place) => addHeader(draft, value, place),
  '--data': (draft, value, place) => addData(draft, '--data', value, place),
  '--data-ascii': (draft, value, place) => addData(draft, '--data-ascii', value, place),
  '--data-binary': (draft, value, place) => addData(draft, '--data-binary', value, place),
  '--data-raw': (draft, value) => void draft.data.push(value),
  '--data-urlencode': (draft, value, place) => void draft.data.push(urlencoded(value, place)),
  '--url-query': (draft, value, place) =>
    void draft.query.push(value.startsWith('+') ? value.slice(1) : urlencoded(value, place)),
  '--json': (draft, value, place) => {
    addData(draft, '--json', value, place);
    draft.headers.push(['Content-Type', 'application/json']);
  },
  '--get': (draft) => {
    draft.get = true;
  },
  '--head': (draft) => {
    draft.method ??= 'HEAD';
  },
  '--form': (_, __, field) => {
    throw fail('TEXT_INVALID', {
      field,
      why: `-F sends multipart/form-data, and the API takes ${formType}; no signature covers any other body. Use --data`,
    });
  },
  '--user': (_, __, field) => {
    throw fail('TEXT_INVALID', {
      field,
      why: '-u sends a name and a password in the Authorization header, where the signature belongs; leave it out',
    });
  },
  '--config': (_, __, field) => {
    throw curlReadsFile('-K', field);
  },
  '--next': (_, __, field) => {
    throw curlTwoAddresses(field);
  },
};

const valueless = ['--get', '--head', '--next'];
const longByShort: Readonly<Record<string, string>> = {
  ...{ X: '--request', H: '--header', d: '--data', G: '--get', I: '--head', F: '--form', u: '--user' },
  ...{ K: '--config', ':': '--next' },
};
/**
 * Flags that say nothing about the signature: those with a value, whose value must be passed over too, and those
 * without.
 */
const ignoredShort = { valued: 'AbcCDeEhmMoPQrtTUwxyYz', bare: 'sSvkLifgNORqjJlnaB#0123456' };
const ignoredLong = {
  valued: flagsNamed(
    'user-agent cookie cookie-jar dump-header referer cert cert-type key key-type cacert capath max-time connect-timeout output output-dir range upload-file write-out proxy proxy-user noproxy resolve connect-to interface limit-rate retry retry-delay retry-max-time max-redirs ciphers tls-max tls13-ciphers pinnedpubkey stderr trace trace-ascii trace-config unix-socket dns-servers keepalive-time local-port pass proto proto-default socks5 socks5-hostname',
  ),
  bare: flagsNamed(
    `silent show-error verbose insecure location include fail fail-with-body globoff progress-bar no-progress-meter no-buffer compressed http[\\d.]+ http2-prior-knowledge tlsv[\\d.]+ ipv[46] no-keepalive path-as-is raw remote-name trace-time trace-ids ssl-no-revoke ca-native`,
  ),
};

/** What a terminal shows before a command, which itself begins with the name of a program. */
const prompt = /^\s*(?!\S*curl(?:\.exe)?\s)[^\n'"]{0,60}?[$%#>]\s\s*(?=\S)/;

/** A prompt is replaced by blanks, so that places stay. */
function withoutPrompt(text: string): string {
  return text.replace(prompt, (found) => found.replace(/[^\n]/g, ' '));
}

/** Reads a pasted curl command, as bash would. Throws TEXT_INVALID. */
export function readCurl(text: string): PastedRequest {
  const { words, starts, endedBy } = shellWords(withoutPrompt(text));
  // `TOKEN=x sudo curl …`: what stands before the name of the program does not matter.
  const program = words.findIndex((word) => !/^(?:\w+=.*|sudo|time|command|env|exec)$/s.test(word));
  const placeOf = (word: number) => placeIn(text, starts[word] ?? text.length);
  if (!/(?:^|[/\\])curl(?:\.exe)?$/i.test(words[program] ?? ''))
    throw fail('TEXT_INVALID', { field: placeOf(Math.max(program, 0)), why: 'it does not start with the word curl' });
  const draft: Draft = { headers: [], data: [], query: [], notes: [], placeOf };
  if (endedBy !== undefined)
    draft.notes.push(
      `the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`,
    );
  readArguments(words, program + 1, draft);
  return pastedOf(draft);
}

function readArguments(words: readonly string[], from: number, draft: Draft): void {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') continue;
    const taken = word.startsWith('--')
      ? readFlag(word, word, words, at, draft)
      : word.startsWith('-') && word.length > 1
        ? readShort(word.slice(1), words, at, draft)
        : undefined;
    if (taken !== undefined) at += taken;
    else if (draft.url === undefined) draft.url = word;
    else throw curlTwoAddresses(draft.placeOf(at));
  }
}

/**
 * `-sSX POST` and `-XPOST`: letters until one takes a value, which is the rest of the word or the next one. Gives how
 * many further words were taken.
 */
function readShort(letters: string, words: readonly string[], at: number, draft: Draft): number {
  const [letter = '', rest] = [letters[0], letters.slice(1)];
  const long = longByShort[letter] ?? `-${letter}`;
  const takes = !valueless.includes(long) && (long in curlFlags || ignoredShort.valued.includes(letter));
  if (takes && rest !== '') {
    applyFlag(long, `-${letter}`, rest, at, draft);
    return 0;
  }
  const taken = readFlag(long, `-${letter}`, words, at, draft);
  return rest === '' ? taken : taken + readShort(rest, words, at, draft);
}

/** Gives how many further words it took. */
function readFlag(flag: string, typed: string, words: readonly string[], at: number, draft: Draft): number {
  const letter = flag.length === 2 ? flag.slice(1) : undefined;
  const idle = letter === undefined ? ignoredLong.valued.test(flag) : ignoredShort.valued.includes(letter);
  const takes = (isKnown(flag) && !valueless.includes(flag)) || idle;
  const value = takes ? words[at + 1] : '';
  if (value === undefined)
    throw fail('TEXT_INVALID', {
      why: `${shownFlag(typed)} has no value`,
      flag: shownFlag(typed),
      field: draft.placeOf(at),
    });
  applyFlag(flag, typed, value, at, draft);
  return takes ? 1 : 0;
}

function applyFlag(flag: string, typed: string, value: string, at: number, draft: Draft): void {
  const letter = flag.length === 2 ? flag.slice(1) : undefined;
  const isIgnored =
    letter === undefined
      ? ignoredLong.valued.test(flag) || ignoredLong.bare.test(flag)
      : (ignoredShort.valued + ignoredShort.bare).includes(letter);
  if (isKnown(flag)) curlFlags[flag]?.(draft, value, draft.placeOf(at));
  else if (!isIgnored) draft.notes.push(`${shownFlag(typed)} is not a known curl flag and was ignored`);
}

function isKnown(flag: string): boolean {
  return Object.hasOwn(curlFlags, flag);
}

function addHeader(draft: Draft, text: string, field: string): void {
  if (text.startsWith('@')) throw curlReadsFile('-H', field);
  const [, name, mark, value = ''] = /^\s*([^:;\s]+)\s*([:;])\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  if (name === undefined)
    throw fail('TEXT_INVALID', { field, why: 'a header has no colon; write it as "Name: value"' });
  // `Name:` takes a header of curl's own away, `Name;` sends it empty.
  if (value !== '' || mark === ';') draft.headers.push([name, value]);
}

function addData(draft: Draft, flag: string, value: string, field: string): void {
  if (value.startsWith('@')) throw curlReadsFile(flag, field);
  draft.data.push(value);
}

/** `text`, `=text` and `name=text`; the name is sent as it stands. */
function urlencoded(given: string, field: string): string {
  const cut = given.search(/[=@]/);
  if (given[cut] === '@') throw curlReadsFile('--data-urlencode', field);
  if (cut === -1) return percentEncode(given, '--data-urlencode');
  const [name, value] = [given.slice(0, cut), percentEncode(given.slice(cut + 1), '--data-urlencode')];
  return name === '' ? value : `${name}=${value}`;
}

function pastedOf({ method, url, get, headers, data, query, notes }: Draft): PastedRequest {
  if (url === undefined) throw fail('TEXT_INVALID', { field: 'curl command', why: 'it names no address' });
  const body = data.join('&');
  const asked = [...query, ...(get === true && body !== '' ? [body] : [])].join('&');
  const whole = withQuery(/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`, asked);
  if (get === true) return { method: method ?? 'GET', url: whole, headers, body: '', notes };
  return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), url: whole, headers, body, notes };
}

/** An address with more behind its query. */
function withQuery(url: string, query: string): string {
  return query === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** Matches the long flags of these names, which are patterns with a blank in between. */
function flagsNamed(names: string): RegExp {
  return new RegExp(`^--(?:${names.replaceAll(' ', '|')})$`);
}

/** A flag as messages may repeat it: only what looks like one. */
function shownFlag(flag: string): string {
  return /^--?[A-Za-z][\w-]{0,39}$/.test(flag) ? flag : 'a flag';
}

function curlReadsFile(flag: string, field: string): PaycliError {
  return fail('TEXT_INVALID', {
    why: `${flag} reads a file that is not here; paste its contents instead, with --data-raw for the body`,
    flag,
    field,
  });
}

function curlTwoAddresses(field: string): PaycliError {
  return fail('TEXT_INVALID', { field, why: 'it names two addresses; paste the request for one of them' });
}

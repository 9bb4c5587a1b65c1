import { fail } from '../../../errors/index.js';
import { type Pair, percentEncode } from '../../../wire/form.js';
import { formType, type PastedRequest } from './pasted-request.js';

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
const curlFlags: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
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
    throw fail('curlMultipart', { form: formType });
  },
  '--user': () => {
    throw fail('curlUser');
  },
};

const valueless = ['--get', '--head'];
const longByShort: Readonly<Record<string, string>> = {
  ...{ X: '--request', H: '--header', d: '--data', G: '--get', I: '--head', F: '--form', u: '--user' },
};
/**
 * Flags that say nothing about the signature: those with a value, whose value must be passed over too, and those
 * without.
 */
const ignoredShort = { valued: 'AbcCDeEhKmMoPQrtTUwxyYz', bare: 'sSvkLifgNORqjJlnaB#0123456' };
const ignoredLong = {
  valued: anyOf(`\
user-agent cookie cookie-jar dump-header referer cert cert-type key key-type cacert capath config max-time \
connect-timeout output output-dir range upload-file write-out proxy proxy-user noproxy resolve connect-to \
interface limit-rate retry retry-delay retry-max-time max-redirs ciphers tls-max tls13-ciphers pinnedpubkey \
stderr trace trace-ascii unix-socket dns-servers keepalive-time local-port pass proto proto-default socks5 \
socks5-hostname`),
  bare: anyOf(`\
silent show-error verbose insecure location include fail fail-with-body globoff progress-bar no-progress-meter \
no-buffer compressed http[\\d.]+ http2-prior-knowledge tlsv[\\d.]+ ipv[46] no-keepalive path-as-is raw \
remote-name`),
};

/** The flags of these names, which are patterns with a blank in between. */
function anyOf(names: string): RegExp {
  return new RegExp(`^--(?:${names.replaceAll(' ', '|')})$`);
}

/** Reads a pasted curl command. Throws TEXT_INVALID. */
export function readCurl(text: string): PastedRequest {
  const { words, endedBy } = shellWords(text.trim().replace(/^[$%#>]\s+/, ''));
  const [program = '', ...args] = words;
  if (!/(?:^|[/\\])curl(?:\.exe)?$/.test(program)) throw fail('noCurlCommand');
  const draft: Draft = { headers: [], data: [], notes: [] };
  if (endedBy !== undefined)
    draft.notes.push(
      `the shell ends the command at an unquoted ${endedBy}; what follows it is not part of the request`,
    );
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
    else throw fail('curlTwoAddresses');
  }
}

/** `-sSX POST` and `-XPOST`: letters until one takes a value, which is the rest of the word or the next one. */
function readShort(letters: string, left: string[], draft: Draft): void {
  const [letter = '', rest] = [letters[0], letters.slice(1)];
  const long = longByShort[letter] ?? `-${letter}`;
  const takes = !valueless.includes(long) && (long in curlFlags || ignoredShort.valued.includes(letter));
  if (takes && rest !== '') left.unshift(rest);
  readFlag(long, `-${letter}`, left, draft);
  if (!takes && rest !== '') readShort(rest, left, draft);
}

function readFlag(flag: string, typed: string, left: string[], draft: Draft): void {
  const known = Object.hasOwn(curlFlags, flag) ? curlFlags[flag] : undefined;
  const letter = flag.length === 2 ? flag.slice(1) : undefined;
  const idle = letter === undefined ? ignoredLong.valued.test(flag) : ignoredShort.valued.includes(letter);
  const takes = (known !== undefined && !valueless.includes(flag)) || idle;
  const value = takes ? left.shift() : '';
  if (value === undefined) throw fail('curlFlagWithoutValue', { flag: shownFlag(typed) });
  if (known !== undefined) known(draft, value);
  else if (!idle && !(letter === undefined ? ignoredLong.bare.test(flag) : ignoredShort.bare.includes(letter)))
    draft.notes.push(`${shownFlag(typed)} is not a known curl flag and was ignored`);
}

/** Only what looks like a flag is repeated. */
function shownFlag(flag: string): string {
  return /^--?[A-Za-z][\w-]{0,39}$/.test(flag) ? flag : 'a flag';
}

function addHeader(draft: Draft, text: string): void {
  if (text.startsWith('@')) throw fromFile('-H');
  const [, name, mark, value = ''] = /^\s*([^:;\s]+)\s*([:;])\s*([\s\S]*?)\s*$/.exec(text) ?? [];
  if (name === undefined) throw fail('curlHeaderWithoutColon');
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

function pastedOf({ method, url, get, headers, data, notes }: Draft): PastedRequest {
  if (url === undefined) throw fail('curlWithoutAddress');
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
  const body = data.join('&');
  if (get !== true) return { method: method ?? (data.length > 0 ? 'POST' : 'GET'), url: whole, headers, body, notes };
  const asked = body === '' ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${body}`;
  return { method: method ?? 'GET', url: asked, headers, body: '', notes };
}

function fromFile(flag: string): Error {
  return fail('curlReadsFile', { flag });
}

interface ShellWords {
  readonly words: readonly string[];
  /** An unquoted `&`, `|`, `;`, `<` or `>` ended the command there. */
  readonly endedBy: string | undefined;
}

/**
 * The words a POSIX shell makes of one command: '…', "…", $'…', backslashes and lines continued by them. Nothing is run
 * and nothing is looked up. Throws TEXT_INVALID for an open quote and for what only a shell could fill in.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (piece: string, length: number) => {
    word = (word ?? '') + piece;
    at += length;
  };
  const end = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    const rest = text.slice(at);
    const quoted = quotedPiece(rest);
    if (/^\\\r?\n/.test(rest)) at += rest.startsWith('\\\r') ? 3 : 2;
    else if (quoted !== undefined) take(quoted.text, quoted.length);
    else if (char === '\\') take(rest[1] ?? '\\', 2);
    else if (/[ \t\r]/.test(char)) {
      end();
      at += 1;
    } else if (char === '#' && word === undefined) at += /^[^\n]*/.exec(rest)?.[0].length ?? 1;
    else if (/[\n&|;<>]/.test(char)) {
      end();
      if (words.length > 0) return { words, endedBy: char === '\n' ? undefined : char };
      at += 1;
    } else {
      refuseExpansion(rest);
      take(char, 1);
    }
  }
  end();
  return { words, endedBy: undefined };
}

interface QuotedPiece {
  readonly text: string;
  /** Characters it took, quotes included. */
  readonly length: number;
}

/** What stands in quotes at the beginning of a text; undefined when none open there. */
function quotedPiece(rest: string): QuotedPiece | undefined {
  if (rest.startsWith("'")) {
    const close = rest.indexOf("'", 1);
    if (close === -1) throw fail('singleQuoteOpen');
    return { text: rest.slice(1, close), length: close + 1 };
  }
  if (rest.startsWith("$'")) return ansiPiece(rest);
  return rest.startsWith('"') ? doublePiece(rest) : undefined;
}

function doublePiece(rest: string): QuotedPiece {
  let text = '';
  for (let at = 1; at < rest.length; ) {
    const char = rest[at] ?? '';
    if (char === '"') return { text, length: at + 1 };
    const escaped = /^\\(?:([$`"\\])|\r?\n)/.exec(rest.slice(at));
    if (escaped === null) refuseExpansion(rest.slice(at));
    text += escaped === null ? char : (escaped[1] ?? '');
    at += escaped?.[0].length ?? 1;
  }
  throw fail('doubleQuoteOpen');
}

const namedEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ansiEscape = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/y;

/** Bytes are gathered before they become text: \xc3\xa9 is one letter. */
function ansiPiece(rest: string): QuotedPiece {
  const bytes: Buffer[] = [];
  for (let at = 2; at < rest.length; ) {
    if (rest[at] === "'") return { text: utf8(Buffer.concat(bytes)), length: at + 1 };
    ansiEscape.lastIndex = at;
    const found = ansiEscape.exec(rest);
    const plain = /[^\\']+/y;
    plain.lastIndex = at;
    bytes.push(found === null ? Buffer.from(plain.exec(rest)?.[0] ?? '\\') : escapedBytes(found));
    at = found === null ? plain.lastIndex || at + 1 : ansiEscape.lastIndex;
  }
  throw fail('ansiQuoteOpen');
}

function escapedBytes([whole, hex, short, long, octal, letter = '']: RegExpExecArray): Buffer {
  if (hex !== undefined) return Buffer.from([Number.parseInt(hex, 16)]);
  if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff]);
  const point = short ?? long;
  if (point === undefined) return Buffer.from(namedEscapes[letter] ?? whole);
  const code = Number.parseInt(point, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw fail('escapeNoCharacter', { escape: whole });
  return Buffer.from(String.fromCodePoint(code));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fail('ansiQuoteNotUtf8');
  }
}

function refuseExpansion(rest: string): void {
  const name = /^\$\{?(\w+)/.exec(rest)?.[1];
  if (name !== undefined) throw fail('shellVariable', { variable: `$${name.slice(0, 40)}` });
  if (/^(?:\$\(|`)/.test(rest)) throw fail('shellCommand');
}

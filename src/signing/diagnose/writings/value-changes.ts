import { decodedOrSame } from '../../../wire/form.js';
import { encodedBy, type PercentEncoder, percentEncoders } from './percent-encoders.js';
import { type Writing, writing } from './writing.js';

/** Values that were encoded, decoded or taken apart before they came to the signature. */
export const encodedValues: readonly Writing[] = [
  writing('decoded', 'percent-decoded, with + as a space', (text) => decodedOrSame(text.replaceAll('+', ' '))),
  writing('decoded', 'percent-decoded', decodedOrSame),
  writing('plus-as-blank', 'with + read as a space', (text) => text.replaceAll('+', ' ')),
  writing('plus-as-blank', 'with the first + read as a space', (text) => text.replace('+', ' ')),
  writing('plus-as-blank', 'with + written as %20', (text) => text.replaceAll('+', '%20')),
  writing('plus-as-blank', 'with the first + written as %20', (text) => text.replace('+', '%20')),
  ...([{ of: 'a strict encoder', free: '-_.~' }, ...percentEncoders] satisfies PercentEncoder[])
    .filter(({ beyond }) => beyond === undefined)
    .map((encoder) => writing('encoded', `already encoded, as by ${encoder.of}`, (text) => encodedBy(encoder, text))),
  writing('url', 'as a URL that was parsed and printed', (text) => url(text, ({ href }) => href)),
  ...[
    ['without its query', ({ origin, pathname }: URL) => origin + pathname],
    ['without its fragment', (parsed: URL) => parsed.href.replace(/#.*$/, '')],
    ['without a scheme', (parsed: URL) => parsed.href.replace(/^\w+:\/\//, '')],
    ['as its host', ({ host }: URL) => host],
    ['as its origin', ({ origin }: URL) => origin],
    ['as its path', ({ pathname }: URL) => pathname],
    ['with http', (parsed: URL) => parsed.href.replace(/^https:/, 'http:')],
    ['with https', (parsed: URL) => parsed.href.replace(/^http:/, 'https:')],
    ['with its query sorted', (parsed: URL) => sortedQuery(parsed)],
    ['with its query rebuilt', (parsed: URL) => rewrittenQuery(parsed)],
  ].map(([words, change]) =>
    writing('url', `as a URL ${String(words)}`, (text) => url(text, change as (parsed: URL) => string)),
  ),
  writing('url', 'with / after it', (text) => (/^https?:/.test(text) ? `${text}/` : text)),
  writing('url', 'without the / after it', (text) => text.replace(/\/+$/, '')),
];

function url(text: string, change: (parsed: URL) => string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? change(new URL(text)) : text;
}

function sortedQuery(parsed: URL): string {
  const copy = new URL(parsed);
  copy.searchParams.sort();
  return copy.href;
}

function rewrittenQuery(parsed: URL): string {
  const copy = new URL(parsed);
  copy.search = copy.searchParams.toString();
  return copy.href;
}

const marks = [...'!"#$%&\'()*+,/:;<=>?@[\\]^_`{|}~-.'];
const cutMarks = [...'\n\r\t:%"\'(<[{|*!.-_~>)'];
const lengths = [
  10, 12, 15, 16, 18, 20, 22, 24, 25, 30, 32, 35, 36, 40, 45, 48, 50, 60, 63, 64, 80, 100, 120, 125, 127,
];

/** A value of which a part is gone, or other line ends. */
export const cutValues: readonly Writing[] = [
  ...[...cutMarks, ' & ', ' - ', ', ', '; ', '&amp;'].map((mark) =>
    writing('cut', `cut at its first ${JSON.stringify(mark)}`, (text) => text.split(mark, 1).join('')),
  ),
  ...['&', ';', '=', '#', '?', ',', '+', '/', '@', '(', '-', ':', '|'].map((mark) =>
    writing('cut', `cut at its first ${mark}, and trimmed`, (text) => text.split(mark, 1).join('').trim()),
  ),
  ...['&', ';', '=', '#', ',', '+', '/', '@', ':', ' ', '|', '\n', '-'].map((mark) =>
    writing('cut', `as what follows its first ${mark === '\n' ? 'line feed' : mark}`, (text) =>
      text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : text,
    ),
  ),
  ...[' ', '/', '@', '.', '-', '_', '\n', '=', '&'].map((mark) =>
    writing(
      'cut',
      `as its last part when split at ${mark === '\n' ? 'lines' : JSON.stringify(mark)}`,
      (text) => text.split(mark).at(-1) ?? '',
    ),
  ),
  ...[...lengths, 128, 150, 200, 250, 254, 255, 256].flatMap((length) => [
    writing('cut', `cut to ${length} characters`, (text) => [...text].slice(0, length).join('')),
    writing('cut', `cut to ${length} bytes`, (text) =>
      Buffer.from(text)
        .subarray(0, length)
        .toString('utf8')
        .replace(/\ufffd$/, ''),
    ),
    writing('cut', `cut to ${length} characters, with an ellipsis`, (text) =>
      text.length > length ? `${text.slice(0, length - 3)}...` : text,
    ),
  ]),
  writing('cut', 'cut at its first character beyond ASCII', (text) => text.replace(/[^\0-\x7f].*$/s, '')),
  writing('cut', "cut at its first character beyond U+FFFF, as MySQL's utf8 does", (text) =>
    text.replace(/[\u{10000}-\u{10ffff}].*$/su, ''),
  ),
  ...(
    [
      ['a carriage return before each line feed', /\r?\n/g, '\r\n'],
      ['a line feed alone for each line end', /\r\n/g, '\n'],
      ['a space for each line end', /\r?\n/g, ' '],
      ['its line ends removed', /\r?\n/g, ''],
      ['a backslash and n for each line feed', /\r?\n/g, '\\n'],
      ['<br> for each line feed', /\r?\n/g, '<br>'],
      ['a space for each tab', /\t/g, ' '],
      ['a space for each run of white space', /\s+/g, ' '],
      ['a space for each no-break space', /\u00a0/g, ' '],
    ] as const
  ).map(([words, from, to]) => writing('line-ends', `with ${words}`, (text) => text.replace(from, to))),
  writing('line-ends', 'with each of its lines trimmed', (text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .join('\n'),
  ),
  ...['&', ';', ',', '/', '-', ':', '|', '='].map((mark) =>
    writing('trimmed', `with the parts around each ${mark} trimmed`, (text) =>
      text
        .split(mark)
        .map((part) => part.trim())
        .join(mark),
    ),
  ),
];

/** A value without some of its characters, or with others for them. */
export const otherCharacters: readonly Writing[] = [
  ...marks.flatMap((mark) => [
    writing('removed', `without its ${mark}`, (text) => text.replaceAll(mark, '')),
    writing('removed', `with a space for each ${mark}`, (text) => text.replaceAll(mark, ' ')),
    writing('removed', `with _ for each ${mark}`, (text) => text.replaceAll(mark, '_')),
  ]),
  writing('removed', 'without brackets', (text) => text.replace(/[[\]]/g, '')),
  writing('removed', 'without brackets of any kind', (text) => text.replace(/[[\](){}<>]/g, '')),
  writing('removed', 'without parentheses', (text) => text.replace(/[()]/g, '')),
  writing('removed', "without the characters !'()*", (text) => text.replace(/[!'()*]/g, '')),
  writing('removed', 'with straight quotes and hyphens', (text) =>
    text
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201c\u201d]/g, '"')
      .replace(/[\u2013\u2014]/g, '-')
      .replaceAll('…', '...'),
  ),
  writing('removed', 'with typographic apostrophes', (text) => text.replaceAll("'", '’')),
  writing('removed', 'with typographic quotes', (text) => text.replace(/"([^"]*)"/g, '“$1”')),
  ...(
    [
      ['without', () => ''],
      ['with ? for', () => '?'],
      ['with ?? for', () => '??'],
      ['with ???? for', () => '????'],
      ['with � for', () => '\ufffd'],
      ['with �� for', () => '\ufffd\ufffd'],
      ['with ���� for', () => '\ufffd'.repeat(4)],
      ['with _ for', () => '_'],
      ['with a space for', () => ' '],
      [
        'with \\u escapes for',
        (char: string) =>
          char
            .split('')
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
            .join(''),
      ],
      ['with numeric HTML entities for', (char: string) => `&#${char.codePointAt(0)};`],
      ['with hexadecimal HTML entities for', (char: string) => `&#x${char.codePointAt(0)?.toString(16)};`],
    ] as const
  ).flatMap(([words, write]) => [
    writing('beyond-bmp', `${words} characters beyond U+FFFF, such as emoji`, (text) =>
      text.replace(/[\u{10000}-\u{10ffff}]/gu, write),
    ),
    writing('beyond-bmp', `${words} characters beyond U+FFFF, such as emoji, and trimmed`, (text) =>
      text.replace(/[\u{10000}-\u{10ffff}]\ufe0f?/gu, write).trim(),
    ),
  ]),
  writing('beyond-ascii', 'with ? for each UTF-16 unit beyond ASCII', (text) => text.replace(/[^\0-\x7f]/g, '?')),
  writing('beyond-ascii', 'with ? for each byte beyond ASCII', (text) =>
    text.replace(/[^\0-\x7f]/gu, (char) => '?'.repeat(Buffer.byteLength(char))),
  ),
  writing('beyond-ascii', 'with ? for each letter beyond Latin-1', (text) => text.replace(/[^\0-\xff]/gu, '?')),
  writing('beyond-ascii', 'without letters beyond Latin-1', (text) => text.replace(/[^\0-\xff]/gu, '')),
  writing('beyond-ascii', 'with _ for each letter beyond ASCII', (text) => text.replace(/[^\0-\x7f]/gu, '_')),
  writing('beyond-ascii', 'with a space for each letter beyond ASCII', (text) => text.replace(/[^\0-\x7f]/gu, ' ')),
];

const isLong = /^\d{12,19}$/;
const first = (count: number, text: string) => (count === 0 ? '' : text.slice(0, count));
const last = (count: number, text: string) => (count === 0 ? '' : text.slice(-count));

/** A number of a card, an account, a code or a telephone, as logs and databases have it. */
export const maskedValues: readonly Writing[] = [
  ...['*', 'X', 'x', '•', '#', '.'].flatMap((mark) =>
    [
      [6, 4],
      [4, 4],
      [0, 4],
      [6, 0],
      [1, 4],
      [8, 4],
      [2, 4],
      [0, 0],
      [6, 3],
      [4, 0],
    ].flatMap(([before = 0, behind = 0]) => [
      masked((text) => inside(text, before, behind, mark)),
      ...[6, 4, 3].map((count) => masked((text) => first(before, text) + mark.repeat(count) + last(behind, text))),
      ...[' ', '-'].map((between) => masked((text) => inFours(inside(text, before, behind, mark), between))),
    ]),
  ),
  masked((text) => last(4, text)),
  masked((text) => first(6, text)),
  masked((text) => first(6, text) + last(4, text)),
  masked((text) => `${first(6, text)}...${last(4, text)}`),
  masked((text) => `...${last(4, text)}`),
  ...[
    '[FILTERED]',
    '[REDACTED]',
    '[MASKED]',
    '***',
    '******',
    'xxxx',
    '<redacted>',
    'REDACTED',
    '[removed]',
    '****',
  ].map((word) => masked(() => word)),
  ...['***', 'xxx', 'XXX', '*', '[FILTERED]', '[REDACTED]', '000', '****'].map((word) =>
    writing('masked', 'masked', (text) => (/^\d{3,4}$/.test(text) ? word : text)),
  ),
  writing('number', 'without the + before it', (text) => text.replace(/^\+(?=\d)/, '')),
  writing('number', 'with 00 for the + before it', (text) => text.replace(/^\+(?=\d)/, '00')),
  writing('number', 'with a + before it', (text) => (/^\d{7,15}$/.test(text) ? `+${text}` : text)),
  writing('number', 'with two digits', (text) => (/^\d$/.test(text) ? `0${text}` : text)),
  writing('number', 'as the last two digits of the year', (text) => (/^20\d\d$/.test(text) ? text.slice(2) : text)),
  writing('number', 'as a four-digit year', (text) => (/^\d\d$/.test(text) ? `20${text}` : text)),
  ...[
    ['yes', 'no'],
    ['1', '0'],
    ['on', 'off'],
    ['Y', 'N'],
    ['t', 'f'],
    ['y', 'n'],
    ['True', 'False'],
    ['1', ''],
  ].map(([yes = '', no = '']) =>
    writing('boolean', `as ${yes}`, (text) => (/^true$/i.test(text) ? yes : /^false$/i.test(text) ? no : text)),
  ),
  writing('ip', 'as an IPv6 address in full', (text) => fullAddress(text)),
  writing('ip', 'as an IPv6 address without leading zeros', (text) =>
    fullAddress(text).replace(/\b0+(?=[0-9a-f])/g, ''),
  ),
  writing('ip', 'as an IPv6 address in upper case', (text) => (isAddress(text) ? text.toUpperCase() : text)),
  writing('ip', 'as an IPv6 address in brackets', (text) => (isAddress(text) ? `[${text}]` : text)),
  ...['::ffff:', '::'].map((start) =>
    writing('ip', 'as an IPv4-mapped IPv6 address', (text) => (isFour(text) ? start + text : text)),
  ),
  ...[
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '10.0.0.1',
    '192.168.0.1',
    '192.168.1.1',
    '172.17.0.1',
    '172.18.0.1',
    '8.8.8.8',
  ].map((other) => writing('ip', `as ${other}`, (text) => (isFour(text) || isAddress(text) ? other : text))),
  writing('ip', 'as a number', (text) =>
    isFour(text) ? String(text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)) : text,
  ),
  writing('mail', 'with its domain in lower case', (text) => text.replace(/@.*$/, (domain) => domain.toLowerCase())),
  writing('mail', 'without the tag after its +', (text) => text.replace(/\+[^@]*(?=@)/, '')),
  writing('mail', 'as mailto:', (text) => (text.includes('@') ? `mailto:${text}` : text)),
];

function masked(write: (text: string) => string): Writing {
  return writing('masked', 'masked', (text) => (isLong.test(text) ? write(text) : text));
}

/** A mark for each character but the first and the last ones. */
function inside(text: string, before: number, behind: number, mark: string): string {
  return first(before, text) + mark.repeat(text.length - before - behind) + last(behind, text);
}

function inFours(text: string, mark: string): string {
  return text.replace(/.{4}(?=.)/g, `$&${mark}`);
}

const isFour = (text: string) => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text);
const isAddress = (text: string) => /^[0-9a-f:]+$/i.test(text) && /:.*:/.test(text);

function fullAddress(text: string): string {
  if (!isAddress(text)) return text;
  const [before = '', behind] = text.toLowerCase().split('::');
  const parts = (list: string) => (list === '' ? [] : list.split(':'));
  const [own, rest] = [parts(before), parts(behind ?? '')];
  const missing = behind === undefined ? 0 : 8 - own.length - rest.length;
  if (missing < 0) return text;
  return [...own, ...Array(missing).fill('0'), ...rest].map((part: string) => part.padStart(4, '0')).join(':');
}

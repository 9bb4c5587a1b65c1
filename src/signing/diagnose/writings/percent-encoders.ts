import { bytesAs, type Charset } from '../encoding-mutations.js';

/** A function of a language that percent-encodes, by what it leaves as it is and what it makes of a blank. */
export interface PercentEncoder {
  /** As it is called where it is from. */
  readonly of: string;
  /** Besides letters and digits. */
  readonly free: string;
  /** What a blank becomes; a percent escape of it when left out. */
  readonly blank?: '+' | ' ' | '%2520' | '%2B' | '%252B' | '&nbsp;';
  readonly isLowerCase?: true;
  /** Those of which the escapes alone are in lower case. */
  readonly lowerFor?: string;
  /** Letters and digits are encoded as well. */
  readonly isOfAll?: true;
  /** How letters beyond ASCII come out, when not as percent-encoded UTF-8. */
  readonly beyond?: 'raw' | '%u' | '%u-latin' | Charset;
}

/** Where a charset can be given, each is a function of its own. */
const charsets: readonly Charset[] = [
  'latin-1',
  'latin-1-fitted',
  'windows-1252',
  'ascii',
  'low-bytes',
  'byte-by-byte',
  'surrogates-apart',
  'utf-16be',
  'utf-16le',
];

const charsetWords: Readonly<Record<Charset, string>> = {
  'latin-1': 'Latin-1',
  'latin-1-fitted': 'Latin-1, with the nearest letter for one that it lacks,',
  'windows-1252': 'Windows-1252',
  ascii: 'ASCII',
  'low-bytes': 'the low bytes of its characters',
  'byte-by-byte': 'UTF-8 read as Latin-1 and encoded again',
  'surrogates-apart': 'UTF-8 with two surrogates for a character beyond U+FFFF',
  'utf-16be': 'UTF-16',
  'utf-16le': 'UTF-16 (little-endian)',
};

const table: readonly PercentEncoder[] = [
  { of: "Go's url.QueryEscape", free: '-_.~', blank: '+' },
  { of: "Go's url.PathEscape", free: '-_.~$&+=:@' },
  { of: "Go's URL.EscapedPath", free: '-_.~$&+,/:;=@' },
  { of: "Go's url.Userinfo", free: '-_.~$&+,;=' },
  { of: "Go's URL.EscapedFragment", free: '-_.~$&+,/:;=?@!()*' },
  { of: "JavaScript's encodeURIComponent", free: "-_.!~*'()" },
  { of: "JavaScript's encodeURI", free: "-_.!~*'();,/?:@&=+$#" },
  { of: "JavaScript's escape", free: '@*_+-./', beyond: '%u' },
  { of: "URLSearchParams, Java's URLEncoder, Ruby's encode_www_form_component", free: '-_.*', blank: '+' },
  { of: "Java's URLEncoder with + replaced", free: '-_.*' },
  { of: "PHP's urlencode, ~ encoded", free: '-_.', blank: '+' },
  { of: "PHP's rawurlencode before 5.3, Ruby's ERB before 2.5", free: '-_.' },
  { of: "Python's quote", free: '-_.~/' },
  { of: "Python's quote before 3.7", free: '-_./' },
  { of: "Python's quote_plus with safe='/'", free: '-_.~/', blank: '+' },
  { of: ".NET's HttpUtility.UrlEncode", free: '-_.!*()', blank: '+', isLowerCase: true },
  { of: ".NET's HttpUtility.UrlEncode, + replaced", free: '-_.!*()', isLowerCase: true },
  { of: ".NET's HttpUtility.UrlEncodeUnicode", free: '-_.!*()', blank: '+', isLowerCase: true, beyond: '%u' },
  { of: ".NET's HttpUtility.UrlEncode, ' unencoded", free: "-_.!*'()", blank: '+', isLowerCase: true },
  { of: ".NET's HttpUtility.UrlPathEncode", free: '-_.!~*\'();,/?:@&=+$#[]%"<>\\^`{|}', isLowerCase: true },
  { of: ".NET's WebUtility.UrlEncode", free: '-_.!*()', blank: '+' },
  { of: ".NET's WebUtility.UrlEncode, + replaced", free: '-_.!*()' },
  { of: ".NET's Uri.EscapeUriString", free: "-_.!~*'();,/?:@&=+$#" },
  { of: ".NET's Uri.EscapeUriString", free: "-_.!~*'();,/?:@&=+$#[]" },
  { of: "Ruby's URI::DEFAULT_PARSER.escape", free: "-_.!~*'();,/?:@&=+$[]" },
  { of: 'getRawPath of java.net.URI', free: "-_.!~*'();,/:@&=+$", beyond: 'raw' },
  { of: 'toASCIIString of java.net.URI', free: "-_.!~*'();,/:@&=+$" },
  { of: 'getRawQuery of java.net.URI', free: "-_.!~*'();,/?:@&=+$[]", beyond: 'raw' },
  { of: 'a query of java.net.URI', free: "-_.!~*'();,/?:@&=+$[]" },
  { of: "Spring's UriUtils.encodePathSegment", free: "-_.~!$&'()*+,;=:@" },
  { of: "Spring's UriUtils.encodeQueryParam", free: "-_.~!$'()*+,;:@/?" },
  { of: "Spring's UriUtils.encodeQuery", free: "-_.~!$&'()*+,;=:@/?" },
  { of: "Swift's addingPercentEncoding, .urlQueryAllowed", free: "-_.~!$&'()*+,;=:@/?" },
  { of: "Swift's addingPercentEncoding, .urlHostAllowed", free: "-_.~!$&'()*+,;=:[]" },
  { of: "Swift's addingPercentEncoding, .alphanumerics", free: '' },
  { of: "Rust's NON_ALPHANUMERIC with +", free: '', blank: '+' },
  { of: 'Server.URLEncode of ASP', free: '', blank: '+' },
  { of: "Guava's urlPathSegmentEscaper", free: "-_.~!$'()*,;&=@:+" },
  { of: 'encodeQueryComponent of Dart', free: '-_.~', blank: '+' },
  { of: ".NET's Uri.HexEscape", free: '', isOfAll: true },
  { of: ".NET's Uri.HexEscape, with lower-case escapes", free: '', isOfAll: true, isLowerCase: true },
  { of: 'an encoder that leaves spaces unencoded', free: '-_.~', blank: ' ' },
  { of: 'encodeURIComponent with spaces unencoded', free: "-_.!~*'()", blank: ' ' },
  { of: 'an encoder that leaves non-ASCII characters unencoded', free: '-_.~', beyond: 'raw' },
  { of: 'an encoder that leaves non-ASCII characters unencoded', free: '-_.~', blank: '+', beyond: 'raw' },
  { of: "an encoder that leaves ! ' ( ) * and non-ASCII characters unencoded", free: "-_.~!*'()", beyond: 'raw' },
  { of: 'a strict encoder with lower-case escapes', free: '-_.~', isLowerCase: true },
  { of: 'a strict encoder with lower-case escapes', free: '-_.~', isLowerCase: true, blank: '+' },
  { of: 'encodeURIComponent with lower-case escapes', free: "-_.!~*'()", isLowerCase: true },
  { of: "Java's URLEncoder with lower-case escapes", free: '-_.*', blank: '+', isLowerCase: true },
  { of: "Java's URLEncoder with + replaced and lower-case escapes", free: '-_.*', isLowerCase: true },
  { of: "JavaScript's encodeURIComponent with + for %20", free: "-_.!~*'()", blank: '+' },
  { of: "JavaScript's encodeURIComponent with ! ' ( ) * in lower-case escapes", free: '-_.~', lowerFor: "!'()*" },
  { of: "Java's URLEncoder with ~ and * in lower-case escapes", free: '-_.', lowerFor: '~*' },
  {
    of: ".NET's HttpUtility.UrlEncode in Latin-1, with %u for other letters",
    free: '-_.!*()',
    blank: '+',
    isLowerCase: true,
    beyond: '%u-latin',
  },
  { of: 'a strict encoder with %u for letters beyond one byte', free: '-_.~', beyond: '%u' },
  { of: 'a strict encoder that leaves @ unencoded', free: '-_.~@' },
  { of: 'a strict encoder that leaves : and /', free: '-_.~:/' },
  { of: 'a strict encoder that leaves +', free: '-_.~+' },
  { of: 'an encoder that encodes only spaces', free: `-_.~!"#$%&'()*+,/:;<=>?@[\\]^\`{|}` },
  { of: 'an encoder that encodes only spaces, as +', free: `-_.~!"#$%&'()*+,/:;<=>?@[\\]^\`{|}`, blank: '+' },
  // A + that was replaced after the second encoding, or before the first.
  ...(['%2520', '%2B', '%252B'] as const).flatMap((blank): PercentEncoder[] => [
    { of: `Java's URLEncoder with + replaced by ${blank}`, free: '-_.*', blank },
    { of: `a form encoder with + replaced by ${blank}`, free: '-_.~', blank },
    { of: `PHP's urlencode with + replaced by ${blank}`, free: '-_.', blank },
  ]),
];

// Those that are given a charset often.
const withCharset = table.filter(
  ({ free, beyond, isLowerCase }) => beyond === undefined && (free.length < 5 || isLowerCase),
);

/** All of them, those with another charset last. */
export const percentEncoders: readonly PercentEncoder[] = [
  ...table,
  ...[{ of: 'a strict encoder', free: '-_.~' }, ...withCharset].flatMap((encoder) =>
    charsets.map((beyond): PercentEncoder => ({ ...encoder, of: `${encoder.of} in ${charsetWords[beyond]}`, beyond })),
  ),
];

const byteTables = new WeakMap<PercentEncoder, readonly string[]>();

/** What each byte becomes. */
function bytesOf(encoder: PercentEncoder): readonly string[] {
  const made = byteTables.get(encoder) ?? Array.from({ length: 256 }, (_, byte) => writtenByte(encoder, byte));
  byteTables.set(encoder, made);
  return made;
}

function writtenByte({ free, blank, isLowerCase, isOfAll, lowerFor }: PercentEncoder, byte: number): string {
  const char = String.fromCharCode(byte);
  if (byte < 0x80 && isOfAll !== true && (/[A-Za-z0-9]/.test(char) || free.includes(char))) return char;
  if (byte === 0x20 && blank !== undefined) return blank;
  const digits = byte.toString(16).padStart(2, '0');
  return `%${isLowerCase === true || lowerFor?.includes(char) === true ? digits : digits.toUpperCase()}`;
}

const isBeyondAscii = /[^\0-\x7f]/;

export function encodedBy(encoder: PercentEncoder, text: string): string {
  const { beyond } = encoder;
  const written = bytesOf(encoder);
  const isWide = isBeyondAscii.test(text);
  if (isWide && isByUnits(beyond)) return byUnits(encoder, text);
  // Charsets agree in ASCII, but for UTF-16.
  if (beyond === 'utf-16be' || beyond === 'utf-16le' || isWide) return byBytes(written, wideBytes(beyond, text));
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const each = written[text.charCodeAt(at)] ?? '';
    if (each.length === 1 && each === text[at]) continue;
    out += text.slice(from, at) + each;
    from = at + 1;
  }
  return from === 0 ? text : out + text.slice(from);
}

function isByUnits(beyond: PercentEncoder['beyond']): beyond is 'raw' | '%u' | '%u-latin' {
  return beyond === 'raw' || beyond === '%u' || beyond === '%u-latin';
}

function wideBytes(beyond: PercentEncoder['beyond'], text: string): Buffer {
  return beyond === undefined || isByUnits(beyond) ? Buffer.from(text) : bytesAs(beyond, text);
}

function byBytes(written: readonly string[], bytes: Buffer): string {
  let out = '';
  for (const byte of bytes) out += written[byte];
  return out;
}

function byUnits(encoder: PercentEncoder, text: string): string {
  const written = bytesOf(encoder);
  let out = '';
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) out += written[unit];
    else if (encoder.beyond === 'raw') out += text.charAt(at);
    else if (encoder.beyond === '%u-latin' && unit < 0x100) out += written[unit];
    else out += unicodeEscape(unit, encoder.isLowerCase === true);
  }
  return out;
}

function unicodeEscape(unit: number, isLowerCase: boolean): string {
  const digits = unit.toString(16);
  const written = isLowerCase ? digits : digits.toUpperCase();
  return unit < 0x100 && !isLowerCase ? `%${written.padStart(2, '0')}` : `%u${written.padStart(4, '0')}`;
}

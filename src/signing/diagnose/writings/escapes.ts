import { quotedPrintable } from './base-digits.js';
import { keptCharacters } from './kept-characters.js';
import { lostLetters } from './lost-letters.js';
import { type Writing, writing } from './writing.js';

/**
 * A value escaped for another kind of text before it was signed: HTML, JSON, JavaScript, or the source of a program.
 */
export function escapes(): readonly Writing[] {
  return [
    ...[...htmlEscapes(), ...jsonEscapes(), ...scriptEscapes(), ...literals(), ...patternEscapes(), ...mailEscapes],
    ...[...lostLetters, ...keptCharacters],
  ];
}

/** As the functions that escape a text for a pattern, or for a shell, do it. */
function patternEscapes(): Writing[] {
  const detail = 'escaped for a regular expression';
  const inQuotes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    // PHP quotemeta, PHP preg_quote, Python re.escape, Ruby Regexp.escape, .NET Regex.Escape, Java Pattern.quote.
    ...[/[.\\+*?[^\]($)]/g, /[.\\+*?[^\]$(){}=!<>|:#-]/g, /[()[\]{}?*+|^$\\.&~# \t\n-]/g].map((chars) =>
      writing('slashes', detail, (text) => backslashed(text, chars)),
    ),
    ...[/[()[\]{}?*+|^$\\.# -]/g, /[()[{?*+|^$\\.# ]/g].map((chars) =>
      writing('slashes', detail, (text) => backslashed(text, chars)),
    ),
    writing('slashes', detail, (text) => `\\Q${text}\\E`),
    // PHP escapeshellarg, which drops what its locale does not know; Python shlex.quote.
    writing('slashes', 'in quotes for a shell', inQuotes),
    writing('slashes', 'in quotes for a shell', (text) => inQuotes(text.replace(beyondAscii, ''))),
    writing('slashes', 'in quotes for a shell', (text) =>
      text === '' || /[^\w@%+=:,./-]/.test(text) ? `'${text.replaceAll("'", `'"'"'`)}'` : text,
    ),
  ];
}

/** RFC 2045 6.7, as mail has it. */
const mailEscapes: readonly Writing[] = [
  writing('quoted-printable', 'as quoted-printable', (text) => quotedPrintable(Buffer.from(text))),
];

const code = (unit: string) => unit.charCodeAt(0);
const hex = (unit: string, digits = 4) => code(unit).toString(16).padStart(digits, '0');
const beyondAscii = /[^\0-\x7f]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const specialUnits = /[\0-\x1f"&'<>]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const controlUnits = /[\0-\x1f\x7f]/g;

/** By the writings of the two quotes and of letters beyond ASCII. */
function htmlEscapes(): Writing[] {
  const detail = 'escaped for HTML';
  const letters: readonly ((text: string) => string)[] = [
    (text) => text,
    // .NET, for the upper half of Latin-1 alone or for all.
    (text) => text.replace(/[\xa0-\xff]/g, (unit) => `&#${code(unit)};`),
    (text) => text.replace(beyondAscii, (char) => `&#${char.codePointAt(0)};`),
    (text) => text.replace(beyondAscii, (char) => `&#x${char.codePointAt(0)?.toString(16)};`),
    (text) => text.replace(beyondAscii, (char) => `&#x${char.codePointAt(0)?.toString(16).toUpperCase()};`),
    (text) => text.replace(beyondAscii, (char) => htmlNames[char] ?? char),
  ];
  const doubles = ['&quot;', '&#34;', '"', '&#x22;'];
  const singles = ['&#039;', '&#39;', '&#x27;', '&apos;', "'"];
  return [
    ...letters.slice(1).map((write) => writing('html', 'with non-ASCII letters escaped for HTML', write)),
    // PHP, FILTER_SANITIZE_SPECIAL_CHARS.
    writing('html', detail, (text) => text.replace(specialUnits, (unit) => `&#${code(unit)};`)),
    ...letters.flatMap((write) =>
      doubles.flatMap((double) =>
        singles.map((single) =>
          writing('html', detail, (text) =>
            write(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
              .replaceAll('"', double)
              .replaceAll("'", single),
          ),
        ),
      ),
    ),
    writing('html', detail, (text) => text.replaceAll('&', '&amp;')),
    writing('html', 'with <br /> before each line break', (text) =>
      text.replace(/\r\n|\n|\r/g, (end) => `<br />${end}`),
    ),
    writing('html', 'without what looks like HTML tags', (text) => text.replace(/<[^>]*>?/g, '')),
    writing('html-read', 'with HTML entities decoded', (text) =>
      text
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replace(/&(?:#0?39|apos);/g, "'")
        .replaceAll('&amp;', '&'),
    ),
  ];
}

// HTML 4, 24.2: from U+00A0 on, and the few beyond Latin-1 that names and addresses hold.
const latinNames =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const htmlNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(latinNames.split(' ').map((name, at) => [String.fromCharCode(0xa0 + at), `&${name};`])),
  '€': '&euro;',
  Œ: '&OElig;',
  œ: '&oelig;',
  Š: '&Scaron;',
  š: '&scaron;',
  '–': '&ndash;',
  '—': '&mdash;',
  '‘': '&lsquo;',
  '’': '&rsquo;',
  '“': '&ldquo;',
  '”': '&rdquo;',
};

const allUnits = /[^ -~]/g;
const upperEscape = (unit: string) => `\\u${hex(unit).toUpperCase()}`;
const lowerEscape = (unit: string) => `\\u${hex(unit)}`;

/** By what is escaped beyond what must be, and by the case of its digits; with quotes and without. */
function jsonEscapes(): Writing[] {
  const beyond: readonly (readonly [RegExp, (unit: string) => string])[] = [
    [/$^/g, lowerEscape],
    [/[<>&\u2028\u2029]/g, lowerEscape],
    [allUnits, lowerEscape],
    [allUnits, upperEscape],
    [/[^ -~]|[<>&]/g, lowerEscape],
    [/[^ -~]|[<>&]/g, upperEscape],
    [/[^ -~]|[<>&'+]/g, upperEscape],
    [/[<>&']/g, lowerEscape],
    [/[<>&']/g, upperEscape],
  ];
  const plain = beyond.flatMap(([units, escaped]) =>
    [false, true].map((withSlashes) => (text: string) => {
      const written = JSON.stringify(text).replace(units, escaped);
      return withSlashes ? written.replaceAll('/', '\\/') : written;
    }),
  );
  const asUnit = (text: string) =>
    JSON.stringify(text)
      .replaceAll('\\"', '\\u0022')
      .replace(/[^ -~]|[<>&'+]/g, upperEscape);
  return [...plain, asUnit].flatMap((write) => [
    writing('quoted', 'as JSON, with quotes around it', write),
    writing('json', 'with JSON escapes', (text) => write(text).slice(1, -1)),
  ]);
}

const backslashed = (text: string, chars: RegExp) => text.replace(chars, '\\$&');

function scriptEscapes(): Writing[] {
  const detail = 'escaped for JavaScript';
  const controls = (text: string) => text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return [
    writing('slashes', 'with quotes escaped by backslashes', (text) => backslashed(text, /['"\\]/g)),
    writing('slashes', 'with quotes doubled, as for SQL', (text) => text.replaceAll("'", "''")),
    writing('slashes', 'with quotes doubled, as for CSV', (text) => text.replaceAll('"', '""')),
    writing('slashes', 'escaped for a shell', (text) => backslashed(text, /[^\w@%+=:,./-]/gu)),
    writing('slashes', 'escaped for a regular expression', (text) => backslashed(text, /[.*+?^${}()|[\]\\/-]/g)),
    writing('slashes', 'with backslash escapes removed', (text) => text.replace(/\\(.)/g, '$1')),
    // Go, text/template.
    writing('javascript', detail, (text) => controls(backslashed(text, /['"\\]/g)).replace(/[<>&=]/g, upperEscape)),
    // .NET, HttpUtility.
    writing('javascript', detail, (text) =>
      controls(backslashed(text, /["\\]/g)).replace(/[<>&'\u0085\u2028\u2029]/g, lowerEscape),
    ),
    writing('javascript', detail, (text) => controls(backslashed(text, /['"\\/]/g))),
    ...[/[^\w,.]/g, /[^\w]/g, /[<>&'"\\/=]/g].map((units) =>
      writing('javascript', detail, (text) =>
        text.replace(units, (unit) => (code(unit) < 256 ? `\\x${hex(unit, 2).toUpperCase()}` : upperEscape(unit))),
      ),
    ),
    // Apache Commons, escapeJava.
    writing('javascript', 'escaped for Java', (text) =>
      controls(backslashed(text, /["\\]/g)).replace(allUnits, upperEscape),
    ),
  ];
}

const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
};

/** How debuggers and `inspect`, `repr` and `%q` print a text. */
function literals(): Writing[] {
  const quoted = 'as a string literal, in quotes';
  const controls = (text: string) => text.replace(controlUnits, (unit) => named[unit] ?? `\\x${hex(unit, 2)}`);
  const go = (text: string) => `"${controls(backslashed(text, /["\\]/g))}"`;
  const ruby = (text: string) =>
    `"${controls(backslashed(text, /["\\]/g))
      .replaceAll('\x1b', '\\e')
      .replace(/#(?=[{$@])/g, '\\#')}"`;
  return [
    writing('quoted', quoted, go),
    writing('quoted', quoted, (text) =>
      go(text).replace(beyondAscii, (char) => {
        const point = char.codePointAt(0) ?? 0;
        return point > 0xffff
          ? `\\U${point.toString(16).padStart(8, '0')}`
          : `\\u${point.toString(16).padStart(4, '0')}`;
      }),
    ),
    writing('quoted', quoted, ruby),
    writing('quoted', quoted, (text) =>
      ruby(text).replace(beyondAscii, (char) => {
        const digits = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
        return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`;
      }),
    ),
    writing('quoted', quoted, pythonRepr),
    writing('quoted', quoted, (text) => `'${backslashed(text, /['\\]/g)}'`),
    ...['""', "''", '``', '«»', '“”', '‘’'].map((pair) =>
      writing('quoted', 'with quotes around it', (text) => `${pair.slice(0, 1)}${text}${pair.slice(1)}`),
    ),
    writing('quoted', 'with escaped quotes around it', (text) => `\\"${text}\\"`),
    writing('quoted', 'without the quotes around it', (text) => text.replace(/^(["'])(.*)\1$/s, '$2')),
  ];
}

/** As Python prints a text. */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replace(controlUnits, (unit) => ('\t\n\r'.includes(unit) ? (named[unit] ?? '') : `\\x${hex(unit, 2)}`));
  return quote + body + quote;
}

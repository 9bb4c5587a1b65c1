import { grouped } from './numbers.js';
import { type Writing, writing } from './writing.js';

/** What programs make of one short value, such as an id or an e-mail, or of a key; tried alone and with others. */
const lengths = Array.from({ length: 64 }, (_, at) => at + 1);
const letters = (text: string) => [...text];

export const partsOfValues: readonly Writing[] = [
  ...lengths.map((length) =>
    writing('cut', `cut to its first ${length} characters`, (text) => letters(text).slice(0, length).join('')),
  ),
  ...lengths.map((length) =>
    writing('cut', `cut to its last ${length} characters`, (text) => letters(text).slice(-length).join('')),
  ),
  ...lengths
    .slice(0, 16)
    .map((length) =>
      writing('cut', `without its first ${length} characters`, (text) => letters(text).slice(length).join('')),
    ),
  ...lengths
    .slice(0, 16)
    .map((length) =>
      writing('cut', `without its last ${length} characters`, (text) => letters(text).slice(0, -length).join('')),
    ),
  writing('cut', 'without what is not a digit', (text) => text.replace(/\D/g, '')),
  writing('cut', 'without what is neither letter nor digit', (text) => text.replace(/[^\p{L}\p{N}]/gu, '')),
  writing('cut', 'without what is neither letter nor digit of ASCII', (text) => text.replace(/[^A-Za-z0-9]/g, '')),
  writing('cut', 'with everything but letters, digits and _ removed', (text) => text.replace(/\W/g, '')),
  writing('cut', 'with everything but letters, digits, _ and - removed', (text) => text.replace(/[^\w-]/g, '')),
  writing('cut', 'without digits', (text) => text.replace(/\d/g, '')),
  writing('cut', 'as its leading letters', (text) => /^\p{L}*/u.exec(text)?.[0] ?? ''),
  writing('cut', 'as its leading digits', (text) => /^\d*/.exec(text)?.[0] ?? ''),
  writing('cut', 'as its trailing digits', (text) => /\d*$/.exec(text)?.[0] ?? ''),
  writing('cut', 'as its trailing digits, without leading zeros', (text) =>
    (/\d*$/.exec(text)?.[0] ?? '').replace(/^0+(?=\d)/, ''),
  ),
];

const marks = [...'/\\-_ .:+&=@#,;|~*()\'"<>%'];

export const replacedCharacters: readonly Writing[] = [
  ...marks.flatMap((from) =>
    ['', '_', '-', ' ', '/', '\\', '.', '+', ':', '|', '%20', from + from]
      .filter((to) => to !== from)
      .map((to) =>
        writing('replaced', `with ${to === '' ? 'nothing' : shown(to)} for each ${shown(from)}`, (text) =>
          text.replaceAll(from, to),
        ),
      ),
  ),
  ...marks.map((from) => writing('replaced', `without its first ${shown(from)}`, (text) => text.replace(from, ''))),
  ...[...'_-.'].map((to) =>
    writing('replaced', `with ${to} for each run of what is neither letter nor digit`, (text) =>
      text.replace(/[^A-Za-z0-9]+/g, to),
    ),
  ),
  ...[...'_-.'].map((to) =>
    writing('replaced', `with ${to} for each character that is neither letter nor digit`, (text) =>
      text.replace(/[^A-Za-z0-9]/g, to),
    ),
  ),
  ...['\u00a0', '\u202f', '\u2009', '\u3000'].flatMap((blank) => [
    writing('replaced', 'with a no-break or another space for each space', (text) => text.replaceAll(' ', blank)),
    writing('replaced', 'with a no-break or another space for the first space', (text) => text.replace(' ', blank)),
  ]),
  writing('replaced', 'with a hyphen or dash of another kind', (text) => text.replaceAll('-', '\u2013')),
  writing('replaced', 'with a hyphen or dash of another kind', (text) => text.replaceAll('-', '\u2010')),
  writing('replaced', 'with a hyphen or dash of another kind', (text) => text.replaceAll('-', '\u2011')),
  writing('replaced', 'with a hyphen or dash of another kind', (text) => text.replaceAll('-', '\u2212')),
];

function shown(mark: string): string {
  return mark === ' ' ? 'space' : mark === '  ' ? 'two spaces' : mark;
}

export const numbersOfValues: readonly Writing[] = [
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 32, 36, 40].flatMap((length) => [
    writing('padded', `padded with zeros to ${length} characters`, (text) => text.padStart(length, '0')),
    writing('padded', `padded with spaces to ${length} characters`, (text) => text.padEnd(length)),
    writing('padded', `padded with spaces at its start to ${length} characters`, (text) => text.padStart(length)),
  ]),
  writing('number', 'as the character with this code', (text) =>
    /^\d{1,6}$/.test(text) && Number(text) < 0x11_00_00 ? String.fromCodePoint(Number(text)) : text,
  ),
  ...[16, 8, 2, 36].map((base) =>
    writing('number', `as a number in base ${base}`, (text) => (isNumber(text) ? BigInt(text).toString(base) : text)),
  ),
  writing('number', 'as a number in upper-case hexadecimal', (text) =>
    isNumber(text) ? BigInt(text).toString(16).toUpperCase() : text,
  ),
  ...[',', '.', ' ', '_', '\u00a0', "'"].map((mark) =>
    writing('number', 'as a number with thousands separators', (text) => (isNumber(text) ? grouped(text, mark) : text)),
  ),
  writing('number', 'as a 32-bit integer', (text) => (isNumber(text) ? String(BigInt.asIntN(32, BigInt(text))) : text)),
  writing('number', 'as the largest 32-bit integer', (text) =>
    isNumber(text) && BigInt(text) > 0x7fffffffn ? '2147483647' : text,
  ),
  writing('number', 'as a number with an exponent', (text) => (isNumber(text) ? Number(text).toExponential() : text)),
  ...[0, 1, 2, 3, 4, 5, 6, 14].flatMap((digits) =>
    ['e', 'E'].flatMap((letter) =>
      ['', '+', '+0'].map((sign) =>
        writing('number', 'as a number with an exponent', (text) =>
          isNumber(text)
            ? Number(text)
                .toExponential(digits)
                .replace('e+', letter + sign)
            : text,
        ),
      ),
    ),
  ),
  writing('number', 'as a number plus one', (text) => (isNumber(text) ? String(BigInt(text) + 1n) : text)),
  writing('number', 'as a number minus one', (text) => (isNumber(text) ? String(BigInt(text) - 1n) : text)),
];

const isNumber = (text: string) => /^\d{1,40}$/.test(text);

const local = (text: string) => text.replace(/@[^@]*$/, '');
const domain = (text: string) => text.replace(/^.*@/s, '');
const mail = (detail: string, write: (name: string, host: string) => string): Writing =>
  writing('mail', detail, (text) => (/.@./.test(text) ? write(local(text), domain(text)) : text));
const masked = (name: string, kept: number, mark: string) => name.slice(0, kept) + mark;

export const mailsOfValues: readonly Writing[] = [
  mail('without the tag after its +', (name, host) => `${name.replace(/\+.*$/s, '')}@${host}`),
  mail('with a space for its +', (name, host) => `${name.replaceAll('+', ' ')}@${host}`),
  mail('without the dots before its @', (name, host) => `${name.replaceAll('.', '')}@${host}`),
  mail('without the points and the tag before its @', (name, host) => {
    return `${name.replace(/\+.*$/s, '').replaceAll('.', '')}@${host}`;
  }),
  mail('with its domain in lower case', (name, host) => `${name}@${host.toLowerCase()}`),
  mail('with its domain in upper case', (name, host) => `${name}@${host.toUpperCase()}`),
  mail('with its name in lower case', (name, host) => `${name.toLowerCase()}@${host}`),
  mail('as the name before its @', (name) => name),
  mail('as its domain', (_, host) => host),
  mail('with @ before its domain alone', (_, host) => `@${host}`),
  mail('as a link', (name, host) => `mailto:${name}@${host}`),
  mail('in angle brackets', (name, host) => `<${name}@${host}>`),
  mail('with (at) for its @', (name, host) => `${name}(at)${host}`),
  mail('with [at] for its @', (name, host) => `${name}[at]${host}`),
  mail('with its domain in Punycode', (name, host) => `${name}@${asciiHost(host)}`),
  mail('without its top-level domain', (name, host) => `${name}@${host.replace(/\.[^.]*$/, '')}`),
  ...['***', '*', '****', '…', '...'].flatMap((mark) =>
    [1, 2, 3].map((kept) => mail('masked', (name, host) => `${masked(name, kept, mark)}@${host}`)),
  ),
  mail('masked', (name, host) => `${name.slice(0, 1)}${'*'.repeat(Math.max(0, name.length - 1))}@${host}`),
  mail('masked', (name, host) => `${name.slice(0, 1)}***${name.slice(-1)}@${host}`),
];

function asciiHost(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}

/** The text as a format without values. */
export const formats: readonly Writing[] = [
  writing('format', "as a format string of the shell's printf", shellFormat),
  writing('format', 'as a Go format string', (text) =>
    text.replace(/%([-+# 0]*\d*)(.?)/gsu, (found, _flags, verb: string) => {
      if (found === '%%') return '%';
      if (verb === '') return '%!(NOVERB)';
      return /[vTtbcdoOqxXUeEfFgGsp]/.test(verb) ? `%!${verb}(MISSING)` : `%!${verb}(NOVERB)`;
    }),
  ),
  writing('format', 'as a format in which %% is %', (text) => text.replaceAll('%%', '%')),
  writing('format', 'with its % doubled', (text) => text.replaceAll('%', '%%')),
  ...[...'%$&#"\'\\\0\n<'].map((mark) =>
    writing('format', `up to its first ${mark === '\n' ? 'line feed' : mark === '\0' ? 'zero byte' : mark}`, (text) =>
      text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text,
    ),
  ),
  ...['$\\w+', '\\$\\{\\w*\\}', '\\$\\w+|\\$\\{\\w*\\}', '`[^`]*`'].map((variable) =>
    writing('format', 'with what looks like a variable replaced by nothing', (text) =>
      text.replace(new RegExp(variable.replace(/^\$/, '\\$'), 'g'), ''),
    ),
  ),
];

/** Numbers are 0 and texts empty where there are no values; what is no conversion ends the output. */
function shellFormat(text: string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const [found = '', flags = '', width = '', verb = ''] =
      /^%([-+ #0]*)(\d*)(?:\.\d*)?([diouxXeEfFgGsbqc%]?)/.exec(text.slice(at)) ?? [];
    if (found === '') out += text[at];
    else if (verb === '') return out;
    else if (width.length > 2) return text;
    else if (verb === '%') out += '%';
    else {
      const plain = /[diouxX]/.test(verb) ? '0' : /[eEfF]/.test(verb) ? '0.000000' : /[gG]/.test(verb) ? '0' : '';
      out += flags.includes('-')
        ? plain.padEnd(Number(width))
        : plain.padStart(Number(width), flags.includes('0') ? '0' : ' ');
    }
    at += found.length || 1;
  }
  return out.replace(/\\n/g, '\n').replace(/\\t/g, '\t').replace(/\\\\/g, '\\');
}

const cyrillic: readonly (readonly [string, string])[] = [
  ['абвгдезийклмнопрстуфыэ', 'abvgdezijklmnoprstufye'],
  ['абвгдезийклмнопрстуфыэ', 'abvgdeziyklmnoprstufye'],
];
const cyrillicWords: readonly Readonly<Record<string, string>>[] = [
  { ё: 'yo', ж: 'zh', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ь: '', ю: 'yu', я: 'ya' },
  { ё: 'e', ж: 'zh', х: 'h', ц: 'c', ч: 'ch', ш: 'sh', щ: 'sch', ъ: '', ь: '', ю: 'yu', я: 'ya' },
  { ё: 'yo', ж: 'zh', х: 'x', ц: 'cz', ч: 'ch', ш: 'sh', щ: 'shh', ъ: '``', ь: '`', ю: 'yu', я: 'ya', э: 'e`' },
  { ё: 'jo', ж: 'zh', х: 'h', ц: 'c', ч: 'ch', ш: 'sh', щ: 'shh', ъ: '"', ь: "'", ю: 'ju', я: 'ja' },
  { ё: 'e', ж: 'zh', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: 'ie', ь: '', ю: 'iu', я: 'ia', й: 'i' },
];
const ukrainian = { і: 'i', ї: 'i', є: 'e', ґ: 'g' };

/** Cyrillic letters in Latin ones, by the usual tables. */
export const transliterations: readonly Writing[] = cyrillic.flatMap(([from, to]) =>
  cyrillicWords.map((words) => {
    const table: Record<string, string> = { ...ukrainian, ...words };
    for (const [at, letter] of [...from].entries()) table[letter] ??= to[at] ?? '';
    return writing('transliterated', 'transliterated to ASCII', (text) =>
      [...text].map((char) => table[char] ?? capital(table[char.toLowerCase()], char)).join(''),
    );
  }),
);

function capital(latin: string | undefined, char: string): string {
  return latin === undefined ? char : latin.slice(0, 1).toUpperCase() + latin.slice(1);
}

const slugged = (mark: string) => (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, mark)
    .replace(/^[-_.]+|[-_.]+$/g, '');

/** After another writing of the letters. */
export function slugs(letterWritings: readonly Writing[]): Writing[] {
  return letterWritings.flatMap(({ write }) =>
    ['-', '_', ''].map((mark) => writing('slug', 'as a URL slug', (text) => slugged(mark)(write(text)))),
  );
}

import { percentEncode } from '../../wire/form.js';
import type { Mistake, OauthMistakeName } from './diagnosis.js';

/** A way to write a text badly that can be told from the text written well. */
export interface EncodingMutation extends Mistake<OauthMistakeName> {
  /** From a text encoded well to the same text encoded badly. */
  readonly rewrite: (encoded: string) => string;
  /** Only texts with this are worth a try. */
  readonly needs: RegExp;
}

const reserved = ['!', "'", '(', ')', '*'].map((char) => ({
  char,
  code: `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
}));

/** Every choice of the five characters that are there: encodeURIComponent leaves all of them, other encoders some. */
export function unescapedReserved(all: string): EncodingMutation[] {
  return choicesOfReserved
    .filter(({ codes }) => codes.every((code) => all.includes(code)))
    .map(({ mutation }) => mutation);
}

/** All but the empty one, the whole first. */
function subsets<Member>(list: readonly Member[]): Member[][] {
  const count = 2 ** list.length - 1;
  return Array.from({ length: count }, (_, at) => list.filter((_member, place) => ((count - at) >> place) & 1));
}

const choicesOfReserved = subsets(reserved).map((chosen) => {
  const codes = chosen.map(({ code }) => code);
  const chars = chosen.map(({ char }) => char);
  const needs = new RegExp(codes.join('|'));
  const everywhere = new RegExp(needs, 'g');
  const mutation: EncodingMutation = {
    name: 'reserved-characters',
    variant: `raw-${chars.join('')}`,
    detail: `${chars.join(' ')} left unencoded; RFC 3986 requires ${codes.join(' ')}`,
    rewrite: (text) => unescaped(text, everywhere),
    needs,
  };
  return { codes, mutation };
});

const unescaped = (text: string, escapes: RegExp) => text.replace(escapes, (written) => decodeURIComponent(written));
const lowered = (text: string) => text.replace(/%[0-9A-F]{2}/g, (written) => written.toLowerCase());
const likeForm = (text: string) => text.replaceAll('%20', '+').replaceAll('~', '%7E');

export const encodingMutations: readonly EncodingMutation[] = [
  {
    name: 'space-plus',
    variant: 'plus',
    detail: 'a space written as +; it must be %20',
    rewrite: (text) => text.replaceAll('%20', '+'),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder',
    detail:
      'encoded by a form encoder, which uses + for a space and %7E for ~ and leaves * unencoded; use %20, ~ and %2A',
    rewrite: (text) => unescaped(likeForm(text), /%2A/g),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-strict',
    detail: 'encoded by a form encoder, which uses + for a space and %7E for ~; use %20 and ~',
    rewrite: likeForm,
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-lower',
    detail:
      'encoded by a form encoder, which uses + for a space, leaves ! ( ) * unencoded and writes lower-case hexadecimal',
    rewrite: (text) => lowered(unescaped(likeForm(text), /%2[189A]/g)),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-raw',
    detail: 'encoded by a form encoder, which uses + for a space and leaves ! ( ) * unencoded',
    rewrite: (text) => unescaped(text.replaceAll('%20', '+'), /%2[189A]/g),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'blank-as-encoded-plus',
    detail:
      'a + in the body, which stands for a space, was signed as a plus sign; sign %20, or send %2B where a plus is meant',
    rewrite: (text) => text.replaceAll('%20', '%2B'),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'plus-as-blank',
    detail: 'a plus sign read as a space, %20; it must be %2B',
    rewrite: (text) => text.replaceAll('%2B', '%20'),
    needs: /%2B/,
  },
  {
    name: 'space-plus',
    variant: 'plus-raw',
    detail: 'a plus sign left as it is; it must be %2B',
    rewrite: (text) => text.replaceAll('%2B', '+'),
    needs: /%2B/,
  },
  {
    name: 'space-plus',
    variant: 'trimmed',
    detail: 'spaces at the ends of a value dropped; they are part of it',
    rewrite: (text) => text.replace(/^(?:%20)+|(?:%20)+$/g, ''),
    needs: /%20/,
  },
  {
    name: 'reserved-characters',
    variant: 'tilde',
    detail: '~ written as %7E; it must stay as it is',
    rewrite: (text) => text.replaceAll('~', '%7E'),
    needs: /~/,
  },
  {
    name: 'reserved-characters',
    variant: 'lower-case',
    detail: 'escapes in lower case, such as %2f; they must be upper case',
    rewrite: lowered,
    needs: /%/,
  },
  {
    name: 'reserved-characters',
    variant: 'unreserved-encoded',
    detail: '- . _ ~ encoded; they must stay as they are',
    rewrite: (text) => text.replace(/[-._~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    needs: /[-._~]/,
  },
];

/** Come to the same as no encoding at all when a request holds little else, which is likelier then. */
export const coarseEncodingMutations: readonly EncodingMutation[] = [
  {
    name: 'reserved-characters',
    variant: 'slash',
    detail: '/ left as it is in a value; it must be %2F',
    rewrite: (text) => text.replaceAll('%2F', '/'),
    needs: /%2F/,
  },
  {
    name: 'reserved-characters',
    variant: 'like-an-address',
    detail: "encoded like a whole URL, which leaves unencoded ; , / ? : @ & = + $ # and ! ' ( ) *",
    rewrite: (text) => unescaped(text, /%(?:2[1346789ABCF]|3[ABDF]|40)/g),
    needs: /%(?:2[346BCF]|3[ABDF]|40)/,
  },
  {
    name: 'encoded-twice-or-once',
    variant: 'letters-raw',
    detail:
      'non-ASCII letters encoded once; they must be encoded as UTF-8 before the parameters are joined, and again with them',
    rewrite: (text) => unescaped(text, /(?:%[89A-F][0-9A-F])+/g),
    needs: /%[89A-F]/,
  },
];

/** One encoded text, badly encoded in each of these ways. */
export function* mutatedEncodings({
  plain,
  encoded,
}: {
  readonly plain: string;
  readonly encoded: string;
}): Generator<Mistake<OauthMistakeName> & { readonly text: string }> {
  for (const { name, variant, detail, rewrite } of [...unescapedReserved(encoded), ...encodingMutations])
    yield { name, variant, detail, text: rewrite(encoded) };
  const name = 'encoded-twice-or-once';
  yield {
    name,
    variant: 'values-twice',
    detail: 'encoded twice, %2525 where %25 is expected',
    text: percentEncode(encoded),
  };
  yield { name, variant: 'values-raw', detail: 'not encoded before the parameters were joined', text: plain };
  for (const { variant, detail, rewrite, ...row } of coarseEncodingMutations)
    yield { name: row.name, variant, detail, text: rewrite(encoded) };
}

export type Charset =
  | 'latin-1'
  | 'low-bytes'
  | 'windows-1252'
  | 'byte-by-byte'
  | 'ascii'
  | 'surrogates-apart'
  | 'utf-16be'
  | 'utf-16le';

/** The bytes a text has under another encoding than UTF-8; what a table lacks becomes a question mark. */
export function bytesAs(charset: Charset, text: string): Buffer {
  return charsetEncoders[charset](text);
}

const charsetEncoders: Readonly<Record<Charset, (text: string) => Buffer>> = {
  'latin-1': (text) => byTable(text, (code) => (code <= 0xff ? code : undefined)),
  'low-bytes': (text) => Buffer.from(text, 'latin1'),
  'windows-1252': (text) => byTable(text, (code, char) => windows1252.get(char) ?? (code <= 0xff ? code : undefined)),
  'byte-by-byte': (text) => Buffer.from(Buffer.from(text, 'utf8').toString('latin1'), 'utf8'),
  ascii: (text) => byTable(text, (code) => (code < 0x80 ? code : undefined)),
  'surrogates-apart': (text) => Buffer.concat(text.split('').map((unit) => threeBytes(unit))),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
};

// 0x80 to 0x9f, where Windows-1252 is not Latin-1; a blank where it has nothing.
const windows1252: ReadonlyMap<string, number> = new Map(
  [...'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ']
    .map((char, at): [string, number] => [char, 0x80 + at])
    .filter(([char]) => char !== ' '),
);

function byTable(text: string, byteOf: (code: number, char: string) => number | undefined): Buffer {
  return Buffer.from([...text].map((char) => byteOf(char.codePointAt(0) ?? 0, char) ?? 0x3f));
}

/** A code unit as UTF-8 would have it, halves of a pair included. */
function threeBytes(unit: string): Buffer {
  const code = unit.charCodeAt(0);
  if (code < 0xd800 || code > 0xdfff) return Buffer.from(unit, 'utf8');
  return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
}

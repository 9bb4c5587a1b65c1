import { percentEncode } from '../../wire/percent.js';
import type { Mistake, OauthMistakeName } from './types.js';

/** A way to write a text badly that can be told from the text written well. */
export interface Rewriting extends Mistake<OauthMistakeName> {
  /** From a text encoded well to the same text encoded badly. */
  readonly rewrite: (encoded: string) => string;
  /** Only texts with this are worth a try. */
  readonly needs: RegExp;
}

const reserved = ['!', "'", '(', ')', '*'].map((char) => ({ char, code: `%${char.charCodeAt(0).toString(16).toUpperCase()}` }));

/** Every choice of the five characters that are there: encodeURIComponent leaves all of them, other encoders some. */
export function rawSets(all: string): Rewriting[] {
  const there = reserved.filter(({ code }) => all.includes(code));
  return subsets(there).map((chosen) => {
    const codes = chosen.map(({ code }) => code);
    const chars = chosen.map(({ char }) => char);
    const needs = new RegExp(codes.join('|'));
    return {
      name: 'reserved-characters',
      variant: `raw-${chars.join('')}`,
      detail: `${chars.join(' ')} left as they are; RFC 3986 has ${codes.join(' ')}`,
      rewrite: (text) => unescaped(text, new RegExp(needs, 'g')),
      needs,
    };
  });
}

/** All but the empty one, the whole first. */
function subsets<Member>(list: readonly Member[]): Member[][] {
  const count = 2 ** list.length - 1;
  return Array.from({ length: count }, (_, at) => list.filter((_member, place) => ((count - at) >> place) & 1));
}

const unescaped = (text: string, escapes: RegExp) => text.replace(escapes, (written) => decodeURIComponent(written));
const lowered = (text: string) => text.replace(/%[0-9A-F]{2}/g, (written) => written.toLowerCase());
const likeForm = (text: string) => text.replaceAll('%20', '+').replaceAll('~', '%7E');

export const rewritings: readonly Rewriting[] = [
  {
    name: 'space-plus',
    variant: 'plus',
    detail: 'a blank written as +; it is %20',
    rewrite: (text) => text.replaceAll('%20', '+'),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder',
    detail: 'written by a form encoder, which has + for a blank, %7E for ~ and leaves *; it is %20, ~ and %2A',
    rewrite: (text) => unescaped(likeForm(text), /%2A/g),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-strict',
    detail: 'written by a form encoder, which has + for a blank and %7E for ~; it is %20 and ~',
    rewrite: likeForm,
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-lower',
    detail: 'written by a form encoder, which has + for a blank, leaves ! ( ) * and writes lower-case hexadecimal',
    rewrite: (text) => lowered(unescaped(likeForm(text), /%2[189A]/g)),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'form-encoder-raw',
    detail: 'written by a form encoder, which has + for a blank and leaves ! ( ) *',
    rewrite: (text) => unescaped(text.replaceAll('%20', '+'), /%2[189A]/g),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'blank-as-encoded-plus',
    detail: 'the + that stands for a blank in the body was signed as a plus sign, %2B; it is %20',
    rewrite: (text) => text.replaceAll('%20', '%2B'),
    needs: /%20/,
  },
  {
    name: 'space-plus',
    variant: 'plus-as-blank',
    detail: 'a plus sign read as a blank, %20; it is %2B',
    rewrite: (text) => text.replaceAll('%2B', '%20'),
    needs: /%2B/,
  },
  {
    name: 'space-plus',
    variant: 'plus-raw',
    detail: 'a plus sign left as it is; it is %2B',
    rewrite: (text) => text.replaceAll('%2B', '+'),
    needs: /%2B/,
  },
  {
    name: 'space-plus',
    variant: 'trimmed',
    detail: 'blanks at the ends of a value dropped; they are part of it',
    rewrite: (text) => text.replace(/^(?:%20)+|(?:%20)+$/g, ''),
    needs: /%20/,
  },
  {
    name: 'reserved-characters',
    variant: 'tilde',
    detail: '~ written as %7E; it stays as it is',
    rewrite: (text) => text.replaceAll('~', '%7E'),
    needs: /~/,
  },
  {
    name: 'reserved-characters',
    variant: 'lower-case',
    detail: 'escapes in lower case, such as %2f; they are upper case',
    rewrite: lowered,
    needs: /%/,
  },
  {
    name: 'reserved-characters',
    variant: 'unreserved-encoded',
    detail: '- . _ ~ encoded; they stay as they are',
    rewrite: (text) => text.replace(/[-._~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    needs: /[-._~]/,
  },
];

/** Come to the same as no encoding at all when a request holds little else, which is likelier then. */
export const coarseRewritings: readonly Rewriting[] = [
  {
    name: 'reserved-characters',
    variant: 'slash',
    detail: '/ left as it is in a value; it is %2F',
    rewrite: (text) => text.replaceAll('%2F', '/'),
    needs: /%2F/,
  },
  {
    name: 'reserved-characters',
    variant: 'like-an-address',
    detail: "encoded as a whole address is, which leaves ; , / ? : @ & = + $ # and ! ' ( ) *",
    rewrite: (text) => unescaped(text, /%(?:2[1346789ABCF]|3[ABDF]|40)/g),
    needs: /%(?:2[346BCF]|3[ABDF]|40)/,
  },
  {
    name: 'encoded-twice-or-once',
    variant: 'letters-raw',
    detail: 'letters beyond ASCII encoded once; they are encoded as UTF-8 before the parameters are joined, and once more with them',
    rewrite: (text) => unescaped(text, /(?:%[89A-F][0-9A-F])+/g),
    needs: /%[89A-F]/,
  },
];

/** One encoded text, badly encoded in each of these ways. */
export function* badlyEncoded({
  plain,
  encoded,
}: {
  readonly plain: string;
  readonly encoded: string;
}): Generator<Mistake<OauthMistakeName> & { readonly text: string }> {
  for (const { name, variant, detail, rewrite } of [...rawSets(encoded), ...rewritings])
    yield { name, variant, detail, text: rewrite(encoded) };
  const name = 'encoded-twice-or-once';
  yield { name, variant: 'values-twice', detail: 'encoded twice, %2525 where %25 is due', text: percentEncode(encoded) };
  yield { name, variant: 'values-raw', detail: 'not encoded before the parameters were joined', text: plain };
  for (const { variant, detail, rewrite, ...row } of coarseRewritings) yield { name: row.name, variant, detail, text: rewrite(encoded) };
}

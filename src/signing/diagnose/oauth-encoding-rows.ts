import { percentEncode } from '../../wire/form.js';
import { charsets, htmlEscapes, percentBytes } from './charsets.js';
import { decodedOnce } from './compare.js';
import { bodyValues, elements, encoding, type OauthRow, set, whole } from './oauth-recipe.js';
import { common, family } from './search.js';

type Rewrite = (encoded: string) => string;

const raw =
  (codes: RegExp): Rewrite =>
  (text) =>
    text.replace(codes, (written) => decodedOnce(written) ?? written);
const lowered: Rewrite = (text) => text.replace(/%[0-9A-F]{2}/g, (written) => written.toLowerCase());
const likeForm: Rewrite = (text) => text.replaceAll('%20', '+').replaceAll('~', '%7E');
const swap =
  (from: string, to: string): Rewrite =>
  (text) =>
    text.replaceAll(from, to);
const code = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

type Rewriting = readonly [variant: string, detail: string, rewrite: Rewrite, mark?: typeof common];

/** Inside the parameters, there and in the elements alike, or in the elements alone. */
const placed = (name: string, fix: string, list: readonly Rewriting[]): OauthRow[] =>
  list.flatMap(([variant, detail, rewrite, mark]) => {
    const [inside, outside] = [encoding(rewrite), elements(rewrite)];
    return family(name, fix, [
      [variant, detail, inside, mark],
      [variant, detail, (recipe) => ({ ...inside(recipe), ...outside(recipe) }), mark],
      [variant, `${detail} (in the elements of the base string)`, outside, mark],
    ]);
  });

const leftRaw = (chars: string): Rewriting => {
  const codes = [...chars].map(code);
  const detail = `${[...chars].join(' ')} left unencoded; they must be ${codes.join(' ')}`;
  const rewrite = raw(new RegExp(codes.join('|'), 'g'));
  return chars === "!'()*" ? [`raw-${chars}`, detail, rewrite, common] : [`raw-${chars}`, detail, rewrite];
};

const reserved = 'percent-encode everything except letters, digits and -._~, and never those (RFC 3986, RFC 5849 3.6)';
const blanks = 'write a space as %20 and a plus sign as %2B: encode as RFC 3986 says, not as a form';
const depth = 'encode each name and value once, then the address and the joined parameters once more';
const utf8 = 'encode the UTF-8 bytes of the text that is sent';

const rewritings: readonly OauthRow[] = [
  ...placed('reserved-characters', reserved, ["!'()*", '*', '!()*', "!'()", "'", '()', '!'].map(leftRaw)),
  ...placed('space-plus', blanks, [
    ['plus', 'a space written as +; it must be %20', swap('%20', '+'), common],
    ['form-encoder', 'encoded as a form: + for a space, %7E for ~, * as it is', (text) => raw(/%2A/g)(likeForm(text))],
    ['form-encoder-strict', 'encoded as a form: + for a space and %7E for ~', likeForm, common],
    ['form-encoder-lower', 'encoded as a form in lower case', (text) => lowered(raw(/%2[189A]/g)(likeForm(text)))],
    ['form-encoder-raw', 'a space as + and ! ( ) * left', (text) => raw(/%2[189A]/g)(text.replaceAll('%20', '+'))],
    ['blank-as-encoded-plus', 'a + of the body, which means a space, signed as a plus sign', swap('%20', '%2B')],
    ['plus-as-blank', 'a plus sign signed as a space', swap('%2B', '%20'), common],
    ['plus-raw', 'a plus sign left as it is; it must be %2B', swap('%2B', '+')],
    ['trimmed', 'blanks at the ends of a value dropped', (text) => text.replace(/^(?:%20)+|(?:%20)+$/g, '')],
  ]),
  ...placed('reserved-characters', reserved, [
    ['tilde', '~ written as %7E; it must stay as it is', swap('~', '%7E')],
    ['lower-case', 'escapes in lower case, such as %2f; they must be in upper case', lowered, common],
    ['unreserved-encoded', '- . _ ~ encoded; they must stay', (text) => text.replace(/[-._~]/g, code)],
  ]),
];

/** Likelier as no encoding at all, where a request holds little else. */
const coarse: readonly OauthRow[] = placed('reserved-characters', reserved, [
  ['slash', '/ left as it is in a value; it must be %2F', swap('%2F', '/')],
  ['like-an-address', 'encoded like a whole address', raw(/%(?:2[1346789ABCF]|3[ABDF]|40)/g)],
]);

const again = (text: string) => percentEncode(text);
const asIs = (text: string) => text;
const only = (part: 'address' | 'parameters', write: (once: string, text: string) => string) =>
  elements((once, text, of) => (of === part ? write(once, text) : once));

/** 3.4.1.3.2 encodes names and values once, 3.4.1.1 every element once more. */
const depths: readonly OauthRow[] = family('encoded-twice-or-once', depth, [
  ['parameters-twice', 'names and values encoded twice', encoding(again), common],
  ['values-twice', 'values encoded twice', encoding((once, _, of) => (of === 'name' ? once : again(once)))],
  ['parameters-raw', 'names and values not encoded before they were joined', set({ encode: asIs }), common],
  ['names-raw', 'names not encoded', encoding((once, text, of) => (of === 'name' ? text : once))],
  ['element-raw', 'the joined parameters not encoded again', only('parameters', (_, text) => text), common],
  ['elements-raw', 'address and joined parameters not encoded again', set({ element: asIs })],
  ['everything-raw', 'nothing encoded at all', set({ encode: asIs, element: asIs })],
  ['element-twice', 'the joined parameters encoded twice', only('parameters', again)],
  ['elements-twice', 'address and joined parameters encoded twice', elements(again)],
  ['address-raw', 'the address not encoded', only('address', (_, text) => text)],
  ['address-twice', 'the address encoded twice', only('address', again)],
  ['whole-again', 'the whole base string encoded again', whole(again)],
  ...htmlEscapes.map((write) => ['html', 'values escaped for HTML', bodyValues(write)] as const),
]);

/** 3.6: characters are encoded as their UTF-8 bytes. */
const charsetRows: readonly OauthRow[] = charsets.flatMap(([variant, words, write]) => {
  const detail = `the text encoded as ${words}; it must be UTF-8`;
  const isAscii = (text: string) => Buffer.byteLength(text) === text.length;
  return family('not-utf8', utf8, [
    [variant, detail, encoding((once, text) => (isAscii(text) ? once : percentBytes(write(text))))],
    [variant, detail, encoding((_, text) => percentBytes(write(text)))],
  ]);
});

const writtenRows: readonly OauthRow[] = family('not-utf8', utf8, [
  ['dropped', 'characters beyond ASCII left out', encoding((_, text) => again(text.replace(/[^ -~]/g, '')))],
  ['decomposed', 'accented letters signed in two parts (NFD)', bodyValues((text) => text.normalize('NFD'))],
  ['composed', 'accented letters signed composed (NFC)', bodyValues((text) => text.normalize('NFC'))],
  ['base-string-utf-16', 'the base string signed as UTF-16', set({ bytes: (text) => Buffer.from(text, 'utf16le') })],
  ['byte-order-mark', 'a byte order mark signed before the base string', whole((text) => `\uFEFF${text}`)],
]);

/** Characters written otherwise than 3.6 has them, and things encoded too often or too little. */
export const encodingRows: readonly OauthRow[] = [...rewritings, ...depths, ...coarse, ...charsetRows, ...writtenRows];

import { type Pair, percentEncode } from '../../wire/form.js';
import { joinPairs, sortPairs } from '../schemes/oauth1.js';
import type { Mistake, OauthMistakeName } from './diagnosis.js';
import {
  bytesAs,
  type Charset,
  coarseEncodingMutations,
  type EncodingMutation,
  encodingMutations,
  unescapedReserved,
} from './encoding-mutations.js';
import { type BaseStringMistake, type OauthParts, parametersOf, type SignedParameter } from './oauth-parts.js';

/** Characters written differently than RFC 5849 3.6 has them, and things encoded too often or too little. */
export function* encodingMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  const all = `${parts.elements.uri} ${parts.parameters}`;
  for (const rewriting of [...unescapedReserved(all), ...encodingMutations])
    if (rewriting.needs.test(all)) yield* rewritten(parts, rewriting);
  yield* encodingDepths(parts);
  for (const rewriting of coarseEncodingMutations) if (rewriting.needs.test(all)) yield* rewritten(parts, rewriting);
  yield* paths(parts);
}

/** The same encoder may have written the elements, too, or those alone. */
function* rewritten(parts: OauthParts, mutation: EncodingMutation): Generator<BaseStringMistake> {
  const { rewrite, needs, ...mistake } = mutation;
  const changed: string[] = [];
  const pairs = parts.items.map((item): Pair => {
    const pair = rewrittenPair(mutation, item.encoded);
    if (pair !== item.encoded) changed.push(item.plain[0]);
    return pair;
  });
  const { name, variant } = mistake;
  const detail = mistake.detail + inFields(changed);
  const inside = changed.length === 0 ? parts.elements.parameters : parametersOf(pairs);
  const uri = rewrite(parts.elements.uri);
  yield {
    name,
    variant,
    detail,
    elements: { parameters: rewrite(inside), ...(uri === parts.elements.uri ? {} : { uri }) },
  };
  if (changed.length > 0) yield { name, variant, detail, elements: { parameters: inside } };
  if (!needs.test(`${parts.elements.uri} ${parts.elements.parameters}`)) return;
  const outside = rewrite(parts.elements.parameters);
  yield {
    name,
    variant,
    detail: `${mistake.detail} (in the elements of the base string)`,
    elements: { uri, parameters: outside },
  };
}

function rewrittenPair({ rewrite }: EncodingMutation, encoded: Pair): Pair {
  const pair: Pair = [rewrite(encoded[0]), rewrite(encoded[1])];
  return pair[0] === encoded[0] && pair[1] === encoded[1] ? encoded : pair;
}

const maxNamed = 3;

/** Names of fields, as far as they look like such, in parentheses. */
function inFields(names: readonly string[]): string {
  const shown = [...new Set(names)].filter((name) => /^[A-Za-z][\w.-]{0,63}$/.test(name) && !/\d{6}/.test(name));
  if (shown.length === 0) return '';
  return shown.length > maxNamed ? ` (${shown.slice(0, maxNamed).join(', ')} and others)` : ` (${shown.join(', ')})`;
}

/** 3.4.1.3.2 encodes names and values once, 3.4.1.1 every element once more. */
function* encodingDepths({ ordered, parameters, uri, elements, text }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (variant: string, detail: string, changed: BaseStringMistake['elements']): BaseStringMistake => ({
    name: 'encoded-twice-or-once',
    variant,
    detail,
    elements: changed,
  });
  const each = (write: (pair: Pair, plain: Pair) => Pair) =>
    parametersOf(ordered.map(({ plain, encoded }) => write(encoded, plain)));
  const raw = joinPairs(sortPairs(ordered.map(({ plain }) => plain)));
  yield wrong('parameters-twice', 'names and values encoded twice, %2525 where %25 is expected', {
    parameters: each(([name, value]) => [percentEncode(name), percentEncode(value)]),
  });
  yield wrong('values-twice', 'values encoded twice, %2525 where %25 is expected', {
    parameters: each(([name, value]) => [name, percentEncode(value)]),
  });
  yield wrong('parameters-raw', 'names and values not encoded before they were joined', {
    parameters: percentEncode(raw),
  });
  const named = ordered.map(({ plain: [name], encoded: [, value] }): Pair => [name, value]);
  for (const list of [sortPairs(named), named])
    yield wrong('names-raw', 'names not encoded', { parameters: percentEncode(joinPairs(list)) });
  yield wrong('element-raw', 'the joined parameters not encoded again: raw & and = in the third element', {
    parameters,
  });
  yield wrong('elements-raw', 'address and joined parameters not encoded again', { uri, parameters });
  yield wrong('everything-raw', 'nothing encoded at all', { uri, parameters: raw });
  yield wrong('element-twice', 'the joined parameters encoded twice more instead of once', {
    parameters: percentEncode(elements.parameters),
  });
  yield wrong('elements-twice', 'address and joined parameters encoded twice more instead of once', {
    uri: percentEncode(elements.uri),
    parameters: percentEncode(elements.parameters),
  });
  yield wrong('address-raw', 'the address not encoded', { uri });
  yield wrong('address-twice', 'the address encoded twice', { uri: percentEncode(elements.uri) });
  yield { ...wrong('whole-again', 'the whole base string encoded again', {}), text: percentEncode(text) };
}

/** 3.4.1.2: the path is taken as it is sent. */
function* paths({ uri }: OauthParts): Generator<BaseStringMistake> {
  const start = uri.indexOf('/', uri.indexOf('//') + 2);
  const [origin, path] = [uri.slice(0, start), uri.slice(start)];
  const wrong = (variant: string, detail: string, changed: string): BaseStringMistake => ({
    name: 'encoded-twice-or-once',
    variant,
    detail,
    elements: { uri: percentEncode(origin + changed) },
  });
  yield wrong('path-decoded', 'the path decoded before it was signed; it must be signed as it is sent', decoded(path));
  for (const encode of [encodeURI, encodeURIComponent, (segment: string) => percentEncode(segment)])
    yield wrong('path-again', 'the path encoded again', path.split('/').map(encode).join('/'));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** 3.6: characters are encoded as their UTF-8 bytes. */
export function* charsetMistakes({ ordered }: OauthParts): Generator<BaseStringMistake> {
  if (!ordered.some(({ plain }) => isBeyondAscii(plain[0]) || isBeyondAscii(plain[1]))) return;
  for (const { mistake, written } of charsetWrites)
    for (const write of written) yield { ...mistake, elements: { parameters: parametersOf(ordered.map(write)) } };
}

/** One text under each of these encodings. */
export function* charsetMutations(text: string): Generator<Mistake<OauthMistakeName> & { readonly text: string }> {
  if (!isBeyondAscii(text)) return;
  for (const { variant, detail, write } of charsetTable) yield { name: 'not-utf8', variant, detail, text: write(text) };
}

function isBeyondAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /[^\x00-\x7f]/.test(text);
}

interface CharsetMistake {
  readonly variant: string;
  readonly detail: string;
  readonly write: (text: string) => string;
}

const charsetTable: readonly CharsetMistake[] = [
  inBytes('latin-1', 'characters encoded as Latin-1; they must be UTF-8'),
  inBytes('low-bytes', 'only the low byte of each UTF-16 unit encoded; characters must be UTF-8'),
  inBytes('windows-1252', 'characters encoded as Windows-1252; they must be UTF-8'),
  inBytes('byte-by-byte', 'UTF-8 bytes read as Latin-1 and encoded as UTF-8 again'),
  inBytes('ascii', 'non-ASCII characters encoded as ?; they must be UTF-8'),
  inBytes(
    'surrogates-apart',
    'characters beyond U+FFFF encoded as two surrogates of three bytes each; UTF-8 uses four bytes',
  ),
  inBytes('utf-16be', 'values encoded as UTF-16 (big-endian); they must be UTF-8'),
  inBytes('utf-16le', 'values encoded as UTF-16 (little-endian); they must be UTF-8'),
  {
    variant: 'escape',
    detail: 'characters written as %E9 or %u20AC, as the deprecated escape() writes them; they must be UTF-8',
    write: escaped,
  },
  {
    variant: 'code-units',
    detail: 'characters written as UTF-16 code units, such as %20AC; they must be UTF-8',
    write: byUnits,
  },
  {
    variant: 'dropped',
    detail: 'non-ASCII characters left out',
    write: (text) => percentEncode(text.replace(/[^ -~]/g, '')),
  },
];

const charsetWrites = charsetTable.map(({ variant, detail, write }) => ({
  mistake: { name: 'not-utf8', variant, detail } as const,
  written: [isBeyondAscii, () => true].map((isDue) => {
    const one = (text: string, encoded: string) => (isDue(text) ? write(text) : encoded);
    return ({ plain, encoded }: SignedParameter): Pair => [one(plain[0], encoded[0]), one(plain[1], encoded[1])];
  }),
}));

function inBytes(variant: Charset, detail: string): CharsetMistake {
  return { variant, detail, write: (text) => [...bytesAs(variant, text)].map(byteEscape).join('') };
}

function byteEscape(byte: number): string {
  const char = String.fromCharCode(byte);
  return byte < 0x80 ? percentEncode(char) : `%${byte.toString(16).toUpperCase()}`;
}

function byUnits(text: string): string {
  return text
    .split('')
    .map((unit) => (isBeyondAscii(unit) ? `%${unit.charCodeAt(0).toString(16).toUpperCase()}` : percentEncode(unit)))
    .join('');
}

function escaped(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => {
      const code = text.charCodeAt(at);
      if (code > 0xff) return `%u${code.toString(16).toUpperCase().padStart(4, '0')}`;
      return /[\w@*+\-./]/.test(text.charAt(at))
        ? text.charAt(at)
        : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

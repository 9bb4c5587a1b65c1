import { type Pair, percentEncode } from '../../wire/form.js';
import { joinPairs, sortPairs } from '../schemes/oauth1.js';
import type { OauthMistakeName } from './diagnosis.js';
import { type BaseStringMistake, type OauthParts, parametersOf, type SignedParameter, wrong } from './oauth-parts.js';
import { textBytes } from './writings/charset-bytes.js';
import { encodedBy, type PercentEncoder, percentEncoders } from './writings/percent-encoders.js';

/** Named functions that percent-encode, inside, around the parameters, or both. */
export function* encoderMistakes({ ordered, uri, parameters }: OauthParts): Generator<BaseStringMistake> {
  const texts = ordered.flatMap(({ plain }) => plain);
  const hasBlank = texts.some((text) => text.includes(' '));
  const isWide = texts.some((text) => isBeyondAscii.test(text));
  const chars = [...new Set([...texts.join(''), ...uri, ...'%&=+'])];
  const seen = new Set<string>();
  for (const { encoder, encode } of encodingFunctions(isWide)) {
    const [name, variant] = nameOfEncoder(encoder, hasBlank);
    const doing = `${name} ${chars.map(encode).join(' ')}`;
    if (seen.has(doing)) continue;
    seen.add(doing);
    const detail = `values encoded as ${encoder.of} does; they must be encoded as RFC 3986 requires`;
    const [encodedUri, outer] = [encode(uri), encode(parameters)];
    for (const written of new Set(insides(ordered, encode))) {
      const element = encode(written);
      yield wrong(name, variant, detail, { parameters: percentEncode(written) });
      yield wrong(name, variant, detail, { uri: encodedUri, parameters: element });
      yield wrong(name, variant, detail, { parameters: element });
    }
    yield wrong(name, variant, `${detail} (the elements)`, { uri: encodedUri, parameters: outer });
    yield wrong(name, variant, `${detail} (the parameters)`, { parameters: outer });
    yield wrong(name, variant, `${detail} (the address)`, { uri: encodedUri });
  }
}

/** Values encoded before they come to the right encoder, which then finds escapes. */
export function* encodedBeforeMistakes({ ordered }: OauthParts): Generator<BaseStringMistake> {
  const isWide = ordered.some(({ plain }) => isBeyondAscii.test(plain.join('')));
  for (const { encoder, encode } of encodingFunctions(isWide)) {
    const again = ordered.map(({ plain, encoded }): Pair => [encoded[0], percentEncode(encode(plain[1]))]);
    for (const isWhole of [false, true])
      yield wrong('encoded-twice-or-once', 'encoded-before', `values encoded as ${encoder.of} does, and then again`, {
        parameters: parametersOf(
          ordered.map(({ from, encoded }, at) => (from === 'oauth' && !isWhole ? encoded : (again[at] ?? encoded))),
        ),
      });
  }
}

/** Names and values encoded, or only values, or only those of the fields; sorted as they are then, or as they were. */
function insides(ordered: readonly SignedParameter[], encode: (text: string) => string): string[] {
  const names = ordered.map(({ plain }) => encode(plain[0]));
  const values = ordered.map(({ encoded, plain }): Pair => [encoded[0], encode(plain[1])]);
  const both = values.map(([name, value], at): Pair => [names[at] ?? name, value]);
  const ofFields = (pairs: readonly Pair[]) =>
    pairs.map((pair, at) => (ordered[at]?.from === 'oauth' ? ordered[at].encoded : pair));
  const lists = [both, values, ofFields(both), ofFields(values)];
  return lists.flatMap((list) => {
    const texts = list.map((pair) => pair.join('='));
    const own = texts.join('&');
    return isSorted(list) && isSorted(texts) ? [own] : [joined(list), own, [...texts].sort().join('&')];
  });
}

function isSorted(list: readonly (string | Pair)[]): boolean {
  const rank = (one: string | Pair) => (typeof one === 'string' ? one : `${one[0]}\0${one[1]}`);
  return list.every((each, at) => at === 0 || rank(list[at - 1] ?? '') <= rank(each));
}

interface EncodingFunction {
  readonly encoder: PercentEncoder;
  readonly encode: (text: string) => string;
}

function* encodingFunctions(isWide: boolean): Generator<EncodingFunction> {
  for (const encoder of percentEncoders)
    if (encoder.beyond === undefined || isWide) yield { encoder, encode: (text) => encodedBy(encoder, text) };
  for (const encoder of [strict, ...percentEncoders])
    if (encoder.beyond === undefined)
      for (const [words, change] of encoder.isLowerCase === true ? raised : often.test(encoder.of) ? lowered : [])
        yield {
          encoder: { ...encoder, of: `${encoder.of}, and then ${words}` },
          encode: (text) => change(encodedBy(encoder, text)),
        };
  if (isWide)
    for (const [charset, words, bytesOf] of textBytes)
      yield {
        encoder: { of: `an encoder of ${words}`, free: '', beyond: charset === 'ascii' ? 'ascii' : 'latin-1' },
        encode: (text) => [...bytesOf(text)].map((byte) => encodedBy(byteEncoder, String.fromCharCode(byte))).join(''),
      };
}

const strict: PercentEncoder = { of: 'a strict encoder', free: '-_.~' };
const oftenUsed = [
  'a strict encoder',
  "JavaScript's encodeURIComponent",
  "Go's url\\.QueryEscape",
  'URLSearchParams, .*',
  "PHP's urlencode.*",
  "Java's URLEncoder with \\+ replaced",
];
const often = new RegExp(`^(?:${oftenUsed.join('|')})$`);

type Changes = readonly (readonly [words: string, change: (text: string) => string])[];
const lowered: Changes = [
  [
    'the letters A to F put in lower case everywhere',
    (text) => text.replace(/[A-F]/g, (letter) => letter.toLowerCase()),
  ],
  ['put in lower case', (text) => text.toLowerCase()],
];
const raised: Changes = [
  ['put in upper case', (text) => text.toUpperCase()],
  [
    'the letters a to f put in upper case everywhere',
    (text) => text.replace(/[a-f]/g, (letter) => letter.toUpperCase()),
  ],
];

/** Each byte is given to it as the character of its number. */
const byteEncoder: PercentEncoder = { of: 'a strict encoder', free: '-_.~', beyond: 'low-bytes' };

const joined = (pairs: readonly Pair[]) => joinPairs(sortPairs(pairs));

export function nameOfEncoder({ blank, beyond }: PercentEncoder, hasBlank: boolean): [OauthMistakeName, string] {
  if (beyond !== undefined) return ['not-utf8', `encoder-${beyond}`];
  return blank !== undefined && hasBlank ? ['space-plus', 'encoder'] : ['reserved-characters', 'encoder'];
}

const isBeyondAscii = /[^\0-\x7f]/;

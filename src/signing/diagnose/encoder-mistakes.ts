import { type Pair, percentEncode } from '../../wire/form.js';
import { joinPairs, sortPairs } from '../schemes/oauth1.js';
import type { OauthMistakeName } from './diagnosis.js';
import { type BaseStringMistake, type OauthParts, parametersOf, wrong } from './oauth-parts.js';
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
    const inside = joined(ordered.map(({ plain }): Pair => [encode(plain[0]), encode(plain[1])]));
    const insideValues = joined(ordered.map(({ plain, encoded }): Pair => [encoded[0], encode(plain[1])]));
    for (const written of new Set([inside, insideValues])) {
      yield wrong(name, variant, detail, { parameters: percentEncode(written) });
      yield wrong(name, variant, detail, { uri: encode(uri), parameters: encode(written) });
      yield wrong(name, variant, detail, { parameters: encode(written) });
    }
    yield wrong(name, variant, `${detail} (the elements)`, { uri: encode(uri), parameters: encode(parameters) });
    yield wrong(name, variant, `${detail} (the parameters)`, { parameters: encode(parameters) });
    yield wrong(name, variant, `${detail} (the address)`, { uri: encode(uri) });
    // Before the right encoder, which then finds escapes.
    for (const isWhole of [false, true])
      yield wrong('encoded-twice-or-once', 'encoded-before', `values encoded as ${encoder.of} does, and then again`, {
        parameters: parametersOf(
          ordered.map(
            ({ from, plain, encoded }): Pair =>
              from === 'oauth' && !isWhole ? encoded : [encoded[0], percentEncode(encode(plain[1]))],
          ),
        ),
      });
  }
}

interface EncodingFunction {
  readonly encoder: PercentEncoder;
  readonly encode: (text: string) => string;
}

function* encodingFunctions(isWide: boolean): Generator<EncodingFunction> {
  for (const encoder of percentEncoders)
    if (encoder.beyond === undefined || isWide) yield { encoder, encode: (text) => encodedBy(encoder, text) };
  for (const encoder of percentEncoders)
    if (encoder.isLowerCase === true && encoder.beyond === undefined)
      yield {
        encoder: { ...encoder, of: `${encoder.of}, and then put in upper case` },
        encode: (text) => encodedBy(encoder, text).toUpperCase(),
      };
  if (isWide)
    for (const [charset, words, bytesOf] of textBytes)
      yield {
        encoder: { of: `an encoder of ${words}`, free: '', beyond: charset === 'ascii' ? 'ascii' : 'latin-1' },
        encode: (text) => [...bytesOf(text)].map((byte) => encodedBy(byteEncoder, String.fromCharCode(byte))).join(''),
      };
}

/** Each byte is given to it as the character of its number. */
const byteEncoder: PercentEncoder = { of: 'a strict encoder', free: '-_.~', beyond: 'low-bytes' };

const joined = (pairs: readonly Pair[]) => joinPairs(sortPairs(pairs));

export function nameOfEncoder({ blank, beyond }: PercentEncoder, hasBlank: boolean): [OauthMistakeName, string] {
  if (beyond !== undefined) return ['not-utf8', `encoder-${beyond}`];
  return blank !== undefined && hasBlank ? ['space-plus', 'encoder'] : ['reserved-characters', 'encoder'];
}

const isBeyondAscii = /[^\0-\x7f]/;

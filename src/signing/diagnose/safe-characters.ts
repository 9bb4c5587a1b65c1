import { type Pair, percentEncode } from '../../wire/form.js';
import { joinPairs, sortPairs } from '../schemes/oauth1.js';
import { type BaseStringMistake, type OauthParts, wrong } from './oauth-parts.js';
import { encodedBy, type PercentEncoder } from './writings/percent-encoders.js';

const unreserved = '-_.~';
/** How many of the characters that the values hold are left, or how many are encoded. */
const mostLeft = 2;
const mostEncoded = 2;
const mostCharacters = 12;

/** Encoders that were told which characters are safe, as quote of Python is. */
export function* safeCharacterMistakes({ ordered, uri }: OauthParts): Generator<BaseStringMistake> {
  const texts = ordered.flatMap(({ plain }) => plain).join('');
  const held = [...new Set(texts.match(/[!-/:-@[-`{-~]/g) ?? [])].filter((char) => !unreserved.includes(char));
  if (held.length === 0 || held.length > mostCharacters) return;
  const isTildeHeld = texts.includes('~');
  const sets = new Set([...subsets(held, mostLeft), ...subsets(held, mostEncoded).map((some) => without(held, some))]);
  const blanks = texts.includes(' ') ? ([undefined, '+'] as const) : [undefined];
  for (const safe of sets)
    for (const own of isTildeHeld ? [unreserved, '-_.'] : [unreserved])
      for (const blank of blanks) {
        const encoder: PercentEncoder = { of: '', free: own + safe, ...(blank === undefined ? {} : { blank }) };
        const encode = (text: string) => encodedBy(encoder, text);
        const written = joinPairs(sortPairs(ordered.map(({ plain }): Pair => [encode(plain[0]), encode(plain[1])])));
        const made = (parameters: string, address: { readonly uri?: string } = {}) =>
          wrong(
            blank === undefined ? 'reserved-characters' : 'space-plus',
            'safe-characters',
            `values encoded without ${safe === '' ? 'some characters' : safe}; all but letters, digits and -._~ must be encoded`,
            { parameters, ...address },
          );
        yield made(percentEncode(written));
        yield made(encode(written), { uri: encode(uri) });
      }
}

function without(all: readonly string[], some: string): string {
  return all.filter((char) => !some.includes(char)).join('');
}

/** Those of at most so many, the small ones first. */
function subsets(chars: readonly string[], most: number): string[] {
  let level: { readonly text: string; readonly from: number }[] = [{ text: '', from: 0 }];
  const all = [''];
  for (let size = 0; size < most; size += 1) {
    level = level.flatMap(({ text, from }) =>
      chars.slice(from).map((char, at) => ({ text: text + char, from: from + at + 1 })),
    );
    all.push(...level.map(({ text }) => text));
  }
  return all;
}

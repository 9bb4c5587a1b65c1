import type { Pair } from '../../wire/form.js';
import type { Difference } from './types.js';

const around = 24;

/** Both stretches begin at the same place, so that what they share comes first. Undefined for equal texts. */
export function firstDifference(of: Difference['of'], ours: string, theirs: string, pair?: Difference['pair']): Difference | undefined {
  if (ours === theirs) return undefined;
  const at = placeOf(ours, theirs);
  const stretch = (text: string) => text.slice(Math.max(0, at - around), at + around).toWellFormed();
  return {
    of,
    at: Buffer.byteLength(ours.slice(0, at), 'utf8'),
    ours: stretch(ours),
    theirs: stretch(theirs),
    ...(pair === undefined ? {} : { pair }),
  };
}

function placeOf(ours: string, theirs: string): number {
  const shortest = Math.min(ours.length, theirs.length);
  let at = 0;
  while (at < shortest && ours.charCodeAt(at) === theirs.charCodeAt(at)) at += 1;
  // Not between the halves of a surrogate pair.
  return /[\uD800-\uDBFF]$/.test(ours.slice(0, at)) ? at - 1 : at;
}

/** The first place where two lists of parameters differ; a pair that only one of them has stands alone. */
export function firstDifferentPair(ours: readonly Pair[], theirs: readonly Pair[]): Difference['pair'] {
  const at = ours.findIndex((pair, place) => !samePair(pair, theirs[place]));
  const place = at === -1 ? ours.length : at;
  const [own, other] = [ours[place], theirs[place]];
  if (own === undefined && other === undefined) return undefined;
  if (own !== undefined && other !== undefined && own[0] !== other[0]) {
    if (!has(ours, other[0])) return { theirs: other };
    if (!has(theirs, own[0])) return { ours: own };
  }
  return { ours: own, theirs: other };
}

function samePair(one: Pair, other: Pair | undefined): boolean {
  return other !== undefined && one[0] === other[0] && one[1] === other[1];
}

function has(pairs: readonly Pair[], name: string): boolean {
  return pairs.some((pair) => pair[0] === name);
}

import { percentEncode } from '../../wire/percent.js';
import { type BaseFault, baseFaults } from './base-faults.js';
import { type BaseStringText, readBaseString } from './base-string-text.js';
import { firstDifference, firstDifferentPair } from './difference.js';
import { diagnosed, type Explanation, matched } from './explained.js';
import { type Elements, type OauthParts, takeApart } from './oauth-parts.js';
import { rareOrders } from './order-faults.js';
import { pairMistakes } from './pair-mistakes.js';
import { changedStamps, clockMistakes, stampMistakes } from './stamps.js';
import type { Diagnosis, OauthCase } from './types.js';

/** Holds their base string against every faulty one, then reads it piece by piece. */
export function diffBaseString(given: OauthCase, baseString: string): Diagnosis {
  const theirs = readBaseString(baseString.trim());
  const { adopted, taken } = adopt(given, theirs);
  const parts = takeApart(adopted);
  const stamps = [...stampMistakes(adopted), ...changedStamps(given, adopted)].slice(0, 1);
  if (theirs.text === parts.text) {
    const late = [...stamps, ...clockMistakes(adopted)];
    if (late.length === 0) return matched(taken);
    return diagnosed([late], differenceOf(taken.length === 0 ? parts : takeApart(given), theirs), taken);
  }
  const explanations = explain(parts, theirs);
  const known = explanations.length === 0 ? [[]] : explanations;
  return diagnosed(
    known.map((mistakes) => [...mistakes, ...stamps]),
    differenceOf(parts, theirs),
    taken,
  );
}

function explain(parts: OauthParts, theirs: BaseStringText): readonly Explanation[] {
  const faults = [...baseFaults(parts)];
  const exact = faults.filter(({ text }) => text === theirs.text);
  if (exact.length > 0) return exact.map(({ mistake }) => [mistake]);
  const { elements } = theirs;
  if (elements !== undefined) {
    const apart = byElement(parts, elements, [...faults, ...baseFaults(parts, [rareOrders])]);
    if (apart !== undefined) return [apart];
  }
  return [readPieces(parts, theirs, faults)];
}

const places = ['method', 'uri', 'parameters'] as const;

/** Several mistakes at once, each in an element of its own. */
function byElement(parts: OauthParts, theirs: Elements, faults: readonly BaseFault[]): Explanation | undefined {
  let open = places.filter((place) => theirs[place] !== parts.elements[place]);
  const found: BaseFault[] = [];
  while (open.length > 0) {
    const behind = faults.filter((fault) => isBehind(fault, parts, theirs, open));
    // One mistake in two elements is likelier than two.
    const next = behind.find((fault) => changedPlaces(fault, parts).length > 1) ?? behind[0];
    if (next === undefined) return undefined;
    found.push(next);
    open = open.filter((place) => !changedPlaces(next, parts).includes(place));
  }
  return found.map(({ mistake }) => mistake);
}

function isBehind(fault: BaseFault, parts: OauthParts, theirs: Elements, open: readonly (keyof Elements)[]): boolean {
  const changed = changedPlaces(fault, parts);
  return changed.length > 0 && changed.every((place) => open.includes(place) && fault.changed[place] === theirs[place]);
}

function changedPlaces({ changed }: BaseFault, { elements }: OauthParts): (keyof Elements)[] {
  return places.filter((place) => changed[place] !== undefined && changed[place] !== elements[place]);
}

/** What can be told for certain, although nothing known gives the whole of it. */
function readPieces(parts: OauthParts, theirs: BaseStringText, faults: readonly BaseFault[]): Explanation {
  const { elements } = theirs;
  const address =
    elements === undefined
      ? []
      : (['method', 'uri'] as const).flatMap((place) => {
          const fault = faults.find((each) => isBehind(each, parts, elements, [place]));
          return elements[place] === parts.elements[place] || fault === undefined ? [] : [fault.mistake];
        });
  const joined =
    elements === undefined && theirs.text.split('&').length > 3
      ? [
          {
            name: 'encoded-twice-or-once',
            variant: 'element-raw',
            detail: 'raw & or = in the third element: the joined parameters were not encoded once more',
          } as const,
        ]
      : [];
  return [...joined, ...address, ...pairMistakes(parts, theirs.pairs)];
}

/** Nonce and timestamp are new in each attempt, so theirs are taken, unless ours only look different through their encoding. */
function adopt(given: OauthCase, theirs: BaseStringText): { readonly adopted: OauthCase; readonly taken: ('nonce' | 'timestamp')[] } {
  const taking = (name: 'nonce' | 'timestamp') => {
    const value = theirs.value(`oauth_${name}`);
    return value === undefined || value === percentEncode(given[name]) ? given[name] : value;
  };
  const adopted = { ...given, nonce: taking('nonce'), timestamp: taking('timestamp') };
  return { adopted, taken: (['nonce', 'timestamp'] as const).filter((name) => adopted[name] !== given[name]) };
}

function differenceOf(parts: OauthParts, theirs: BaseStringText) {
  const pair = firstDifferentPair(parts.sorted, theirs.pairs);
  return firstDifference('base string', parts.text, theirs.text, pair);
}

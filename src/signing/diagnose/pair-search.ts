import { type Pair, percentEncode } from '../../wire/form.js';
import { joinPairs, sortPairs } from '../schemes/oauth1.js';
import type { Explanation, Mistake, OauthMistakeName } from './diagnosis.js';
import { type MistakeSource, sourcesChanging } from './mistake-sources.js';
import {
  type Elements,
  joinText,
  type Making,
  type OauthParts,
  type SignatureTarget,
  type SignedParameter,
} from './oauth-parts.js';
import { sortOrderMistakes } from './parameter-mistakes.js';
import { textMistakes } from './source-mistakes.js';

/** Each changes which parameters are signed, so that an encoder and an order come behind it. */
const parameterSources = sourcesChanging('which');
const writingSources = sourcesChanging('written');

// A second or so, in signatures over a short text. No clock, so that the same request has the same answer.
const maxTries = 100_000;
/** A longer text costs more. */
export const charactersOfATry = 2000;
/** What a text costs that is made anew, encoded and sorted, beside one that is joined. */
const madeAnew = 3;

/** Looks for two mistakes together, the cheapest pairs first, until the first that explains the signature. */
export function findPair(
  parts: OauthParts,
  targets: readonly SignatureTarget[],
  makings: readonly Making[],
  effort: number,
): Explanation | undefined {
  const right = makings.find(({ mistake }) => mistake === undefined);
  if (right === undefined || targets.length === 0) return undefined;
  let left = maxTries * effort;
  const explains = (text: string, { bytesOf }: Making, max: number, cost = 1): SignatureTarget | undefined => {
    left -= cost + text.length / charactersOfATry;
    const bytes = bytesOf(text);
    return targets.find(({ mistakes, holds }) => mistakes.length <= max && holds(bytes));
  };
  for (const making of makings) {
    const found = explains(parts.text, making, making.mistake === undefined ? 2 : 1);
    if (found !== undefined) return [...found.mistakes, ...(making.mistake === undefined ? [] : [making.mistake])];
  }
  const singles = [...singleMistakes(parts)];
  for (const { mistake, text } of singles) {
    const found = explains(text, right, 1);
    if (found !== undefined) return [...found.mistakes, mistake];
  }
  if (!targets.some(({ mistakes }) => mistakes.length === 0)) return undefined;
  const [general, ofFields] = [singles.filter((one) => !isOfField(one)), singles.filter(isOfField)];
  for (const list of [general, ofFields]) {
    for (const { mistakes, text } of joinedPairs(parts, list, general)) {
      if (left < 0) return undefined;
      if (explains(text, right, 0) !== undefined) return mistakes;
    }
    for (const making of makings)
      for (const { mistake, text } of making.mistake === undefined ? [] : list) {
        if (left < 0) return undefined;
        if (making.mistake !== undefined && explains(text, making, 0) !== undefined) return [making.mistake, mistake];
      }
    for (const { mistakes, text } of rebuiltPairs(parts, list)) {
      if (left < 0) return undefined;
      if (explains(text, right, 0, madeAnew) !== undefined) return mistakes;
    }
  }
  return undefined;
}

interface SingleMistake {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly elements: Partial<Elements>;
  /** Whether the text is no more than its elements. */
  readonly isJoined: boolean;
  readonly isSource: boolean;
  readonly text: string;
}

function* singleMistakes(parts: OauthParts): Generator<SingleMistake> {
  const seen = new Set([parts.text]);
  for (const source of [...writingSources, ...parameterSources, ...sourcesChanging('address'), textMistakes])
    for (const single of from(parts, source)) {
      if (seen.has(single.text)) continue;
      seen.add(single.text);
      yield single;
    }
}

function* from(parts: OauthParts, source: MistakeSource): Generator<SingleMistake> {
  for (const { name, variant, detail, elements, text } of source(parts))
    yield {
      mistake: { name, variant, detail },
      elements,
      isJoined: text === undefined,
      isSource: parameterSources.includes(source),
      text: text ?? joinText({ ...parts.elements, ...elements }),
    };
}

interface PairedBaseString {
  readonly mistakes: readonly Mistake<OauthMistakeName>[];
  readonly text: string;
}

/** Mistakes in different elements, and text behind the whole. */
function* joinedPairs(
  parts: OauthParts,
  singles: readonly SingleMistake[],
  general: readonly SingleMistake[],
): Generator<PairedBaseString> {
  for (const one of singles)
    for (const { mistake, text } of from({ ...parts, text: one.text }, textMistakes))
      yield { mistakes: [one.mistake, mistake], text };
  for (const one of general.filter(({ isJoined, elements }) => isJoined && elements.parameters === undefined))
    for (const other of singles)
      if (other.isJoined && !shareElement(one.elements, other.elements))
        yield {
          mistakes: [one.mistake, other.mistake],
          text: joinText({ ...parts.elements, ...one.elements, ...other.elements }),
        };
}

const encoderNames: readonly string[] = ['space-plus', 'reserved-characters', 'not-utf8'];

/** An order behind an encoder, and either behind other parameters. */
function* rebuiltPairs(parts: OauthParts, singles: readonly SingleMistake[]): Generator<PairedBaseString> {
  for (const one of singles)
    if (!one.isSource && encoderNames.includes(one.mistake.name))
      yield* behind(one, withEncoding(parts, one.elements), [sortOrderMistakes]);
  const sources = singles.filter(({ isSource, elements }) => isSource && elements.parameters !== undefined);
  for (const one of sources) yield* behind(one, withParameters(parts, one.elements), writingSources);
}

/** There are many of these, one for each field or each second. */
function isOfField({ mistake }: SingleMistake): boolean {
  return /^(?:field|object|other-number|read-twice|time-zone|fraction)/.test(mistake.variant);
}

function* behind(
  one: SingleMistake,
  parts: OauthParts | undefined,
  sources: readonly MistakeSource[],
): Generator<PairedBaseString> {
  if (parts === undefined) return;
  for (const source of sources)
    for (const { mistake, text } of from(parts, source)) yield { mistakes: [one.mistake, mistake], text };
}

function shareElement(one: Partial<Elements>, other: Partial<Elements>): boolean {
  return (['method', 'uri', 'parameters'] as const).some(
    (place) => one[place] !== undefined && other[place] !== undefined,
  );
}

/** The request as a mistake left its parameters, each in the place of the one it was. */
function withParameters(parts: OauthParts, elements: Partial<Elements>): OauthParts | undefined {
  const encoded = pairsIn(elements.parameters);
  if (encoded === undefined) return undefined;
  const left = [...encoded];
  const take = (isIt: (pair: Pair) => boolean): Pair | undefined => {
    const at = left.findIndex(isIt);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const kept = parts.items.map((item) => ({
    from: item.from,
    pair: take((pair) => pair[0] === item.encoded[0] && pair[1] === item.encoded[1]),
    name: item.encoded[0],
  }));
  const items = kept.flatMap(({ from: origin, pair, name }) => {
    const own = pair ?? take((other) => other[0] === name);
    return own === undefined ? [] : (itemOf(origin, own) ?? []);
  });
  const added = left.flatMap((pair) => itemOf(pair[0].startsWith('oauth_') ? 'oauth' : 'body', pair) ?? []);
  return withItems(parts, [...items, ...added], elements);
}

/** The request as an encoder left its parameters; what they were before stays. */
function withEncoding(parts: OauthParts, elements: Partial<Elements>): OauthParts | undefined {
  const encoded = pairsIn(elements.parameters);
  if (encoded?.length !== parts.sorted.length || elements.uri !== undefined) return undefined;
  const places = [...parts.items].sort((one, other) => compareText(one.element, other.element));
  const left = [...encoded];
  const items = places.map((item): SignedParameter => {
    const wanted = plainOf(item.encoded);
    const at = left.findIndex((pair) => plainOf(pair) === wanted);
    const [pair = item.encoded] = at === -1 ? [] : left.splice(at, 1);
    return { ...item, encoded: pair, element: percentEncode(pair.join('=')) };
  });
  return withItems(
    parts,
    parts.items.flatMap((item) => items[places.indexOf(item)] ?? []),
    elements,
  );
}

function compareText(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

function plainOf([name, value]: Pair): string {
  return `${loosely(name)}=${loosely(value)}`;
}

function loosely(text: string): string {
  return decoded(text.replaceAll('+', '%20')) ?? text;
}

function pairsIn(element: string | undefined): Pair[] | undefined {
  const joined = element === undefined ? undefined : decoded(element);
  return joined?.split('&').map((piece): Pair => {
    const at = piece.indexOf('=');
    return at === -1 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + 1)];
  });
}

function itemOf(origin: SignedParameter['from'], encoded: Pair): SignedParameter | undefined {
  const [name, value] = [decoded(encoded[0]), decoded(encoded[1])];
  if (name === undefined || value === undefined) return undefined;
  return { from: origin, plain: [name, value], encoded, element: percentEncode(encoded.join('=')) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function withItems(parts: OauthParts, items: readonly SignedParameter[], changed: Partial<Elements>): OauthParts {
  const sorted = sortPairs(items.map(({ encoded }) => encoded));
  const parameters = joinPairs(sorted);
  const elements = { ...parts.elements, ...changed, parameters: percentEncode(parameters) };
  const uri = decoded(elements.uri) ?? parts.uri;
  return { ...parts, items, sorted, parameters, uri, elements, text: joinText(elements) };
}

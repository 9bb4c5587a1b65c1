import type { Pair } from '../../wire/form.js';
import { joinPairs } from '../schemes/oauth1.js';
import type { Explanation, Mistake, OauthMistakeName } from './diagnosis.js';
import { baseStringsOf, type MistakenBaseString, type MistakeSource, sourcesChanging } from './mistake-sources.js';
import {
  type Elements,
  inOrder,
  type OauthParts,
  parametersOf,
  type SignedParameter,
  signedParameter,
  textWith,
} from './oauth-parts.js';
import { eachOnce, type SignatureSearch, type SignedBaseString } from './signature-search.js';
import { sortOrderMistakes } from './sort-orders.js';
import { textMistakes } from './source-mistakes.js';

/** Each changes which parameters are signed, so that an encoder and an order come behind it. */
const parameterSources = sourcesChanging('which');
const writingSources = sourcesChanging('written');

// A second or so, in signatures over a short text. No clock, so that the same request has the same answer.
const maxTries = 100_000;
/** A longer text costs more. */
const charactersOfATry = 2000;
/** What a text costs that is made anew, encoded and sorted, beside one that is joined. */
const madeAnew = 3;

/** A mistake in writing the signature beside one in making it. */
export function findPairOfWriting(search: SignatureSearch): Explanation | undefined {
  for (const { mistake, bytesOf } of search.makings) {
    const found = mistake === undefined ? undefined : search.held(bytesOf(search.parts.text), 1);
    if (found !== undefined && mistake !== undefined) return [...found.mistakes, mistake];
  }
  return undefined;
}

/** The first two mistakes together that explain the signature: those that a request has once, then those of fields. */
export function findPair(search: SignatureSearch): Explanation | undefined {
  if (!search.isPlain) return undefined;
  const singles = singleMistakes(search);
  const general = singles.filter((one) => !isOfField(one));
  let left = maxTries;
  for (const list of [general, singles.filter(isOfField)])
    for (const { mistakes, text, bytes, cost } of pairsOf(search, list, general)) {
      if (left < 0) return undefined;
      left -= cost + text.length / charactersOfATry;
      if (search.held(bytes()) !== undefined) return mistakes;
    }
  return undefined;
}

interface Pairing extends PairedBaseString {
  readonly bytes: () => string;
  readonly cost: number;
}

/** The cheapest first. */
function* pairsOf(
  search: SignatureSearch,
  list: readonly SignedBaseString[],
  general: readonly SignedBaseString[],
): Generator<Pairing> {
  const { parts, makings } = search;
  for (const pair of joinedPairs(parts, list, general)) yield { ...pair, bytes: () => search.sign(pair.text), cost: 1 };
  for (const making of makings)
    if (making.mistake !== undefined)
      for (const { mistake, text } of list)
        yield { mistakes: [making.mistake, mistake], text, bytes: () => making.bytesOf(text), cost: 1 };
  for (const pair of rebuiltPairs(parts, list)) yield { ...pair, bytes: () => search.sign(pair.text), cost: madeAnew };
}

/** Those of encoders and orders first. */
function singleMistakes({ likely }: SignatureSearch): SignedBaseString[] {
  const sources = [...writingSources, ...parameterSources, ...sourcesChanging('address'), textMistakes];
  return eachOnce(sources.flatMap((source) => likely.filter((made) => made.source === source)));
}

interface PairedBaseString {
  readonly mistakes: readonly Mistake<OauthMistakeName>[];
  readonly text: string;
}

/** Mistakes in different elements, and text behind the whole. */
function* joinedPairs(
  parts: OauthParts,
  singles: readonly MistakenBaseString[],
  general: readonly MistakenBaseString[],
): Generator<PairedBaseString> {
  for (const one of singles)
    for (const { mistake, text } of baseStringsOf({ ...parts, text: one.text }, [textMistakes]))
      yield { mistakes: [one.mistake, mistake], text };
  for (const one of general.filter(({ isJoined, elements }) => isJoined && elements.parameters === undefined))
    for (const other of singles)
      if (other.isJoined && !shareElement(one.elements, other.elements))
        yield {
          mistakes: [one.mistake, other.mistake],
          text: textWith(parts, one.elements, other.elements),
        };
}

const encoderNames: readonly string[] = ['space-plus', 'reserved-characters', 'not-utf8'];

/** An order behind an encoder, and either behind other parameters. */
function* rebuiltPairs(parts: OauthParts, singles: readonly MistakenBaseString[]): Generator<PairedBaseString> {
  for (const one of singles)
    if (!parameterSources.includes(one.source) && encoderNames.includes(one.mistake.name))
      yield* behind(one, withEncoding(parts, one.elements), [sortOrderMistakes]);
  const sources = singles.filter(
    ({ source, elements }) => parameterSources.includes(source) && elements.parameters !== undefined,
  );
  for (const one of sources) yield* behind(one, withParameters(parts, one.elements), writingSources);
}

/** There are many of these, one for each field or each second. */
function isOfField({ mistake }: MistakenBaseString): boolean {
  return /^(?:field|object|other-number|read-twice|time-zone|fraction)/.test(mistake.variant);
}

function* behind(
  one: MistakenBaseString,
  parts: OauthParts | undefined,
  sources: readonly MistakeSource[],
): Generator<PairedBaseString> {
  if (parts === undefined) return;
  for (const { mistake, text } of baseStringsOf(parts, sources)) yield { mistakes: [one.mistake, mistake], text };
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
  // Those that stayed first: what is left of the name took the place of another.
  const stayed = new Set(
    parts.items.filter(({ encoded: [name, value] }) => take((pair) => pair[0] === name && pair[1] === value)),
  );
  const items = parts.items.flatMap((item) => {
    if (stayed.has(item)) return [item];
    const other = take((pair) => pair[0] === item.encoded[0]);
    return other === undefined ? [] : (itemOf(item.from, other) ?? []);
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
    return signedParameter(item.from, item.plain, pair);
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
  return signedParameter(origin, [name, value], encoded);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function withItems(parts: OauthParts, items: readonly SignedParameter[], changed: Partial<Elements>): OauthParts {
  const ordered = inOrder(items);
  const sorted = ordered.map(({ encoded }) => encoded);
  const parameters = joinPairs(sorted);
  const elements = { ...parts.elements, ...changed, parameters: parametersOf(sorted) };
  const uri = decoded(elements.uri) ?? parts.uri;
  return { ...parts, items, ordered, sorted, parameters, uri, elements, text: textWith(parts, elements) };
}

import { type Pair, percentEncode } from '../../wire/form.js';
import { buildBaseString, encodePairs, sortPairs, splitUrl } from '../schemes/oauth1.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';

/** A parameter before and after its encoding. */
export interface SignedParameter {
  readonly from: 'oauth' | 'body' | 'query';
  readonly plain: Pair;
  readonly encoded: Pair;
  /** `name=value` as it stands in the third element. */
  readonly element: string;
}

/** The three elements as they stand in the base string, each with its own encoding (RFC 5849 3.4.1.1). */
export interface Elements {
  readonly method: string;
  readonly uri: string;
  readonly parameters: string;
}

/** A request taken apart, encoded once for all the ways of signing it wrongly. */
export interface OauthParts {
  readonly given: OauthCase;
  /** As they come: those of the header, of the body, of the query. */
  readonly items: readonly SignedParameter[];
  /** The same sorted: whoever changes some of them and sorts again has little left to sort. */
  readonly ordered: readonly SignedParameter[];
  readonly sorted: readonly Pair[];
  /** Normalised, before the encoding of the element. */
  readonly parameters: string;
  readonly uri: string;
  /** Behind the question mark, as it is written. */
  readonly queryText: string;
  readonly elements: Elements;
  readonly text: string;
}

/** A base string made wrongly. Elements left out are right. */
export interface BaseStringMistake extends Mistake<OauthMistakeName> {
  readonly elements: Partial<Elements>;
  /** Where it is more than its elements. */
  readonly text?: string;
}

export const wrong = (
  name: OauthMistakeName,
  variant: string,
  detail: string,
  elements: BaseStringMistake['elements'],
): BaseStringMistake => ({ name, variant, detail, elements });

/** Throws TEXT_INVALID or URL_INVALID, naming the field, for what no signature can cover. */
export function decomposeRequest(given: OauthCase): OauthParts {
  const own = [...itemsOf('oauth', protocolPairs(given)), ...itemsOf('body', given.body)];
  const base = buildBaseString(
    given.method,
    given.url,
    own.map(({ encoded }) => encoded),
  );
  const { sorted, parameters, uri, text } = base;
  const elements = {
    method: percentEncode(base.method),
    uri: percentEncode(uri),
    parameters: encodeURIComponent(parameters),
  };
  const items = [...own, ...itemsOf('query', base.query)];
  const queryText = splitUrl(given.url).query;
  return { given, items, ordered: inOrder(items), sorted, parameters, uri, queryText, elements, text };
}

/** By encoded name, then by encoded value. */
export function inOrder(items: readonly SignedParameter[]): SignedParameter[] {
  const byPair = new Map(items.map((item) => [item.encoded, item]));
  return sortPairs([...byPair.keys()]).flatMap((pair) => byPair.get(pair) ?? []);
}

/** The base string with these elements in the place of the right ones. */
export function textWith(
  { elements: own }: OauthParts,
  changed: Partial<Elements>,
  more: Partial<Elements> = {},
): string {
  const of = (place: keyof Elements) => more[place] ?? changed[place] ?? own[place];
  return `${of('method')}&${of('uri')}&${of('parameters')}`;
}

/** The third element over pairs already encoded, however badly: sorted, joined, encoded once more. */
export function parametersOf(encoded: readonly Pair[]): string {
  return sortPairs(encoded).map(elementOf).join('%26');
}

/** The same over these pairs and one more, in its place among them. `element` is what it becomes, where it is known. */
export function parametersWith(encoded: readonly Pair[]): (added: Pair, element?: string) => string {
  const sorted = sortPairs(encoded);
  const elements = sorted.map(elementOf);
  const starts = sorted.map((_, at) =>
    elements
      .slice(0, at)
      .map((element) => `${element}%26`)
      .join(''),
  );
  const ends = sorted.map((_, at) => `%26${elements.slice(at).join('%26')}`);
  return (added, element = elementOf(added)) => {
    const at = sorted.findIndex((pair) => added[0] < pair[0] || (added[0] === pair[0] && added[1] <= pair[1]));
    return at === -1 ? [...elements, element].join('%26') : starts[at] + element + ends[at];
  };
}

// Of the pairs that are sent: most texts differ from the right one in a few pairs.
const knownElements = new WeakMap<Pair, string>();

function elementOf(pair: Pair): string {
  return knownElements.get(pair) ?? `${percentEncode(pair[0])}%3D${percentEncode(pair[1])}`;
}

/** A change of parameters made once for each of them: in a search of pairs most of them come again and again. */
export function oncePerParameter(change: (item: SignedParameter) => Pair): (item: SignedParameter) => Pair {
  const known = new WeakMap<SignedParameter, Pair>();
  return (item) => {
    const made = known.get(item);
    if (made !== undefined) return made;
    const pair = change(item);
    if (!knownElements.has(pair)) knownElements.set(pair, elementOf(pair));
    known.set(item, pair);
    return pair;
  };
}

export function signedParameter(from: SignedParameter['from'], plain: Pair, encoded: Pair): SignedParameter {
  const element = elementOf(encoded);
  knownElements.set(encoded, element);
  return { from, plain, encoded, element };
}

/** The oauth_ parameters but the signature, in the order of the header. */
export function protocolPairs(given: OauthCase): Pair[] {
  return [
    ['oauth_consumer_key', given.consumerKey],
    ['oauth_nonce', given.nonce],
    ['oauth_signature_method', given.signatureMethod],
    ['oauth_timestamp', given.timestamp],
    ...(given.token === undefined ? [] : [['oauth_token', given.token] as const]),
    ...(given.hasVersion ? [['oauth_version', '1.0'] as const] : []),
  ];
}

// 3.4.1.3.1: the signature never signs itself.
function itemsOf(from: SignedParameter['from'], pairs: readonly Pair[]): SignedParameter[] {
  const signed = pairs.filter(([name]) => name !== 'oauth_signature');
  return encodePairs(signed).map((encoded, at) => signedParameter(from, signed[at] ?? encoded, encoded));
}

/** A right base string that was signed wrongly. */
export interface SigningMistake {
  readonly mistake: Mistake<OauthMistakeName>;
  /** Differs from the right one where another signature method is named in it. */
  readonly baseString: string;
  sign(): string | undefined;
  fits(signature: string): boolean;
}

/** What a signature holds once its writing is undone, with the mistakes that undid it. */
export interface SignatureTarget {
  readonly mistakes: readonly Mistake<OauthMistakeName>[];
  holds(bytes: string): boolean;
}

/**
 * The bytes that a signature over any base string holds: made rightly, or with one mistake in its key or hash. Each
 * byte is a character: such texts are made and compared in a third of the time of buffers.
 */
export interface Making {
  readonly mistake: Mistake<OauthMistakeName> | undefined;
  bytesOf(baseString: string): string;
}

export interface Signer {
  /** Undefined without the key that signs. */
  sign(baseString: string): string | undefined;
  mistakes(parts: OauthParts): Iterable<SigningMistake>;
  /** The ways to make a signature, the right one first, and what theirs holds: for the search of pairs. */
  makings(): readonly Making[];
  /** Two mistakes over the right base string, neither of them in its writing. */
  makingsOfTwo(): Iterable<Making & { readonly second: Mistake<OauthMistakeName> }>;
  /** Keys and digests that few programs come to. */
  rareMakings(): Iterable<Making>;
  targets(signature: string): readonly SignatureTarget[];
  /** Bytes of a signature; undefined without a key. */
  readonly length: number | undefined;
}

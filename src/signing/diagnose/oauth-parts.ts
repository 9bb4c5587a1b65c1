import { type Pair, percentEncode } from '../../wire/form.js';
import { buildBaseString, encodePairs, sortPairs, splitUrl } from '../schemes/oauth1.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';

/**
 * One parameter of a request that its OAuth 1.0a signature covers. It is percent-encoded twice on its way into the base
 * string: its name and value by themselves, and once more as part of the third element.
 */
export interface SignedParameter {
  readonly from: 'oauth' | 'body' | 'query';
  readonly plain: Pair;
  /** Encoded once. */
  readonly encoded: Pair;
  /** `name=value` encoded twice, as it stands in the base string: `name%3Dvalue`. */
  readonly element: string;
}

/** The three elements of a base string, encoded as they stand in it and joined there by `&` (RFC 5849 3.4.1.1). */
export interface Elements {
  readonly method: string;
  readonly uri: string;
  /** All parameters, sorted. */
  readonly parameters: string;
}

/**
 * A request taken apart for the diagnosis of a wrong signature. The diagnosis makes the base strings that known
 * mistakes lead to, thousands for one request, and looks for the one that was signed: so each part is encoded once,
 * here.
 */
export interface OauthParts {
  readonly given: OauthCase;
  /** The parameters in the order they come: of the Authorization header, the body, the query. */
  readonly items: readonly SignedParameter[];
  /** The same in the order of the base string: whoever changes a few of them has little left to sort. */
  readonly ordered: readonly SignedParameter[];
  /** The pairs of `ordered`, encoded once. */
  readonly sorted: readonly Pair[];
  /** The pairs of `sorted` joined by `=` and `&`: the third element before its encoding. */
  readonly parameters: string;
  /** The address without its query: the second element before its encoding. */
  readonly uri: string;
  /** The query of the address as written, without the question mark; empty where there is none. */
  readonly queryText: string;
  readonly elements: Elements;
  /** The right base string. */
  readonly text: string;
}

/** A base string that a mistake leads to. `elements` has those that the mistake changes. */
export interface BaseStringMistake extends Mistake<OauthMistakeName> {
  readonly elements: Partial<Elements>;
  /** The whole base string, where it is not three elements joined by `&`. */
  readonly text?: string;
}

/** The mistake of these words. */
export const wrong = (
  name: OauthMistakeName,
  variant: string,
  detail: string,
  elements: BaseStringMistake['elements'],
): BaseStringMistake => ({ name, variant, detail, elements });

/** Takes a request apart. Throws TEXT_INVALID or URL_INVALID, naming the field, for what no signature can cover. */
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
    // The pairs are encoded already: of what is left, this encodes the same characters as `percentEncode`, and faster.
    parameters: encodeURIComponent(parameters),
  };
  const items = [...own, ...itemsOf('query', base.query)];
  const queryText = splitUrl(given.url).query;
  return { given, items, ordered: inOrder(items), sorted, parameters, uri, queryText, elements, text };
}

/** Sorts as for the base string: by encoded name, then by encoded value. */
export function inOrder(items: readonly SignedParameter[]): SignedParameter[] {
  const byPair = new Map(items.map((item) => [item.encoded, item]));
  return sortPairs([...byPair.keys()]).flatMap((pair) => byPair.get(pair) ?? []);
}

/** The base string with the elements of one mistake, or of two, in place of the right ones; `second` wins. */
export function textWith(
  { elements: right }: OauthParts,
  first: Partial<Elements>,
  second: Partial<Elements> = {},
): string {
  const method = second.method ?? first.method ?? right.method;
  const uri = second.uri ?? first.uri ?? right.uri;
  const parameters = second.parameters ?? first.parameters ?? right.parameters;
  return `${method}&${uri}&${parameters}`;
}

// `&` as it stands between two parameters in the third element.
const encodedAmpersand = '%26';

/** The third element over these pairs, which are encoded once (rightly or not): sorted, joined, encoded once more. */
export function parametersOf(encoded: readonly Pair[]): string {
  return sortPairs(encoded).map(elementOf).join(encodedAmpersand);
}

/** A parameter of its pair, plain and encoded once. */
export function signedParameter(from: SignedParameter['from'], plain: Pair, encoded: Pair): SignedParameter {
  return { from, plain, encoded, element: elementOf(encoded) };
}

function elementOf([name, value]: Pair): string {
  return `${percentEncode(name)}%3D${percentEncode(value)}`;
}

/** The oauth_ parameters that are signed, not encoded, in the order of the Authorization header. */
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

// RFC 5849 3.4.1.3.1: the signature never signs itself.
function itemsOf(from: SignedParameter['from'], pairs: readonly Pair[]): SignedParameter[] {
  const signed = pairs.filter(([name]) => name !== 'oauth_signature');
  return encodePairs(signed).map((encoded, at) => signedParameter(from, signed[at] ?? encoded, encoded));
}

import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { type Pair, percentEncode } from '../../wire/form.js';
import { type HmacKeyForm, queryPairs, splitUrl } from '../schemes/oauth1.js';
import type { Made, Row } from './search.js';

/** A request that is signed by OAuth 1.0a, and the keys to sign or check it with. */
export interface OauthCase {
  /** With its query, as it is sent. */
  readonly url: string;
  /** The pairs of the body only, decoded, without oauth_*. */
  readonly body: readonly Pair[];
  /** The oauth_* of the header in their order, decoded; all but oauth_signature. */
  readonly protocol: readonly Pair[];
  readonly realm?: string | undefined;
  /** What this operation is signed with, whatever the header says. */
  readonly signatureMethod: 'HMAC-SHA1' | 'RSA-SHA256';
  /** For HMAC-SHA1. */
  readonly secret?: string | undefined;
  /** A51; percent-encoded when left out. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** For RSA-SHA256. */
  readonly publicKey?: KeyObject | undefined;
}

export interface Parameter {
  readonly from: 'oauth' | 'body' | 'query';
  readonly name: string;
  readonly value: string;
}

/** A parameter with its name and value encoded once. */
export interface Encoded {
  readonly plain: Parameter;
  readonly name: string;
  readonly value: string;
}

/** The steps of RFC 5849 3.4.1 and 3.4.2 or 3.4.3, each of which can be done wrongly. */
export interface OauthRecipe {
  readonly method: string;
  readonly address: string;
  /** In the order they come: header, body, query. */
  readonly parameters: readonly Parameter[];
  readonly encode: (text: string, of: 'name' | 'value') => string;
  readonly sort: (list: readonly Encoded[]) => readonly Encoded[];
  readonly join: (list: readonly Encoded[]) => string;
  /** Of one of the three elements. */
  readonly element: (text: string, of: 'method' | 'address' | 'parameters') => string;
  readonly assemble: (method: string, address: string, parameters: string) => string;
  readonly secret: string;
  readonly tokenSecret: string;
  readonly key: (secret: string, tokenSecret: string) => string | Buffer;
  readonly bytes: (text: string) => Buffer | string;
  readonly digest: (data: Buffer | string, key: string | Buffer) => Buffer;
}

export type OauthRow = Row<OauthRecipe>;

export const byCodeUnit = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
export const joinEncoded = (list: readonly Encoded[]): string =>
  list.map(({ name, value }) => `${name}=${value}`).join('&');
export const sortEncoded = (list: readonly Encoded[]): Encoded[] =>
  [...list].sort((one, other) => byCodeUnit(one.name, other.name) || byCodeUnit(one.value, other.value));

/** Every step done as it must be. Throws TEXT_INVALID or URL_INVALID for what no signature can cover. */
export function rightOauth(given: OauthCase): OauthRecipe {
  const { uri } = splitUrl(given.url);
  const parameters = parametersOf(given);
  for (const { name, value } of parameters) percentEncode(value, percentEncode(name, name) === '' ? 'field' : name);
  percentEncode(given.secret ?? '', 'secret');
  const known = new Map<string, string>();
  const encode = (text: string) => {
    const found = known.get(text) ?? percentEncode(text);
    known.set(text, found);
    return found;
  };
  return {
    method: 'POST',
    address: uri,
    parameters,
    encode,
    sort: sortEncoded,
    join: joinEncoded,
    element: (text) => percentEncode(text),
    assemble: (method, address, joined) => `${method}&${address}&${joined}`,
    secret: given.secret ?? '',
    tokenSecret: '',
    key: (secret, tokenSecret) =>
      given.keyForm === 'raw' ? `${secret}&${tokenSecret}` : `${percentEncode(secret)}&${percentEncode(tokenSecret)}`,
    bytes: (text) => text,
    digest:
      given.signatureMethod === 'RSA-SHA256'
        ? (data) => digestInfo('sha256', data)
        : (data, key) => createHmac('sha1', key).update(data).digest(),
  };
}

// RFC 8017 9.2, note 1: what stands before a hash to name it.
const prefixes: Readonly<Record<string, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** A hash with its name, as it stands in a signature. */
export function digestInfo(hash: string, input: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(prefixes[hash] ?? '', 'hex'), createHash(hash).update(input).digest()]);
}

/** All that is signed, decoded. */
function parametersOf({ protocol, body, url }: OauthCase): Parameter[] {
  const from = (source: Parameter['from'], pairs: readonly Pair[]) =>
    pairs.flatMap(([name, value]): Parameter[] => (name === 'oauth_signature' ? [] : [{ from: source, name, value }]));
  return [...from('oauth', protocol), ...from('body', body), ...from('query', queryPairs(url))];
}

/** The base string alone. */
export function makeBaseString(recipe: OauthRecipe): string {
  const { method, address, parameters, encode, sort, join, element, assemble } = recipe;
  const list = parameters.map(
    (plain): Encoded => ({ plain, name: encode(plain.name, 'name'), value: encode(plain.value, 'value') }),
  );
  return assemble(element(method, 'method'), element(address, 'address'), element(join(sort(list)), 'parameters'));
}

/** The base string and what a signature over it holds. */
export function makeSignature(recipe: OauthRecipe): Made {
  const text = makeBaseString(recipe);
  const digest = recipe.digest(recipe.bytes(text), recipe.key(recipe.secret, recipe.tokenSecret));
  return { text, bytes: digest.toString('latin1') };
}

type Change = OauthRow['change'];

// Changes, each of a recipe as it already is.

/** Names and values encoded otherwise, from how they are encoded. */
export const encoding =
  (write: (encoded: string, text: string, of: 'name' | 'value') => string): Change =>
  ({ encode }) => ({ encode: ((text, of) => write(encode(text, of), text, of)) satisfies OauthRecipe['encode'] });

/** The elements of the base string encoded otherwise. */
export const elements =
  (write: (encoded: string, text: string, of: 'method' | 'address' | 'parameters') => string): Change =>
  ({ element }) => ({ element: ((text, of) => write(element(text, of), text, of)) satisfies OauthRecipe['element'] });

/** The whole base string otherwise. */
export const whole =
  (write: (text: string) => string): Change =>
  ({ assemble }) => ({ assemble: (...parts) => write(assemble(...parts)) });

/** Other parameters in the place of those that are there. */
export const onParameters =
  (change: (parameter: Parameter) => readonly Parameter[]): Change =>
  ({ parameters }) => ({ parameters: parameters.flatMap(change) });

export const keeping = (isKept: (parameter: Parameter) => boolean): Change =>
  onParameters((each) => (isKept(each) ? [each] : []));

export const adding =
  (added: (parameters: readonly Parameter[]) => readonly Parameter[]): Change =>
  ({ parameters }) => ({ parameters: [...parameters, ...added(parameters)] });

/** Every value of the body written otherwise. */
export const bodyValues = (write: (text: string) => string): Change =>
  onParameters((each) => [each.from === 'body' ? { ...each, value: write(each.value) } : each]);

/** Another value of a parameter of the header; none at all when undefined. */
export const withValue = (name: string, value: string | undefined): Change =>
  onParameters((each) => {
    if (each.from !== 'oauth' || each.name !== name) return [each];
    return value === undefined ? [] : [{ ...each, value }];
  });

/** The same whatever it was. */
export const set = (steps: Partial<OauthRecipe>): Change => {
  return () => steps;
};

import { constants, createHmac, type KeyObject, sign, verify } from 'node:crypto';
import { fail, isPaycliError, type PaycliError } from '../../errors/index.js';
import { decodeForm, type Pair, percentEncode } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { readPrivateKey, readPublicKey, requireRsa } from '../keys/rsa-keys.js';
import type { HmacKeyForm } from './public-types.js';

/** Every step of RFC 5849 3.4.1, for those who want to see it. */
export interface BaseString {
  /** Parameters out of the URL's query, decoded. */
  readonly query: readonly Pair[];
  /** Names and values encoded, in the order they were given, query last. */
  readonly encoded: readonly Pair[];
  readonly sorted: readonly Pair[];
  /** The three elements before their own encoding. */
  readonly method: string;
  readonly uri: string;
  readonly parameters: string;
  readonly text: string;
}

export type { HmacKeyForm } from './public-types.js';

/** 3.4.1.1: method, address and parameters. `pairs` are all parameters but the URL's own query, which is added here. */
export function signatureBaseString(method: string, url: string, pairs: readonly Pair[]): string {
  return buildBaseString(method, url, encodePairs(pairs)).text;
}

/** The same over pairs already encoded, with its stages. */
export function buildBaseString(method: string, url: string, encodedPairs: readonly Pair[]): BaseString {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(method))
    throw fail('TEXT_INVALID', { field: 'method', why: 'it is not a valid HTTP method' });
  const { uri } = splitUrl(url);
  const query = queryPairs(url);
  const encoded = signedOnly(query.length === 0 ? encodedPairs : [...encodedPairs, ...encodePairs(query)]);
  const sorted = sortPairs(encoded);
  const parameters = joinPairs(sorted);
  const upper = method.toUpperCase();
  return { query, encoded, sorted, method: upper, uri, parameters, text: joinElements(upper, uri, parameters) };
}

/** 3.4.1.3.1: a query is read like a form. */
export function queryPairs(url: string): Pair[] {
  const { query } = splitUrl(url);
  if (query === '') return [];
  try {
    return decodeForm(query);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    throw fail('TEXT_INVALID', { ...error.facts, field: 'query of the url' }, { cause: error });
  }
}

/** 3.4.1.3.2: encoded, sorted, joined. */
export function normalizeParameters(pairs: readonly Pair[]): string {
  return joinPairs(sortPairs(signedOnly(encodePairs(pairs))));
}

/** 3.4.1.3.1: the signature never signs itself. `realm` is not dropped: in a body it is a field like any other. */
function signedOnly(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.some((pair) => pair[0] === 'oauth_signature')
    ? pairs.filter(([name]) => name !== 'oauth_signature')
    : pairs;
}

/** 3.4.1.3.2, step 1. Encoding comes before sorting: `c@` and `c2` change places otherwise. */
export function encodePairs(pairs: readonly Pair[]): Pair[] {
  return pairs.map((pair): Pair => [percentEncode(pair[0], pair[0]), percentEncode(pair[1], pair[0])]);
}

/** Step 2. By name, then by value, by code unit; a locale or the joined text would order them otherwise. */
export function sortPairs(encoded: readonly Pair[]): Pair[] {
  return [...encoded].sort((a, b) => (isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 0));
}

function isAfter(a: Pair, b: Pair): boolean {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}

/** Steps 3 and 4. */
export function joinPairs(sorted: readonly Pair[]): string {
  let text = '';
  for (const pair of sorted) text += text === '' ? `${pair[0]}=${pair[1]}` : `&${pair[0]}=${pair[1]}`;
  return text;
}

/** 3.4.1.1: each element is encoded once more, then they are joined by `&`. */
export function joinElements(method: string, uri: string, parameters: string): string {
  // Normalised parameters hold only unreserved characters, %, = and &, where encodeURIComponent agrees with RFC 3986
  // and is fast.
  return `${percentEncode(method)}&${percentEncode(uri)}&${encodeURIComponent(parameters)}`;
}

/** 3.4.2. The token secret is empty here unless a caller has one; the `&` stays. */
export function signHmacSha1(
  baseString: string,
  consumerSecret: string,
  tokenSecret = '',
  keyForm: HmacKeyForm = 'encoded',
): string {
  const encode = keyForm === 'raw' ? (text: string) => text : (text: string) => percentEncode(text, 'secret');
  return createHmac('sha1', `${encode(consumerSecret)}&${encode(tokenSecret)}`)
    .update(baseString, 'utf8')
    .digest('base64');
}

export function verifyHmacSha1(
  baseString: string,
  signature: string,
  consumerSecret: string,
  tokenSecret = '',
  keyForm: HmacKeyForm = 'encoded',
): boolean {
  return equalInConstantTime(signHmacSha1(baseString, consumerSecret, tokenSecret, keyForm), signature);
}

/**
 * RSASSA-PKCS1-v1_5 as in 3.4.3, with SHA-256 in place of SHA-1. The key is unencrypted PEM text or a key already read;
 * reading PEM takes longer than signing, so read once. Throws KEY_UNUSABLE for anything but an RSA key of 2048 bits or
 * more.
 */
export function signRsaSha256(baseString: string, privateKey: string | KeyObject): string {
  const key = typeof privateKey === 'string' ? readPrivateKey(privateKey).keyObject : requireRsa(privateKey, 'private');
  return sign('sha256', Buffer.from(baseString, 'utf8'), { key, padding: constants.RSA_PKCS1_PADDING }).toString(
    'base64',
  );
}

/** The same on the thread pool: a signature of 4096 bits takes milliseconds. */
export function signRsaSha256Async(baseString: string, privateKey: KeyObject): Promise<string> {
  const key = requireRsa(privateKey, 'private');
  return new Promise((resolve, reject) => {
    sign(
      'sha256',
      Buffer.from(baseString, 'utf8'),
      { key, padding: constants.RSA_PKCS1_PADDING },
      (error, signature) => (error === null ? resolve(signature.toString('base64')) : reject(error)),
    );
  });
}

/** False for a signature that is not plain Base64 as well; throws KEY_UNUSABLE only for the key. */
export function verifyRsaSha256(baseString: string, signature: string, publicKey: string | KeyObject): boolean {
  const key = typeof publicKey === 'string' ? readPublicKey(publicKey).keyObject : requireRsa(publicKey, 'public');
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.toString('base64') !== signature) return false;
  return verify('sha256', Buffer.from(baseString, 'utf8'), { key, padding: constants.RSA_PKCS1_PADDING }, bytes);
}

/** The two halves of an address that a signature treats apart. The fragment belongs to neither. */
interface SplitUrl {
  /** Scheme, authority and path in the form of RFC 5849 3.4.1.2. */
  readonly uri: string;
  /** Between `?` and `#`, still encoded; empty when there is none. */
  readonly query: string;
}

const address = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i;
const authority = /^(\[[0-9a-f:.]+\]|[a-z0-9\-._~]+)(?::(\d*))?$/i;
const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * Scheme and host in lower case, default ports dropped, empty path as `/`; query and fragment left out (RFC 5849
 * 3.4.1.2). The path stays letter for letter: dots and escapes are not resolved, so what is sent must be this very
 * text. Throws URL_INVALID for user info, for schemes other than http and https, and for characters an address cannot
 * carry.
 */
export function baseStringUri(url: string): string {
  return splitUrl(url).uri;
}

export function splitUrl(url: string): SplitUrl {
  // An HTTP client would rewrite these characters on the way out, and the signature would no longer fit.
  if (!/^[\x21-\x7e]*$/.test(url)) throw invalid('percent-encode spaces, control characters and non-ASCII letters');
  const parts = address.exec(url);
  if (parts === null) throw invalid('begin it with http:// or https://');
  const [, scheme = '', where = '', path = '', query = ''] = parts;
  if (/["<>\\^`{|}]/.test(path)) throw invalid('its path contains a character that is not percent-encoded; encode it');
  const host = hostAndPort(where, scheme.toLowerCase());
  return { uri: `${scheme.toLowerCase()}://${host}${path === '' ? '/' : path}`, query };
}

function hostAndPort(where: string, scheme: string): string {
  if (where.includes('@')) throw invalid('it contains a user name or password, which is refused');
  const [whole, host = '', digits = ''] = authority.exec(where) ?? [];
  if (whole === undefined) throw invalid('its host or port is malformed');
  const port = Number(digits);
  if (port > 65_535) throw invalid('its port is above 65535');
  return digits === '' || port === defaultPorts[scheme] ? host.toLowerCase() : `${host.toLowerCase()}:${port}`;
}

function invalid(why: string): PaycliError {
  return fail('URL_INVALID', { field: 'url', why, form: 'https://gateway.example/paynet/api/v2/sale/17' });
}

import { randomBytes } from 'node:crypto';
import { encodeForm, type Pair } from '../../wire/form.js';
import { authorizationHeader } from '../schemes/authorization-header.js';
import { controlChecksum } from '../schemes/control-checksum.js';
import { baseStringUri, queryPairs, signatureBaseString, signHmacSha1, signRsaSha256 } from '../schemes/oauth1.js';
import type { ControlEncoding, HmacKeyForm } from '../schemes/public-types.js';
import { plainHeaders } from '../schemes/request.js';
import {
  argumentError,
  encodingArgument,
  fieldsArgument,
  filledArgument,
  flagArgument,
  keyArgument,
  keyFormArgument,
  lastSecond,
  objectArgument,
  rsaKeyArgument,
  textArgument,
  textsArgument,
} from './arguments.js';
import type { Fields, RsaKeyObject } from './types.js';

/** What a merchant signs with. Those that a scheme does not need may be there as well and are not read. */
export interface SigningKeys {
  /** The merchant login, sent as oauth_consumer_key. */
  readonly login?: string | undefined;
  /** The merchant control key: of the checksum, and of HMAC-SHA1. */
  readonly controlKey?: string | undefined;
  /** Unencrypted PEM text (PKCS#8 or PKCS#1) or a `KeyObject`: RSA of 2048 bits or more. */
  readonly privateKey?: string | RsaKeyObject | undefined;
}

interface RequestParts {
  /** POST when left out. GET and HEAD have no body, so their fields belong in the url. */
  readonly method?: string | undefined;
  /** The whole address, as it is sent. */
  readonly url: string;
  /** The form body in the order it is sent, without control and without oauth_*. */
  readonly fields: Fields;
}

export interface ControlRequest extends RequestParts {
  readonly scheme: 'control';
  /** What the checksum of the operation covers, in its order, without the key; amounts in minor units. */
  readonly values: readonly string[];
  readonly keys: SigningKeys & { readonly controlKey: string };
  /** `hex-lower` when left out. */
  readonly encoding?: ControlEncoding | undefined;
}

interface OauthParts extends RequestParts {
  /** 32 random hexadecimal characters when left out. */
  readonly nonce?: string | undefined;
  /** Seconds since 1970; the present time when left out. */
  readonly timestamp?: number | undefined;
  /** Of the header; it is never signed. Printable ASCII. */
  readonly realm?: string | undefined;
}

export interface HmacRequest extends OauthParts {
  readonly scheme: 'HMAC-SHA1';
  readonly keys: SigningKeys & { readonly login: string; readonly controlKey: string };
  /** `encoded` when left out, as RFC 5849 3.4.2 says. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** Whether the body repeats the oauth_*, except the signature. */
  readonly oauthInBody?: boolean | undefined;
}

export interface RsaRequest extends OauthParts {
  readonly scheme: 'RSA-SHA256';
  readonly keys: SigningKeys & { readonly login: string; readonly privateKey: string | RsaKeyObject };
}

/** A request that can be sent as it is: `fetch(signed.url, signed)`. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The form, percent-encoded; not there for GET and HEAD. */
  readonly body?: string;
  /** What the body holds, not encoded. */
  readonly pairs: readonly Pair[];
  /** What was signed: the base string (RFC 5849 3.4.1.1), or the values of the checksum without the key. */
  readonly baseString: string;
  /** The checksum, or oauth_signature not encoded. */
  readonly signature: string;
}

const common = ['scheme', 'method', 'url', 'fields', 'keys'];
const oauthProperties = [...common, 'nonce', 'timestamp', 'realm'];

/**
 * Signs a request to the gateway, by any of its schemes: `control` (the field `control`, see `controlChecksum`),
 * `HMAC-SHA1` or `RSA-SHA256` (OAuth 1.0a, RFC 5849 3.4 and 3.5.1). What it gives back is sent as it is; its texts hold
 * every field, card numbers included, and never a key.
 *
 * @param request See `ControlRequest`, `HmacRequest` and `RsaRequest`.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind, an empty key, or a field that is added
 *   here (`control`, `oauth_…`).
 * @throws {PaycliError} `URL_INVALID` for an address that cannot be signed, `TEXT_INVALID` for an unpaired surrogate,
 *   `KEY_UNUSABLE` for a key that is not RSA, below 2048 bits, or the public half.
 * @example
 * ```js
 * // printf %s 'shopcheckorder-2key' | openssl dgst -sha1
 * const status = signRequest({
 *   scheme: 'control',
 *   url: 'https://gateway.example/paynet/api/v2/status/4001',
 *   fields: { login: 'shopcheck', client_orderid: 'order-2' },
 *   values: ['shopcheck', 'order-2', ''],
 *   keys: { controlKey: 'key' },
 * });
 * assert.equal(status.body, 'login=shopcheck&client_orderid=order-2&control=192fda7322c82b4543bb132b3ca6b079b381923f');
 * ```
 */
export function signRequest(request: ControlRequest | HmacRequest | RsaRequest): SignedRequest {
  const scheme = schemeArgument(request);
  if (scheme === 'control') return signControl(objectArgument(request, 'request', [...common, 'values', 'encoding']));
  const own = scheme === 'HMAC-SHA1' ? ['keyForm', 'oauthInBody'] : [];
  return signOauth(scheme, objectArgument(request, 'request', [...oauthProperties, ...own]));
}

/**
 * The scheme of a request, before it is known which properties it may have: `schemeArgument({ scheme: 'control' })`.
 * Throws ERR_PAYCLI_ARGUMENT.
 */
export function schemeArgument(request: unknown): 'control' | 'HMAC-SHA1' | 'RSA-SHA256' {
  const scheme = typeof request === 'object' && request !== null && 'scheme' in request ? request.scheme : undefined;
  if (scheme === 'control' || scheme === 'HMAC-SHA1' || scheme === 'RSA-SHA256') return scheme;
  throw argumentError('request.scheme must be control, HMAC-SHA1 or RSA-SHA256');
}

type Given = Readonly<Record<string, unknown>>;

function signControl(request: Given): SignedRequest {
  const { method, url, fields } = partsOf(request);
  if (bodiless(method)) throw argumentError('request.method must be one with a body, which carries the control');
  if (fields.some(([name]) => name === 'control'))
    throw argumentError('request.fields must not hold control, which is added');
  const values = valuesArgument(request['values']);
  const encoding = encodingArgument(request['encoding'], 'request.encoding');
  const { controlKey } = keysOf(request, ['login', 'controlKey', 'privateKey']);
  const control = controlChecksum(values, keyArgument(controlKey, 'request.keys.controlKey'), { encoding });
  baseStringUri(url);
  const pairs: Pair[] = [...fields, ['control', control]];
  const headers = { ...plainHeaders };
  return { method, url, headers, body: encodeForm(pairs), pairs, baseString: values.join(''), signature: control };
}

/**
 * The values of a checksum, at least one, for one of no value would prove nothing about a request:
 * `valuesArgument(['4001', ''])`. Throws ERR_PAYCLI_ARGUMENT.
 */
export function valuesArgument(value: unknown): readonly string[] {
  const values = textsArgument(value, 'request.values');
  if (values.length === 0) throw argumentError('request.values must hold at least one value');
  return values;
}

function signOauth(scheme: 'HMAC-SHA1' | 'RSA-SHA256', request: Given): SignedRequest {
  const { method, url, fields } = partsOf(request);
  if ([...fields, ...queryPairs(url)].some(([name]) => name.startsWith('oauth_')))
    throw argumentError('request.fields and the query must not hold oauth_…, which are added');
  const keys = keysOf(request, ['login', 'controlKey', 'privateKey']);
  const protocol: readonly Pair[] = [
    ['oauth_consumer_key', filledArgument(keys['login'], 'request.keys.login')],
    ['oauth_nonce', nonceOf(request['nonce'])],
    ['oauth_signature_method', scheme],
    ['oauth_timestamp', timestampOf(request['timestamp'])],
    ['oauth_version', '1.0'],
  ];
  const { realm } = request;
  const named = realm === undefined ? {} : { realm: textArgument(realm, 'request.realm') };
  const inBody = flagArgument(request['oauthInBody'], 'request.oauthInBody');
  if (inBody && bodiless(method)) throw argumentError('request.oauthInBody needs a method with a body');
  const sign = signerOf(scheme, keys, request['keyForm']);
  const baseString = signatureBaseString(method, url, [...protocol, ...fields]);
  const signature = sign(baseString);
  const Authorization = authorizationHeader([...protocol, ['oauth_signature', signature]], named);
  const pairs = inBody ? [...fields, ...protocol] : [...fields];
  if (!bodiless(method)) {
    const headers = { ...plainHeaders, Authorization };
    return { method, url, headers, body: encodeForm(pairs), pairs, baseString, signature };
  }
  const { 'Content-Type': _, ...headers } = plainHeaders;
  return { method, url, headers: { ...headers, Authorization }, pairs, baseString, signature };
}

/** Looks at the key before anything is signed. */
function signerOf(scheme: 'HMAC-SHA1' | 'RSA-SHA256', keys: Given, keyForm: unknown): (baseString: string) => string {
  if (scheme === 'RSA-SHA256') {
    const key = rsaKeyArgument(keys['privateKey'], 'request.keys.privateKey');
    return (text) => signRsaSha256(text, key);
  }
  const secret = keyArgument(keys['controlKey'], 'request.keys.controlKey');
  const form = keyFormArgument(keyForm, 'request.keyForm');
  return (text) => signHmacSha1(text, secret, '', form);
}

function partsOf(request: Given): { readonly method: string; readonly url: string; readonly fields: readonly Pair[] } {
  const method = methodArgument(request['method']);
  const url = filledArgument(request['url'], 'request.url');
  const fields = fieldsArgument(request['fields'], 'request.fields');
  if (bodiless(method) && fields.length > 0)
    throw argumentError('request.fields must be empty for GET and HEAD, which have no body; write them into the url');
  return { method, url, fields };
}

/**
 * In upper case, as it is signed (RFC 5849 3.4.1.1) and sent: `methodArgument(undefined)` is `POST`. Throws
 * ERR_PAYCLI_ARGUMENT.
 */
export function methodArgument(value: unknown): string {
  return value === undefined ? 'POST' : filledArgument(value, 'request.method').toUpperCase();
}

function bodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * The keys of a request; those that a scheme reads are checked by the scheme:
 * `keysOf({ keys: { login: 'shop' } }, ['login'])`. Throws ERR_PAYCLI_ARGUMENT for other properties.
 */
export function keysOf(request: Given, known: readonly string[]): Given {
  return objectArgument(request['keys'], 'request.keys', known);
}

function nonceOf(value: unknown): string {
  return value === undefined ? randomBytes(16).toString('hex') : filledArgument(value, 'request.nonce');
}

function timestampOf(value: unknown): string {
  // biome-ignore lint/plugin: a library has no clock port; a caller with a clock of its own gives the timestamp.
  const seconds = value === undefined ? Math.floor(Date.now() / 1000) : value;
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= lastSecond)
    return String(seconds);
  throw argumentError('request.timestamp must be a whole number of seconds since 1970, not of milliseconds');
}

import { randomBytes } from 'node:crypto';
import { encodeForm, type Pair } from '../../wire/form.js';
import { controlChecksum } from '../schemes/control-checksum.js';
import { prepareOauth, signedHeader } from '../schemes/oauth-scheme.js';
import { baseStringUri, queryPairs, signHmacSha1, signRsaSha256 } from '../schemes/oauth1.js';
import { plainHeaders } from '../schemes/request.js';
import {
  argumentError,
  encodingArgument,
  fieldsArgument,
  filledArgument,
  flagArgument,
  type Given,
  keyArgument,
  keyFormArgument,
  objectArgument,
  rsaKeyArgument,
  secondsArgument,
  textArgument,
  textsArgument,
} from './arguments.js';
import type { ControlRequest, HmacRequest, RsaRequest, SignedRequest } from './types.js';

const oauth = ['scheme', 'method', 'url', 'fields', 'keys', 'nonce', 'timestamp', 'realm'];
const known = {
  control: ['scheme', 'method', 'url', 'fields', 'keys', 'values', 'encoding'],
  'HMAC-SHA1': [...oauth, 'keyForm', 'oauthInBody'],
  'RSA-SHA256': oauth,
};

/**
 * Signs a request to the gateway, by any of its schemes: `control` (the field `control`, see `controlChecksum`),
 * `HMAC-SHA1` or `RSA-SHA256` (OAuth 1.0a, RFC 5849 3.4 and 3.5.1). What it gives back is sent as it is; its texts hold
 * every field, card numbers included, and never a key. Throws a TypeError (`ERR_PAYCLI_ARGUMENT`) for an argument of
 * the wrong kind, an empty key, or a field that is added here (`control`, `oauth_…`); URL_INVALID for an address that
 * cannot be signed, TEXT_INVALID for an unpaired surrogate, KEY_UNUSABLE for a key that is not RSA, below 2048 bits, or
 * the public half.
 */
export function signRequest(request: ControlRequest | HmacRequest | RsaRequest): SignedRequest {
  const scheme = schemeArgument(request);
  const given = objectArgument(request, 'request', known[scheme]);
  const keys = objectArgument(given['keys'], 'request.keys', ['login', 'controlKey', 'privateKey']);
  const method = methodArgument(given['method']);
  const url = filledArgument(given['url'], 'request.url');
  const fields = fieldsArgument(given['fields'], 'request.fields');
  const isBodiless = method === 'GET' || method === 'HEAD';
  if (isBodiless && fields.length > 0)
    throw argumentError('request.fields must be empty for GET and HEAD, which have no body; write them into the url');
  const parts = { method, url, fields, isBodiless };
  return scheme === 'control' ? signControl(parts, given, keys) : signOauth(scheme, parts, given, keys);
}

/** The scheme of a request, before it is known which properties it may have. */
export function schemeArgument(request: unknown): 'control' | 'HMAC-SHA1' | 'RSA-SHA256' {
  const scheme = typeof request === 'object' && request !== null && 'scheme' in request ? request.scheme : undefined;
  if (scheme === 'control' || scheme === 'HMAC-SHA1' || scheme === 'RSA-SHA256') return scheme;
  throw argumentError('request.scheme must be control, HMAC-SHA1 or RSA-SHA256');
}

/** The method in upper case, as it is signed (RFC 5849 3.4.1.1) and sent. */
export function methodArgument(value: unknown): string {
  return value === undefined ? 'POST' : filledArgument(value, 'request.method').toUpperCase();
}

/** The values of a checksum, at least one, for one of no value would prove nothing about a request. */
export function valuesArgument(value: unknown): readonly string[] {
  const values = textsArgument(value, 'request.values');
  if (values.length === 0) throw argumentError('request.values must hold at least one value');
  return values;
}

interface Parts {
  readonly method: string;
  readonly url: string;
  readonly fields: readonly Pair[];
  readonly isBodiless: boolean;
}

function signControl({ method, url, fields, isBodiless }: Parts, given: Given, keys: Given): SignedRequest {
  if (isBodiless) throw argumentError('request.method must be one with a body, which carries the control');
  if (fields.some(([name]) => name === 'control'))
    throw argumentError('request.fields must not hold control, which is added');
  const values = valuesArgument(given['values']);
  const encoding = encodingArgument(given['encoding'], 'request.encoding');
  const key = keyArgument(keys['controlKey'], 'request.keys.controlKey');
  const control = controlChecksum(values, key, { encoding });
  // Throws for an address that no client sends as it is.
  baseStringUri(url);
  const pairs: Pair[] = [...fields, ['control', control]];
  const headers = { ...plainHeaders };
  return { method, url, headers, body: encodeForm(pairs), pairs, baseString: values.join(''), signature: control };
}

function signOauth(name: 'HMAC-SHA1' | 'RSA-SHA256', parts: Parts, given: Given, keys: Given): SignedRequest {
  const { method, url, fields, isBodiless } = parts;
  if ([...fields, ...queryPairs(url)].some(([each]) => each.startsWith('oauth_')))
    throw argumentError('request.fields and the query must not hold oauth_…, which are added');
  // biome-ignore lint/plugin: a library has no clock port; a caller with a clock of its own gives the timestamp.
  const { nonce, timestamp = Math.floor(Date.now() / 1000), realm } = given;
  const isInBody = flagArgument(given['oauthInBody'], 'request.oauthInBody');
  if (isInBody && isBodiless) throw argumentError('request.oauthInBody needs a method with a body');
  const sign = signerFor(name, keys, given['keyForm']);
  const prepared = prepareOauth({
    ...{ name, method, url, pairs: fields, login: filledArgument(keys['login'], 'request.keys.login') },
    nonce: nonce === undefined ? randomBytes(16).toString('hex') : filledArgument(nonce, 'request.nonce'),
    timestamp: String(secondsArgument(timestamp, 'request.timestamp', 1)),
  });
  const baseString = prepared.base.text;
  const signature = sign(baseString);
  const named = realm === undefined ? undefined : textArgument(realm, 'request.realm');
  const headers = { ...plainHeaders, Authorization: signedHeader(prepared, signature, named) };
  const pairs = isInBody ? [...fields, ...prepared.protocol] : [...fields];
  if (!isBodiless) return { method, url, headers, body: encodeForm(pairs), pairs, baseString, signature };
  const { 'Content-Type': _, ...bodiless } = headers;
  return { method, url, headers: bodiless, pairs, baseString, signature };
}

/** Looks at the key before anything is signed. */
function signerFor(name: 'HMAC-SHA1' | 'RSA-SHA256', keys: Given, keyForm: unknown): (baseString: string) => string {
  if (name === 'RSA-SHA256') {
    const key = rsaKeyArgument(keys['privateKey'], 'request.keys.privateKey');
    return (text) => signRsaSha256(text, key);
  }
  const secret = keyArgument(keys['controlKey'], 'request.keys.controlKey');
  const form = keyFormArgument(keyForm, 'request.keyForm');
  return (text) => signHmacSha1(text, secret, '', form);
}

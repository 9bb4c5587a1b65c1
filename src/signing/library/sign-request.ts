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
  const given = objectArgument(request, 'request');
  const keys = objectArgument(given['keys'], 'request.keys');
  const url = filledArgument(given['url'], 'request.url');
  const fields = fieldsArgument(given['fields'], 'request.fields');
  const parts = { url, fields };
  return scheme === 'control' ? signControl(parts, given, keys) : signOauth(scheme, parts, given, keys);
}

/** The scheme of a request, before it is known which properties it may have. */
export function schemeArgument(request: unknown): 'control' | 'HMAC-SHA1' | 'RSA-SHA256' {
  const scheme = typeof request === 'object' && request !== null && 'scheme' in request ? request.scheme : undefined;
  if (scheme === 'control' || scheme === 'HMAC-SHA1' || scheme === 'RSA-SHA256') return scheme;
  throw argumentError('request.scheme must be control, HMAC-SHA1 or RSA-SHA256');
}

/** The values of a checksum, at least one, for one of no value would prove nothing about a request. */
export function valuesArgument(value: unknown): readonly string[] {
  const values = textsArgument(value, 'request.values');
  if (values.length === 0) throw argumentError('request.values must hold at least one value');
  return values;
}

interface Parts {
  readonly url: string;
  readonly fields: readonly Pair[];
}

type OauthName = 'HMAC-SHA1' | 'RSA-SHA256';

function signControl({ url, fields }: Parts, given: Given, keys: Given): SignedRequest {
  if (fields.some(([name]) => name === 'control'))
    throw argumentError('request.fields must not hold control, which is added');
  const values = valuesArgument(given['values']);
  const encoding = encodingArgument(given['encoding']);
  const key = keyArgument(keys['controlKey'], 'request.keys.controlKey');
  const control = controlChecksum(values, key, { encoding });
  // Throws for an address that no client sends as it is.
  baseStringUri(url);
  const pairs: Pair[] = [...fields, ['control', control]];
  const sent = { method: 'POST', url, headers: { ...plainHeaders }, body: encodeForm(pairs), pairs } as const;
  return { ...sent, baseString: values.join(''), signature: control };
}

function signOauth(name: OauthName, { url, fields }: Parts, given: Given, keys: Given): SignedRequest {
  if ([...fields, ...queryPairs(url)].some(([each]) => each.startsWith('oauth_')))
    throw argumentError('request.fields and the query must not hold oauth_…, which are added');
  // biome-ignore lint/plugin: a library has no clock port; a caller with a clock of its own gives the timestamp.
  const { nonce, timestamp = Math.floor(Date.now() / 1000), realm, oauthInBody } = given;
  const sign = signerFor(name, keys, given['keyForm']);
  const prepared = prepareOauth({
    ...{ name, url, pairs: fields, login: filledArgument(keys['login'], 'request.keys.login') },
    nonce: nonce === undefined ? randomBytes(16).toString('hex') : filledArgument(nonce, 'request.nonce'),
    timestamp: String(secondsArgument(timestamp, 'request.timestamp')),
  });
  const baseString = prepared.base.text;
  const signature = sign(baseString);
  const named = realm === undefined ? undefined : textArgument(realm, 'request.realm');
  const headers = { ...plainHeaders, Authorization: signedHeader(prepared, signature, named) };
  const pairs = oauthInBody === true ? [...fields, ...prepared.protocol] : [...fields];
  return { method: 'POST', url, headers, body: encodeForm(pairs), pairs, baseString, signature };
}

/** Looks at the key before anything is signed. */
function signerFor(name: OauthName, keys: Given, keyForm: unknown): (baseString: string) => string {
  if (name === 'RSA-SHA256') {
    const key = rsaKeyArgument(keys['privateKey'], 'request.keys.privateKey');
    return (text) => signRsaSha256(text, key);
  }
  const secret = keyArgument(keys['controlKey'], 'request.keys.controlKey');
  const form = keyFormArgument(keyForm);
  return (text) => signHmacSha1(text, secret, '', form);
}

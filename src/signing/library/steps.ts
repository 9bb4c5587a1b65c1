import { decodeForm as decode, percentEncode as encode, type Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import * as header from '../schemes/authorization-header.js';
import { callbackMatches, callbackPairs, callbackProblem } from '../schemes/callback-control.js';
import { controlChecksum as checksum } from '../schemes/control-checksum.js';
import * as oauth from '../schemes/oauth1.js';
import type { ControlEncoding, HmacKeyForm } from '../schemes/public-types.js';
import {
  encodingArgument,
  fieldsArgument,
  filledArgument,
  keyArgument,
  keyFormArgument,
  keysArgument,
  rsaKeyArgument,
  textArgument,
  textsArgument,
} from './arguments.js';
import type { CallbackVerdict, Fields, RsaKeyObject } from './types.js';

/**
 * Percent-encodes the UTF-8 bytes of a text (RFC 3986 2.1, RFC 5849 3.6): letters, digits and `-._~` stay, all else
 * becomes upper-case `%XX`. Throws TEXT_INVALID for an unpaired surrogate.
 */
export function percentEncode(text: string): string {
  return encode(textArgument(text, 'text'));
}

/**
 * Reads `application/x-www-form-urlencoded` text, of a body or a query; `+` is a blank. Equal names, empty values and
 * the order are kept. Throws TEXT_INVALID for a bad escape or bytes that are not UTF-8.
 */
export function decodeForm(text: string): Pair[] {
  return decode(textArgument(text, 'text'));
}

/**
 * The address as it is signed (RFC 5849 3.4.1.2): scheme and host in lower case, default ports dropped, an empty path
 * as `/`, no query and no fragment. Throws URL_INVALID for user info, for schemes other than http and https, and for
 * characters an address cannot carry.
 */
export function baseStringUri(url: string): string {
  return oauth.baseStringUri(filledArgument(url, 'url'));
}

/** Parameters encoded, sorted by name and value, and joined (RFC 5849 3.4.1.3.2). `oauth_signature` is left out. */
export function normalizeParameters(pairs: Fields): string {
  return oauth.normalizeParameters(fieldsArgument(pairs, 'pairs'));
}

/**
 * The text that OAuth 1.0a signs (RFC 5849 3.4.1.1). It holds every field as it is sent, card numbers included. `pairs`
 * are the fields of the form body and the oauth_* of the header; the query of the url is read and added here.
 */
export function signatureBaseString(method: string, url: string, pairs: Fields): string {
  const fields = fieldsArgument(pairs, 'pairs');
  return oauth.signatureBaseString(filledArgument(method, 'method'), filledArgument(url, 'url'), fields);
}

/**
 * The HMAC-SHA1 signature of a base string (RFC 5849 3.4.2), in Base64. The consumer secret is here the merchant
 * control key, the token secret is empty; `keyForm` is `encoded`, as the RFC says, or `raw`.
 */
export function signHmacSha1(
  baseString: string,
  consumerSecret: string,
  tokenSecret: string = '',
  keyForm?: HmacKeyForm,
): string {
  return oauth.signHmacSha1(
    filledArgument(baseString, 'baseString'),
    keyArgument(consumerSecret, 'consumerSecret'),
    textArgument(tokenSecret, 'tokenSecret'),
    keyFormArgument(keyForm),
  );
}

/** Whether a signature is the HMAC-SHA1 of a base string, compared in constant time. */
export function verifyHmacSha1(
  baseString: string,
  signature: string,
  consumerSecret: string,
  tokenSecret?: string,
  keyForm?: HmacKeyForm,
): boolean {
  const given = textArgument(signature, 'signature');
  return equalInConstantTime(signHmacSha1(baseString, consumerSecret, tokenSecret, keyForm), given);
}

/**
 * The RSA signature of a base string in Base64: RSASSA-PKCS1-v1_5 as in RFC 5849 3.4.3, with SHA-256. Reading PEM text
 * takes longer than signing, so give a `KeyObject`. Throws KEY_UNUSABLE for anything but an RSA private key of 2048
 * bits or more.
 */
export function signRsaSha256(baseString: string, privateKey: string | RsaKeyObject): string {
  return oauth.signRsaSha256(filledArgument(baseString, 'baseString'), rsaKeyArgument(privateKey, 'privateKey'));
}

/** Whether a signature is an RSA signature of a base string by the other half of this key; false for bad Base64. */
export function verifyRsaSha256(baseString: string, signature: string, publicKey: string | RsaKeyObject): boolean {
  const given = textArgument(signature, 'signature');
  return oauth.verifyRsaSha256(filledArgument(baseString, 'baseString'), given, rsaKeyArgument(publicKey, 'publicKey'));
}

/**
 * The value of the Authorization header (RFC 5849 3.5.1): `OAuth name="encoded value", …`, of the oauth_* with
 * `oauth_signature`, not encoded. A realm stands first and is never signed; it must be printable ASCII.
 */
export function authorizationHeader(oauthPairs: Fields, options?: { readonly realm?: string | undefined }): string {
  const pairs = fieldsArgument(oauthPairs, 'oauthPairs');
  const realm = options?.realm;
  return header.authorizationHeader(pairs, realm === undefined ? {} : { realm: textArgument(realm, 'options.realm') });
}

/**
 * Reads such a header; the scheme's letter case and blanks around commas do not matter. Throws TEXT_INVALID when it is
 * malformed, which includes a value that holds `+`, `/` or `=` unencoded.
 */
export function parseAuthorizationHeader(text: string): header.AuthorizationHeader {
  return header.parseAuthorizationHeader(textArgument(text, 'header'));
}

/**
 * The control checksum of the gateway: SHA-1 over the UTF-8 bytes of the values, joined without separators, followed by
 * the merchant control key. The values are those that the operation lists, in its order; amounts in minor units (`1042`
 * for 10.42 USD). Throws TEXT_INVALID for an unpaired surrogate.
 */
export function controlChecksum(
  values: readonly string[],
  merchantControlKey: string,
  options?: { readonly encoding?: ControlEncoding | undefined },
): string {
  const texts = textsArgument(values, 'values');
  const key = keyArgument(merchantControlKey, 'merchantControlKey');
  return checksum(texts, key, { encoding: encodingArgument(options?.encoding) });
}

/**
 * Whether a checksum is the one of these values, compared in constant time. The letter case counts, as `encoding` says.
 * False for an unpaired surrogate in a value as well.
 */
export function verifyControl(
  values: readonly string[],
  control: string,
  merchantControlKey: string,
  options?: { readonly encoding?: ControlEncoding | undefined },
): boolean {
  const texts = textsArgument(values, 'values');
  const given = textArgument(control, 'control');
  // Without the values where they have no UTF-8 form: the other arguments are looked at all the same.
  const isWhole = texts.every((text) => text.isWellFormed());
  const expected = controlChecksum(isWhole ? texts : [], merchantControlKey, options);
  return isWhole && equalInConstantTime(expected, given);
}

/**
 * Verifies the control of a callback of the gateway: SHA-1 over `status`, `orderid`, `client_orderid` and the merchant
 * control key. Give the text of the query or form body, which no parser has changed, or its fields; and one key, or
 * several while it is being replaced. The checksum has no separators, so `77` and `7c` have the same one as `777` and
 * `c`: compare both ids with those of one order of yours before anything is delivered. Other fields, the amount among
 * them, are not covered. Text of a stranger never throws.
 */
export function verifyCallback(
  callback: Fields | string,
  controlKey: string | readonly string[],
  options?: { readonly encoding?: ControlEncoding | undefined },
): CallbackVerdict {
  const keys = keysArgument(controlKey, 'controlKey', keyArgument);
  const encoding = encodingArgument(options?.encoding);
  const pairs = typeof callback === 'string' ? callbackPairs(callback) : fieldsArgument(callback, 'callback');
  const value = (name: string) => pairs.find(([each]) => each === name)?.[1] ?? '';
  const problem = callbackProblem(pairs);
  if (problem !== undefined) return { ok: false, reason: 'callback-malformed', detail: problem };
  const control = value('control');
  if (control === '') return { ok: false, reason: 'control-missing', detail: 'the callback has no control' };
  const texts = { status: value('status'), orderId: value('orderid'), clientOrderId: value('client_orderid') };
  if (!Object.values(texts).every((text) => text.isWellFormed()))
    return { ok: false, reason: 'callback-malformed', detail: 'a signed field contains an unpaired surrogate' };
  return callbackMatches({ ...texts, control }, keys, encoding).includes(true)
    ? { ok: true, ...texts }
    : { ok: false, reason: 'control-wrong', detail: 'the control of the callback does not match' };
}

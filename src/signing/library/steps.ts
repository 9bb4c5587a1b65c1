import { decodeForm as decode, percentEncode as encode, type Pair } from '../../wire/form.js';
import * as header from '../schemes/authorization-header.js';
import * as oauth from '../schemes/oauth1.js';
import type { HmacKeyForm } from '../schemes/public-types.js';
import {
  fieldsArgument,
  filledArgument,
  keyArgument,
  keyFormArgument,
  optionsArgument,
  rsaKeyArgument,
  textArgument,
} from './arguments.js';
import type { Fields, RsaKeyObject } from './types.js';

/**
 * Percent-encodes the UTF-8 bytes of a text (RFC 3986 2.1, RFC 5849 3.6): letters, digits and `-._~` stay, all else
 * becomes upper-case `%XX`.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for anything but a string.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate, which has no UTF-8 form.
 * @example
 * ```js
 * assert.equal(percentEncode("a b+c'é~"), 'a%20b%2Bc%27%C3%A9~');
 * ```
 */
export function percentEncode(text: string): string {
  return encode(textArgument(text, 'text'));
}

/**
 * Reads `application/x-www-form-urlencoded` text (RFC 1866 8.2.1), of a body or a query; `+` is a blank. Equal names,
 * empty values and the order are kept.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for anything but a string.
 * @throws {PaycliError} `TEXT_INVALID` for a bad escape or bytes that are not UTF-8.
 * @example
 * ```js
 * assert.deepEqual(decodeForm('a=1+2&a=%2B&b'), [['a', '1 2'], ['a', '+'], ['b', '']]);
 * ```
 */
export function decodeForm(text: string): Pair[] {
  return decode(textArgument(text, 'text'));
}

/**
 * The address as it is signed (RFC 5849 3.4.1.2): scheme and host in lower case, default ports dropped, an empty path
 * as `/`, no query and no fragment. The path stays as it is.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for anything but a text.
 * @throws {PaycliError} `URL_INVALID` for user info, for schemes other than http and https, and for characters an
 *   address cannot carry.
 * @example
 * ```js
 * assert.equal(baseStringUri('HTTPS://Gateway.Example:443/Pay?a=1'), 'https://gateway.example/Pay');
 * ```
 */
export function baseStringUri(url: string): string {
  return oauth.baseStringUri(filledArgument(url, 'url'));
}

/**
 * Parameters encoded, sorted by name and value, and joined (RFC 5849 3.4.1.3.2). `oauth_signature` is left out.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for anything but names and values.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate.
 * @example
 * ```js
 * assert.equal(normalizeParameters([['c2', ''], ['c@', 'a b'], ['a', '1']]), 'a=1&c%40=a%20b&c2=');
 * ```
 */
export function normalizeParameters(pairs: Fields): string {
  return oauth.normalizeParameters(fieldsArgument(pairs, 'pairs'));
}

/**
 * The text that OAuth 1.0a signs (RFC 5849 3.4.1.1). It holds every field as it is sent, card numbers included.
 *
 * @param method The method of HTTP; it is signed in upper case.
 * @param url The whole address. Its query is read and signed, so it must not be among the pairs.
 * @param pairs The fields of the form body and the oauth_* of the header.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `URL_INVALID` for the address, `TEXT_INVALID` for an unpaired surrogate or a query that cannot
 *   be decoded.
 * @example
 * ```js
 * const text = signatureBaseString('POST', 'https://gateway.example/pay?b=2', [['a', '1 2']]);
 * assert.equal(text, 'POST&https%3A%2F%2Fgateway.example%2Fpay&a%3D1%25202%26b%3D2');
 * ```
 */
export function signatureBaseString(method: string, url: string, pairs: Fields): string {
  return oauth.signatureBaseString(
    filledArgument(method, 'method'),
    filledArgument(url, 'url'),
    fieldsArgument(pairs, 'pairs'),
  );
}

/**
 * The HMAC-SHA1 signature of a base string (RFC 5849 3.4.2), in Base64: 28 characters.
 *
 * @param consumerSecret The shared secret, here the merchant control key; it must not be empty.
 * @param tokenSecret Empty, as the gateway has no tokens.
 * @param keyForm `encoded` as the RFC says (the default), or `raw`.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate in a secret.
 * @example
 * ```js
 * // printf %s 'GET&http%3A%2F%2Fa%2F&b%3D1' | openssl dgst -sha1 -mac HMAC -macopt 'key:secret&' -binary | base64
 * assert.equal(signHmacSha1('GET&http%3A%2F%2Fa%2F&b%3D1', 'secret'), '7iSZbtcOJgjx4fspHhBY4iBD64w=');
 * ```
 */
export function signHmacSha1(
  baseString: string,
  consumerSecret: string,
  tokenSecret?: string,
  keyForm?: HmacKeyForm,
): string {
  return oauth.signHmacSha1(
    filledArgument(baseString, 'baseString'),
    keyArgument(consumerSecret, 'consumerSecret'),
    tokenSecret === undefined ? '' : textArgument(tokenSecret, 'tokenSecret'),
    keyFormArgument(keyForm),
  );
}

/**
 * Whether a signature is the HMAC-SHA1 of a base string (RFC 5849 3.4.2), compared in constant time.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate in a secret.
 * @example
 * ```js
 * const text = 'GET&http%3A%2F%2Fa%2F&b%3D1';
 * assert.equal(verifyHmacSha1(text, '7iSZbtcOJgjx4fspHhBY4iBD64w=', 'secret'), true);
 * assert.equal(verifyHmacSha1(text, '7iSZbtcOJgjx4fspHhBY4iBD64w=', 'another'), false);
 * ```
 */
export function verifyHmacSha1(
  baseString: string,
  signature: string,
  consumerSecret: string,
  tokenSecret?: string,
  keyForm?: HmacKeyForm,
): boolean {
  return oauth.verifyHmacSha1(
    filledArgument(baseString, 'baseString'),
    textArgument(signature, 'signature'),
    keyArgument(consumerSecret, 'consumerSecret'),
    tokenSecret === undefined ? '' : textArgument(tokenSecret, 'tokenSecret'),
    keyFormArgument(keyForm),
  );
}

/**
 * The RSA signature of a base string in Base64: RSASSA-PKCS1-v1_5 as in RFC 5849 3.4.3 (RFC 8017 8.2.1), with SHA-256.
 *
 * @param privateKey Unencrypted PEM text (PKCS#8 or PKCS#1) or a `KeyObject`; reading PEM text takes longer than
 *   signing.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `KEY_UNUSABLE` for anything but an RSA private key of 2048 bits or more.
 * @example
 * ```js
 * const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
 * const signature = signRsaSha256('POST&https%3A%2F%2Fa%2F&b%3D1', privateKey);
 * assert.equal(verifyRsaSha256('POST&https%3A%2F%2Fa%2F&b%3D1', signature, publicKey), true);
 * ```
 */
export function signRsaSha256(baseString: string, privateKey: string | RsaKeyObject): string {
  return oauth.signRsaSha256(filledArgument(baseString, 'baseString'), rsaKeyArgument(privateKey, 'privateKey'));
}

/**
 * Whether a signature is an RSA signature of a base string (RFC 8017 8.2.2, SHA-256) by the other half of this key.
 *
 * @param publicKey PEM text (SPKI or PKCS#1) or a `KeyObject`.
 * @returns False for a signature that is not plain Base64 as well.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `KEY_UNUSABLE` for anything but an RSA public key of 2048 bits or more.
 * @example
 * ```js
 * const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
 * assert.equal(verifyRsaSha256('POST&https%3A%2F%2Fa%2F&b%3D1', 'bm90IGl0', publicKey), false);
 * ```
 */
export function verifyRsaSha256(baseString: string, signature: string, publicKey: string | RsaKeyObject): boolean {
  return oauth.verifyRsaSha256(
    filledArgument(baseString, 'baseString'),
    textArgument(signature, 'signature'),
    rsaKeyArgument(publicKey, 'publicKey'),
  );
}

/**
 * The value of the Authorization header (RFC 5849 3.5.1): `OAuth name="encoded value", …`.
 *
 * @param oauthPairs The oauth_* with `oauth_signature`, not encoded.
 * @param options.realm Stands first and is never signed; printable ASCII.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate or a realm outside of printable ASCII.
 * @example
 * ```js
 * const header = authorizationHeader([['oauth_nonce', 'a+b']], { realm: 'shop' });
 * assert.equal(header, 'OAuth realm="shop", oauth_nonce="a%2Bb"');
 * ```
 */
export function authorizationHeader(oauthPairs: Fields, options?: { readonly realm?: string | undefined }): string {
  const pairs = fieldsArgument(oauthPairs, 'oauthPairs');
  const { realm } = optionsArgument(options, ['realm']);
  return header.authorizationHeader(pairs, realm === undefined ? {} : { realm: textArgument(realm, 'options.realm') });
}

/**
 * Reads such a header; the scheme's letter case and blanks around commas do not matter.
 *
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for anything but a string.
 * @throws {PaycliError} `TEXT_INVALID` when it is malformed, which includes a value that holds `+`, `/` or `=`
 *   unencoded.
 * @example
 * ```js
 * const read = parseAuthorizationHeader('OAuth realm="shop", oauth_nonce="a%2Bb"');
 * assert.deepEqual(read, { realm: 'shop', pairs: [['oauth_nonce', 'a+b']] });
 * ```
 */
export function parseAuthorizationHeader(text: string): header.AuthorizationHeader {
  return header.parseAuthorizationHeader(textArgument(text, 'header'));
}

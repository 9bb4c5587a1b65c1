import type { Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { controlChecksum } from '../schemes/control-checksum.js';
import { verifyOauth } from '../schemes/oauth-scheme.js';
import { verifyHmacSha1, verifyRsaSha256 } from '../schemes/oauth1.js';
import type { ControlEncoding, HmacKeyForm, RefusalReason } from '../schemes/public-types.js';
import { refused } from '../schemes/request.js';
import {
  argumentError,
  encodingArgument,
  filledArgument,
  keyArgument,
  keyFormArgument,
  keysArgument,
  objectArgument,
  rsaKeyArgument,
  secondsArgument,
  textArgument,
} from './arguments.js';
import { receivedPairs } from './callback.js';
import { keysOf, methodArgument, schemeArgument, valuesArgument } from './sign-request.js';
import type { Fields, RsaKeyObject } from './types.js';

/** What a merchant's requests are verified with. Those that a scheme does not need may be there and are not read. */
export interface VerifyingKeys {
  /** The merchant login, which oauth_consumer_key must be. */
  readonly login?: string | undefined;
  /** Several while a key is being replaced. */
  readonly controlKey?: string | readonly string[] | undefined;
  /** PEM text (SPKI or PKCS#1) or a `KeyObject`, RSA of 2048 bits or more; or several. */
  readonly publicKey?: PublicKeys | undefined;
}

type PublicKeys = string | RsaKeyObject | readonly (string | RsaKeyObject)[];

export interface ReceivedControlRequest {
  readonly scheme: 'control';
  /** The body, `control` included: its text, or pairs, or an object. */
  readonly fields: Fields | string;
  /** What the checksum of the operation covers, in its order, as received; amounts in minor units. */
  readonly values: readonly string[];
  readonly keys: VerifyingKeys & { readonly controlKey: string | readonly string[] };
  /** `hex-lower` when left out. */
  readonly encoding?: ControlEncoding | undefined;
}

interface ReceivedOauthRequest {
  /** POST when left out. */
  readonly method?: string | undefined;
  /** The whole address, as the client wrote it. */
  readonly url: string;
  /** The body: its text, or pairs, or an object. */
  readonly fields: Fields | string;
  /** The Authorization header; undefined or null when there was none. */
  readonly authorization: string | null | undefined;
  /** The time of the server in seconds since 1970. Left out, no timestamp is refused. */
  readonly now?: number | undefined;
  /** How far the timestamp may be from `now`, in seconds: 300 when left out. */
  readonly tolerance?: number | undefined;
}

export interface ReceivedHmacRequest extends ReceivedOauthRequest {
  readonly scheme: 'HMAC-SHA1';
  readonly keys: VerifyingKeys & { readonly login: string; readonly controlKey: string | readonly string[] };
  /** `encoded` when left out, as RFC 5849 3.4.2 says. */
  readonly keyForm?: HmacKeyForm | undefined;
}

export interface ReceivedRsaRequest extends ReceivedOauthRequest {
  readonly scheme: 'RSA-SHA256';
  readonly keys: VerifyingKeys & { readonly login: string; readonly publicKey: PublicKeys };
}

/**
 * Whether a request is signed, and if not, why. `detail` is for people and holds no value and no key. Nonce (any text)
 * and timestamp (digits, seconds since 1970) are there for OAuth.
 */
export type RequestVerdict =
  | { readonly ok: true; readonly nonce?: string; readonly timestamp?: string }
  | {
      readonly ok: false;
      readonly reason: RefusalReason | 'oauth-timestamp' | 'body-malformed';
      readonly detail: string;
    };

const known = {
  control: ['scheme', 'fields', 'values', 'keys', 'encoding'],
  'HMAC-SHA1': ['scheme', 'method', 'url', 'fields', 'authorization', 'keys', 'now', 'tolerance', 'keyForm'],
  'RSA-SHA256': ['scheme', 'method', 'url', 'fields', 'authorization', 'keys', 'now', 'tolerance'],
};

/**
 * Verifies a request as the gateway does: the control checksum, or RFC 5849 3.2 for OAuth 1.0a. Checksums and HMAC are
 * compared in constant time (node:crypto `timingSafeEqual`); of several keys each is tried. It keeps no memory: whoever
 * answers must refuse a nonce it has seen with the same timestamp (RFC 5849 3.3), for as long as the tolerance lasts,
 * and gives `now` for timestamps far from its own time to be refused. Control requests have no timestamp.
 *
 * @param request See `ReceivedControlRequest`, `ReceivedHmacRequest` and `ReceivedRsaRequest`.
 * @returns `ok`, or the first reason against it: `control-missing`, `control-wrong`, `oauth-missing`,
 *   `oauth-malformed`, `oauth-parameters`, `oauth-method`, `oauth-version`, `oauth-consumer`, `oauth-signature`,
 *   `oauth-timestamp`, or `body-malformed` for a body that cannot be decoded. Text of a stranger never throws.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind, or an empty key.
 * @throws {PaycliError} `KEY_UNUSABLE` for a public key that is not RSA or is shorter than 2048 bits, `TEXT_INVALID`
 *   for a lone surrogate in a control key.
 * @example
 * ```js
 * // printf %s 'shopcheckorder-2key' | openssl dgst -sha1
 * const verdict = verifyRequest({
 *   scheme: 'control',
 *   fields: 'login=shopcheck&client_orderid=order-2&control=192fda7322c82b4543bb132b3ca6b079b381923f',
 *   values: ['shopcheck', 'order-2', ''],
 *   keys: { controlKey: 'key' },
 * });
 * assert.deepEqual(verdict, { ok: true });
 * ```
 */
export function verifyRequest(
  request: ReceivedControlRequest | ReceivedHmacRequest | ReceivedRsaRequest,
): RequestVerdict {
  const scheme = schemeArgument(request);
  const given = objectArgument(request, 'request', known[scheme]);
  const keys = keysOf(given, ['login', 'controlKey', 'publicKey']);
  return scheme === 'control' ? verifyControlled(given, keys) : verifySigned(scheme, given, keys);
}

type Given = Readonly<Record<string, unknown>>;

function verifyControlled(request: Given, keys: Given): RequestVerdict {
  const controlKeys = keysArgument(keys['controlKey'], 'request.keys.controlKey', keyArgument);
  const values = valuesArgument(request['values']);
  const encoding = encodingArgument(request['encoding'], 'request.encoding');
  const read = receivedPairs(request['fields'], 'request.fields');
  if ('why' in read) return malformed(read.why);
  const control = read.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  if (control === '') return refused('control-missing', 'the field control is missing');
  // Two values for one name: which of them was signed is anybody's guess.
  if (new Set(read.pairs.map(([name]) => name)).size < read.pairs.length)
    return refused('control-wrong', 'a field was sent more than once');
  return matches(values, controlKeys, encoding, control)
    ? { ok: true }
    : refused('control-wrong', 'control does not match the values');
}

/** A lone surrogate has no UTF-8 form, so no checksum covers it. All keys are tried, whichever fits. */
function matches(
  values: readonly string[],
  keys: readonly string[],
  encoding: ControlEncoding,
  control: string,
): boolean {
  if (!values.every((value) => value.isWellFormed())) return false;
  return keys.map((key) => equalInConstantTime(controlChecksum(values, key, { encoding }), control)).includes(true);
}

function verifySigned(scheme: 'HMAC-SHA1' | 'RSA-SHA256', request: Given, keys: Given): RequestVerdict {
  const login = filledArgument(keys['login'], 'request.keys.login');
  const method = methodArgument(request['method']);
  const url = textArgument(request['url'], 'request.url');
  const fits = verifierOf(scheme, keys, request['keyForm']);
  const clock = clockOf(request);
  const header = request['authorization'] ?? undefined;
  const authorization = header === undefined ? undefined : textArgument(header, 'request.authorization');
  const read = receivedPairs(request['fields'], 'request.fields');
  if ('why' in read) return malformed(read.why);
  const pairs: readonly Pair[] = read.pairs;
  const verdict = verifyOauth({ method, url, pairs, authorization }, { name: scheme, login, fits });
  if (!verdict.ok || clock === undefined || isNear(verdict.timestamp, clock)) return verdict;
  const detail = `oauth_timestamp is more than ${clock.tolerance} seconds from the time of the server`;
  return { ok: false, reason: 'oauth-timestamp', detail };
}

interface ServerClock {
  readonly now: number;
  readonly tolerance: number;
}

function clockOf({ now, tolerance }: Given): ServerClock | undefined {
  const allowed = tolerance === undefined ? 300 : secondsArgument(tolerance, 'request.tolerance');
  if (now !== undefined) return { now: secondsArgument(now, 'request.now'), tolerance: allowed };
  if (tolerance !== undefined) throw argumentError('request.tolerance needs request.now');
  return undefined;
}

function isNear(timestamp: string | undefined, { now, tolerance }: ServerClock): boolean {
  return Math.abs(Number(timestamp) - now) <= tolerance;
}

/** Looks at the key before the request, so that a wrong key is told whatever the request. */
function verifierOf(
  scheme: 'HMAC-SHA1' | 'RSA-SHA256',
  keys: Given,
  keyForm: unknown,
): (baseString: string, signature: string) => boolean {
  if (scheme === 'RSA-SHA256') {
    const publicKeys = keysArgument(keys['publicKey'], 'request.keys.publicKey', rsaKeyArgument);
    return (text, signature) => publicKeys.map((key) => verifyRsaSha256(text, signature, key)).includes(true);
  }
  const secrets = keysArgument(keys['controlKey'], 'request.keys.controlKey', keyArgument);
  const form = keyFormArgument(keyForm, 'request.keyForm');
  return (text, signature) => secrets.map((secret) => verifyHmacSha1(text, signature, secret, '', form)).includes(true);
}

function malformed(why: string): RequestVerdict {
  return { ok: false, reason: 'body-malformed', detail: why };
}

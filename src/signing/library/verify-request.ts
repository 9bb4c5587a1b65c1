import { isPaycliError } from '../../errors/index.js';
import { decodeForm, type Pair } from '../../wire/form.js';
import { equalInConstantTime } from '../constant-time.js';
import { controlChecksum } from '../schemes/control-checksum.js';
import { verifyOauth } from '../schemes/oauth-scheme.js';
import { verifyHmacSha1, verifyRsaSha256 } from '../schemes/oauth1.js';
import { refused } from '../schemes/request.js';
import {
  encodingArgument,
  fieldsArgument,
  filledArgument,
  type Given,
  keyArgument,
  keyFormArgument,
  keysArgument,
  objectArgument,
  rsaKeyArgument,
  secondsArgument,
  textArgument,
} from './arguments.js';
import { schemeArgument, valuesArgument } from './sign-request.js';
import type { ReceivedControlRequest, ReceivedHmacRequest, ReceivedRsaRequest, RequestVerdict } from './types.js';

/**
 * Verifies a request as the gateway does: the control checksum, or RFC 5849 3.2 for OAuth 1.0a. Checksums and HMAC are
 * compared in constant time; of several keys each is tried. It keeps no memory: whoever answers must refuse a nonce it
 * has seen with the same timestamp (RFC 5849 3.3), for as long as the tolerance lasts, and gives `now` for timestamps
 * far from its own time to be refused. Control requests have no timestamp. Text of a stranger never throws; a TypeError
 * (`ERR_PAYCLI_ARGUMENT`) is for an argument of the wrong kind or an empty key, KEY_UNUSABLE for a public key that is
 * not RSA or is shorter than 2048 bits, TEXT_INVALID for a lone surrogate in a control key.
 */
export function verifyRequest(
  request: ReceivedControlRequest | ReceivedHmacRequest | ReceivedRsaRequest,
): RequestVerdict {
  const scheme = schemeArgument(request);
  const given = objectArgument(request, 'request');
  const keys = objectArgument(given['keys'], 'request.keys');
  return scheme === 'control' ? verifyControlled(given, keys) : verifySigned(scheme, given, keys);
}

function verifyControlled(given: Given, keys: Given): RequestVerdict {
  const controlKeys = keysArgument(keys['controlKey'], 'request.keys.controlKey', keyArgument);
  const values = valuesArgument(given['values']);
  const encoding = encodingArgument(given['encoding']);
  const pairs = receivedPairs(given['fields']);
  if (typeof pairs === 'string') return { ok: false, reason: 'body-malformed', detail: pairs };
  const control = pairs.find(([name]) => name === 'control')?.[1] ?? '';
  if (control === '') return refused('control-missing', 'the field control is missing');
  // Two values for one name: which of them was signed is anybody's guess.
  if (new Set(pairs.map(([name]) => name)).size < pairs.length)
    return refused('control-wrong', 'a field was sent more than once');
  // A lone surrogate has no UTF-8 form, so no checksum covers it. All keys are tried, whichever fits.
  const isWhole = values.every((value) => value.isWellFormed());
  const fits = (key: string) => isWhole && equalInConstantTime(controlChecksum(values, key, { encoding }), control);
  return controlKeys.map(fits).includes(true)
    ? { ok: true }
    : refused('control-wrong', 'control does not match the values');
}

function verifySigned(name: 'HMAC-SHA1' | 'RSA-SHA256', given: Given, keys: Given): RequestVerdict {
  const login = filledArgument(keys['login'], 'request.keys.login');
  const method = given['method'] === undefined ? 'POST' : filledArgument(given['method'], 'request.method');
  const url = textArgument(given['url'], 'request.url');
  const fits = verifierFor(name, keys, given['keyForm']);
  const clock = given['now'] === undefined ? undefined : secondsArgument(given['now'], 'request.now');
  const tolerance = secondsArgument(given['tolerance'] ?? 300, 'request.tolerance');
  const header = given['authorization'] ?? undefined;
  const authorization = header === undefined ? undefined : textArgument(header, 'request.authorization');
  const pairs = receivedPairs(given['fields']);
  if (typeof pairs === 'string') return { ok: false, reason: 'body-malformed', detail: pairs };
  const verdict = verifyOauth({ method, url, pairs, authorization }, { name, login, fits });
  const isFar = verdict.ok && clock !== undefined && Math.abs(Number(verdict.timestamp) - clock) > tolerance;
  if (!isFar) return verdict;
  const detail = `oauth_timestamp is more than ${tolerance} seconds from the time of the server`;
  return { ok: false, reason: 'oauth-timestamp', detail };
}

/** Fields as they were received: a text is a query or a form body. What is wrong with a text that cannot be decoded. */
function receivedPairs(value: unknown): readonly Pair[] | string {
  if (typeof value !== 'string') return fieldsArgument(value, 'request.fields');
  try {
    return decodeForm(value.startsWith('?') ? value.slice(1) : value);
  } catch (error) {
    if (isPaycliError(error)) return error.message;
    throw error;
  }
}

/** Looks at the key before the request, so that a wrong key is told whatever the request. */
function verifierFor(
  name: 'HMAC-SHA1' | 'RSA-SHA256',
  keys: Given,
  keyForm: unknown,
): (baseString: string, signature: string) => boolean {
  if (name === 'RSA-SHA256') {
    const publicKeys = keysArgument(keys['publicKey'], 'request.keys.publicKey', rsaKeyArgument);
    return (text, signature) => publicKeys.map((key) => verifyRsaSha256(text, signature, key)).includes(true);
  }
  const secrets = keysArgument(keys['controlKey'], 'request.keys.controlKey', keyArgument);
  const form = keyFormArgument(keyForm);
  return (text, signature) => secrets.map((secret) => verifyHmacSha1(text, signature, secret, '', form)).includes(true);
}

import { isPaycliError } from '../../errors/index.js';
import { decodeForm, type Pair } from '../../wire/form.js';
import { callbackMatches, callbackPairs, callbackProblem } from '../schemes/callback-control.js';
import type { ControlEncoding } from '../schemes/public-types.js';
import { encodingArgument, fieldsArgument, keyArgument, keysArgument, optionsArgument } from './arguments.js';
import type { Fields } from './types.js';

/** Whether a callback is signed by a control key, and if not, why. `detail` is for people and holds no value. */
export type CallbackVerdict =
  | { readonly ok: true; readonly status: string; readonly orderId: string; readonly clientOrderId: string }
  | {
      readonly ok: false;
      readonly reason: 'callback-malformed' | 'control-missing' | 'control-wrong';
      readonly detail: string;
    };

/**
 * Verifies the control of a callback of the gateway: SHA-1 over `status`, `orderid`, `client_orderid` and the merchant
 * control key. Every key is tried, each in constant time (node:crypto `timingSafeEqual`); hexadecimal digits may stand
 * in either case. The checksum has no separators, so `77` and `7c` have the same one as `777` and `c`: compare both
 * ids with those of one order of yours before anything is delivered. Other fields, the amount among them, are not
 * covered.
 *
 * @param callback The fields, or the text of the query or form body, which is best: no parser has changed it.
 * @param controlKey The merchant control key, or several while a key is being replaced. None may be empty.
 * @param options.encoding `hex-lower` (the default), `hex-upper` or `base64`.
 * @returns `ok` with the three texts that are proven, or a reason: `callback-malformed` (a field is missing, empty or
 *   sent twice), `control-missing`, `control-wrong`. Text of a stranger never throws.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate in a key.
 * @example
 * ```js
 * // printf %s 'approved77001order-2key' | openssl dgst -sha1
 * const query =
 * 'status=approved&orderid=77001&client_orderid=order-2&control=6174f28a3dbfcfceed47ff6929d299cbc8067c33'; const
 * verdict = verifyCallback(query, 'key'); assert.deepEqual(verdict, { ok: true, status: 'approved', orderId: '77001',
 * clientOrderId: 'order-2' });
 * ```
 */
export function verifyCallback(
  callback: Fields | string,
  controlKey: string | readonly string[],
  options?: { readonly encoding?: ControlEncoding | undefined },
): CallbackVerdict {
  const keys = keysArgument(controlKey, 'controlKey', keyArgument);
  const encoding = encodingArgument(optionsArgument(options, ['encoding'])['encoding']);
  const pairs = typeof callback === 'string' ? callbackPairs(callback) : fieldsArgument(callback, 'callback');
  const value = (name: string) => pairs.find(([each]) => each === name)?.[1] ?? '';
  const problem = callbackProblem(pairs);
  if (problem !== undefined) return no('callback-malformed', problem);
  const control = value('control');
  if (control === '') return no('control-missing', 'the callback has no control');
  const texts = { status: value('status'), orderId: value('orderid'), clientOrderId: value('client_orderid') };
  if (!Object.values(texts).every((text) => text.isWellFormed()))
    return no('callback-malformed', 'a signed field contains an unpaired surrogate');
  return callbackMatches({ ...texts, control }, keys, encoding).includes(true)
    ? { ok: true, ...texts }
    : no('control-wrong', 'the control of the callback does not match');
}

function no(reason: Extract<CallbackVerdict, { ok: false }>['reason'], detail: string): CallbackVerdict {
  return { ok: false, reason, detail };
}

/**
 * Fields as they were received: a text is a query or a form body, and one that cannot be decoded has no pairs:
 * `receivedPairs('a=1', 'fields')` is `{ pairs: [['a', '1']] }`. Throws ERR_PAYCLI_ARGUMENT for other kinds.
 */
export function receivedPairs(
  value: unknown,
  name: string,
): { readonly pairs: readonly Pair[] } | { readonly why: string } {
  if (typeof value !== 'string') return { pairs: fieldsArgument(value, name) };
  try {
    return { pairs: decodeForm(value.startsWith('?') ? value.slice(1) : value) };
  } catch (error) {
    if (isPaycliError(error)) return { why: error.message };
    throw error;
  }
}

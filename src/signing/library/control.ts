import { equalInConstantTime } from '../constant-time.js';
import { controlChecksum as checksum } from '../schemes/control-checksum.js';
import type { ControlEncoding } from '../schemes/public-types.js';
import { encodingArgument, keyArgument, optionsArgument, textArgument, textsArgument } from './arguments.js';

/**
 * The control checksum of the gateway: SHA-1 over the UTF-8 bytes of the values, joined without separators, followed by
 * the merchant control key.
 *
 * @param values What the operation lists, in its order; amounts in minor units (`1042` for 10.42 USD). An empty text
 *   adds nothing.
 * @param merchantControlKey The key itself; it must not be empty.
 * @param options.encoding How the 20 bytes are written: `hex-lower` (40 characters, the default), `hex-upper` or
 *   `base64` (28 characters).
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate, which has no UTF-8 form.
 * @example
 * ```js
 * // printf %s '4001order-21042payer@example.comkey' | openssl dgst -sha1
 * const control = controlChecksum(['4001', 'order-2', '1042', 'payer@example.com'], 'key');
 * assert.equal(control, 'c772468e3618498a03d8dbfbf6796fc5aa6b6e7c');
 * ```
 */
export function controlChecksum(
  values: readonly string[],
  merchantControlKey: string,
  options?: { readonly encoding?: ControlEncoding | undefined },
): string {
  const texts = textsArgument(values, 'values');
  const key = keyArgument(merchantControlKey, 'merchantControlKey');
  const { encoding } = optionsArgument(options, ['encoding']);
  return checksum(texts, key, { encoding: encodingArgument(encoding) });
}

/**
 * Whether a checksum is the one of these values, compared in constant time (node:crypto `timingSafeEqual`). The letter
 * case counts, as `encoding` says.
 *
 * @param values What the operation lists, in its order; amounts in minor units.
 * @param control The checksum that was received. An empty text or one of another length is false.
 * @param merchantControlKey The key itself; it must not be empty.
 * @param options.encoding `hex-lower` (the default), `hex-upper` or `base64`.
 * @returns False for an unpaired surrogate in a value as well.
 * @throws {TypeError} `ERR_PAYCLI_ARGUMENT` for an argument of the wrong kind.
 * @throws {PaycliError} `TEXT_INVALID` for an unpaired surrogate in the key.
 * @example
 * ```js
 * const values = ['4001', 'order-2', '1042', 'payer@example.com'];
 * assert.equal(verifyControl(values, 'c772468e3618498a03d8dbfbf6796fc5aa6b6e7c', 'key'), true);
 * assert.equal(verifyControl(values, 'c772468e3618498a03d8dbfbf6796fc5aa6b6e7c', 'another key'), false);
 * ```
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
  const whole = texts.every((text) => text.isWellFormed());
  const expected = controlChecksum(whole ? texts : [], merchantControlKey, options);
  return whole && equalInConstantTime(expected, given);
}

import { equalInConstantTime } from '../signing/constant-time.js';
import { type ControlEncoding, controlChecksum, type Secret } from '../signing/index.js';
import type { ParsedCallback } from './parse-callback.js';
import type { Verified } from './store.js';

export interface CallbackKey {
  /** How messages call it. */
  readonly name: string;
  readonly key: Secret;
}

export interface Verdict {
  readonly verified: Verified;
  readonly why: string;
}

/** The checksum of a callback: status, order id, client order id and the control key (A24). */
export function callbackControl(
  status: string,
  orderId: string,
  clientOrderId: string,
  key: Secret,
  encoding: ControlEncoding,
): string {
  return controlChecksum([status, orderId, clientOrderId], key.open(), { encoding });
}

/** Holds a callback against every key, always all of them, each in a time that depends on lengths only. */
export function verifyCallback(read: ParsedCallback, keys: readonly CallbackKey[], encoding: ControlEncoding): Verdict {
  const { status, orderId, clientOrderId, control, problem } = read;
  if (problem !== undefined) return { verified: 'wrong', why: problem };
  if (keys.length === 0) return { verified: 'no-key', why: 'the profile has no control key' };
  // Hexadecimal digits mean the same in either case.
  const plain = (text: string) => (encoding === 'base64' ? text : text.toLowerCase());
  const fits = keys.map(({ key }) =>
    equalInConstantTime(plain(callbackControl(status, orderId, clientOrderId, key, encoding)), plain(control)),
  );
  const fitting = keys[fits.indexOf(true)];
  if (fitting !== undefined) return { verified: 'fits', why: `its control matches ${fitting.name}` };
  return { verified: 'wrong', why: control === '' ? 'it carries no control' : 'its control does not match' };
}

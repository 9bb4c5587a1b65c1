import type { ControlEncoding, Secret } from '../signing/index.js';
import { callbackMatches } from '../signing/schemes/callback-control.js';
import type { ParsedCallback } from './parse-callback.js';
import type { Verified } from './store.js';

export interface CallbackKey {
  /** Its name in messages. */
  readonly name: string;
  readonly key: Secret;
}

export interface Verdict {
  readonly verified: Verified;
  readonly why: string;
}

/** Verifies a callback with every key, always all of them, each in a time that depends on lengths only. */
export function verifyCallback(read: ParsedCallback, keys: readonly CallbackKey[], encoding: ControlEncoding): Verdict {
  const { status, orderId, clientOrderId, control, problem } = read;
  if (problem !== undefined) return { verified: 'wrong', why: problem };
  if (keys.length === 0) return { verified: 'no-key', why: 'the profile has no control key' };
  const fits = callbackMatches(
    { status, orderId, clientOrderId, control },
    keys.map(({ key }) => key.open()),
    encoding,
  );
  const fitting = keys[fits.indexOf(true)];
  if (fitting !== undefined)
    return { verified: 'fits', why: `its checksum (control) matches ${fitting.name}${caseRemark(control, encoding)}` };
  return {
    verified: 'wrong',
    why: control === '' ? 'it carries no checksum (control)' : 'its checksum (control) does not match',
  };
}

/** Hexadecimal digits mean the same in either case, so a receiver of paycli accepts both; others may compare texts. */
function caseRemark(control: string, encoding: ControlEncoding): string {
  if (encoding === 'base64') return '';
  const [due, written] = encoding === 'hex-lower' ? ['lower', control.toLowerCase()] : ['upper', control.toUpperCase()];
  return written === control
    ? ''
    : ` apart from the case of its letters: ${due} case is correct (A01); paycli accepts either, but a handler that compares the texts exactly does not`;
}

import type { ControlEncoding, Secret } from '../signing/index.js';
import { callbackMatches } from '../signing/schemes/callback-control.js';
import type { ParsedCallback } from './parse-callback.js';
import type { Verified } from './store.js';

export interface Verdict {
  readonly verified: Verified;
  readonly why: string;
}

/** Verifies a callback with the control key of a profile, which may have none. */
export function verifyCallback(read: ParsedCallback, key: Secret | undefined, encoding: ControlEncoding): Verdict {
  const { control, problem } = read;
  if (problem !== undefined) return { verified: 'wrong', why: problem };
  if (key === undefined) return { verified: 'no-key', why: 'the profile has no control key' };
  if (control === '') return { verified: 'wrong', why: 'it carries no checksum (control)' };
  return callbackMatches(read, [key.open()], encoding)[0] === true
    ? { verified: 'fits', why: `its checksum (control) matches the control key${caseRemark(control, encoding)}` }
    : { verified: 'wrong', why: 'its checksum (control) does not match' };
}

/** Hexadecimal digits mean the same in either case, so a receiver of paycli accepts both; others may compare texts. */
function caseRemark(control: string, encoding: ControlEncoding): string {
  if (encoding === 'base64') return '';
  const [due, written] = encoding === 'hex-lower' ? ['lower', control.toLowerCase()] : ['upper', control.toUpperCase()];
  return written === control
    ? ''
    : ` apart from the case of its letters: ${due} case is correct (A01); paycli accepts either, but a handler that compares the texts exactly does not`;
}

import { allowListAdvice } from '../../../payments/failure.js';
import type { SchemeCheck, SignedScheme } from '../../core/credential-check.js';
import { profileFlag } from '../../format/profile.js';

/** What the gateway's answer to a signed request says about the key, and what to do about it. */
export interface Judged {
  readonly result: 'pass' | 'warn' | 'fail';
  readonly text: string;
  readonly next?: string;
}

/** What a request is signed with, and what to compare when the gateway refuses its signature. */
const signedWith: Readonly<Record<SignedScheme, readonly [key: string, advice: string]>> = {
  control: ['the control key', 'compare control key, login and endpoint with what gateway support gave you'],
  'hmac-sha1': [
    'HMAC-SHA1 and the control key',
    'compare the control key and login with what gateway support gave you, and check the clock of this machine',
  ],
  'rsa-sha256': [
    'RSA-SHA256 and the private key',
    'give the public key to gateway support (`paycli keys convert FILE --to spki` prints it)',
  ],
};

/** `profile` is named in the advice. */
export function judgeCheck(check: SchemeCheck, scheme: SignedScheme, profile: string): Judged {
  const [key, advice] = signedWith[scheme];
  const request = `a request signed with ${key}`;
  const { answer } = check;
  switch (check.verdict) {
    case 'good':
      return { result: 'pass', text: `the gateway accepted ${request}: for a non-existent id it answered ${answer}` };
    case 'refused':
      return {
        result: 'fail',
        text: `the gateway refused ${request}: ${answer}`,
        next: adviseRefused(check, advice, profile),
      };
    case 'not-sent':
      return {
        result: 'fail',
        text: `nothing was sent: ${check.reason}`,
        next: check.check ?? 'check the address and the network, then try again',
      };
    case 'no-answer':
      return {
        result: 'fail',
        text: `${request} got no usable reply: ${answer}`,
        next: check.check ?? 'the key was not tested; check the address, and try again later',
      };
    default:
      return {
        result: 'warn',
        text: `${request} proved nothing: ${answer}`,
        next: 'send an operation signed with this key on a test profile',
      };
  }
}

/** The key is suspected only where the gateway complains about the signature or gives no reason. */
function adviseRefused({ httpStatus, gatewayMessage, about }: SchemeCheck, advice: string, profile: string): string {
  if (httpStatus === 403 && gatewayMessage === undefined) return allowListAdvice;
  if (about === 'signature' || about === 'unsaid') return advice;
  return `the key may be correct: first fix what the gateway complains about; \`paycli profile show --origins${profileFlag(profile)}\` shows where each value comes from`;
}

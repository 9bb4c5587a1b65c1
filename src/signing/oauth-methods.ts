import { fail } from '../errors/index.js';
import type { Assume } from '../spec/index.js';
import { keyFingerprint, type PrivateKey } from './keys.js';
import { type HmacKeyForm, signHmacSha1, signRsaSha256, signRsaSha256Aside, verifyHmacSha1, verifyRsaSha256 } from './oauth1.js';
import type { Credentials, Merchant } from './request.js';
import type { OauthStages } from './stages.js';

/** All that differs between the two signature methods of scheme 2. */
export interface OauthMethod {
  readonly scheme: OauthStages['scheme'];
  /** oauth_signature_method on the wire. */
  readonly name: 'HMAC-SHA1' | 'RSA-SHA256';
  sign(baseString: string, credentials: Credentials, assume: Assume): string;
  /** The same on another thread, where it takes its time. */
  signAside?(baseString: string, credentials: Credentials): Promise<string>;
  /** Undefined when the merchant has no key to verify with. */
  verify(baseString: string, signature: string, merchant: Merchant, assume: Assume): boolean | undefined;
  key(credentials: Credentials, assume: Assume): OauthStages['key'];
  /** A07: whether oauth_* stand in the body, too. */
  repeatsInBody(assume: Assume): boolean;
}

export const hmacSha1: OauthMethod = {
  scheme: 'hmac-sha1',
  name: 'HMAC-SHA1',
  sign: (text, credentials, assume) => signHmacSha1(text, controlKey(credentials), '', keyForm(assume)),
  verify: (text, signature, merchant, assume) => verifyHmacSha1(text, signature, merchant.controlKey.open(), '', keyForm(assume)),
  key: (credentials, assume) => ({
    form: `${keyForm(assume) === 'raw' ? 'control key' : 'percent-encoded control key'}, "&", empty token secret`,
    fingerprint: keyFingerprint(controlKey(credentials)),
  }),
  repeatsInBody: (assume) => assume['oauth-in-body'] === 'hmac',
};

export const rsaSha256: OauthMethod = {
  scheme: 'rsa-sha256',
  name: 'RSA-SHA256',
  sign: (text, credentials) => signRsaSha256(text, privateKey(credentials).keyObject),
  signAside: async (text, credentials) => signRsaSha256Aside(text, privateKey(credentials).keyObject),
  verify: (text, signature, { publicKey }) => (publicKey === undefined ? undefined : verifyRsaSha256(text, signature, publicKey)),
  key: (credentials) => {
    const { form, bits, fingerprint } = privateKey(credentials);
    return { form: `RSA private key of ${bits} bits, ${form}`, fingerprint };
  },
  repeatsInBody: () => false,
};

function controlKey(credentials: Credentials): string {
  if (credentials.controlKey !== undefined) return credentials.controlKey.open();
  throw fail('PROFILE_INCOMPLETE', { name: 'in use', lacking: 'a control key', how: 'control-key-file in the profile' });
}

function privateKey({ privateKey: key }: Credentials): PrivateKey {
  if (key !== undefined) return key;
  throw fail('PROFILE_INCOMPLETE', { name: 'in use', lacking: 'a private key', how: 'private-key-file in the profile' });
}

// A51
function keyForm(assume: Assume): HmacKeyForm {
  return assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
}

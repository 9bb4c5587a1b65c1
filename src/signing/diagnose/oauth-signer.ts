import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { authorizationHeader } from '../header.js';
import { hmacSigner } from './hmac-signer.js';
import { protocolPairs, takeApart } from './oauth-parts.js';
import { rsaSigner } from './rsa-signer.js';
import type { Signer } from './signer.js';
import type { OauthCase, RawSignature } from './types.js';

/** Throws KEY_UNUSABLE for a key that cannot serve. */
export function signerOf(given: OauthCase): Signer {
  return given.signatureMethod === 'HMAC-SHA1' ? hmacSigner(given) : rsaSigner(given);
}

/** Signs as RFC 5849 says. Throws KEY_UNUSABLE without the key that signs. */
export function signOauthCase(given: OauthCase): RawSignature {
  const { text, sorted } = takeApart(given);
  const signature = signerOf(given).sign(text);
  if (signature === undefined)
    throw fail('KEY_UNUSABLE', { source: 'for signing', why: `${given.signatureMethod} needs one, and none was given` });
  return { baseString: text, signature, authorization: headerOf(given, signature), parameters: sorted };
}

export function headerOf(given: OauthCase, signature: string): string {
  const pairs: Pair[] = [...protocolPairs(given), ['oauth_signature', signature]];
  return authorizationHeader(pairs, given.realm === undefined ? {} : { realm: given.realm });
}

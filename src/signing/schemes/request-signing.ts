import type { Assume, PlainProtection } from '../../spec/index.js';
import { encodeForm } from '../../wire/form.js';
import { controlScheme } from './control-scheme.js';
import { hmacScheme, rsaScheme } from './oauth-scheme.js';
import {
  type Credentials,
  type Merchant,
  type NonceAndTimestamp,
  plainHeaders,
  type Received,
  type Scheme,
  type SignedRequest,
  type Unsigned,
  type Verdict,
} from './request.js';

/** Every way a request may be protected. No other file lists them. */
const schemes: Readonly<Record<PlainProtection['scheme'], Scheme>> = {
  control: controlScheme,
  'hmac-sha1': hmacScheme,
  'rsa-sha256': rsaScheme,
  // A09, A10: no signature is described, so none is made and none is asked for.
  none: {
    sign: ({ url, pairs }) => ({
      ...{ url, pairs, headers: plainHeaders, body: encodeForm(pairs), stages: { scheme: 'none' } },
    }),
    verify: () => ({ ok: true }),
  },
};

/** Both sides of the row's protection. */
export const requestSigning = {
  /** Throws PROFILE_INCOMPLETE when the credential it takes is not there. */
  sign(unsigned: Unsigned, credentials: Credentials, assume: Assume, fresh: NonceAndTimestamp): SignedRequest {
    return schemes[unsigned.protection.scheme].sign(unsigned, credentials, assume, fresh);
  },
  /** The same with the costly part on another thread. */
  async signAsync(
    unsigned: Unsigned,
    credentials: Credentials,
    assume: Assume,
    fresh: NonceAndTimestamp,
  ): Promise<SignedRequest> {
    const { sign, signAsync = sign } = schemes[unsigned.protection.scheme];
    return signAsync(unsigned, credentials, assume, fresh);
  },
  verify(received: Received, merchant: Merchant, assume: Assume): Verdict {
    return schemes[received.protection.scheme].verify(received, merchant, assume);
  },
};

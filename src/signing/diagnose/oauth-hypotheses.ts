import { baseFaults } from './base-faults.js';
import { takeApart } from './oauth-parts.js';
import { signerOf } from './oauth-signer.js';
import type { OauthCase, OauthHypothesis } from './types.js';

/**
 * The request signed under each mistake that changes something, likeliest first; those of a header that is written badly are not
 * among them. For RSA a signature needs the private key; without it `sign` gives undefined.
 */
export function* oauthHypotheses(given: OauthCase): Generator<OauthHypothesis> {
  const parts = takeApart(given);
  const signer = signerOf(given);
  for (const { mistake, text } of baseFaults(parts)) yield { mistake, baseString: text, sign: () => signer.sign(text) };
  for (const { mistake, baseString, sign } of signer.faults(parts)) yield { mistake, baseString, sign };
}

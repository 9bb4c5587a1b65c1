import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { authorizationHeader } from '../schemes/authorization-header.js';
import {
  type Diagnosis,
  diagnosed,
  type Explanation,
  type Mistake,
  matched,
  type OauthCase,
  type OauthHypothesis,
  type OauthMistakeName,
  type RawSignature,
} from './diagnosis.js';
import { hmacSigner } from './hmac-mistakes.js';
import { mistakenBaseStrings } from './mistake-sources.js';
import { decomposeRequest, protocolPairs } from './oauth-parts.js';
import { findPair, findPairOfWriting } from './pair-search.js';
import { publicHalf, rsaSigner } from './rsa-mistakes.js';
import { lengthMistakes, unopenedMistakes } from './signature-encodings.js';
import { SignatureSearch } from './signature-search.js';
import type { Signer } from './signer.js';
import { clockMistakes, malformedTimestamp } from './timestamp-mistakes.js';

/**
 * Signs the request under every known mistake and says which of them give this signature; with RSA the signature is
 * opened once with the public key and held against every faulty base string. `quick` leaves out what takes hundreds of
 * tries.
 */
export function findOauthMistakes(
  given: OauthCase,
  signature: string,
  { quick = false }: { readonly quick?: boolean } = {},
): Diagnosis {
  const parts = decomposeRequest(given);
  const signer = signerOf(given);
  const search = new SignatureSearch(parts, signer, signature);
  const stamps = malformedTimestamp(given);
  if (search.held(search.sign(parts.text)) !== undefined) {
    const late = [...stamps, ...clockMistakes(given)];
    return late.length === 0 ? matched() : diagnosed([late]);
  }
  const found = explanations(search, quick);
  const known = found.length > 0 ? found : [unexplainedMistakes(given, signature, signer)];
  return diagnosed(known.map((explanation) => [...explanation, ...stamps]));
}

/** What a signature that no text explains shows by itself: its length, or that another key made it. */
function unexplainedMistakes(given: OauthCase, signature: string, { length }: Signer): Mistake<OauthMistakeName>[] {
  const byLength = length === undefined ? [] : lengthMistakes(given, signature, length);
  return byLength.length === 0 && given.signatureMethod === 'RSA-SHA256' ? keyMistakes(given, signature) : byLength;
}

function keyMistakes(given: OauthCase, signature: string): Mistake<OauthMistakeName>[] {
  const key = publicHalf(given);
  // Without the private half, what was encrypted with the public one cannot be told from what another key signed.
  return key === undefined || given.privateKey === undefined ? [] : unopenedMistakes(key, signature);
}

function explanations(search: SignatureSearch, isQuick: boolean): Explanation[] {
  const found = [...search.overBaseStrings(), ...signingExplanations(search)];
  if (found.length > 0) return found;
  const written = search.writtenOtherwise();
  if (written.length > 0 || isQuick) return written;
  const other = keyAndHash(search) ?? findPairOfWriting(search) ?? search.overNearTimestamps() ?? findPair(search);
  return other === undefined ? [] : [other];
}

function signingExplanations({ parts, signer, signature }: SignatureSearch): Explanation[] {
  return [...signer.mistakes(parts)].filter((fault) => fault.fits(signature)).map(({ mistake }) => [mistake]);
}

function keyAndHash(search: SignatureSearch): Explanation | undefined {
  if (!search.isPlain) return undefined;
  for (const { mistake, second, bytesOf } of search.signer.makingsOfTwo())
    if (search.held(bytesOf(search.parts.text)) !== undefined)
      return mistake === undefined ? [second] : [mistake, second];
  return undefined;
}

/**
 * The request signed under each mistake that changes something, likeliest first; those of a header that is written
 * badly are not among them. For RSA a signature needs the private key; without it `sign` gives undefined.
 */
export function* oauthHypotheses(given: OauthCase): Generator<OauthHypothesis> {
  const parts = decomposeRequest(given);
  const signer = signerOf(given);
  for (const { mistake, text } of mistakenBaseStrings(parts))
    yield { mistake, baseString: text, sign: () => signer.sign(text) };
  for (const { mistake, baseString, sign } of signer.mistakes(parts)) yield { mistake, baseString, sign };
}

/** Throws KEY_UNUSABLE for a key that cannot serve. */
export function signerOf(given: OauthCase): Signer {
  return given.signatureMethod === 'HMAC-SHA1' ? hmacSigner(given) : rsaSigner(given);
}

/** Signs as RFC 5849 says. Throws KEY_UNUSABLE without the key that signs. */
export function signOauthCase(given: OauthCase): RawSignature {
  const { text, sorted } = decomposeRequest(given);
  const signature = signerOf(given).sign(text);
  if (signature === undefined)
    throw fail('KEY_UNUSABLE', {
      source: 'for signing',
      why: `${given.signatureMethod} needs one, but none was given`,
    });
  return { baseString: text, signature, authorization: headerOf(given, signature), parameters: sorted };
}

export function headerOf(given: OauthCase, signature: string): string {
  const pairs: Pair[] = [...protocolPairs(given), ['oauth_signature', signature]];
  return authorizationHeader(pairs, given.realm === undefined ? {} : { realm: given.realm });
}

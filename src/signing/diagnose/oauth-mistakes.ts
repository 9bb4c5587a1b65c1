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
import { baseStringSources, type MistakeSource } from './mistake-sources.js';
import {
  decomposeRequest,
  type Elements,
  joinText,
  type OauthParts,
  protocolPairs,
  type SignatureTarget,
  type Signer,
} from './oauth-parts.js';
import { findPair } from './pair-search.js';
import { rareSortOrders } from './rare-orders.js';
import { RareSearch } from './rare-search.js';
import { publicHalf, rsaSigner } from './rsa-mistakes.js';
import { effortOf, type SearchOptions } from './search-effort.js';
import { decryptWith, lengthMistakes, unopenedMistakes } from './signature-encodings.js';
import { clockMistakes, malformedTimestamp, rareTimestamps } from './timestamp-mistakes.js';

/**
 * Signs the request under every known mistake and says which of them give this signature; with RSA the signature is
 * opened once with the public key and held against every faulty base string. `quick` leaves out what takes hundreds of
 * tries, `deep` tries more pairs.
 */
export function findOauthMistakes(
  given: OauthCase,
  signature: string,
  options: SearchOptions & { readonly quick?: boolean } = {},
): Diagnosis {
  const parts = decomposeRequest(given);
  const signer = signerOf(given);
  const stamps = malformedTimestamp(given);
  if (signer.check(signature)(parts.text)) {
    const late = [...stamps, ...clockMistakes(given)];
    return late.length === 0 ? matched() : diagnosed([late]);
  }
  const found = explanations(parts, signer, signature, options);
  if (found.length > 0) return diagnosed(found.map((explanation) => [...explanation, ...stamps]));
  const byLength = signer.length === undefined ? [] : lengthMistakes(given, signature, signer.length);
  const byKey = byLength.length === 0 && given.signatureMethod === 'RSA-SHA256' ? keyMistakes(given, signature) : [];
  return diagnosed([[...byLength, ...byKey, ...stamps]]);
}

function keyMistakes(given: OauthCase, signature: string): Mistake<OauthMistakeName>[] {
  const key = publicHalf(given);
  const { privateKey } = given;
  // Without the private half, what was encrypted with the public one cannot be told from what another key signed.
  if (key === undefined || privateKey === undefined || decryptWith(privateKey, signature).length > 0) return [];
  return unopenedMistakes(key, signature);
}

function explanations(
  parts: OauthParts,
  signer: Signer,
  signature: string,
  options: SearchOptions & { readonly quick?: boolean },
): Explanation[] {
  const found = [...baseExplanations(parts, signer, signature), ...signingExplanations(parts, signer, signature)];
  if (found.length > 0) return found;
  const targets = signer.targets(signature);
  const written = writtenExplanations(parts, signer, targets);
  if (written.length > 0 || options.quick === true) return written;
  const rare = rareExplanations(parts, signer, signature);
  if (rare.length > 0) return rare;
  const effort = effortOf(options);
  const search = new RareSearch(parts, signer, targets, effort);
  const single = search.single(signature);
  if (single !== undefined) return [single];
  const plain = targets.filter(({ mistakes }) => mistakes.length === 0);
  if (plain.length > 0)
    for (const { mistake, second, bytesOf } of signer.makingsOfTwo()) {
      const bytes = bytesOf(parts.text);
      if (plain.some(({ holds }) => holds(bytes))) return [mistake === undefined ? [second] : [mistake, second]];
    }
  const pair = findPair(parts, targets, signer.makings(), effort) ?? search.pair();
  return pair === undefined ? [] : [pair];
}

/** A signature that was written or carried badly, by itself or over a base string made badly. */
function writtenExplanations(parts: OauthParts, signer: Signer, targets: readonly SignatureTarget[]): Explanation[] {
  const written = targets.filter(({ mistakes }) => mistakes.length > 0);
  const [right] = signer.makings();
  if (written.length === 0 || right === undefined) return [];
  const bytes = right.bytesOf(parts.text);
  const alone = written.filter(({ holds }) => holds(bytes)).map(({ mistakes }) => mistakes);
  if (alone.length > 0) return alone;
  return [...mistakenBaseStrings(parts)].flatMap(({ mistake, text }) => {
    const made = right.bytesOf(text);
    return written
      .filter(({ mistakes, holds }) => mistakes.length === 1 && holds(made))
      .map(({ mistakes }) => [...mistakes, mistake]);
  });
}

function baseExplanations(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  const fits = signer.check(signature);
  return [...mistakenBaseStrings(parts)].filter(({ text }) => fits(text)).map(({ mistake }) => [mistake]);
}

function signingExplanations(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  return [...signer.mistakes(parts)].filter((fault) => fault.fits(signature)).map(({ mistake }) => [mistake]);
}

function rareExplanations(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  const fits = signer.check(signature);
  for (const { mistake, text } of mistakenBaseStrings(parts, [rareSortOrders, rareTimestamps]))
    if (fits(text)) return [[mistake]];
  return [];
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

export interface MistakenBaseString {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly changed: Partial<Elements>;
  readonly text: string;
}

/** Every faulty base string that differs from the right one; of one mistake each text once. */
export function* mistakenBaseStrings(
  parts: OauthParts,
  from: readonly MistakeSource[] = baseStringSources,
): Generator<MistakenBaseString> {
  const seen = new Set<string>();
  for (const faults of from)
    for (const { name, variant, detail, elements, text = joinText({ ...parts.elements, ...elements }) } of faults(
      parts,
    )) {
      const key = `${name}\n${text}`;
      if (text === parts.text || seen.has(key)) continue;
      seen.add(key);
      yield { mistake: { name, variant, detail }, changed: elements, text };
    }
}

/** Throws KEY_UNUSABLE for a key that cannot serve. */
export function signerOf(given: OauthCase): Signer {
  return given.signatureMethod === 'HMAC-SHA1' ? hmacSigner(given) : rsaSigner(given);
}

/** Signs as RFC 5849 says. Throws KEY_UNUSABLE without the key that signs. */
export function signOauthCase(given: OauthCase): RawSignature {
  const { text, sorted } = decomposeRequest(given);
  const signature = signerOf(given).sign(text);
  if (signature === undefined) throw fail('signingKeyNotGiven', { method: given.signatureMethod });
  return { baseString: text, signature, authorization: headerOf(given, signature), parameters: sorted };
}

export function headerOf(given: OauthCase, signature: string): string {
  const pairs: Pair[] = [...protocolPairs(given), ['oauth_signature', signature]];
  return authorizationHeader(pairs, given.realm === undefined ? {} : { realm: given.realm });
}

import { baseFaults } from './base-faults.js';
import { diagnosed, type Explanation, matched } from './explained.js';
import { type OauthParts, takeApart } from './oauth-parts.js';
import { signerOf } from './oauth-signer.js';
import { rareOrders } from './order-faults.js';
import { lengthMistakes, rewrittenSignature } from './signature-form.js';
import type { Signer } from './signer.js';
import { rareStamps } from './stamp-faults.js';
import { clockMistakes, stampMistakes } from './stamps.js';
import type { Diagnosis, Mistake, OauthCase, OauthMistakeName } from './types.js';

/**
 * Signs the request under every known mistake and says which of them give this signature; with RSA the signature is opened once
 * with the public key and held against every faulty base string. `quick` leaves out what takes hundreds of tries.
 */
export function findOauthMistakes(given: OauthCase, signature: string, options: { readonly quick?: boolean } = {}): Diagnosis {
  const parts = takeApart(given);
  const signer = signerOf(given);
  const stamps = stampMistakes(given);
  if (signer.check(signature)(parts.text)) {
    const late = [...stamps, ...clockMistakes(given)];
    return late.length === 0 ? matched() : diagnosed([late]);
  }
  const found = explanations(parts, signer, signature, options.quick === true);
  if (found.length > 0) return diagnosed(found.map((explanation) => [...explanation, ...stamps]));
  const byLength = signer.length === undefined ? [] : lengthMistakes(given, signature, signer.length);
  return diagnosed([[...byLength, ...stamps]]);
}

function explanations(parts: OauthParts, signer: Signer, signature: string, quick: boolean): Explanation[] {
  const found = [...baseExplanations(parts, signer, signature), ...signingExplanations(parts, signer, signature)];
  if (found.length > 0) return found;
  const form = formOf(signature, signer.length);
  if (form !== undefined) {
    const fits = signer.check(form.signature)(parts.text);
    const others = fits ? [] : baseExplanations(parts, signer, form.signature);
    return others.length === 0 ? [[form.mistake]] : others.map((other) => [form.mistake, ...other]);
  }
  return quick ? [] : rare(parts, signer, signature);
}

function baseExplanations(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  const fits = signer.check(signature);
  return [...baseFaults(parts)].filter(({ text }) => fits(text)).map(({ mistake }) => [mistake]);
}

function signingExplanations(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  return [...signer.faults(parts)].filter((fault) => fault.fits(signature)).map(({ mistake }) => [mistake]);
}

function rare(parts: OauthParts, signer: Signer, signature: string): Explanation[] {
  const fits = signer.check(signature);
  for (const { mistake, text } of baseFaults(parts, [rareOrders, rareStamps])) if (fits(text)) return [[mistake]];
  return [];
}

interface Form {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly signature: string;
}

/** A signature that was written or carried badly: what it was before. */
function formOf(signature: string, length: number | undefined): Form | undefined {
  if (/ /.test(signature)) {
    const detail = 'its + became blanks: they were not percent-encoded in the header';
    return { mistake: { name: 'header-not-encoded', variant: 'plus-became-blank', detail }, signature: signature.replaceAll(' ', '+') };
  }
  const written = length === undefined ? undefined : rewrittenSignature(signature, length);
  if (written === undefined) return undefined;
  const { variant, detail } = written.writing;
  return { mistake: { name: 'digest', variant, detail: `the signature was ${detail}; it is plain Base64` }, signature: written.signature };
}

import { createPublicKey, type KeyObject } from 'node:crypto';
import type { OauthCase } from './oauth-recipe.js';
import { type Due, type Reading, readDigest } from './readings.js';
import { isPss, openSignature, pssHashes, publicHalf, signatureLength } from './rsa-signature.js';
import type { Mistake, Target } from './search.js';

const plusBecameBlank: Mistake = {
  name: 'header-not-encoded',
  variant: 'plus-became-blank',
  detail: 'the + of the signature became spaces: they were not encoded',
  fix: 'percent-encode each value of the Authorization header once, the signature too',
};

const macLengths: Readonly<Record<number, string>> = {
  ...{ 16: 'MD5', 20: 'SHA-1', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' },
};

/** What a signature may hold, each way of reading it. */
export function signatureTargets(given: OauthCase, signature: string): Target[] {
  const keys = verifyingKeys(given);
  const lengths = [...Object.keys(macLengths).map(Number), ...keys.map(({ key }) => signatureLength(key))];
  const due: Due = { encoding: 'base64', what: 'signature', lengths };
  const blanksRead = readDigest(signature.replaceAll(' ', '+'), due).map(
    ({ bytes, mistakes }): Reading => ({ bytes, mistakes: [plusBecameBlank, ...mistakes] }),
  );
  const readings = [...(signature.includes(' ') ? blanksRead : []), ...readDigest(signature, due)];
  const text = Buffer.from(signature).toString('latin1');
  return [
    ...readings.flatMap((reading) => [
      ...keys.flatMap((each) => openedTargets(each, reading)),
      ...(Object.hasOwn(macLengths, reading.bytes.length) ? [bytesTarget(reading.mistakes, reading.bytes)] : []),
    ]),
    // The key itself, in place of a signature.
    { mistakes: [], fits: ({ bytes }) => bytes === text },
  ];
}

function bytesTarget(mistakes: readonly Mistake[], wanted: Buffer): Target {
  const held = wanted.toString('latin1');
  return { mistakes, fits: ({ bytes }) => bytes === held };
}

interface VerifyingKey {
  readonly key: KeyObject;
  readonly mistakes: readonly Mistake[];
}

const otherPair: Mistake = {
  name: 'rsa-key-or-method',
  variant: 'other-pair',
  detail: 'signed with a private key that does not belong to the registered public key',
  fix: 'sign with the private key whose public key the gateway has; `paycli keys inspect PRIVATE PUBLIC` compares them',
};

/** The public key on record, and that of our own private key where it is another. */
function verifyingKeys(given: OauthCase): VerifyingKey[] {
  const key = publicHalf(given);
  if (key === undefined) return [];
  const own = given.privateKey === undefined ? key : createPublicKey(given.privateKey);
  return [{ key, mistakes: [] }, ...(own.equals(key) ? [] : [{ key: own, mistakes: [otherPair] }])];
}

function openedTargets({ key, mistakes }: VerifyingKey, reading: Reading): Target[] {
  if (reading.bytes.length !== signatureLength(key)) return [];
  const all = [...mistakes, ...reading.mistakes];
  const opened = openSignature(key, reading.bytes);
  if (opened.padding === 'pkcs1') return [bytesTarget(all, opened.payload)];
  if (opened.padding === 'none') return [];
  return pssHashes.map((hash) => ({
    mistakes: [
      ...all,
      {
        name: 'rsa-key-or-method',
        variant: `pss-${hash}`,
        detail: `PSS padding used, with ${hash.toUpperCase()}; it must be PKCS#1 v1.5 padding with SHA-256`,
        fix: 'use PKCS#1 v1.5 padding and SHA-256',
      },
    ],
    fits: ({ text }) => isPss(hash, key, text, reading.bytes),
  }));
}

/** What a signature shows by itself: its length, or that another key made it. */
export function unreadMistakes(given: OauthCase, signature: string): Mistake[] {
  const key = publicHalf(given);
  const isRsa = given.signatureMethod === 'RSA-SHA256';
  const due = isRsa ? (key === undefined ? undefined : signatureLength(key)) : 20;
  if (due === undefined) return [];
  const plain = Buffer.from(signature, 'base64');
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(signature);
  const lengths = [
    ...(isHex ? [signature.length / 2] : []),
    ...(plain.toString('base64') === signature ? [plain.length] : []),
  ];
  const [bytes] = lengths;
  const ofRsa = (detail: string, more: Partial<Mistake> = {}) => [{ ...otherPair, detail, ...more }];
  if (bytes === undefined) {
    const length = `the signature has ${[...signature].length} characters and is no Base64`;
    return lengthMistake(`${length}; that of ${due} bytes has ${4 * Math.ceil(due / 3)}`);
  }
  if (lengths.includes(due))
    return isRsa && key !== undefined && openSignature(key, plain).padding === 'none' ? ofRsa(noPadding) : [];
  const [has, hash] = [`the signature has ${bytes} bytes`, macLengths[bytes]];
  if (!isRsa && bytes < 128) return lengthMistake(`${has}${hash === undefined ? '' : `: ${hash}?`}; HMAC-SHA1 has 20`);
  if (!isRsa)
    return ofRsa(`${has}, like an RSA signature; HMAC-SHA1 has 20`, {
      ...{ variant: 'rsa', fix: 'sign with HMAC-SHA1 and the control key' },
    });
  if (hash === undefined && bytes >= 128)
    return ofRsa(`${has}, so another key made it; with this key it would have ${due}`);
  const like = hash === undefined ? '' : `, like an HMAC with ${hash}`;
  return ofRsa(`${has}${like}; with this key it would have ${due}`, {
    ...{ variant: 'hmac', fix: 'sign with the RSA private key' },
  });
}

const noPadding =
  'opened with the registered public key the signature has no valid padding: another private key made it, or it was changed afterwards';

function lengthMistake(detail: string): Mistake[] {
  const fix = 'use HMAC-SHA1, or RSA-SHA256, as the operation has it, and write its bytes as Base64';
  return [{ name: 'digest', variant: 'length', detail, fix }];
}

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
  const blanksRead = signature.includes(' ') ? readDigest(signature.replaceAll(' ', '+'), due) : [];
  const readings = [
    ...blanksRead.map(({ bytes, mistakes }): Reading => ({ bytes, mistakes: [plusBecameBlank, ...mistakes] })),
    ...readDigest(signature, due),
  ];
  return [
    ...readings.flatMap((reading) => [
      ...keys.flatMap((each) => openedTargets(each, reading)),
      ...(Object.hasOwn(macLengths, reading.bytes.length) ? [bytesTarget(reading.mistakes, reading.bytes)] : []),
    ]),
    // The key itself, in place of a signature.
    bytesTarget([], Buffer.from(signature)),
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

function openedTargets({ key, mistakes }: VerifyingKey, { bytes, mistakes: written }: Reading): Target[] {
  if (bytes.length !== signatureLength(key)) return [];
  const opened = openSignature(key, bytes);
  if (opened.padding === 'pkcs1') return [bytesTarget([...mistakes, ...written], opened.payload)];
  if (opened.padding === 'none') return [];
  return pssHashes.map((hash) => {
    const pss: Mistake = {
      name: 'rsa-key-or-method',
      variant: `pss-${hash}`,
      detail: `PSS padding used, with ${hash.toUpperCase()}; it must be PKCS#1 v1.5 padding with SHA-256`,
      fix: 'use PKCS#1 v1.5 padding and SHA-256',
    };
    return { mistakes: [...mistakes, ...written, pss], fits: ({ text }) => isPss(hash, key, text, bytes) };
  });
}

/** What a signature that nothing explains shows by itself: its length, or that another key made it. */
export function unreadMistakes(given: OauthCase, signature: string): Mistake[] {
  const key = publicHalf(given);
  const isRsa = given.signatureMethod === 'RSA-SHA256';
  const due = isRsa ? key && signatureLength(key) : 20;
  if (due === undefined) return [];
  const plain = Buffer.from(signature, 'base64');
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(signature);
  const isPlain = isHex || plain.toString('base64') === signature;
  const length = isHex ? signature.length / 2 : plain.length;
  if (!isPlain) return lengthMistake(`the signature is no Base64; of ${due} bytes that has ${4 * Math.ceil(due / 3)}`);
  const detail = `the signature has ${length} bytes, like ${likeliest(length)}; it must have ${due}`;
  if (length !== due && !isRsa && length < 128) return lengthMistake(detail);
  if (length !== due) {
    const variant = isRsa ? (length < 128 ? 'hmac' : 'other-pair') : 'rsa';
    const fix = isRsa ? otherPair.fix : 'sign with HMAC-SHA1 and the control key';
    return [{ name: 'rsa-key-or-method', variant, detail, fix }];
  }
  if (key === undefined || !isRsa || openSignature(key, plain).padding !== 'none') return [];
  const opened = 'opened with the registered public key the signature has no valid padding: another key made it';
  return [{ ...otherPair, detail: opened }];
}

function likeliest(length: number): string {
  if (length >= 128) return `an RSA signature by a key of ${length * 8} bits`;
  return macLengths[length] === undefined ? 'no signature that is known' : `an HMAC with ${macLengths[length]}`;
}

function lengthMistake(detail: string): Mistake[] {
  const fix = 'use HMAC-SHA1, or RSA-SHA256, as the operation has it, and write its bytes as Base64';
  return [{ name: 'digest', variant: 'length', detail, fix }];
}

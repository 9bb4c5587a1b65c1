import { constants, type KeyObject, publicDecrypt, verify } from 'node:crypto';
import { percentEncode } from '../../wire/form.js';
import { requireRsa } from '../keys/rsa-keys.js';
import type { OauthCase } from './oauth-recipe.js';
import { type Reading, readDigest } from './readings.js';
import type { Mistake, Target } from './search.js';

const macNames: Readonly<Record<number, string>> = {
  ...{ 16: 'MD5', 20: 'SHA-1', 32: 'SHA-256', 48: 'SHA-384', 64: 'SHA-512' },
};

const plusBecameBlank: Mistake = {
  name: 'header-not-encoded',
  variant: 'plus-became-blank',
  detail: 'the + of the signature became spaces: they were not encoded',
  fix: 'percent-encode each value of the Authorization header once, the signature too',
};

/** What a signature may hold, each way of reading it. */
export function signatureTargets({ publicKey, signatureMethod }: OauthCase, signature: string): Target[] {
  const isRsa = signatureMethod === 'RSA-SHA256';
  const ofRsa = publicKey === undefined ? [] : [lengthOf(publicKey)];
  const lengths = isRsa ? ofRsa : Object.keys(macNames).map(Number);
  const read = (text: string) => readDigest(text, { encoding: 'base64', what: 'signature', lengths });
  const blanksRead = signature.includes(' ') ? read(signature.replaceAll(' ', '+')) : [];
  const readings = [
    ...blanksRead.map(({ bytes, mistakes }): Reading => ({ bytes, mistakes: [plusBecameBlank, ...mistakes] })),
    ...read(signature),
  ];
  return readings.flatMap((reading) =>
    isRsa ? openedTargets(publicKey, reading) : [bytesTarget(reading.mistakes, reading.bytes)],
  );
}

function bytesTarget(mistakes: readonly Mistake[], wanted: Buffer): Target {
  const held = wanted.toString('latin1');
  return { mistakes, fits: ({ bytes }) => bytes === held };
}

/** An RSA signature is opened once, which serves for any number of texts. */
function openedTargets(publicKey: KeyObject | undefined, { bytes, mistakes }: Reading): Target[] {
  if (publicKey === undefined) return [];
  const opened = openSignature(publicKey, bytes);
  if (opened !== 'pss') return opened === undefined ? [] : [bytesTarget(mistakes, opened)];
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return ['sha256', 'sha1', 'sha512', 'sha384'].map((hash): Target => {
    const detail = `PSS padding used, with ${hash.toUpperCase()}; it must be PKCS#1 v1.5 padding with SHA-256`;
    const fix = 'use PKCS#1 v1.5 padding and SHA-256';
    const pss: Mistake = { name: 'rsa-key-or-method', variant: `pss-${hash}`, detail, fix };
    const fits = ({ text }: { readonly text: string }) =>
      verify(hash, Buffer.from(text), { key: publicKey, ...padding }, bytes);
    return { mistakes: [...mistakes, pss], fits };
  });
}

/** What PKCS#1 padding holds; undefined where there is no padding, so that another key made the signature. */
function openSignature(publicKey: KeyObject, bytes: Buffer): Buffer | 'pss' | undefined {
  try {
    const key = { key: requireRsa(publicKey, 'public'), padding: constants.RSA_NO_PADDING };
    const hex = publicDecrypt(key, bytes).toString('hex');
    const before = /^0001(?:ff){8,}00/.exec(hex);
    if (before !== null) return Buffer.from(hex.slice(before[0].length), 'hex');
    return hex.endsWith('bc') ? 'pss' : undefined;
  } catch {
    // Larger than the modulus of the key.
    return undefined;
  }
}

function lengthOf(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}

const rightPair =
  'sign with the private key whose public key the gateway has; `paycli keys inspect PRIVATE PUBLIC` compares them';

const macFix = 'sign with HMAC-SHA1 and the control key, which itself is never sent';

/** What a signature that nothing explains shows by itself: its length, or that another key made it. */
export function unreadMistakes({ publicKey, signatureMethod, secret = '' }: OauthCase, signature: string): Mistake[] {
  const isRsa = signatureMethod === 'RSA-SHA256';
  const due = isRsa ? publicKey && lengthOf(publicKey) : 20;
  if (due === undefined) return [];
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(signature);
  const bytes = Buffer.from(signature, isHex ? 'hex' : 'base64');
  const ofMethod = (variant: string, detail: string, fix: string) => [
    { name: 'rsa-key-or-method', variant, detail, fix },
  ];
  if (secret !== '' && [secret, percentEncode(secret)].some((each) => signature.includes(each)))
    return ofMethod('plaintext', 'the control key sent in place of a signature', macFix);
  const ofLength = (detail: string) => {
    const fix = 'use HMAC-SHA1, or RSA-SHA256, as the operation has it, and write its bytes as Base64';
    return [{ name: 'digest', variant: 'length', detail, fix }];
  };
  if (!isHex && bytes.toString('base64') !== signature)
    return ofLength(`the signature is no Base64; of ${due} bytes that has ${4 * Math.ceil(due / 3)} characters`);
  const { length } = bytes;
  const isLong = length >= 128;
  const mac = macNames[length] === undefined ? 'no known signature' : `an HMAC with ${macNames[length]}`;
  const likely = isLong ? `an RSA signature by a key of ${length * 8} bits` : mac;
  const detail = `the signature has ${length} bytes, like ${likely}; it must have ${due}`;
  if (length !== due && isRsa) return ofMethod(isLong ? 'other-pair' : 'hmac', detail, rightPair);
  if (length !== due)
    return isLong ? ofMethod('rsa', detail, 'sign with HMAC-SHA1 and the control key') : ofLength(detail);
  if (publicKey === undefined || !isRsa || openSignature(publicKey, bytes) !== undefined) return [];
  const opened = 'opened with the registered public key the signature has no valid padding: another key made it';
  return ofMethod('other-pair', opened, rightPair);
}

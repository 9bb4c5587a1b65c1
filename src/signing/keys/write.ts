import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import type { Secret } from '../../wire/secret.js';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A new RSA pair. It takes seconds for large ones, off the main thread. */
export function generateRsa(bits: number): Promise<KeyPair> {
  return new Promise((resolve, reject) => {
    generateKeyPair('rsa', { modulusLength: bits, publicExponent: 65_537 }, (error, publicKey, privateKey) => {
      if (error === null) resolve({ privateKey, publicKey });
      else reject(error);
    });
  });
}

/** PEM text. A passphrase goes with PKCS#8 only, as AES-256-CBC under PBKDF2: the encryption of PKCS#1 gives next to no protection. */
export function privatePem(key: KeyObject, form: 'pkcs8' | 'pkcs1', passphrase?: Secret): string {
  if (form === 'pkcs1' || passphrase === undefined) return String(key.export({ type: form, format: 'pem' }));
  return String(key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: passphrase.open() }));
}

/** PEM text of the public half of either half. */
export function publicPem(key: KeyObject, form: 'spki' | 'pkcs1'): string {
  return String((key.type === 'private' ? createPublicKey(key) : key).export({ type: form, format: 'pem' }));
}

import type { KeyRandom, RsaPair } from './ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

// Loaded at first use: not every command needs it, and it costs start-up time.
const crypto = () => process.getBuiltinModule('node:crypto');

export const systemRandom: KeyRandom = {
  letters: (length) => Array.from({ length }, () => alphabet.charAt(crypto().randomInt(alphabet.length))).join(''),
  uuid: () => crypto().randomUUID(),
  below: (bound) => crypto().randomInt(bound),
  rsaPem: () =>
    crypto().generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
};

export function newRsaPair(bits: number): Promise<RsaPair> {
  return new Promise((resolve, reject) => {
    const wish = { modulusLength: bits, publicExponent: 65_537 };
    crypto().generateKeyPair('rsa', wish, (error, publicKey, privateKey) => {
      if (error === null) resolve({ privateKey, publicKey });
      else reject(error);
    });
  });
}

import type { Random, RsaPair } from './ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

// Loaded when it is first asked for: not every command needs it, and it costs start-up time.
const crypto = () => process.getBuiltinModule('node:crypto');

export const systemRandom: Random = {
  letters: (length) => Array.from({ length }, () => alphabet.charAt(crypto().randomInt(alphabet.length))).join(''),
  uuid: () => crypto().randomUUID(),
  below: (bound) => crypto().randomInt(bound),
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

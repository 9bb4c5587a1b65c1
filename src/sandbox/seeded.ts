import { createHash } from 'node:crypto';
import type { Random } from '../runtime/ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The same letters, ids and numbers for the same seed. Nothing secret may come from it. */
export function seededRandom(seed: string): Random {
  let count = 0;
  const next = (): Buffer => {
    count += 1;
    return createHash('sha256').update(`${seed}:${count}`).digest();
  };
  // 48 bits: the share by which small remainders are likelier is far below anything a test could see.
  const below = (bound: number) => next().readUIntBE(0, 6) % bound;
  return {
    below,
    letters: (length) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
    uuid: () => {
      const hex = next().toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
  };
}

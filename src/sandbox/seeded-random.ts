import { createHash } from 'node:crypto';
import type { Random } from '../runtime/ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The same random values for the same seed. Never for secrets, so key pairs are not seeded. */
export function seededRandom(seed: string, { rsaPem }: Pick<Random, 'rsaPem'>): Random {
  let count = 0;
  const next = (): Buffer => {
    count += 1;
    return createHash('sha256').update(`${seed}:${count}`).digest();
  };
  // 48 bits: the modulo bias is too small to matter.
  const below = (bound: number) => next().readUIntBE(0, 6) % bound;
  return {
    rsaPem,
    below,
    letters: (length) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
    uuid: () => {
      const hex = next().toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
  };
}

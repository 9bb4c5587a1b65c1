import { randomInt, randomUUID } from 'node:crypto';
import type { Random } from './ports.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const systemRandom: Random = {
  letters: (length) => Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(''),
  uuid: () => randomUUID(),
  below: (bound) => randomInt(bound),
};

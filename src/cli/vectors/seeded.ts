import { createHash } from 'node:crypto';

/** Chance that depends on a seed and a label alone: what is added elsewhere changes nothing here. Nothing secret may come from it. */
export interface Seeded {
  bytes(label: string, length: number): Buffer;
  hex(label: string, length: number): string;
  below(label: string, bound: number): number;
  /** One of these; an empty text when there are none. */
  pick(label: string, choices: readonly string[]): string;
}

export function seededBy(seed: string): Seeded {
  const bytes = (label: string, length: number) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
      createHash('sha256')
        .update(JSON.stringify([seed, label, at]))
        .digest(),
    );
    return Buffer.concat(blocks).subarray(0, length);
  };
  const below = (label: string, bound: number) => bytes(label, 6).readUIntBE(0, 6) % bound;
  return {
    bytes,
    hex: (label, length) =>
      bytes(label, Math.ceil(length / 2))
        .toString('hex')
        .slice(0, length),
    below,
    pick: (label, choices) => choices[below(label, choices.length)] ?? '',
  };
}

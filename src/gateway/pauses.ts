import type { Random } from '../runtime/ports.js';

const usual: readonly number[] = [0, 2000, 5000, 15_000, 60_000, 300_000];
const sandbox: readonly number[] = [0, 100, 400];

/** Milliseconds before each question about an unknown outcome. */
export function unknownPauses(profileClass: string): readonly number[] {
  return profileClass === 'sandbox' ? sandbox : usual;
}

/** A fifth more or less, so that many do not ask at once. */
export function jittered(ms: number, random: Pick<Random, 'below'>): number {
  return ms === 0 ? 0 : Math.floor(ms * 0.8) + random.below(Math.floor(ms * 0.4) + 1);
}

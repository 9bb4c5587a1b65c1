/** By day a sample; EVERY_WAY=1 takes all of it. */
export const isEvery = process.env['EVERY_WAY'] !== undefined;

/**
 * One in so many of a list, and for each `at` others, so that no kind is left out where lists are tried one after the
 * other.
 */
export function oneIn<T>(many: number, all: readonly T[], at: number): readonly T[] {
  return isEvery ? all : all.filter((_, index) => (index + at) % many === 0);
}

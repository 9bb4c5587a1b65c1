import { isPaycliError } from './error.js';

/**
 * Does some work, then closes what it used, whatever came of it. The first error wins: when closing fails as well, that is told beside
 * it (`PaycliError.beside`), and never in its place.
 */
export async function thenClose<T>(work: () => T | Promise<T>, close: () => unknown): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (first) {
    try {
      await close();
    } catch (second) {
      if (isPaycliError(first) && isPaycliError(second)) first.beside ??= second;
    }
    throw first;
  }
  await close();
  return result;
}

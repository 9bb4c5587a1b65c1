import { afterEach, beforeEach, expect } from 'vitest';
import { type Ran, paycli as runs, type TestOptions } from '../support/runtime.js';

/** A control key that no command may show. */
export const canaryKey = 'AF4B9B1A-CANARY-KEY-7E21';
// printf %s KEY | openssl dgst -sha256 -hmac 'paycli control key fingerprint 1' | cut -c1-8
export const canaryFingerprint = 'ab12f894';

/** Runs commands of a test, none of which may print one of these words, or that key. */
export function neverPrinting(words: readonly string[], usual: Readonly<Record<string, string>> = {}) {
  let printed = '';
  beforeEach(() => {
    printed = '';
  });
  afterEach(() => {
    for (const word of ['CANARY', ...words]) expect(printed).not.toContain(word);
  });
  return async (argv: readonly string[], options: TestOptions = {}): Promise<Ran> => {
    const ran = await runs(argv, { ...options, env: { ...usual, ...options.env } });
    printed += ran.out + ran.err;
    return ran;
  };
}

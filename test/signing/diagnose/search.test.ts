import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { diagnoseOauth } from '../../../src/signing/diagnose/index.js';
import { explain, type Row } from '../../../src/signing/diagnose/search.js';
import { plain, requestOf } from './orders.js';

/** Thirty in a long run. */
const many = process.env['FC_RUNS'] === undefined ? 5 : 30;

interface Recipe {
  readonly done: readonly number[];
}

/** Mistakes that leave a mark each, one behind the other. */
const rows = (count: number): Row<Recipe>[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ name: 'digest', variant: `v${at}`, detail: '', fix: '', isCommon: false },
    change: ({ done }) => ({ done: [...done, at] }),
  }));

/** How often a signature is made, and which mistakes explain the marks that are shown. */
function search(count: number, maxPairs: number, shown: string) {
  let tries = 0;
  const make = ({ done }: Recipe) => {
    tries += 1;
    const text = done.join();
    return { text, bytes: createHash('sha1').update(text).digest('binary') };
  };
  const found = explain<Recipe>({
    ...{ right: { done: [] }, rows: () => rows(count), make, maxPairs },
    targets: [{ mistakes: [], fits: ({ text }) => text === shown }],
  });
  return { tries, named: found?.mistakes.map(({ variant }) => variant) };
}

describe('the search', () => {
  test.each([0, 1, 1000])('with at most %i pairs makes no more signatures than that and one a mistake', (maxPairs) => {
    expect(search(300, maxPairs, 'nothing like it')).toEqual({ tries: 1 + 300 + maxPairs, named: undefined });
  });

  test('ends where no pair is left', () => {
    // Both orders of each of the 45 pairs.
    expect(search(10, 1000, 'nothing like it')).toEqual({ tries: 1 + 10 + 90, named: undefined });
  });

  test('never leaves out a single mistake for the bound, and finds pairs below it', () => {
    expect(search(300, 0, '299').named).toEqual(['v299']);
    expect(search(300, 0, '1,0').named).toBeUndefined();
    expect(search(300, 10, '1,0').named).toEqual(['v0', 'v1']);
  });

  test(`gives the same answer to the same request of ${many} fields twice`, () => {
    const body = Array.from({ length: many }, (_, at) => [`field${at}`, `value ${at}!`] as const);
    const given = requestOf({ ...plain, body });
    const signature = createHash('sha1').update('another request').digest('base64');
    const before = process.cpuUsage();
    const first = diagnoseOauth(given, { signature });
    expect(first).toMatchObject({ match: false, mistakes: [] });
    expect(diagnoseOauth(given, { signature })).toEqual(first);
    // In microseconds of the processor, which other work on the machine does not change: two seconds each.
    expect(process.cpuUsage(before).user).toBeLessThan(4_000_000);
  });
});

import type { Runtime } from '../../runtime/ports.js';
import { allOperations, interfaceLabel } from '../../spec/index.js';
import type { CommonOptions } from '../options.js';
import { Reporter } from '../reporter.js';
import { keyTexts, vectorKeys } from '../vectors/keys.js';
import { seededBy } from '../vectors/seeded.js';
import { vectorsOf } from '../vectors/vectors.js';
import { operationCalled } from './recipe.js';

export interface VectorOptions extends CommonOptions {
  readonly seed?: string;
}

/** Prints test vectors of one operation, or of all. No profile goes into them, and nobody's key. */
export function runSignVectors(name: string, options: VectorOptions, runtime: Runtime): number {
  const rows = name === '' ? allOperations : [operationCalled(name, 'sign vectors')];
  const seed = options.seed ?? 'paycli';
  const seeded = seededBy(seed);
  const keys = vectorKeys(seeded);
  const vectors = rows.flatMap((row) => vectorsOf(row, keys, seeded));
  new Reporter(options, undefined, runtime).document({
    schema: 'paycli.vectors/1',
    interface: interfaceLabel,
    seed,
    keys: keyTexts(keys),
    vectors,
  });
  return 0;
}

import type { Runtime } from '../../runtime/ports.js';
import { allOperations, interfaceLabel } from '../../spec/index.js';
import { printableJson } from '../../wire/redact.js';
import { operationCalled } from '../operation-called.js';
import type { CommonOptions } from '../options.js';
import { Reporter } from '../reporter.js';
import { keyTexts, vectorKeys } from '../vectors/keys.js';
import { seededBy } from '../vectors/seeded.js';
import { vectorsOf } from '../vectors/vectors.js';

export interface VectorOptions extends CommonOptions {
  readonly seed?: string;
}

/** Prints test vectors of one operation, or of all. No profile goes into them, and nobody's key. */
export async function runSignVectors(name: string, options: VectorOptions, runtime: Runtime): Promise<number> {
  const rows = name === '' ? allOperations : [operationCalled(name, 'sign vectors')];
  const seed = options.seed ?? 'paycli';
  const seeded = seededBy(seed);
  const keys = vectorKeys(seeded);
  const vectors = rows.flatMap((row) => vectorsOf(row, keys, seeded));
  const document = { schema: 'paycli.vectors/1', interface: interfaceLabel, seed, keys: keyTexts(keys), vectors };
  await new Reporter(options, undefined, runtime).show({
    document,
    list: 'vectors',
    // Nobody reads them but programs.
    sheet: () => ({
      columns: [{ head: 'id' }, { head: 'scheme' }, { head: 'about', flexible: true }],
      rows: vectors.map(({ id, scheme, about }) => [id, scheme, about]),
    }),
    text: () => printableJson(`${JSON.stringify(document, null, 2)}\n`),
  });
  return 0;
}

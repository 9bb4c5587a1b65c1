import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { scenarios } from './scenarios.js';
import type { CallOptions, Shop } from './shop.js';
import type { Values } from './signer.js';

export interface Prepared {
  readonly shop: Shop;
  /** Values that are accepted as they stand. */
  readonly values: Values;
}

export type Around = (prepared: () => Prepared) => void;

/**
 * Tests of refusals around one request that would be accepted. When they are over, the order must stand where it stood,
 * and the request itself must still be accepted: a refusal uses up nothing.
 */
export function aroundGood(id: OperationId, shop: () => Shop, tests: Around, options: CallOptions = {}): void {
  let prepared: Prepared | undefined;
  let before: Values = {};
  describe(id, () => {
    beforeAll(async () => {
      const values = await scenarios[id](shop());
      prepared = { shop: shop(), values };
      before = await shop().stateOf(values);
    });
    tests(() => {
      if (prepared === undefined) throw new Error('nothing is prepared');
      return prepared;
    });
    test('and nothing has changed by all that', async () => {
      const { values } = prepared ?? { values: {} };
      expect(await shop().stateOf(values)).toEqual(before);
      await shop().accepted(id, values, options);
    });
    afterAll(() => {
      prepared = undefined;
    });
  });
}

/** A test of operations that have what it is about; for the others there is none, rather than a skipped one. */
export function testWhere(applies: boolean, name: string, run: () => Promise<void>): void {
  if (applies) test(name, run);
}

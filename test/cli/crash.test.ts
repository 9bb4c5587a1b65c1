import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { saleFlags } from './profiles.js';

const card = '4444333322221111';

test('a fault of paycli names its class and its place, and no value', async () => {
  const home = temporaryHome();
  const fault = new TypeError(`bad card ${card} of jane@example.com\n    at ${card} (src/cli/${card}.ts:1:1)`);
  const outside = <Usual>(usual: Usual): Usual => ({ ...usual, database: () => Promise.reject(fault) });
  const ran = await paycli([...saleFlags, '--profile', 'sandbox'], { home, outside });
  expect([ran.exit, ran.out]).toEqual([1, '']);
  expect(ran.err).toMatch(/paycli itself failed: TypeError at test\/cli\/crash\.test\.ts:\d+:\d+/);
  expect(ran.err).toContain('its outcome is unknown');
  for (const planted of [card, 'jane', process.cwd(), home]) expect(ran.err).not.toContain(planted);
  expect(existsSync(join(home, 'state', 'crash'))).toBe(false);
});

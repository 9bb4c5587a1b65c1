import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, taken } from './profiles.js';

const home = () => homeWithProfile({ more: ['defaults: { currency: EUR }'] });
const answer = () => reply(200, { ...taken, 'merchant-order-id': 'p-1' });
const order = ['12345', '--client-order-id', 'p-1'];

test.each([
  ['a void', ['void', ...order], [answer]],
  ['a return of all', ['return', ...order, '--all'], [answer]],
  ['a capture of all', ['capture', ...order, '--all'], [answer]],
] as const)('a currency that is usual in a profile is left out of %s, which takes none', async (_, argv, network) => {
  const ran = await paycli(argv, { home: home(), network });
  expect(ran.exit, ran.err).toBe(0);
  expect(String(ran.requests.at(-1)?.body)).not.toContain('currency');
});

test.each(['void', 'return', 'capture'])('so it is in the rows of a batch: %s', async (operation) => {
  const folder = home();
  writeFileSync(join(folder, 'rows.csv'), 'order-id,client-order-id\n12345,p-1\n');
  const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', operation, '--expect-count', '1'], {
    home: folder,
  });
  expect(ran.exit, ran.err).toBe(0);
});

test('but one that is typed is refused', async () => {
  const ran = await paycli(['void', ...order, '--currency', 'EUR'], { home: home() });
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--currency is not allowed here')]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Home } from '../e2e/home.js';

const home = new Home();
afterAll(() => home.remove());

beforeAll(async () => {
  const account = '--account-number DE89370400440532010 --bank-name Bank --bank-branch Main --client-order-id row-1';
  const paid = await home.shell(`paycli payout --amount 10.42 --currency EUR ${account} --profile sandbox`);
  expect(paid.err + paid.out).toContain('row-1');
});

test.each([
  ['journal', ''],
  ['resolve', 'row-1 --profile sandbox'],
])('%s with its output on a full disk names itself as what to run again', async (command, words) => {
  const ran = await home.shell(`paycli ${command} ${words} > /dev/full`);
  expect(ran, ran.err).toMatchObject({ exit: 13, err: expect.stringContaining('standard output') });
  expect(ran.err).toContain(`then run \`paycli ${command}\` again`);
});

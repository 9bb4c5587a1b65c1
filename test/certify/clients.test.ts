// @module-tag python3
// @module-tag openssl
import { expect, test } from 'vitest';
import { type Scenario, scenarios } from '../../src/certify/index.js';
import { certified } from './certified.js';

const shop = ['python3', 'test/certify/clients/shop.py'];
const named = (...names: readonly string[]) => scenarios.filter(({ name }) => names.includes(name));

async function notPassed(env: Record<string, string>, chosen: readonly Scenario[]) {
  const judged = await certified(shop, env, chosen);
  return judged.filter(({ verdict }) => verdict !== 'passed').map(({ scenario, verdict }) => [scenario.name, verdict]);
}

test('a careful client passes', { timeout: 300_000 }, async () => {
  const some = named('approved', 'payout-two-steps', 'killed-before-reply');
  // All of them with EVERY_CLIENT=1, in .ci/nightly.
  expect(await notPassed({}, process.env['EVERY_CLIENT'] === undefined ? some : scenarios)).toEqual([]);
});

test.concurrent.each([
  ['resends on timeout', 'reply-lost'],
  ['believes callbacks', 'callback-forged'],
  ['takes 500 for a no', 'error-500-recorded'],
  ['decimals in the checksum', 'capture-part'],
])('a client that %s fails in %s', { timeout: 120_000 }, async (fault, name) => {
  expect(await notPassed({ FAULT: fault }, named(name))).toEqual([[name, 'failed']]);
});

test('a client that loses its state when it is killed pays twice', { timeout: 120_000 }, async () => {
  const [judged] = await certified(shop, { FAULT: 'loses state when killed' }, named('killed-before-reply'));
  expect(judged?.reasons).toContain('money moved 2 times for one order');
});

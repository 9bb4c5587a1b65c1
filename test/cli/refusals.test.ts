import { expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, rsaKey, saleFlags, taken } from './profiles.js';

const wrongControl = () =>
  reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '2' });
const wrongSignature = () => reply(401, { type: 'error', 'error-message': 'bad signature', 'error-code': '3' });
const statusRecipe = /SHA-1 over login, client_orderid, orderid and the merchant control key/;

test('a refused control: recipe, profile, fingerprint, and what to run', async () => {
  const ran = await paycli(saleFlags, { home: homeWithProfile(), network: [wrongControl] });
  expect(ran.exit).toBe(4);
  expect(ran.err).toMatch(
    /SHA-1 over endpointId, client_orderid, amount in minor units, email and the merchant control key/,
  );
  expect(ran.err).toMatch(/control key fingerprint [0-9a-f]{8} of profile shop/);
  expect(ran.err).toContain('belong together: `paycli doctor --online`');
  expect(ran.err).toContain('`paycli sign sale --explain` with the same flags');
});

test('a refused RSA signature: the fingerprint is that of the key pair', async () => {
  const home = homeWithProfile();
  const flags = ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', rsaKey(home)];
  const ran = await paycli(flags, { home, network: [wrongSignature] });
  expect(ran.exit).toBe(4);
  expect(ran.err).toMatch(
    /login my-shop and private key fingerprint SHA256:[0-9a-f]{64} of profile shop belong together: .* OAuth 1\.0a RSA-SHA256 over all fields/,
  );
  expect(ran.err).toContain('`paycli sign payout pay --explain` with the same flags');
});

test('status refused while a payment is waited for', async () => {
  const network = [() => reply(200, taken), wrongControl];
  const ran = await paycli([...saleFlags, '--wait'], { home: homeWithProfile(), network });
  expect(ran.exit).toBe(7);
  expect(ran.err).toContain('querying the outcome failed');
  expect(ran.err).toMatch(statusRecipe);
});

import { expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const declined = reply(
  200,
  statusReply('declined', {
    ...{ 'transaction-type': 'reversal', 'order-stage': 'reversal_declined', 'error-message': 'No such card' },
    ...{ amount: '5.00', currency: 'USD', 'initial-amount': '10.42' },
  }),
);

async function homeWithSale(): Promise<string> {
  const home = homeWithProfile();
  await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
  return home;
}

test('an order whose return was declined is approved still, and its screen says what was declined', async () => {
  const home = await homeWithSale();
  const { out } = await paycli(['order', '12345'], { home, network: [() => declined] });
  expect(out).toMatch(/^ {2}status +approved$/m);
  expect(out).toMatch(/^ {2}last request +return declined \(No such card\); the order is as it was before$/m);
  const inJson = await paycli(['order', '12345', '--json'], { home, network: [() => declined] });
  expect(JSON.parse(inJson.out)).toMatchObject({ status: 'approved', stage: 'sale_approved' });
});

test('a status says which transaction was declined, and leads to the order', async () => {
  const home = await homeWithSale();
  const { out, exit } = await paycli(['status', '12345', '--wait'], { home, network: [() => declined] });
  expect(exit).toBe(5);
  expect(out).toContain(
    '✗ return declined by the bank or the gateway (No such card); the order is as it was before\nnext: paycli order 12345',
  );
});

test('a sale that was declined is declined', async () => {
  const home = await homeWithSale();
  const sale = reply(200, statusReply('declined', { 'transaction-type': 'sale', 'order-stage': 'sale_declined' }));
  const { out } = await paycli(['order', '12345'], { home, network: [() => sale] });
  expect(out).toMatch(/^ {2}status +declined$/m);
});

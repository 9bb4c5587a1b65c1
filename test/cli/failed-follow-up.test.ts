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

test('a status says which transaction was declined, and leads to the order', async () => {
  const home = await homeWithSale();
  const { out, exit } = await paycli(['status', '12345', '--wait'], { home, network: [() => declined] });
  expect(exit).toBe(5);
  expect(out).toContain(
    '✗ return declined by the bank or the gateway (No such card); the order is as it was before\nnext: paycli order 12345',
  );
});

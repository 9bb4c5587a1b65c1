import { expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';

const create = [
  ...['recurring', '--client-order-id', 'club-1', '--recurring-card-type', 'SRC', '--test-card', 'approved'],
  ...[
    '--currency',
    'EUR',
    '--first-name',
    'Jane',
    '--last-name',
    'Doe',
    '--email',
    'jane@example.com',
    '--address1',
    'Example Street 1',
  ],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--period', 'monthly', '--interval', '1'],
];

test.each([
  [
    'a schedule that ends before it begins',
    ['--amount', '10.00', '--start-date', '2030-03-01', '--finish-date', '2030-02-28'],
    '--start-date is after --finish-date',
  ],
  ['a range turned round', ['--amount-from', '10.00', '--amount-to', '9.00'], '--amount-from is more than --amount-to'],
])('%s is refused before anything is sent', async (_, own, why) => {
  const ran = await paycli([...create, ...own]);
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(why)]);
});

test('a schedule of one day is taken', async () => {
  const ran = await paycli([
    ...create,
    '--amount',
    '10.00',
    '--start-date',
    '2030-03-01',
    '--finish-date',
    '2030-03-01',
  ]);
  expect(ran.exit, ran.err).toBe(0);
});

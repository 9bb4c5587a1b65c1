import { expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { openListeningSandbox } from './listening-sandbox.js';
import { homeWithProfile } from './profiles.js';

const money = ['--amount', '10.42', '--currency', 'EUR'];
const payer = [
  ...[
    '--order-desc',
    'Two tickets',
    '--email',
    'jane@example.com',
    '--phone',
    '+4930123456',
    '--address1',
    'Example Street 1',
  ],
  ...['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE', '--ip-address', '192.0.2.10'],
];

/** Every operation whose payer may meet 3-D Secure outside a hosted page. */
const opening: Readonly<Record<string, readonly string[]>> = {
  SALE: ['sale', ...money, ...payer],
  PREAUTH: ['preauth', ...money, ...payer],
  ACCOUNT_VERIFICATION: ['account-verification', ...payer],
  TRANSFER_V4: ['transfer', ...money, '--destination-card-number', '5555666644441111', '--ip-address', '192.0.2.1'],
};

// The card payments need redirect_url, so only the others come without one.
const withoutAddress = ['ACCOUNT_VERIFICATION', 'TRANSFER_V4'];

test.each(Object.entries(opening).filter(([id]) => !withoutAddress.includes(id)))(
  '%s is refused without redirect_url',
  async (_, line) => {
    const sandbox = openListeningSandbox({ withoutRedirectUrl: true });
    // A test card would bring a payer with it, and the address the payer comes back to.
    const card = ['--card-number', '4444000011118888', '--card-holder', 'A B', '--cvv', '123'];
    const ran = await sandbox.run([...line, ...card, '--expire-month', '12', '--expire-year', '2035', '--no-input']);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--redirect-url')]);
    expect(sandbox.requests).toEqual([]);
  },
);

test.each([
  ['cres', '--cres', ''],
  ['pares', '--pares', ''],
  ['cres', '--field', 'cRes='],
  ['pares', '--field', 'paRes='],
])('upload-3ds %s refuses an empty message: %s "%s"', async (kind, flag, value) => {
  const ran = await paycli(['upload-3ds', kind, '1', '--client-order-id', 'o', flag, value, '--no-input'], {
    home: homeWithProfile(),
  });
  expect([ran.exit, ran.requests]).toEqual([2, []]);
});

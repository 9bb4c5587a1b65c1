import { expect, test } from 'vitest';
import { openFixture } from '../batch/command.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const money = ['--amount', '10.42', '--currency', 'EUR', '--client-order-id', 'o-1'];
const bank = ['--bank-name', 'Bank', '--bank-branch', 'Main'];
// The end of each by hand: of eight characters or more the last four, of fewer none.
const destinations: readonly (readonly [name: string, flags: readonly string[], whole: string, shown: string])[] = [
  ['account_number', ['--account-number', 'DE89370400440532013000', ...bank], 'DE8937040044053201', '•••• 3000'],
  ['receiver_phone', ['--receiver-phone', '+4930123456', '--bank-id', '7'], '+493012', '•••• 3456'],
  ['wallet_id', ['--wallet-type', 'x', '--wallet-id', 'wallet-of-jane'], 'wallet-of', '•••• jane'],
  ['wallet_id', ['--wallet-type', 'x', '--wallet-id', 'jane-17'], 'jane', '••••'],
];

test.each(destinations)(
  '%s %j: only the end is in -v, all of it in what is signed',
  async (name, flags, whole, shown) => {
    const home = temporaryHome();
    const payout = ['payout', 'send', ...money, ...flags];
    const sent = await paycli([...payout, '-v'], { home });
    expect([sent.exit, sent.out + sent.err]).toEqual([0, expect.not.stringContaining(whole)]);
    expect(sent.err).toContain(`> ${name} = ${shown}\n`);
    // What is signed is shown with exactly these values.
    const signed = await paycli(['sign', ...payout, '--stage', 'parameters'], { home });
    expect([signed.exit, signed.out], signed.err).toEqual([0, expect.stringContaining(encodeURIComponent(whole))]);
  },
);

test('a dry run of a batch shows the end of an account; its plan and what is sent are as they were', async () => {
  const row = 'row-1,10.42,EUR,DE89370400440532013000,Bank,Main';
  const fixture = openFixture(`client_orderid,amount,currency,account_number,bank_name,bank_branch\n${row}\n`);
  const plan = await fixture.plan();
  const dry = await fixture.run(['batch', 'run', plan, '--dry-run']);
  expect([dry.exit, dry.err]).toEqual([0, expect.stringContaining('> account_number = •••• 3000\n')]);
  expect(dry.err).not.toContain('DE8937040044053201');
  expect((await fixture.run(['batch', 'run', plan])).exit).toBe(0);
});

test('the phone of a payer is no destination of money, and is shown as before', async () => {
  const sale = ['sale', ...money, '--test-card', 'approved', '--phone', '+4930123456', '-v'];
  expect((await paycli(sale, { home: temporaryHome() })).err).toContain('> phone = +4930123456\n');
});

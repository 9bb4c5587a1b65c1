import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, type ProfileSpec, rsaKey, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { Home } from '../e2e/home.js';
import { type Gateway, profileText, startGateway } from '../e2e/shop.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';

// What somebody met who tried what is beside the accidents that were known.

const unknownOrder = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });
const usedId = reply(400, { type: 'error', 'error-message': 'Duplicate order', 'error-code': '9' });
const run = (home: string, argv: readonly string[], replies: readonly Delivery[], more: TestOptions = {}) =>
  paycli(argv, { home, network: replies.map((each) => () => each), ...more });
const paths = ({ requests }: Ran) => requests.map(({ url }) => new URL(url).pathname.split('/').at(-2));
const machine = (spec: ProfileSpec = {}) => homeWithProfile({ asksFirst: true, ...spec });
const accepted = (id: string, order = '12345') =>
  reply(200, { ...taken, 'merchant-order-id': id, 'paynet-order-id': order });
const status = (id: string, fields: Readonly<Record<string, string>>) =>
  reply(200, { ...statusReply('approved', fields), 'merchant-order-id': id });

const account = ['--account-number', 'DE02120300000000202051', '--bank-name', 'DKB', '--bank-branch', 'Berlin'];
const money = ['--amount', '50.00', '--currency', 'EUR'];
const paid = { 'transaction-type': 'payout', amount: '50.00', currency: 'EUR' };

describe('a payout in two steps', () => {
  const check = (id: string, home: string) => [
    ...['payout', 'check', ...money, ...account, '--client-order-id', id, '--private-key-file', rsaKey(home)],
  ];

  test.each([
    ['paid', [accepted('a'), status('a', paid)], 0],
    ['lost', [{ kind: 'lost', reason: 'reset' } as const], 8],
  ])('is not begun for a payout that was just %s in one step', async (_, replies, exit) => {
    const home = homeWithProfile();
    const first = ['payout', 'send', ...money, ...account, '--client-order-id', 'a', ...(exit === 0 ? ['--wait'] : [])];
    expect((await run(home, first, replies)).exit).toBe(exit);
    const second = await run(home, check('b', home), []);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(paths(await run(home, [...check('b', home), '--again'], [accepted('b', '777')]))).toEqual(['payout-check']);
  });

  test('is asked about by its id before the check is sent', async () => {
    const home = machine();
    const elsewhere = await run(home, check('x', home), [status('x', paid)]);
    expect([elsewhere.exit, paths(elsewhere)]).toEqual([10, ['status']]);
    expect(paths(await run(home, check('x', home), [unknownOrder, accepted('x')]))).toEqual(['status', 'payout-check']);
  });
});

test.each([
  ['a rebill of another amount', ['rebill', '--card-ref-id', '7', '--amount', '99.00'], { amount: '30.00' }],
  ['a sale with another card', [...saleFlags.slice(0, 1), ...saleFlags.slice(3)], { 'last-four-digits': '4444' }],
])('%s under an id that is used: exit 10, nothing sent', async (_, words, other) => {
  const more = words[0] === 'rebill' ? ['--currency', 'USD', '--order-desc', 'x', '--ip-address', '192.0.2.1'] : [];
  const type = { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' };
  const ran = await run(machine(), [...words, ...more, '--client-order-id', 'x'], [status('x', { ...type, ...other })]);
  expect([ran.exit, paths(ran)]).toEqual([10, ['status']]);
});

describe('an id that was used already, of what status does not find', () => {
  test('leaves a recurring payment in doubt, not refused', async () => {
    const home = machine();
    const card = saleFlags.slice(saleFlags.indexOf('--card-number'), saleFlags.indexOf('--cvv') + 2);
    const names = ['--first-name', 'Jane', '--last-name', 'Doe', '--email', 'j@example.com', '--address1', 'Street 1'];
    const place = [
      '--city',
      'Berlin',
      '--zip-code',
      '10115',
      '--country',
      'DE',
      '--period',
      'monthly',
      '--interval',
      '1',
    ];
    const argv = ['recurring', '--recurring-card-type', 'SRC', ...card, ...money, ...names, ...place];
    const key = ['--private-key-file', rsaKey(home), '--client-order-id', 'x', '--json'];
    const ran = await run(home, [...argv, ...key], [usedId]);
    expect([ran.exit, paths(ran)], ran.err).toEqual([8, ['create-recurring-payment']]);
    const { entries } = JSON.parse((await run(home, ['journal', '--json'], [])).out);
    expect(entries).toMatchObject([{ state: 'unknown' }]);
  });
});

test('a request to an undescribed path is asked about by the client order id that it gives', async () => {
  const argv = [
    'request',
    '/api/v9/pay',
    '--scheme',
    'hmac-sha1',
    '--field',
    'amount=1',
    '--field',
    'client_orderid=x',
  ];
  const ran = await run(machine(), argv, [status('x', paid)]);
  expect([ran.exit, paths(ran)]).toEqual([10, ['status']]);
  expect(paths(await run(machine(), argv, [unknownOrder, accepted('x')]))).toEqual(['status', 'pay']);
});

test('a return is not sent while the gateway does not say what was returned', async () => {
  const argv = ['return', '12345', '--client-order-id', '902B4FF5', '--amount', '5.00', '--currency', 'USD'];
  const lost = { kind: 'lost', reason: 'reset' } as const;
  const ran = await run(machine(), argv, [lost, lost, lost]);
  expect([ran.exit, new Set(paths(ran))]).toEqual([6, new Set(['status'])]);
});

test('that the gateway was not asked is said with --quiet, too', async () => {
  const ran = await run(homeWithProfile(), [...saleFlags, '--quiet'], [reply(200, taken)]);
  expect([ran.exit, ran.err]).toEqual([0, expect.stringContaining('ask-first')]);
});

test.each([
  ['the names of fields', [...saleFlags, '--fields=']],
  ['a plan whose variable was empty', ['batch', 'run', 'b-']],
])('%s: exit 2, nothing sent', async (_, argv) => {
  const home = homeWithProfile();
  const file = join(home, 'p.csv');
  writeFileSync(file, `client_orderid,amount,currency,account_number,bank_name,bank_branch\na,5.00,EUR,DE1,B,M\n`);
  const plan = ['batch', 'plan', file, '--operation', 'payout', '--expect-count', '1', '--expect-total', 'EUR=5.00'];
  expect((await run(home, plan, [])).exit).toBe(0);
  const ran = await run(home, argv, []);
  expect([ran.exit, ran.requests]).toEqual([2, []]);
});

test.each(['PAYCLI_STATE_DIR', 'PAYCLI_CONFIG_DIR'])('a relative %s is no folder: exit 3', async (name) => {
  const home = new Home();
  try {
    const ran = await home.run(['sale', ...money, '--test-card', 'approved'], { [name]: 'state' });
    expect(ran.exit, ran.err).toBe(3);
    expect(existsSync(join(home.path, 'state', 'requests.db'))).toBe(false);
  } finally {
    home.remove();
  }
});

describe('a file of returns that another machine has sent', () => {
  let gateway: Gateway;
  const homes: Home[] = [];
  beforeAll(async () => {
    gateway = await startGateway(['--settle-ms', '0']);
  }, 60_000);
  afterAll(async () => {
    for (const home of homes) home.remove();
    await gateway.close();
  });

  test('is not sent again', async () => {
    const config = `default-profile: shop\nprofiles:\n${profileText('shop', gateway.url, gateway.keys)}`;
    const [one, other] = [new Home(config), new Home(config)];
    homes.push(one, other);
    const sale = ['sale', '--amount', '20.00', '--currency', 'EUR', '--test-card', 'approved', '--wait', '--json'];
    const { orderId, clientOrderId } = JSON.parse((await one.call([...sale, '--client-order-id', 'r-1'])).out).order;
    const lines = `orderid,client_orderid,amount,currency\n${orderId},${clientOrderId},5.00,EUR\n`;
    const plan = async (home: Home) => {
      const file = home.write('returns.csv', lines);
      const counts = ['--expect-count', '1', '--expect-total', 'EUR=5.00', '--json'];
      const ran = await home.call(['batch', 'plan', file, '--operation', 'return', ...counts]);
      expect(ran.exit, ran.err).toBe(0);
      return String(JSON.parse(ran.out).plan);
    };
    const first = await one.call(['batch', 'run', await plan(one), '--json']);
    expect(first.exit, first.err).toBe(0);
    const second = await other.call(['batch', 'run', await plan(other), '--json']);
    expect(second.exit, second.err).toBe(10);
    const shown = JSON.parse((await one.call(['status', orderId, '--json'])).out).result;
    expect(shown['total-reversal-amount']).toBe('5.00');
  });
});

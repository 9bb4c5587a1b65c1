import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, rsaKey, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { FakeGateway } from './fake-gateway.js';

// What somebody met who tried what is beside the accidents that were known.

const unknownOrder = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });
const usedId = reply(400, { type: 'error', 'error-message': 'Duplicate order', 'error-code': '9' });
const run = (home: string, argv: readonly string[], replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((each) => () => each) });
const paths = ({ requests }: Ran) => requests.map(({ url }) => new URL(url).pathname.split('/').at(-2));
const machine = () => homeWithProfile({ asksFirst: true });
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

  test('is not begun for a payout that was just sent in one step, and whose reply was lost', async () => {
    const home = homeWithProfile();
    const first = ['payout', 'send', ...money, ...account, '--client-order-id', 'a'];
    expect((await run(home, first, [{ kind: 'lost', reason: 'reset' }])).exit).toBe(8);
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

test('an id that was used already leaves a recurring payment, which status does not find, in doubt', async () => {
  const home = machine();
  const card = saleFlags.slice(saleFlags.indexOf('--card-number'), saleFlags.indexOf('--cvv') + 2);
  const names = ['--first-name', 'Jane', '--last-name', 'Doe', '--email', 'j@example.com', '--address1', 'Street 1'];
  const place = ['--city', 'Berlin', '--zip-code', '10115', '--country', 'DE'];
  const every = ['--period', 'monthly', '--interval', '1'];
  const argv = ['recurring', '--recurring-card-type', 'SRC', ...card, ...money, ...names, ...place, ...every];
  const ran = await run(home, [...argv, '--private-key-file', rsaKey(home), '--client-order-id', 'x'], [usedId]);
  expect([ran.exit, paths(ran)], ran.err).toEqual([8, ['create-recurring-payment']]);
  const { entries } = JSON.parse((await run(home, ['journal', '--json'], [])).out);
  expect(entries).toMatchObject([{ state: 'unknown' }]);
});

test('a request to an undescribed path is asked about by the client order id that it gives', async () => {
  const fields = ['--field', 'amount=1', '--field', 'client_orderid=x'];
  const argv = ['request', '/api/v9/pay', '--scheme', 'hmac-sha1', ...fields];
  const ran = await run(machine(), argv, [status('x', paid)]);
  expect([ran.exit, paths(ran)]).toEqual([10, ['status']]);
  expect(paths(await run(machine(), argv, [unknownOrder, accepted('x')]))).toEqual(['status', 'pay']);
});

test('a file of returns that another machine has sent is not sent again', async () => {
  const gateway = new FakeGateway();
  const home = machine();
  const file = join(home, 'returns.csv');
  writeFileSync(file, 'orderid,client_orderid,amount,currency\n71,r-1,5.00,EUR\n', { mode: 0o600 });
  const words = ['--operation', 'return', '--expect-count', '1', '--expect-total', 'EUR=5.00'];
  const planned = await gateway.run(home, ['batch', 'plan', file, ...words]);
  expect(planned.exit, planned.err).toBe(0);
  gateway.orders.set('r-1', {
    ...{ 'transaction-type': 'reversal', status: 'approved', currency: 'EUR', amount: '5.00' },
    ...{ 'initial-amount': '20.00', 'total-reversal-amount': '5.00', 'paynet-order-id': '71' },
  });
  const ran = await gateway.run(home, ['batch', 'run', String(JSON.parse(planned.out).plan)]);
  expect([ran.exit, gateway.asked().filter((asked) => asked.startsWith('return'))]).toEqual([10, []]);
});

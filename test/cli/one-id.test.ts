import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, HttpRequest } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

// The sale of saleFlags has client order id 902B4FF5, its reply order id 12345.
const takenAs = (clientOrderId: string) => reply(200, { ...taken, 'merchant-order-id': clientOrderId });

const notFound = reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const run = (home: string, argv: string | readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

/** An approved sale. */
async function homeWithSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus))).exit).toBe(0);
  return home;
}

const fieldsOf = (request: HttpRequest | undefined) => Object.fromEntries(new URLSearchParams(String(request?.body)));

describe('a follow-up takes either id of an order', () => {
  test.each([
    ['the client order id', ['902B4FF5']],
    ['the order id of the gateway', ['12345']],
    ['the client order id by its flag', ['--client-order-id', '902B4FF5']],
    ['the order id by its flag', ['--order-id', '12345']],
  ])('%s: the other one and the currency come from the journal', async (_, order) => {
    const home = await homeWithSale();
    const ran = await run(home, ['return', ...order, '--amount', '5'], reply(200, taken));
    expect(ran.exit, ran.err).toBe(0);
    expect(fieldsOf(ran.requests[0])).toMatchObject({
      client_orderid: '902B4FF5',
      orderid: '12345',
      amount: '5.00',
      currency: 'USD',
    });
  });

  test('what is typed is not taken from the journal', async () => {
    const home = await homeWithSale();
    const ids = ['12345', '--client-order-id', '902B4FF5', '--amount', '5', '--currency', 'USD'];
    const ran = await run(home, ['return', ...ids], reply(200, taken));
    expect(fieldsOf(ran.requests[0])).toMatchObject({ client_orderid: '902B4FF5', orderid: '12345', currency: 'USD' });
  });
});

describe('ids of two orders', () => {
  const sell = async (home: string, clientOrderId: string, orderId: string) => {
    const sold = reply(200, { ...taken, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId });
    const sale = saleFlags.map((word) => (word === '902B4FF5' ? clientOrderId : word));
    const status = { ...soldStatus, 'merchant-order-id': clientOrderId, 'paynet-order-id': orderId };
    expect((await run(home, [...sale, '--wait', '--again'], sold, reply(200, status))).exit).toBe(0);
    return sold;
  };

  test('that the journal knows to be two are refused before anything is sent', async () => {
    const home = await homeWithSale();
    await sell(home, 'second', '67890');
    for (const ids of [
      ['67890', '--client-order-id', '902B4FF5'],
      ['12345', '--client-order-id', '12345'],
      ['second', '--order-id', '12345'],
    ]) {
      const ran = await run(home, ['return', ...ids, '--amount', '5', '--currency', 'USD']);
      expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
      expect(ran.err).toMatch(/belong to different orders|is an id of several orders/);
    }
  });
});

describe('of an order that the journal does not know', () => {
  const known = reply(200, { ...statusReply('approved'), 'merchant-order-id': 'order-7', currency: 'EUR' });

  const byFlag = ['return', '--client-order-id', 'order-7', '--amount', '5'];

  test('status is asked, and then the follow-up is sent', async () => {
    const ran = await run(homeWithProfile(), byFlag, known, takenAs('order-7'));
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.requests.map(({ url }) => /\/v2\/(\w+)\//.exec(url)?.[1])).toEqual(['status', 'return']);
    expect(fieldsOf(ran.requests[0])).not.toHaveProperty('orderid');
    expect(fieldsOf(ran.requests[1])).toMatchObject({ client_orderid: 'order-7', orderid: '12345', currency: 'EUR' });
  });

  test('what the gateway does not know either is not sent', async () => {
    const ran = await run(homeWithProfile(), byFlag, notFound);
    expect([ran.exit, ran.requests.map(({ url }) => url.includes('/status/'))]).toEqual([4, [true]]);
  });

  test('nor is anything when status brings no answer', async () => {
    const ran = await run(homeWithProfile(), byFlag, ...[lost, lost, lost]);
    expect(ran.exit).toBe(9);
    expect(ran.requests.every(({ url }) => url.includes('/status/'))).toBe(true);
  });

  test.each([
    ['return', '777', '--amount', '5'],
    ['void', '777'],
    ['capture', 'order-7'],
  ])('in a script money is not moved by an argument that may be either id: %s %s', async (...argv) => {
    const ran = await run(homeWithProfile(), argv);
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    expect(ran.err).toContain(`use --order-id ${argv[1]} if the gateway assigned it, or --client-order-id ${argv[1]}`);
  });

  test.each([
    ['the gateway order id', 'orderid', 'client_orderid'],
    ['your client order id', 'client_orderid', 'orderid'],
  ])('on a terminal it is asked which one it is: %s', async (answer, key, other) => {
    const ids = key === 'orderid' ? { 'paynet-order-id': '777' } : { 'merchant-order-id': '777' };
    const ran = await paycli('void 777', {
      ...{ home: homeWithProfile(), tty: true, answers: [['which-id', answer]] },
      network: [soldStatus, taken].map((fields) => () => reply(200, { ...fields, ...ids })),
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(fieldsOf(ran.requests[0])).toMatchObject({ [key]: '777' });
    expect(fieldsOf(ran.requests[0])).not.toHaveProperty(other);
    expect(fieldsOf(ran.requests[1])).toMatchObject({ [key]: '777' });
  });

  test('a mistake in another field is reported first, and nobody is asked', async () => {
    for (const tty of [false, true]) {
      const argv = ['capture', '123', '--amount', '1.23456'];
      const ran = await paycli(argv, { home: homeWithProfile(), tty });
      expect([ran.exit, ran.requests]).toEqual([2, []]);
      expect(ran.err).toContain('--amount: use a decimal number');
    }
  });

  test.each([
    ['status', ['status', '777'], 'orderid'],
    ['order', ['order', '777'], 'orderid'],
    ['status of text', ['status', 'order-7'], 'client_orderid'],
    ['order of text', ['order', 'order-7'], 'client_orderid'],
  ])('%s takes digits as the id of the gateway, and other text as that of the client', async (_, argv, key) => {
    const ran = await run(homeWithProfile(), argv, notFound);
    expect([ran.exit, ran.requests.length]).toEqual([4, 1]);
    expect(fieldsOf(ran.requests[0])).toMatchObject({ [key]: argv[1] });
  });
});

const statusOf777 = reply(200, { ...soldStatus, 'merchant-order-id': '777' });

describe('digits that the journal has only as a client order id', () => {
  /** A sale with client order id 777 and gateway order id 12345. */
  async function homeWith777(): Promise<string> {
    const home = homeWithProfile();
    const sale = saleFlags.map((word) => (word === '902B4FF5' ? '777' : word));
    expect((await run(home, [...sale, '--wait'], takenAs('777'), statusOf777)).exit).toBe(0);
    return home;
  }

  test('are that, and the other id comes from the journal', async () => {
    const ran = await run(await homeWith777(), 'return 777 --amount 5', takenAs('777'));
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 1]);
    expect(fieldsOf(ran.requests[0])).toMatchObject({ client_orderid: '777', orderid: '12345', amount: '5.00' });
  });

  test('also beside the own id of a follow-up, where it has one (A41)', async () => {
    const home = homeWithProfile({ more: ['assume:', '  follow-up-order-id: own'] });
    const sale = saleFlags.map((word) => (word === '902B4FF5' ? '777' : word));
    expect((await run(home, [...sale, '--wait'], takenAs('777'), statusOf777)).exit).toBe(0);
    const argv = ['return', '777', '--client-order-id', 'R1', '--amount', '1.00', '--currency', 'USD'];
    const ran = await run(home, argv, reply(200, { ...taken, 'merchant-order-id': 'R1' }));
    expect(ran.exit, ran.err).toBe(0);
    expect(fieldsOf(ran.requests[0])).toMatchObject({ orderid: '12345', client_orderid: 'R1' });
  });
});

test('an order of another merchant of this gateway is not taken', async () => {
  const home = await homeWithSale();
  const ran = await run(home, 'return 902B4FF5 --amount 5 --currency USD --login another --dry-run'.split(' '));
  expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('the gateway is not queried here') });
});

describe('digits that are the order id of one order and the client order id of another', () => {
  // Order 12345 has client order id 902B4FF5; order 555 has client order id 12345.
  async function homeWithBoth(): Promise<string> {
    const home = await homeWithSale();
    const words = saleFlags.map((word) => (word === '902B4FF5' ? '12345' : word === '10.42' ? '77.00' : word));
    const ids = { 'merchant-order-id': '12345', 'paynet-order-id': '555' };
    const replies = [reply(200, { ...taken, ...ids }), reply(200, { ...soldStatus, ...ids, amount: '77.00' })];
    expect((await run(home, [...words, '--wait'], ...replies)).exit).toBe(0);
    return home;
  }

  test.each([
    ['return', ['return', '12345', '--amount', '5']],
    ['void', ['void', '12345']],
    ['card-ref create', ['card-ref', 'create', '12345']],
    ['order', ['order', '12345']],
    ['its timeline', ['order', '12345', '--timeline']],
    ['status', ['status', '12345']],
    ['status --wait', ['status', '12345', '--wait']],
  ])('are refused as an argument of %s, and nothing is sent', async (_, argv) => {
    const ran = await run(await homeWithBoth(), argv);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([2, 0]);
    expect(ran.err.replace(/\s+/g, ' ')).toContain('use --order-id 12345 or --client-order-id 12345');
  });
});

test('status by digits answers although the journal cannot be read', async () => {
  const home = await homeWithSale();
  writeFileSync(join(home, 'state', 'requests.db'), 'this is no database'.repeat(300), { mode: 0o600 });
  const ran = await run(home, 'status 12345', reply(200, { ...taken, type: 'status-response', status: 'approved' }));
  expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 1]);
});

describe('blanks around an id', () => {
  test('of a client order id that would be sent are refused, and nothing is sent', async () => {
    const argv = saleFlags.map((word) => (word === '902B4FF5' ? ' 902B4FF5' : word));
    const ran = await run(homeWithProfile(), argv);
    expect([ran.exit, ran.requests, ran.err]).toEqual([
      2,
      [],
      expect.stringContaining('without emoji or leading or trailing spaces'),
    ]);
    const signed = await run(homeWithProfile(), ['sign', ...argv]);
    expect([signed.exit, signed.err]).toEqual([2, expect.stringContaining('leading or trailing spaces')]);
  });
});

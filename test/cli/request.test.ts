import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { reply } from '../support/runtime.js';
import { homeWithProfile, lost, rsaKey, run, saleFlags, taken } from './profiles.js';

const accepted = (own: string): Delivery => reply(200, { ...taken, 'merchant-order-id': own });

const fields = (...pairs: readonly string[]) => pairs.flatMap((pair) => ['--field', pair]);
const money = fields('amount=5.00', 'currency=EUR');
const strange = ['request', '/api/v9/new', '--scheme', 'hmac-sha1', ...money];

async function entries(home: string): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await run(home, 'journal --json')).out).entries;
}

describe('a path of the interface goes by its row', () => {
  const sale = [
    'request',
    '/api/v2/sale',
    ...fields('client_orderid=902B4FF5', 'amount=10.42', 'currency=USD', 'order_desc=Two tickets'),
  ];
  const payer = fields(
    'email=jane@example.com',
    'phone=+4930123456',
    'address1=Example Street 1',
    'city=Berlin',
    'zip_code=10115',
  );
  const card = fields(
    'credit_card_number=4444333322221111',
    'card_printed_name=JANE DOE',
    'expire_month=12',
    'expire_year=2034',
    'cvv2=123',
  );
  const whole = [...sale, ...payer, ...card, ...fields('country=DE', 'ipaddress=192.0.2.10')];

  test('the request, its journal entry and its outcome are those of the command', async () => {
    const [home, other] = [homeWithProfile(), homeWithProfile()];
    const byHand = await run(home, whole, [accepted('902B4FF5')]);
    const byCommand = await run(other, saleFlags, [accepted('902B4FF5')]);
    expect(byHand.exit, byHand.err).toBe(0);
    expect(byHand.requests).toEqual(byCommand.requests);
    expect(byHand.out).toBe(byCommand.out);
    expect(await entries(home)).toMatchObject([
      { operation: 'SALE', state: 'accepted', amount: { minor: '1042', currency: 'USD' } },
    ]);
    const again = await run(home, whole, [reply(200, { ...taken, type: 'status-response', status: 'processing' })]);
    expect([again.exit, again.requests[0]?.url]).toEqual([0, expect.stringContaining('/api/v2/status/')]);
  });

  test('with a live profile card data stands in a file or comes from standard input, never among the flags', async () => {
    const home = homeWithProfile({ class: 'live' });
    const live = ['--live', '--confirm-login', 'my-shop'];
    expect((await run(home, [...whole, ...live])).err).toContain('card data on the command line is refused');
    const missing = await run(home, ['sale', '--amount', '1', '--currency', 'USD', '--client-order-id', 'z1', ...live]);
    expect([missing.exit, missing.err]).toEqual([2, expect.stringContaining('with --input')]);
    expect(missing.err).not.toContain('--test-');
    const file = join(home, 'card');
    writeFileSync(
      file,
      JSON.stringify({
        ...{ credit_card_number: '4444333322221111', card_printed_name: 'JANE DOE' },
        ...{ expire_month: '12', expire_year: '2034', cvv2: '123' },
      }),
      {
        mode: 0o600,
      },
    );
    const open = [...sale, ...payer, ...fields('country=DE', 'ipaddress=192.0.2.10'), ...live];
    const ran = await run(home, [...open, '--input', file], [accepted('902B4FF5')]);
    expect(ran.exit, ran.err).toBe(0);
    expect(await entries(home)).toMatchObject([{ class: 'live', operation: 'SALE', card: { lastFour: '1111' } }]);
  });
});

describe('a path nobody described', () => {
  test('is sent once: the same again is shown, with --again it is sent, and so is another order', async () => {
    const home = homeWithProfile();
    const paid = (id: string) => [...strange, ...fields(`client_orderid=${id}`)];
    expect((await run(home, paid('a'), [accepted('a')])).exit).toBe(0);
    const repeated = await run(home, [...paid('a'), '--json']);
    expect([repeated.exit, repeated.requests, JSON.parse(repeated.out).result['paynet-order-id']]).toEqual([
      0,
      [],
      '12345',
    ]);
    expect((await run(home, [...paid('a'), '--again'], [accepted('a')])).requests).toHaveLength(1);
    expect((await run(home, paid('b'), [accepted('b')])).requests).toHaveLength(1);
  });

  test('is repeated at will, without an entry in the journal, where --read says that it only reads', async () => {
    const home = homeWithProfile();
    const read = [...strange, '--read'];
    for (const _ of [1, 2]) expect((await run(home, read, [reply(200, taken)])).requests).toHaveLength(1);
    expect(await entries(home)).toEqual([]);
    const described = await run(home, ['request', '/api/v2/sale', '--read', ...money]);
    expect([described.exit, described.requests]).toEqual([2, []]);
  });

  test('is recorded before it is sent, as moving money, without anything that is not known', async () => {
    const home = homeWithProfile();
    const ran = await run(
      home,
      [...strange, ...fields('client_orderid=o-1', 'pan=4444333322221111', 'note=hidden')],
      [accepted('o-1')],
    );
    expect(ran.exit, ran.err).toBe(0);
    expect(await entries(home)).toMatchObject([
      {
        operation: '/api/v9/new',
        state: 'accepted',
        order: { orderId: '12345', clientOrderId: 'o-1' },
        amount: { minor: '500', currency: 'EUR' },
      },
    ]);
    const shown = await run(home, 'journal o-1 --json');
    expect(shown.out).not.toMatch(/4444|hidden/);
  });

  test('is masked in a dry run and in the exchange; a dry run leaves nothing behind', async () => {
    const home = homeWithProfile();
    const argv = [...strange, ...fields('client_orderid=o-1', 'pan=4444333322221111', 'note=hidden')];
    const dry = await run(home, [...argv, '--dry-run']);
    expect([dry.exit, dry.requests.length]).toEqual([0, 0]);
    expect(dry.out).toMatch(/pan += •••\n/);
    expect(await run(home, 'journal --json')).toMatchObject({
      out: expect.not.stringContaining('/api/v9'),
    });
    const sent = await run(home, [...argv, '-v'], [lost]);
    for (const text of [dry.out, dry.err, sent.out, sent.err]) expect(text).not.toMatch(/4444|hidden/);
    expect(sent.requests[0]?.body).toContain('note=hidden');
  });

  test('an unknown outcome stands in the way of an equal one until it is settled by evidence', async () => {
    const home = homeWithProfile();
    const argv = [...strange, ...fields('client_orderid=o-1')];
    const first = await run(home, argv, [lost]);
    expect([first.exit, first.err]).toEqual([8, expect.stringContaining('`paycli resolve o-1`')]);
    for (const more of [[], ['--again']]) {
      const second = await run(home, [...argv, ...more]);
      expect([second.exit, second.err]).toEqual([10, expect.stringContaining('`paycli resolve o-1`')]);
    }
    const asked = await run(home, 'resolve o-1');
    expect([asked.exit, asked.err]).toEqual([
      8,
      expect.stringContaining(
        '`paycli resolve --entry 1 --settle-as paid --evidence TEXT` or `paycli resolve --entry 1 --settle-as not-paid --evidence TEXT`',
      ),
    ]);
    const settled = await run(home, [
      ...'resolve o-1 --settle-as not-paid --evidence'.split(' '),
      'the statement of today',
    ]);
    expect(settled.exit, settled.err).toBe(0);
    expect((await run(home, argv, [accepted('o-1')])).exit).toBe(0);
  });

  test('on live it needs --live and the login, and is confirmed as an unknown amount where it names none', async () => {
    const home = homeWithProfile({ class: 'live' });
    const argv = [...strange, ...fields('client_orderid=o-1')];
    expect((await run(home, argv)).err).toContain('add --live');
    expect((await run(home, [...argv, '--live'])).err).toContain('--confirm-login');
    const wrong = await run(home, [...argv, '--live', '--confirm-login', 'other']);
    expect([wrong.exit, await entries(home).catch(() => [])]).toEqual([10, []]);
    const bare = ['request', '/api/v9/new', '--scheme', 'hmac-sha1', ...fields('client_orderid=o-2'), '--live'];
    const asked = await run(home, bare, [accepted('o-2')], { tty: true, answers: [['login', 'my-shop']] });
    expect([asked.exit, asked.err]).toEqual([0, expect.stringContaining('an unknown amount')]);
    const ran = await run(home, [...argv, '--live', '--confirm-login', 'my-shop'], [lost]);
    expect(ran.exit, ran.err).toBe(8);
    expect((await entries(home)).map(({ class: kind, state }) => [kind, state])).toEqual([
      ['live', 'accepted'],
      ['live', 'unknown'],
    ]);
  });

  test('signed by RSA-SHA256; without a control key it is refused, since nobody could ask what became of it', async () => {
    const home = homeWithProfile({ withoutControlKey: true, asksFirst: true });
    const argv = [
      ...'request /api/v9/new --scheme rsa-sha256'.split(' '),
      ...fields('client_orderid=o-1'),
      '--private-key-file',
      rsaKey(home),
    ];
    const refused = await run(home, argv);
    expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('profile set-key')]);
  });
});

test('a payout in doubt is not paid a second time, whatever is said', async () => {
  const home = homeWithProfile();
  const pay = ['payout', 'pay', '777', '--client-order-id', 'p-1', '--private-key-file', rsaKey(home)];
  expect((await run(home, pay, [lost])).exit).toBe(8);
  const again = await run(home, [...pay, '--again']);
  expect([again.exit, again.requests.length]).toEqual([10, 0]);
  const plain = await run(home, pay, [lost, lost, lost]);
  expect(plain.requests.map(({ url }) => url)).toEqual(Array(3).fill(expect.stringContaining('/api/v2/status/')));
});

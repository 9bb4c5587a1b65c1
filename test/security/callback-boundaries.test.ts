import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Known, withKnownIds } from '../../src/callbacks/boundaries.js';
import { parseCallback } from '../../src/callbacks/parse-callback.js';
import { verifyCallback } from '../../src/callbacks/verify.js';
import { systemClock } from '../../src/runtime/clock.js';
import { Secret } from '../../src/signing/index.js';
import { getOf, key, openFixture, queryOf, saleFields, sha1 } from '../callbacks/support.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const ids = (orderid: string, client_orderid: string, status = 'approved') =>
  saleFields({ status, orderid, client_orderid });

function verdict(
  fields: Readonly<Record<string, string>>,
  orders: readonly (readonly [order: string | undefined, client: string])[],
): string {
  const known: Known = (orderId, clientOrderId) => {
    if (orders.some(([order, client]) => order === orderId && client === clientOrderId)) return 'yes';
    return orders.some(([order, client]) => order === undefined && client === clientOrderId) ? 'partly' : 'no';
  };
  const read = parseCallback(getOf(fields));
  return withKnownIds(
    verifyCallback(read, [{ name: 'the control key', key: new Secret(key) }], 'hex-lower'),
    read,
    known,
  ).verified;
}

test('77 + 7c and 777 + c have one checksum: the reason for all of this', () => {
  expect(ids('77', '7c')['control']).toBe(ids('777', 'c')['control']);
  expect(ids('77', '7c')['control']).toBe(sha1(`approved777c${key}`));
});

describe('a checksum that fits', () => {
  test.each<readonly [string, string, string, string, readonly (readonly [string | undefined, string])[]]>([
    ['proves ids that an order of the journal has', 'fits', '77', '7c', [['77', '7c']]],
    ['does not prove a shifted order id', 'no-order', '777', 'c', [['77', '7c']]],
    ['does not prove ids of no order', 'no-order', '12345', 'order-1', []],
    ['proves ids that can be cut in one way only', 'fits', '7', 'c', []],
    ['proves an id whose order id is not known yet', 'fits', '12345', 'order-1', [[undefined, 'order-1']]],
    [
      'does not prove it where another order of the journal fits too',
      'no-order',
      '5551',
      '123',
      [
        [undefined, '123'],
        ['555', '1123'],
      ],
    ],
    [
      'nor where two open orders fit',
      'no-order',
      '5551',
      '123',
      [
        [undefined, '123'],
        [undefined, '1123'],
      ],
    ],
    ['does not prove an order id that is no number', 'no-order', 'dxx', 'c', []],
  ])('%s', (_, verified, order, client, orders) => {
    expect(verdict(ids(order, client), orders)).toBe(verified);
  });

  test('does not prove a status that no status is', () => {
    expect(verdict(ids('7', 'c', 'approve'), [])).toBe('no-order');
    expect(verdict({ ...ids('7', 'c'), status: 'approve', orderid: 'd7' }, [])).toBe('no-order');
  });

  test('that does not match stays wrong', () => {
    expect(verdict({ ...ids('77', '7c'), control: '0'.repeat(40) }, [['77', '7c']])).toBe('wrong');
  });
});

test('the listener keeps, answers and hands on such a callback, and never calls it verified; known later, it is a \
repeat', async () => {
  let isKnown = false;
  const fixture = openFixture({ known: async () => () => (isKnown ? 'yes' : 'no') });
  expect(await fixture.receiver.receive(getOf(ids('777', 'c')))).toMatchObject({ status: 200 });
  await fixture.receiver.idle();
  expect(fixture.handled[0]?.callback).toMatchObject({
    verified: 'no-order',
    why: expect.stringContaining('does not prove where one id ends'),
  });
  isKnown = true;
  await fixture.receiver.receive(getOf(ids('777', 'c')));
  await fixture.receiver.idle();
  expect(fixture.handled.map(({ as }) => as)).toEqual(['new', 'repeat']);
});

describe('callback verify', () => {
  const verify = async (home: string, fields: Readonly<Record<string, string>>) => {
    const ran = await paycli(['callback', 'verify', queryOf(fields), '--json'], { home });
    return [ran.exit, JSON.parse(ran.out)];
  };

  test('says fits of an order in the journal, and that it cannot be told of a shifted one', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    expect(await verify(home, saleFields())).toMatchObject([0, { ok: true, verified: 'fits' }]);
    const shifted = saleFields({ orderid: '123459', client_orderid: '02B4FF5' });
    expect(shifted['control']).toBe(saleFields()['control']);
    expect(await verify(home, shifted)).toMatchObject([8, { ok: false, verified: 'no-order', exit: 8 }]);
  });

  test('says what is not proven where there is no journal', async () => {
    const ran = await paycli(['callback', 'verify', queryOf(saleFields())], { home: homeWithProfile() });
    expect([ran.exit, ran.out]).toEqual([
      8,
      expect.stringMatching(
        /^\? ambiguous: its checksum \(control\) matches the control key, but the journal has no order.*compare both ids/,
      ),
    ]);
  });

  test('callback listen says the same of what comes', async () => {
    const home = homeWithProfile();
    const ready = join(home, 'ready');
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const running = paycli(['callback', 'listen', '--ready-file', ready, '--exit-after', '1', '--no-ask', '--json'], {
      home,
      outside: (usual) => ({ ...usual, clock: systemClock }),
    });
    while (!existsSync(ready) || readFileSync(ready, 'utf8') === '') await systemClock.sleep(5);
    await fetch(
      `${readFileSync(ready, 'utf8').trim()}?${queryOf(saleFields({ orderid: '123459', client_orderid: '02B4FF5' }))}`,
    );
    const events = (await running).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[1]).toMatchObject({ event: 'callback', verified: 'no-order', answered: 200 });
    expect(events.at(-1)).toMatchObject({ event: 'summary', fits: 0, wrong: 0, noOrder: 1 });
  });
});

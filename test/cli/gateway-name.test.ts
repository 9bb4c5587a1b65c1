import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCallbackStore } from '../../src/callbacks/store.js';
import { keysOf } from '../../src/callbacks/tables.js';
import { sqlite } from '../../src/runtime/database.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { testSeal } from '../callbacks/support.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const spellings = [
  'http://localhost:8080/pay',
  'http://127.0.0.1:8080/pay/',
  'http://[::1]:8080/pay',
  'HTTP://LocalHost:8080/pay',
];

test.each(spellings)(
  'an order that was sent by another spelling of the gateway is not sent again by %s',
  async (address) => {
    const home = homeWithProfile({ baseUrl: 'http://localhost:8080/pay' });
    await paycli(saleFlags, { home, network: [() => lost] });
    const again = await paycli([...saleFlags, '--base-url', address], {
      home,
      network: [() => reply(200, statusReply('approved', { 'transaction-type': 'sale' }))],
    });
    expect([again.exit, again.requests.length]).toEqual([0, 1]);
    expect(again.requests[0]?.url, 'requests go where they were told to').toMatch(
      new RegExp(`^${new URL(address).origin.replace(/[[\]]/g, '\\$&')}/pay/`),
    );
    expect(again.requests[0]?.url).toContain('/status/');
    expect(JSON.parse((await paycli(['journal', 'list', '--json'], { home })).out)).toMatchObject({
      total: 1,
      entries: [{ gateway: 'http://127.0.0.1:8080/pay', state: 'done' }],
    });
  },
);

test('over http and over https are two gateways', async () => {
  const home = homeWithProfile({ baseUrl: 'http://localhost:8080/pay' });
  await paycli(saleFlags, { home, network: [() => lost] });
  const other = await paycli([...saleFlags, '--base-url', 'https://localhost:8080/pay'], {
    home,
    network: [() => reply(200, taken)],
  });
  expect([other.exit, other.requests.length]).toEqual([0, 1]);
});

test('callbacks that an older version kept under another spelling are found, and counted as repeats', () => {
  const database = sqlite.open(join(temporaryHome(), 'callbacks.db'));
  const store = openCallbackStore(database, testSeal);
  const raw = { method: 'GET', target: '/?status=approved', contentType: undefined, body: new Uint8Array() } as const;
  const callback = {
    ...{
      place: 'http://127.0.0.1:8080',
      profile: 'shop',
      class: 'test',
      orderId: '17',
      clientOrderId: 'order-1',
      status: 'approved',
      type: 'sale',
    },
    ...({ verified: 'wrong', why: '', raw, forwardTo: 'http://127.0.0.1:9/' } as const),
  };
  const { id } = store.save(callback, 1).callback;
  const [older = ''] = keysOf(testSeal, 'http://localhost:8080', callback);
  database.run("UPDATE callbacks SET place = 'http://localhost:8080', key = ?", older);
  store.recordStatusAnswer(id, { at: 2, status: undefined, says: '' });
  for (const place of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080/']) {
    expect(store.list({ order: '17', place })).toHaveLength(1);
    expect(store.notForwarded(place)).toHaveLength(1);
    expect(store.wasQueriedForWrong(place, '17', 'order-1')).toBe(true);
    expect(store.save({ ...callback, place }, 3)).toMatchObject({ as: 'repeat', callback: { id } });
  }
});

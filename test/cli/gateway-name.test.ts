import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
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

import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply } from './profiles.js';

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const lost: Delivery = { kind: 'lost', reason: 'the connection ended before a reply' };
const notFound = (status: number) =>
  reply(status, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });
const missing = [notFound(400), notFound(400)];

/** A payment of 10.42 USD that never reached the gateway, and what a person recorded of it. */
async function settled(operation: string, as: string): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [operation, ...saleFlags.slice(1)], [lost])).exit).toBe(8);
  const evidence = ['--settle-as', as, '--evidence', 'the statement of today'];
  expect((await run(home, ['resolve', '902B4FF5', '--offline', ...evidence])).exit).toBe(0);
  return home;
}

describe('an order that was settled manually and that the gateway does not have', () => {
  test.each([
    ['sale', 'not-paid', 'not paid', 'the gateway has no such order'],
    ['sale', 'paid', 'paid', 'the gateway has no such order: ask gateway support'],
    ['preauth', 'not-paid', 'not held', 'the gateway has no such order'],
    ['preauth', 'paid', 'held', 'the gateway has no such order: ask gateway support'],
  ])('%s as %s: the settlement is the answer, and nothing is available', async (operation, as, word, reason) => {
    const home = await settled(operation, as);
    const { exit, out, err } = await run(home, ['order', '902B4FF5'], missing);
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain(`${word} (settled manually); the gateway has no such order\n`);
    expect(out).toMatch(new RegExp(`${operation}: settled manually as ${word}$`, 'm'));
    expect(out).not.toMatch(/declined|^Available/m);
    for (const row of ['capture', 'void', 'return', 'status', 'card-ref create'])
      expect(out).toMatch(new RegExp(`^  ${row} +${reason}$`, 'm'));
    const json = JSON.parse((await run(home, ['order', '902B4FF5', '--json'], missing)).out);
    expect(json).toMatchObject({ orderId: null, fromJournal: 'the gateway has no such order' });
    expect(json.next.filter(({ legal }: { legal: boolean }) => legal)).toEqual([]);
    const can = await run(home, ['order', '902B4FF5', '--can', 'capture'], missing);
    expect([can.exit, can.out]).toEqual([11, `no: ${reason}\n`]);
    expect((await run(home, ['order', '902B4FF5', '--watch'], missing)).exit).toBe(0);
    const advice = as === 'paid' ? 'ask gateway support' : 'nothing is left to resolve';
    for (const argv of [
      ['void', '902B4FF5'],
      ['status', '902B4FF5'],
    ]) {
      const query = await run(home, argv, argv[0] === 'status' ? missing.slice(1) : missing);
      expect(query.exit).toBe(4);
      expect(query.err).toContain(`settled manually as ${word}, and the gateway has no such order: ${advice}\n`);
    }
  });

  test('not under HTTP 404, where the message proves nothing', async () => {
    const home = await settled('sale', 'not-paid');
    const { exit, err } = await run(home, ['order', '902B4FF5'], [notFound(404), notFound(404)]);
    expect([exit, err]).toEqual([4, expect.stringContaining('order not found')]);
  });

  test('nor of one whose outcome nobody recorded', async () => {
    const home = homeWithProfile();
    expect((await run(home, saleFlags, [lost])).exit).toBe(8);
    expect((await run(home, ['order', '902B4FF5'], missing)).exit).toBe(8);
  });
});

test('an entry in conflict says so, and not that its outcome is unknown although it is approved', async () => {
  const home = await settled('sale', 'not-paid');
  const approved = reply(
    200,
    statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }),
  );
  const asked = await run(home, ['status', '902B4FF5'], [approved]);
  const why = 'in conflict: declined (settled manually), but status: approved';
  expect([asked.exit, asked.err]).toEqual([8, expect.stringContaining(`money may have moved: ${why}\n`)]);
  const waited = await run(home, ['status', '902B4FF5', '--wait'], [approved]);
  expect([waited.exit, waited.err]).toEqual([8, expect.stringContaining(`money may have moved: ${why}\n`)]);
  const again = await run(home, saleFlags);
  expect([again.exit, again.err]).toEqual([
    8,
    expect.stringContaining('was already sent; it has been in conflict since '),
  ]);
  expect(again.err).toContain(`money may have moved: ${why}; nothing was sent now\n`);
  expect(again.err).not.toMatch(/already approved|has been approved/);
});

import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const watch = ['order', '902B4FF5', '--watch'];
const is =
  (status: string, more: Readonly<Record<string, string>> = {}) =>
  () =>
    reply(200, statusReply(status, more));
const lost = (): Delivery => ({ kind: 'lost', reason: 'reset' });

/** A profile whose journal has a sale that the gateway took. */
async function sold(): Promise<string> {
  const home = homeWithProfile();
  expect((await paycli(saleFlags, { home, network: [() => reply(200, taken)] })).exit).toBe(0);
  return home;
}

test('shows the order at first and at each change of its status, and ends with the final one', async () => {
  const home = await sold();
  const challenge = { 'order-stage': 'sale_3d_validating' };
  const network = [
    ...[is('processing'), is('processing'), is('processing', challenge), is('processing', challenge)],
    is('approved', { 'order-stage': 'sale_approved' }),
  ];
  const ran = await paycli([...watch, '--json'], { home, network });
  expect([ran.exit, ran.err]).toEqual([0, '']);
  const lines = ran.out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).map(({ schema, status, stage }) => [schema, status, stage])).toEqual([
    ['paycli.order/1', 'processing', null],
    ['paycli.order/1', 'processing', 'sale_3d_validating'],
    ['paycli.order/1', 'approved', 'sale_approved'],
  ]);
  expect(ran.requests.map(({ url }) => new URL(url).pathname)).toEqual(
    network.map(() => expect.stringContaining('/status/')),
  );
  // What was learned is in the journal.
  const [entry] = JSON.parse((await paycli(['journal', '--json'], { home })).out).entries;
  expect(entry.state).toBe('done');
});

test('an order whose status is final is shown once, and asked about once', async () => {
  const ran = await paycli(watch, { home: await sold(), network: [is('approved')] });
  expect([ran.exit, ran.out.match(/^order 12345/gm)?.length, ran.requests.length]).toEqual([0, 1, 1]);
});

test('ends with 7 when the time is up and it is still pending', async () => {
  // The screen, then after 3, 6, 9, 12, 15, 18 and 20 s: three seconds and some milliseconds each, as any wait.
  const network = Array.from({ length: 8 }, () => is('processing'));
  const ran = await paycli([...watch, '--wait-timeout', '20'], { home: await sold(), network });
  expect([ran.exit, ran.err]).toEqual([7, expect.stringContaining('still pending')]);
  expect(ran.out.match(/^order 12345/gm)).toHaveLength(1);
});

// A question itself is tried three times.
test('one question that is lost is asked again; three in a row end it with 9', async () => {
  const home = await sold();
  const once = await paycli(watch, { home, network: [is('processing'), lost, is('approved')] });
  expect(once.exit, once.err).toBe(0);
  const gone = await paycli(watch, {
    home: await sold(),
    network: [is('processing'), ...Array.from({ length: 9 }, () => lost)],
  });
  expect(gone.exit, gone.err).toBe(9);
});

test('Ctrl-C ends it with 130', async () => {
  const ran = await paycli(watch, { home: await sold(), network: [is('processing')], signal: 'SIGINT' });
  expect([ran.exit, ran.out]).toEqual([130, expect.stringContaining('order 12345')]);
});

test.each(['--timeline', '--offline', '--can=return'])('is refused beside %s', async (flag) => {
  const ran = await paycli([...watch, flag], { home: homeWithProfile() });
  expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringContaining('--watch')]);
});

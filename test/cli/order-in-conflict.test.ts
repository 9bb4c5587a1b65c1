import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, soldStatus, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const sold = reply(200, soldStatus);
const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

/** A sale that was settled as not paid, and that the gateway calls approved. */
async function inConflict(): Promise<string> {
  const home = homeWithProfile();
  await run(home, saleFlags, lost);
  const settle = [
    'resolve',
    '902B4FF5',
    '--offline',
    '--settle-as',
    'not-paid',
    '--evidence',
    'the statement of today',
  ];
  expect((await run(home, settle)).exit).toBe(0);
  expect((await run(home, ['status', '--client-order-id', '902B4FF5'], sold)).exit).toBe(8);
  return home;
}

/** An approved sale with a return whose reply was lost. */
async function returnLost(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), sold)).exit).toBe(0);
  expect((await run(home, ['return', '902B4FF5', '--amount', '6.00'], lost)).exit).toBe(8);
  return home;
}

test('order names what is in conflict, and what resolves it', async () => {
  const ran = await run(await inConflict(), ['order', '902B4FF5', '--json'], sold);
  expect(JSON.parse(ran.out)).toMatchObject({ next: 'paycli resolve 12345', requests: [{ state: 'conflict' }] });
});

test('a return is refused', async () => {
  const ran = await run(await inConflict(), ['return', '902B4FF5', '--amount', '5.00']);
  expect([ran.exit, ran.requests]).toEqual([10, []]);
  expect(ran.err).toContain(
    'an earlier request on this order has no final outcome yet: sale of 10.42 USD on order 12345 is in conflict: a person has to decide\n',
  );
});

test('order names a return whose outcome is unknown', async () => {
  const { out } = await run(await returnLost(), ['order', '902B4FF5'], sold);
  expect(out).toMatch(/^ {2}in doubt +return of 6\.00 USD on order 12345/m);
  expect(out).toContain('paycli resolve 12345');
});

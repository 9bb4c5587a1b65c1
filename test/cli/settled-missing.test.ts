import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply } from './profiles.js';

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const lost: Delivery = { kind: 'lost', reason: 'the connection ended before a reply' };

/** A payment of 10.42 USD that never reached the gateway, and what a person recorded of it. */
async function settled(operation: string, as: string): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [operation, ...saleFlags.slice(1)], [lost])).exit).toBe(8);
  const evidence = ['--settle-as', as, '--evidence', 'the statement of today'];
  expect((await run(home, ['resolve', '902B4FF5', '--offline', ...evidence])).exit).toBe(0);
  return home;
}

test('an entry in conflict says so, and not that its outcome is unknown although it is approved', async () => {
  const home = await settled('sale', 'not-paid');
  const approved = reply(
    200,
    statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }),
  );
  const asked = await run(home, ['status', '902B4FF5'], [approved]);
  const why = 'in conflict: declined (marked by hand), but status: approved';
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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { intentForRow } from '../../src/batch/connection.js';
import type { Intent } from '../../src/journal/index.js';
import { sent } from '../cli/live-at.js';
import { homeWith, plan, planned } from './files.js';
import { openFixture, openOf, payoutRow } from './fixture.js';

// Requests on one order may go to several endpoints of one gateway, which knows the order by its id alone.

const returns = 'client_orderid,orderid,amount,currency\nb-1,700,5.00,EUR\nb-2,701,6.00,EUR\n';
const other = 'client_orderid,orderid,amount,currency\nc-9,701,6.00,EUR\nc-8,702,1.00,EUR\n';
const elsewhere = ['--endpoint-id', '1150'];
const asReturns = ['--operation', 'return'];

describe('a file of returns', () => {
  async function homeWithPlan(): Promise<{ home: string; id: string }> {
    const home = homeWith(returns);
    const { plan: id } = await planned(home, asReturns);
    writeFileSync(join(home, 'other.csv'), other);
    return { home, id };
  }

  test('is not planned while another plan has one of its rows, to whatever endpoint', async () => {
    const { home, id } = await homeWithPlan();
    for (const flags of [[], elsewhere]) {
      const ran = await plan(home, ['other.csv', ...asReturns, ...flags]);
      expect([ran.exit, ran.err]).toEqual([
        10,
        expect.stringContaining(`plan ${id} of 2030-01-07 also contains line 2 and has not sent everything`),
      ]);
    }
  });

  test.each([[[]], [elsewhere]])('that much else was done on the orders does not hide it: %j', async (flags) => {
    const { home, id } = await homeWithPlan();
    await sent(home, ['capture', '701', '--client-order-id', 'b-2', '--all']);
    const ran = await plan(home, ['other.csv', ...asReturns, ...flags]);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining(`plan ${id} of 2030-01-07 also contains line 2`)]);
  });

  test('is not planned once a single return of one of its rows was sent, to whatever endpoint', async () => {
    const home = homeWith(returns);
    await sent(home, ['return', '701', '--client-order-id', 'x', '--amount', '6', '--currency', 'EUR', ...elsewhere]);
    const ran = await plan(home, asReturns);
    expect([ran.exit, ran.err]).toEqual([
      10,
      expect.stringContaining('line 3 (b-2): return of 6.00 EUR on order x (gateway order id 701)'),
    ]);
  });
});

test('a row whose request was sent to another endpoint before is asked about, and not sent', async () => {
  const rows = [payoutRow(1, '4001', { orderId: '900' }), payoutRow(2, '4001', { orderId: '901' })].map((row) => ({
    ...row,
    values: {
      clientOrderId: `own-${row.number}`,
      orderId: row.values['orderId'] ?? '',
      amount: '10.42',
      currency: 'EUR',
    },
  }));
  const fixture = openFixture({ operation: 'RETURN', rows });
  const { journal, connection, engine } = fixture.worker();
  const [first] = rows;
  if (first === undefined) throw new Error('two rows');
  const options = { again: false, isGenerated: false, isAlive: () => false };
  const before: Intent = journal.plan(intentForRow(connection, { ...first, endpointId: '4002' }), options).intent;
  journal.recordResult(journal.begin(before).id, 'unknown', { reason: '' });
  expect((await openOf(engine)).map(({ number, intent }) => [number, intent.endpointId])).toEqual([[1, '4002']]);
});

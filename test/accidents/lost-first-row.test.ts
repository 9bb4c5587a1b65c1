import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { countsIn } from '../batch/files.js';
import { homeWithProfile } from '../cli/profiles.js';
import { FakeGateway, lost, planPayouts, refusal } from './fake-gateway.js';

// The first row of a batch goes alone. One whose reply is lost must not stop all others.

/** A plan of 8 rows, and a gateway that answers the payment of these rows so. */
async function batch(answers: Readonly<Record<string, Delivery>>) {
  const gateway = new FakeGateway();
  gateway.onPayment = ({ clientOrderId }) => answers[clientOrderId];
  const home = homeWithProfile({ asksFirst: true });
  const plan = await planPayouts(home, 8);
  return { gateway, run: () => gateway.run(home, ['batch', 'run', plan, '--wait-timeout', '30']) };
}

const payments = (gateway: FakeGateway) => gateway.asked().filter((asked) => !asked.startsWith('status'));

describe('the first row of a batch', () => {
  test('lost: after the wait the next one is tried, and then all others go; later runs send nothing again', async () => {
    const { gateway, run } = await batch({ 'row-1': lost });
    const ran = await run();
    expect([ran.exit, countsIn(ran.out)]).toEqual([8, { done: 7, unknown: 1 }]);
    const again = await run();
    expect([again.exit, countsIn(again.out), payments(gateway).length]).toEqual([8, { done: 7, unknown: 1 }, 8]);
    expect(gateway.sent('row-1')).toBe(1);
  });

  test('three lost: exit 12, and the next run begins with the fourth', async () => {
    const { gateway, run } = await batch({ 'row-1': lost, 'row-2': lost, 'row-3': lost });
    const ran = await run();
    expect([ran.exit, countsIn(ran.out)]).toEqual([12, { unknown: 3, planned: 5 }]);
    expect(payments(gateway)).toEqual(['payout row-1', 'payout row-2', 'payout row-3']);
    const again = await run();
    expect([again.exit, countsIn(again.out), payments(gateway).length]).toEqual([8, { unknown: 3, done: 5 }, 8]);
  });

  test.each([
    ['refused', 'refused', refusal('bank_name is wrong')],
    ['not sent', 'not_sent', { kind: 'never-sent', reason: 'the connection was refused' }],
  ] as const)('%s: the run stops with 12', async (_, end, answer) => {
    const { gateway, run } = await batch({ 'row-1': answer });
    const ran = await run();
    expect([ran.exit, countsIn(ran.out)]).toEqual([12, { [end]: 1, planned: 7 }]);
    expect(gateway.sent('row-2')).toBe(0);
  });
});

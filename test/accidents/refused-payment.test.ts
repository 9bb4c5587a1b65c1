import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
import { entriesOf, errorIn, FakeGateway, lost, noSuchOrder, planPayouts, refusal } from './fake-gateway.js';

// A refusal may mean that the payment was made before: the gateway is asked, whatever its words.

const id = '902B4FF5';
const used = refusal('client_orderid was used before; choose another');
const sold = {
  ...{ 'transaction-type': 'sale', status: 'approved', currency: 'USD', amount: '10.42', 'initial-amount': '10.42' },
};

/** One that refuses every payment; `order` is what another machine made under the id. */
function refusing(words = used, order?: Readonly<Record<string, string>>): FakeGateway {
  const gateway = new FakeGateway();
  gateway.onPayment = () => words;
  if (order !== undefined) gateway.orders.set(id, order);
  return gateway;
}

describe('a refused sale is asked about by its id', () => {
  test('the gateway has it all the same, which is its outcome, and the same again sends nothing', async () => {
    const gateway = refusing(refusal('Something went wrong'), sold);
    const home = homeWithProfile();
    const ran = await gateway.run(home, saleFlags);
    expect([ran.exit, gateway.asked()]).toEqual([0, [`sale ${id}`, `status ${id}`]]);
    expect(JSON.parse(ran.out)).toMatchObject({ ok: true, result: { status: 'approved' } });
    expect(await entriesOf(home)).toMatchObject([
      { state: 'done', reason: expect.stringContaining('the gateway has it') },
    ]);
    expect((await gateway.run(home, saleFlags)).exit).toBe(0);
    expect(gateway.sent(id)).toBe(1);
  });

  test('one that was booked and refused counts against the cap of the day', async () => {
    const home = homeWithProfile({ more: ['max-total-per-day: 15.00 USD'] });
    expect((await refusing(used, sold).run(home, saleFlags)).exit).toBe(0);
    const gateway = new FakeGateway();
    const second = saleFlags.map((word) => (word === id ? 'second' : word === '10.42' ? '10.43' : word));
    expect([(await gateway.run(home, second)).exit, gateway.sent('second')]).toEqual([10, 0]);
  });

  test.each([
    ['declined', 5, 'declined'],
    ['unknown', 8, 'accepted'],
  ])('it was made elsewhere and is %s', async (status, exit, state) => {
    const gateway = refusing(used, { ...sold, status });
    const home = homeWithProfile();
    expect((await gateway.run(home, saleFlags)).exit).toBe(exit);
    expect(await entriesOf(home)).toMatchObject([{ state }]);
  });

  test('there is no such order: it is refused, and may be sent again', async () => {
    const gateway = refusing(refusal('amount is invalid'));
    const home = homeWithProfile();
    const ran = await gateway.run(home, saleFlags);
    expect([ran.exit, gateway.asked()]).toEqual([4, [`sale ${id}`, `status ${id}`]]);
    expect(await entriesOf(home)).toMatchObject([{ state: 'refused' }]);
    gateway.onPayment = () => undefined;
    expect((await gateway.run(home, [...saleFlags, '--wait'])).exit).toBe(0);
  });

  test.each([
    ['there is no such order, but the id was used', used, () => noSuchOrder],
    ['status cannot be read', refusal('amount is invalid'), () => lost],
  ])('%s: unknown, and the same again asks only', async (_, words, onStatus) => {
    const gateway = refusing(words);
    gateway.onStatus = onStatus;
    const home = homeWithProfile();
    const ran = await gateway.run(home, saleFlags);
    expect([ran.exit, errorIn(ran).code, gateway.asked().slice(0, 2)]).toEqual([
      ...[8, 'OUTCOME_UNKNOWN', [`sale ${id}`, `status ${id}`]],
    ]);
    expect(await entriesOf(home)).toMatchObject([{ state: 'unknown' }]);
    expect((await gateway.run(home, saleFlags)).exit).toBe(8);
    expect(gateway.sent(id)).toBe(1);
  });

  test.each([
    ['of another amount', { 'initial-amount': '99.00' }, '99.00'],
    ['of another operation', { 'transaction-type': 'payout' }, 'payout'],
  ])('the order is %s: unknown, with both shown, and the same again asks only', async (_, other, shown) => {
    const gateway = refusing(used, { ...sold, ...other });
    const home = homeWithProfile();
    const ran = await gateway.run(home, saleFlags);
    expect([ran.exit, errorIn(ran).message]).toEqual([8, expect.stringContaining(shown)]);
    expect(errorIn(ran).message).toContain('10.42 USD');
    await gateway.run(home, saleFlags);
    expect(gateway.sent(id)).toBe(1);
  });

  test.each(['Invalid control code', 'Endpoint not found'])(
    'not after %s, which is about something else',
    async (words) => {
      const gateway = refusing(refusal(words), sold);
      expect([(await gateway.run(homeWithProfile(), saleFlags)).exit, gateway.asked()]).toEqual([4, [`sale ${id}`]]);
    },
  );
});

describe('a row of a batch', () => {
  const payout = {
    ...{ 'transaction-type': 'payout', status: 'approved', currency: 'EUR' },
    ...{ amount: '10.42', 'initial-amount': '10.42' },
  };

  /** Another machine pays row 2 just before it is sent from here. */
  function beingOvertaken(order: Readonly<Record<string, string>> | undefined): FakeGateway {
    const gateway = new FakeGateway();
    gateway.onPayment = ({ clientOrderId }) => {
      if (clientOrderId !== 'row-2') return undefined;
      if (order !== undefined) gateway.orders.set(clientOrderId, order);
      return used;
    };
    return gateway;
  }

  test('that was paid elsewhere is done, in totals, report and reconciliation, and is never sent again', async () => {
    const gateway = beingOvertaken(payout);
    const home = homeWithProfile({ asksFirst: true });
    const plan = await planPayouts(home, 3);
    const ran = await gateway.run(home, ['batch', 'run', plan]);
    expect([ran.exit, countsIn(ran.out)]).toEqual([0, { done: 3 }]);
    const again = await gateway.run(home, ['batch', 'run', plan]);
    expect([again.exit, countsIn(again.out), gateway.sent('row-2')]).toEqual([0, { done: 3 }, 1]);
    const report = await gateway.run(home, ['batch', 'show', plan, '--out', join(home, 'report')]);
    expect(report.exit, report.err).toBe(0);
    const statement = join(home, 'statement.csv');
    const lines = [1, 2, 3].map((each) => `row-${each},10.42,EUR,approved`);
    writeFileSync(statement, ['client_orderid,amount,currency,status', ...lines, ''].join('\n'));
    expect((await gateway.run(home, ['batch', 'reconcile', statement])).exit).toBe(0);
  });

  test.each([
    ['the gateway has no such order, though it says the id was used', undefined],
    ['the order is another one', { ...payout, amount: '99.00', 'initial-amount': '99.00' }],
  ])('%s: unknown, exit 8, and no later run sends it again', async (_, order) => {
    const gateway = beingOvertaken(order);
    const home = homeWithProfile({ asksFirst: true });
    const plan = await planPayouts(home, 3);
    const ran = await gateway.run(home, ['batch', 'run', plan]);
    expect([ran.exit, countsIn(ran.out)]).toEqual([8, { done: 2, unknown: 1 }]);
    expect(gateway.sent('row-2')).toBe(1);
  });
});

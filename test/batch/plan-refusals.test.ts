import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { sent } from '../cli/live-at.js';
import { homeWithProfile, noSuchOrder, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { openFixture, payouts } from './command.js';
import { expectEnd, homeWith, payoutFile, payoutLine, plan, planned, plansIn } from './files.js';

const two = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const took = reply(200, { ...taken, 'merchant-order-id': 'a-2' });
const no = reply(400, { type: 'validation-error', 'serial-number': '1', 'error-message': 'no', 'error-code': '1' });

/** The gateway of another company on the same host. */
const elsewhere = ['--base-url', 'https://gate.example/other'];

/** The second row of the file as a command by itself. */
function payout(home: string, amount: string, answer?: Delivery): Promise<Ran> {
  const fields = ['--client-order-id', 'a-2', '--amount', amount, '--currency', 'EUR'];
  const account = [
    '--account-number',
    'DE02120300000000202051',
    '--bank-name',
    'Example Bank',
    '--bank-branch',
    'Berlin',
  ];
  const answers = answer === undefined ? [] : Array<Delivery>(answer.kind === 'never-sent' ? 3 : 1).fill(answer);
  const network = [...answers, ...(answer === no ? [noSuchOrder] : [])].map((each) => () => each);
  return paycli(['payout', 'send', ...fields, ...account], { home, network });
}

describe('a row that was sent before', () => {
  test.each([
    ['accepted', took, ' (gateway order id 12345)'],
    ['unknown', lost, ''],
  ])('is a duplicate while it is %s', async (state, answer, id) => {
    const home = homeWith(two);
    await payout(home, '25.50', answer);
    const ran = await plan(home);
    expect([ran.exit, ran.out]).toEqual([10, '']);
    expect(ran.err).toContain('it would be sent a second time: 1 row');
    expect(ran.err).toContain(
      `line 3: payout send of 25.50 EUR on order a-2${id} is already in the journal, ${state} since 2030-01-07T12:00:00Z`,
    );
    expect(await plansIn(home)).toEqual([]);
  });

  test('F51: with another amount it is a mistake in the file', async () => {
    const home = homeWith(two);
    await payout(home, '25.49', took);
    const ran = await plan(home);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(
      'line 3 (a-2): the client order id already belongs to another payment: payout send of 25.49 EUR on order a-2 (gateway order id 12345)',
    );
  });

  test.each([
    ['was refused', no, '25.50'],
    ['proved never to have left', { kind: 'never-sent', reason: 'refused' } as const, '25.50'],
  ])('needs another id when it %s: the first one stays that of its request', async (_, answer, amount) => {
    const home = homeWith(two);
    await payout(home, amount, answer);
    const ran = await plan(home);
    expectEnd(ran, 2, 'line 3 (a-2): the client order id is taken');
    writeFileSync(join(home, 'other.csv'), two.replace('a-2', 'a-2b'));
    expect((await plan(home, ['other.csv'])).exit).toBe(0);
  });

  test('as a follow-up is known by its order and content, not by the id beside it', async () => {
    const home = homeWith('client_orderid,orderid,amount,currency\nb,7,5.00,EUR\nb,7,6.00,EUR\n');
    const answer = reply(200, { ...taken, 'merchant-order-id': 'other', 'paynet-order-id': '7' });
    const single = ['return', '7', '--client-order-id', 'other', '--amount', '5', '--currency', 'EUR'];
    expect((await paycli(single, { home, network: [() => answer] })).exit).toBe(0);
    const ran = await plan(home, ['--operation', 'return']);
    expectEnd(ran, 10, 'line 2 (b): return of 5.00 EUR on order other (gateway order id 7) is already in the journal');
    expect(ran.err).not.toContain('line 3');
  });
});

describe('a row of another plan', () => {
  test('F45: the same file is refused while its plan is unfinished', async () => {
    const home = homeWith(two);
    const { plan: id } = await planned(home);
    const ran = await plan(home);
    expectEnd(ran, 10, 'it would be planned a second time: 2 rows');
    expect(ran.err).toMatch(new RegExp(`line 2: .* order a-1 of batch ${id} is already in the journal, planned`));
    expect(await plansIn(home)).toMatchObject([{ plan: id }]);
    // What the error advises frees the file.
    expect(ran.err).toContain(`\`paycli batch cancel ${id} --reason TEXT\` cancels them`);
    expect((await paycli(['batch', 'cancel', id, '--reason', 'wrong file'], { home })).exit).toBe(0);
    expect((await plan(home)).exit).toBe(0);
  });

  test('rows that are all new may be planned beside it, and those of another gateway', async () => {
    const home = homeWith(two);
    await planned(home);
    writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('c', '1')));
    expect((await plan(home, ['other.csv'])).exit).toBe(0);
    expect((await plan(home, [...elsewhere])).exit).toBe(0);
  });
});

describe('the caps of the profile', () => {
  const capped = (...caps: readonly string[]) => {
    const home = homeWithProfile({ more: caps });
    writeFileSync(
      join(home, 'rows.csv'),
      payoutFile(payoutLine('a', '20.00'), payoutLine('b', '20.01'), payoutLine('c', '5', 'USD')),
    );
    return home;
  };

  test('name the lines that go beyond them', async () => {
    const ran = await plan(capped('max-amount: 20.00 EUR'));
    expect([ran.exit, ran.out]).toEqual([10, '']);
    expect(ran.err).toContain('line 3 (b): max-amount is 20.00 EUR, and this request is for 20.01 EUR');
    expect(ran.err).toContain('line 4 (c): max-amount covers only EUR, and this request is in USD');
    expect(ran.err).not.toContain('line 2');
  });
});

describe('batch show', () => {
  test('tell according to the journal how far a plan is', async () => {
    const fixture = openFixture(payouts(2));
    const id = await fixture.plan();
    await fixture.run(['batch', 'run', id, '--max-rows', '1', '--rate', '1000/s']);
    const { states } = JSON.parse((await fixture.run(['batch', 'show', id, '--json'])).out);
    expect(states).toMatchObject([
      { state: 'planned', count: 1, totals: [{ minor: '1042', currency: 'EUR', text: '10.42' }] },
      { state: 'done', count: 1, totals: [{ minor: '1042', currency: 'EUR', text: '10.42' }] },
    ]);
    const [listed] = JSON.parse((await fixture.run(['batch', 'show', '--json'])).out).batches;
    expect(listed.states).toEqual({ done: 1, planned: 1 });
  });

  test('find a plan by its id in whichever journal has it; a list is of the profile in use', async () => {
    const home = homeWith(two);
    const { plan: id } = await planned(home, ['--profile', 'sandbox']);
    expect((await paycli(['batch', 'show', id], { home })).exit).toBe(0);
    expect(await plansIn(home)).toEqual([]);
    const listed = await paycli(['batch', 'show', '--profile', 'sandbox', '--json'], { home });
    expect(JSON.parse(listed.out).batches).toMatchObject([{ plan: id }]);
  });
});

// Requests on one order may go to several endpoints of one gateway, which knows the order by its id alone.

const returns = 'client_orderid,orderid,amount,currency\nb-1,700,5.00,EUR\nb-2,701,6.00,EUR\n';
const other = 'client_orderid,orderid,amount,currency\nc-9,701,6.00,EUR\nc-8,702,1.00,EUR\n';
const endpoint = ['--endpoint-id', '1150'];
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
    // However much else was done on the orders.
    await sent(home, ['capture', '701', '--client-order-id', 'b-2', '--all']);
    for (const flags of [[], endpoint]) {
      const ran = await plan(home, ['other.csv', ...asReturns, ...flags]);
      expectEnd(ran, 10, new RegExp(`planned a second time: 1 row\\n +line 2.*batch ${id}`));
    }
  });

  test('is not planned once a single return of one of its rows was sent, to whatever endpoint', async () => {
    const home = homeWith(returns);
    await sent(home, ['return', '701', '--client-order-id', 'x', '--amount', '6', '--currency', 'EUR', ...endpoint]);
    const ran = await plan(home, asReturns);
    expectEnd(ran, 10, 'line 3 (b-2): return of 6.00 EUR on order x (gateway order id 701)');
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, noSuchOrder, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { openFixture, payouts } from './command.js';
import { batchFiles, homeWith, payoutFile, payoutLine, plan, planned } from './files.js';

const two = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const took = reply(200, { ...taken, 'merchant-order-id': 'a-2' });
const no = reply(400, { type: 'validation-error', 'serial-number': '1', 'error-message': 'no', 'error-code': '1' });

/** The gateway of another company on the same host. */
const elsewhere = ['--base-url', 'https://gate.example/other'];

/** The second row of the file as a command by itself. */
function payout(home: string, amount: string, answer: Delivery): Promise<Ran> {
  const fields = ['--client-order-id', 'a-2', '--amount', amount, '--currency', 'EUR'];
  const account = [
    '--account-number',
    'DE02120300000000202051',
    '--bank-name',
    'Example Bank',
    '--bank-branch',
    'Berlin',
  ];
  const network = Array<() => Delivery>(answer.kind === 'never-sent' ? 3 : 1).fill(() => answer);
  if (answer === no) network.push(() => noSuchOrder);
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
    expect(batchFiles(home)).toEqual([]);
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
    ['was refused with another amount', no, '9.99'],
    ['proved never to have left', { kind: 'never-sent', reason: 'refused' } as const, '25.50'],
  ])('may be planned when it %s', async (_, answer, amount) => {
    const home = homeWith(two);
    await payout(home, amount, answer);
    expect((await plan(home)).exit).toBe(0);
  });

  test('as a follow-up is known by its order and content, not by the id beside it', async () => {
    const home = homeWith('client_orderid,orderid,amount,currency\nb,7,5.00,EUR\nb,7,6.00,EUR\n');
    const answer = reply(200, { ...taken, 'merchant-order-id': 'other', 'paynet-order-id': '7' });
    const sent = ['return', '7', '--client-order-id', 'other', '--amount', '5', '--currency', 'EUR'];
    expect((await paycli(sent, { home, network: [() => answer] })).exit).toBe(0);
    const ran = await plan(home, ['--operation', 'return']);
    expect([ran.exit, ran.err]).toEqual([
      10,
      expect.stringContaining(
        'line 2 (b): return of 5.00 EUR on order other (gateway order id 7) is already in the journal',
      ),
    ]);
    expect(ran.err).not.toContain('line 3');
  });

  test('at another gateway is another row', async () => {
    const home = homeWith(two);
    await payout(home, '25.50', took);
    expect((await plan(home, [...elsewhere])).exit).toBe(0);
  });
});

describe('a row of another plan', () => {
  test('F45: the same file is refused while its plan is unfinished', async () => {
    const home = homeWith(two);
    const { plan: id } = await planned(home);
    const ran = await plan(home);
    expect([ran.exit, ran.err]).toEqual([
      10,
      expect.stringContaining(`plan ${id} of 2030-01-07 was made from the same file`),
    ]);
    expect(batchFiles(home).filter((name) => name.endsWith('.db'))).toEqual([`${id}.db`]);
    // What the error advises frees the file.
    expect(ran.err).toContain(`run the existing plan, or cancel it with \`paycli batch cancel ${id} --reason TEXT\``);
    expect((await paycli(['batch', 'cancel', id, '--reason', 'wrong file'], { home })).exit).toBe(0);
    expect((await plan(home)).exit).toBe(0);
  });

  test('so are the same rows in another order, or one of them spelt otherwise', async () => {
    const home = homeWith(two);
    const { plan: id } = await planned(home);
    writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('A-2', '25.50'), payoutLine('c', '1')));
    const ran = await plan(home, ['other.csv']);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining(`plan ${id} of 2030-01-07 also contains line 2`)]);
  });

  test('rows that are all new may be planned beside it, and those of another gateway', async () => {
    const home = homeWith(two);
    await planned(home);
    writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('c', '1')));
    expect((await plan(home, ['other.csv'])).exit).toBe(0);
    expect((await plan(home, [...elsewhere])).exit).toBe(0);
  });

  test('that was refused at the gateway since may be corrected in a new plan', async () => {
    const home = homeWith(payoutFile(payoutLine('a-2', '25.50')));
    await planned(home);
    await payout(home, '25.50', no);
    writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('a-2', '20.00')));
    expect((await plan(home, ['other.csv'])).exit).toBe(0);
  });

  test('that a plan sent all of, at another endpoint, is sent: nobody is told to delete that plan', async () => {
    const fixture = openFixture(payouts(2));
    const id = await fixture.plan();
    const again = () =>
      fixture.run(['batch', 'plan', fixture.file, '--operation', 'payout', '--endpoint-id', '1145'], { tty: true });
    const never = await again();
    expect([never.exit, never.err]).toEqual([10, expect.stringContaining('has not sent everything')]);
    const run = ['batch', 'run', id, '--rate', '1000/s'];
    expect((await fixture.run([...run, '--max-rows', '1'])).exit).toBe(12);
    const half = await again();
    expect([half.exit, half.err]).toEqual([
      10,
      expect.stringMatching(new RegExp(`plan ${id} .* has already sent line 2 of this same file`)),
    ]);
    expect(half.err).toContain('batch run');
    expect((await fixture.run(run)).exit).toBe(0);
    const whole = await again();
    expect([whole.exit, whole.out]).toEqual([10, '']);
    expect(whole.err).toMatch(
      new RegExp(`plan ${id} .* has already sent lines 2, 3 of this same file with profile sandbox`),
    );
    for (const { err } of [half, whole]) expect(err).not.toContain('delete');
    expect(whole.err).not.toContain('has not sent everything');
  });

  test('questions may be asked as often as one likes', async () => {
    const home = homeWith('orderid\n1\n');
    for (let times = 0; times < 2; times += 1) expect((await plan(home, ['--operation', 'status'])).exit).toBe(0);
  });

  test('is not looked for in a file that is no plan', async () => {
    const home = homeWith(two);
    await planned(home);
    const [name = ''] = batchFiles(home);
    writeFileSync(join(home, 'state', 'batches', name), 'nonsense'.repeat(1000), { mode: 0o600 });
    expect((await plan(home)).exit).toBe(0);
    const list = await paycli(['batch', 'show'], { home });
    expect(list.out).toMatch(/^plan .* status$/m);
    expect([list.exit, list.err]).toEqual([0, expect.stringMatching(/warning: .*could not be used/)]);
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

  test('let all through that stays within', async () => {
    expect((await plan(capped('max-amount: [20.01 EUR, 5 USD]'))).exit).toBe(0);
  });

  test('stand beside other reasons', async () => {
    const ran = await plan(capped('max-amount: [20.00 EUR, 5 USD]'), ['--expect-count', '4']);
    expect(ran.err).toContain('it exceeds a cap: 1 row');
    expect(ran.err).toContain('--expect-count is 4, but there are 3 rows');
  });
});

describe('batch show', () => {
  test('show what there is, by the beginning of its id as well', async () => {
    const home = homeWith(two);
    const { plan: id, digest } = await planned(home);
    const list = await paycli(['batch', 'show'], { home });
    expect(list.out).toMatch(
      new RegExp(`${id} +2030-01-07T12:00:00Z +payout send +shop \\(test\\) +2 +35\\.50 EUR +2 planned`),
    );
    const show = await paycli(['batch', 'show', id.slice(0, 6)], { home });
    expect(show.out).toContain(digest);
    expect(show.out).toMatch(/planned +2 +35\.50 EUR/);
  });

  test('tell according to the journal how far a plan is', async () => {
    const home = homeWith(two);
    const { plan: id } = await planned(home);
    await payout(home, '25.50', took);
    const { states } = JSON.parse((await paycli(['batch', 'show', id, '--json'], { home })).out);
    expect(states).toMatchObject([
      { state: 'accepted', count: 1, totals: [{ minor: '2550', currency: 'EUR', text: '25.50' }] },
      { state: 'planned', count: 1, totals: [{ minor: '1000', currency: 'EUR', text: '10.00' }] },
    ]);
    const [listed] = JSON.parse((await paycli(['batch', 'show', '--json'], { home })).out).batches;
    expect(listed.states).toEqual({ accepted: 1, planned: 1 });
    expect((await paycli(['batch', 'show'], { home })).out).toMatch(/ 1 accepted, 1 planned$/m);
  });

  test('say what is missing', async () => {
    const home = homeWithProfile();
    expect(await paycli(['batch', 'show'], { home })).toMatchObject({
      exit: 0,
      err: expect.stringContaining('no plans; '),
    });
    expect(await paycli(['batch', 'show', 'b-2'], { home })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('there is no plan b-2'),
    });
    for (const name of ['one', 'two']) {
      writeFileSync(join(home, `${name}.csv`), payoutFile(payoutLine(name, '1')));
      await planned(home, [`${name}.csv`, '--again']);
    }
    expect(await paycli(['batch', 'show', 'b-2'], { home })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('the id matches several plans: b-2'),
    });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHold } from '../../src/cli/core/hold-amounts.js';
import type { Intent } from '../../src/journal/index.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { propertyRuns } from '../support/property-runs.js';
import { paycli, reply } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, taken } from './profiles.js';

// What several machines moved of one hold. The status has one total for what was released before the capture and what
// was returned after it, and names the newest transaction (A42).

type Move = readonly [operation: 'CAPTURE' | 'RETURN', amount: string | undefined, type?: string, total?: string];

/** Requests from here that are done; without a type one that was settled manually, without an amount one of all. */
const requestsOf = (moves: readonly Move[]) =>
  moves.map(([operation, amount, type, total]) => ({
    ...{ kind: 'follow-up', operation, state: 'done' },
    ...(amount === undefined ? {} : { sum: { minor: `${amount}00`, digits: 2, currency: 'EUR' } }),
    outcome: {
      ...(type === undefined ? {} : { 'transaction-type': type }),
      ...(total === undefined ? {} : { 'total-reversal-amount': total }),
    },
  })) as unknown as Intent[];
const statusOf = (kind: string, amount: string, total: string, status = 'approved') =>
  new Map([
    ...[['transaction-type', kind] as const, ['amount', amount] as const],
    ...[['total-reversal-amount', total] as const, ['status', status] as const],
  ]);
const shown = (status: ReturnType<typeof statusOf>, moves: readonly Move[], captures: 'one' | 'many' = 'one') => {
  const { captured, released, returned, leftAtMost } = readHold('80.00', status, requestsOf(moves), {
    'captures-per-hold': captures,
  });
  return [captured, released, returned, leftAtMost];
};

// Each history by hand: a hold of 80.00, what this machine did, and what another one did, in the title.
describe('of a hold of 80.00', () => {
  test.each([
    ['nothing happened', statusOf('preauth', '80.00', '0.00'), [], ['0.00', '0.00', '0.00', '80.00']],
    ['another machine released 10', statusOf('cancel', '10.00', '10.00'), [], ['0.00', '10.00', '0.00', '70.00']],
    [
      'another captured 50, this one returned 10',
      statusOf('reversal', '10.00', '10.00'),
      [['RETURN', '10', 'reversal']],
      [undefined, '0.00', '10.00', '70.00'],
    ],
    [
      'this one captured 50, another returned 10',
      statusOf('reversal', '10.00', '10.00'),
      [['CAPTURE', '50', 'capture', '0.00']],
      ['50.00', '0.00', '10.00', '40.00'],
    ],
    [
      'this one released 30, another 10, then this one captured 40',
      statusOf('capture', '40.00', '40.00'),
      [
        ['RETURN', '30', 'cancel'],
        ['CAPTURE', '40', 'capture', '40.00'],
      ],
      ['40.00', '40.00', '0.00', '40.00'],
    ],
    [
      'and then returned 15: the 10 may have been returned as well',
      statusOf('reversal', '15.00', '55.00'),
      [
        ['RETURN', '30', 'cancel'],
        ['CAPTURE', '40', 'capture', '40.00'],
        ['RETURN', '15', 'reversal'],
      ],
      ['40.00', undefined, undefined, '25.00'],
    ],
    [
      'the reply to the capture shows that nothing else was released before it',
      statusOf('reversal', '15.00', '55.00'),
      [
        ['RETURN', '30', 'cancel'],
        ['CAPTURE', '40', 'capture', '30.00'],
        ['RETURN', '15', 'reversal'],
      ],
      ['40.00', '30.00', '25.00', '15.00'],
    ],
    [
      'all that was captured was returned, so the rest was released',
      statusOf('reversal', '40.00', '80.00'),
      [
        ['RETURN', '30', 'cancel'],
        ['CAPTURE', '40', 'capture', '40.00'],
        ['RETURN', '40', 'reversal'],
      ],
      ['40.00', '40.00', '40.00', '0.00'],
    ],
    [
      'another released 2, this one captured 70 and returned 2: equal amounts count once',
      statusOf('reversal', '2.00', '4.00'),
      [
        ['CAPTURE', '70', 'capture'],
        ['RETURN', '2', 'reversal'],
      ],
      ['70.00', undefined, undefined, '68.00'],
    ],
    [
      'another captured 50, and its return is processing',
      statusOf('reversal', '20.00', '0.00', 'processing'),
      [],
      [undefined, '0.00', '0.00', '80.00'],
    ],
    [
      'another captured 50, and its return was declined',
      statusOf('reversal', '20.00', '0.00', 'declined'),
      [],
      [undefined, '0.00', '0.00', '80.00'],
    ],
    [
      'a capture of another one was declined, which shows nothing of an earlier one',
      statusOf('capture', '20.00', '0.00', 'declined'),
      [],
      [undefined, '0.00', '0.00', '80.00'],
    ],
    [
      'this one captured 80, another returned 70, and its second capture was declined',
      statusOf('capture', '10.00', '70.00', 'declined'),
      [['CAPTURE', '80', 'capture']],
      ['80.00', '0.00', '70.00', '10.00'],
    ],
    [
      'a capture of all, settled manually as done, was of 30 by the status',
      statusOf('capture', '30.00', '50.00'),
      [['CAPTURE', undefined]],
      ['30.00', '50.00', '0.00', '30.00'],
    ],
    [
      'a return settled manually may be either',
      statusOf('reversal', '10.00', '40.00'),
      [['RETURN', '30']],
      [undefined, undefined, undefined, '40.00'],
    ],
  ] as const)('%s', (_, status, moves, expected) => {
    expect(shown(status, moves)).toEqual(expected);
  });

  test.each([
    [
      'of which another captured 50 last',
      statusOf('capture', '50.00', '0.00'),
      [],
      [undefined, '0.00', '0.00', '80.00'],
    ],
    [
      'of which this one captured 3, and another 5 after it',
      statusOf('capture', '5.00', '0.00'),
      [['CAPTURE', '3', 'capture']],
      [undefined, '0.00', '0.00', '80.00'],
    ],
    [
      'of which this one captured 3 last',
      statusOf('capture', '3.00', '0.00'),
      [['CAPTURE', '3', 'capture']],
      ['3.00', '0.00', '0.00', '3.00'],
    ],
  ] as const)('that may be captured several times, %s', (_, status, moves, expected) => {
    expect(shown(status, moves, 'many')).toEqual(expected);
  });
});

// A ledger of its own, in whole units: what two machines do of a hold of 80, and what its status then shows.
const step = fc.record({
  isHere: fc.boolean(),
  operation: fc.constantFrom('CAPTURE' as const, 'RETURN' as const),
  tenths: fc.integer({ min: 1, max: 10 }),
  isApproved: fc.boolean(),
  isManual: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function playedOut(steps: readonly Step[]) {
  let [captured, released, returned] = [0, 0, 0];
  const here: Move[] = [];
  let newest = ['preauth', 80, 'approved'] as readonly [kind: string, amount: number, status: string];
  for (const { isHere, operation, tenths, isApproved, isManual } of steps) {
    const left = captured > 0 ? captured - returned : 80 - released;
    const most = operation === 'RETURN' ? left : captured > 0 ? 0 : left;
    // The gateway accepts only what is possible (A34).
    if (most === 0) continue;
    const part = Math.max(1, Math.floor((most * tenths) / 10));
    const kind = operation === 'CAPTURE' ? 'capture' : captured > 0 ? 'reversal' : 'cancel';
    newest = [kind, part, isApproved ? 'approved' : 'declined'];
    if (!isApproved) continue;
    if (kind === 'capture') captured = part;
    else if (kind === 'cancel') released += part;
    else returned += part;
    const total = `${released + returned}.00`;
    if (isHere) here.push(isManual ? [operation, `${part}`] : [operation, `${part}`, kind, total]);
  }
  const [kind, amount, status] = newest;
  return {
    truth: { captured, released, returned, left: captured > 0 ? captured - returned : 80 - released },
    read: readHold('80', statusOf(kind, `${amount}`, `${released + returned}`, status), requestsOf(here), {
      'captures-per-hold': 'one',
    }),
  };
}

test('whatever two machines do, what is said is so, and no less is said to be left at most than is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const { truth, read } = playedOut(steps);
      for (const name of ['captured', 'released', 'returned', 'left'] as const)
        if (read[name] !== undefined) expect([name, Number(read[name])]).toEqual([name, truth[name]]);
      expect(Number(read.leftAtMost)).toBeGreaterThanOrEqual(truth.left);
      if (read.isCaptured) expect(truth.captured).toBeGreaterThan(0);
    }),
    { numRuns: Math.max(propertyRuns, 500) },
  );
});

const own = { 'by-request-sn': taken['serial-number'] };
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const done = async (home: string, argv: readonly string[], answer: Delivery) => {
  const ran = await run(home, [...argv, '--wait'], [reply(200, taken), answer]);
  expect(ran.exit, ran.err).toBe(0);
};
const amountsIn = async (home: string, answer: Delivery) =>
  JSON.parse((await run(home, ['order', '902B4FF5', '--json'], [answer])).out).amounts;
const listed = async (home: string) => JSON.parse((await run(home, ['orders', '--json'])).out).orders[0];

async function homeWithHold(): Promise<string> {
  const home = homeWithProfile();
  await done(home, ['preauth', ...saleFlags.slice(1)], approvedReply('preauth', { amount: '10.42' }));
  return home;
}

test('a return of all that another machine captured leaves nothing, however much that was', async () => {
  const home = await homeWithHold();
  const returned = approvedReply('reversal', { ...own, amount: '6.00', 'total-reversal-amount': '6.00' });
  await done(home, ['return', '902B4FF5', '--all'], returned);
  expect(await amountsIn(home, returned)).toMatchObject({
    ...{ captured: '6.00', released: '0.00', returned: '6.00', left: '0.00', leftAtMost: '0.00' },
  });
  const can = await run(home, ['order', '902B4FF5', '--can', 'return'], [returned]);
  expect([can.exit, can.out]).toEqual([11, 'no: no remaining amount to return\n']);
  expect(await listed(home)).toMatchObject({ returned: '6.00', left: '0.00' });
});

test('the journal alone does not take a return of what another machine captured for a part of the hold', async () => {
  const home = await homeWithHold();
  const returned = approvedReply('reversal', { ...own, amount: '4.00', 'total-reversal-amount': '4.00' });
  await done(home, ['return', '902B4FF5', '--amount', '4.00'], returned);
  const { out } = await run(home, ['order', '902B4FF5', '--offline']);
  expect(out).toMatch(/^ {2}amounts +10\.42 USD, returned 4\.00, refundable at most 6\.42$/m);
  expect(out).not.toMatch(/^ {2}hold +active|paycli capture/m);
});

test('of a hold of another machine what this one captured is known', async () => {
  const home = homeWithProfile();
  const elsewhere = approvedReply('preauth', { amount: '10.42', 'initial-amount': '10.42' });
  const captured = approvedReply('capture', { ...own, amount: '7.00', 'initial-amount': '10.42' });
  const argv = ['capture', '902B4FF5', '--amount', '7.00', '--wait'];
  const ran = await run(home, argv, [elsewhere, elsewhere, reply(200, taken), captured]);
  expect(ran.exit, ran.err).toBe(0);
  const returned = { amount: '2.00', 'initial-amount': '10.42', 'total-reversal-amount': '2.00' };
  expect(await amountsIn(home, approvedReply('reversal', returned))).toMatchObject({
    ...{ captured: '7.00', released: '0.00', returned: '2.00', returnedElsewhere: '2.00', left: '5.00' },
  });
});

test('where all that was captured is returned, the rest of the total was released', async () => {
  const home = await homeWithHold();
  const total = (amount: string) => ({ ...own, 'total-reversal-amount': amount });
  await done(
    home,
    ['return', '902B4FF5', '--amount', '3.00'],
    approvedReply('cancel', { amount: '3.00', ...total('3.00') }),
  );
  // 1.00 was released elsewhere meanwhile.
  await done(
    home,
    ['capture', '902B4FF5', '--amount', '6.42'],
    approvedReply('capture', { amount: '6.42', ...total('4.00') }),
  );
  const returned = approvedReply('reversal', { amount: '6.42', ...total('10.42') });
  await done(home, ['return', '902B4FF5', '--amount', '6.42'], returned);
  expect(await amountsIn(home, returned)).toMatchObject({
    ...{ captured: '6.42', released: '4.00', returned: '6.42', returnedElsewhere: '1.00', left: '0.00' },
  });
  expect((await run(home, ['order', '902B4FF5'], [returned])).out).toMatch(/^ {2}elsewhere +released 1\.00: shown by/m);
  expect(await listed(home)).toMatchObject({ captured: '6.42', left: '0.00' });
});

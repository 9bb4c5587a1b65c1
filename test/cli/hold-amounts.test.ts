import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHold } from '../../src/cli/core/hold-amounts.js';
import type { Intent } from '../../src/journal/index.js';
import { propertyRuns } from '../support/property-runs.js';

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

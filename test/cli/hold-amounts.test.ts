import fc from 'fast-check';
import { expect, test } from 'vitest';
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

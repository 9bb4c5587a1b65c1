// @module-tag openssl
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ran } from '../e2e/home.js';
import { expectFinished, type Payouts, type Planned, runFlags, startPayouts } from './payouts.js';

// 100,000 of them fail half-way as well: at row 50,000.
const rows = Number(process.env['LIMIT_ROWS'] ?? 40);

let payouts: Payouts;

beforeAll(async () => {
  payouts = await startPayouts();
});

afterAll(() => payouts.close());

interface Tried extends Ran {
  readonly planned: Planned;
  /** Rows that arrived. */
  readonly sent: number;
}

let unsent: Planned | undefined;

/** Runs a plan no row of which was sent by a line for bash. */
async function tried(line: (id: string) => string): Promise<Tried> {
  const planned = unsent ?? (await payouts.plan(rows));
  const ran = await payouts.home.shell(line(planned.id));
  const sent = sentOf(planned);
  unsent = sent === 0 ? planned : undefined;
  return { ...ran, planned, sent };
}

function sentOf({ orders }: Planned): number {
  return orders.filter((order) => payouts.paid.has(order)).length;
}

describe('F63 out of file descriptors', () => {
  const withMost = (descriptors: number) =>
    tried((id) => `ulimit -n ${descriptors}; paycli batch run ${id} ${runFlags.join(' ')} --concurrency 16`);

  test('exit 13 where no row left, 8 or 12 with rows on their way, and resume sends the rest', {
    timeout: 120_000,
  }, async () => {
    // The fewest with which a row leaves: how many that are depends on the Node that runs it.
    let [tooFew, enough] = [16, 80];
    while (enough - tooFew > 1) {
      const middle = Math.floor((tooFew + enough) / 2);
      if ((await withMost(middle)).sent > 0) enough = middle;
      else tooFew = middle;
    }
    // Each stops it at another step of the way to the first request; by day the last one alone.
    for (let descriptors = tooFew - 1; descriptors < tooFew; descriptors += 1) {
      const { exit, sent, err } = await withMost(descriptors);
      expect({ exit, sent }, `${descriptors}: ${err}`).toEqual({ exit: 13, sent: 0 });
      expect(err).toContain('could not be used: ');
    }
    const later = await withMost(enough);
    expect([8, 12], later.err).toContain(later.exit);
    await expectFinished(payouts, later.planned);
  });

  test('with many, nothing of it is seen', async () => {
    const { exit, sent, err } = await withMost(200);
    expect({ exit, sent, err }).toEqual({ exit: 0, sent: rows, err: '' });
  });
});

describe('F63 out of memory', () => {
  test('of the machine, which kills it with rows on their way: the same', { timeout: 60_000 + rows * 20 }, async () => {
    const planned = await payouts.plan(rows);
    const before = payouts.paid.size;
    const running = await payouts.home.start([
      'batch',
      'run',
      planned.id,
      ...runFlags,
      ...(rows > 1000 ? ['--concurrency', '64'] : []),
    ]);
    payouts.onPayout(() => {
      if (payouts.paid.size - before === rows / 2) running.signal('SIGKILL');
      return {};
    });
    expect((await running.done).exit).toBe(null);
    expect(sentOf(planned)).toBeLessThan(rows);
    await expectFinished(payouts, planned);
  });
});

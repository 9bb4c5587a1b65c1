import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { countsIn } from '../batch/files.js';
import type { Home } from './home.js';
import type { Gateway } from './shop.js';

type Row = Readonly<Record<string, unknown>>;

interface KilledBatches {
  readonly gateway: Gateway;
  /** Two workers, on one machine or on two, that are killed and begin again. */
  readonly workers: readonly [Home, Home];
  readonly kills: number;
  /** The requests as they stand in the database of the journal, past the program. */
  requests(): readonly Row[] | Promise<readonly Row[]>;
}

const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
const flags = ['--rate', '2000/s', '--concurrency', '8', '--max-unknown', '100%'];

/** Batches whose workers are killed at random moments: every row is paid at most once, and the totals are exact. */
export async function killBatches({ gateway, workers, kills, requests }: KilledBatches): Promise<void> {
  const rows = kills > 2 ? 40 : 12;
  const [home] = workers;
  const done = { kills: 0, plans: 0 };

  const first = await plan();
  const start = performance.now();
  const whole = await home.run(['batch', 'run', first, ...flags]);
  expect(whole.exit, whole.err).toBe(0);
  const usualMs = performance.now() - start;
  const plans = [first];
  while (done.kills < kills) {
    const id = await plan();
    plans.push(id);
    let ended = 0;
    const work = async (worker: Home) => {
      await insist(worker, id, () => ended > 0);
      ended += 1;
    };
    await Promise.all(workers.map(work));
  }
  await expectPaidOnce();

  async function plan(): Promise<string> {
    done.plans += 1;
    const cents = Array.from({ length: rows }, (_, at) => 100 + (at % 100));
    const lines = cents.map(
      (each, at) => `kill-${done.plans}-${at + 1},${(each / 100).toFixed(2)},EUR,DE${done.plans}-${at},Bank,Main`,
    );
    const file = home.write(`payouts-${done.plans}.csv`, `${[header, ...lines].join('\n')}\n`);
    const total = (cents.reduce((sum, each) => sum + each, 0) / 100).toFixed(2);
    const words = ['--operation', 'payout', '--expect-count', String(rows), '--expect-total', `EUR=${total}`];
    const planned = await home.call(['batch', 'plan', file, ...words, '--json']);
    expect(planned.exit, planned.err).toBe(0);
    return String(JSON.parse(planned.out).plan);
  }

  /** Sends a plan, killed and begun again, while another worker does the same, until it comes to its end. */
  async function insist(worker: Home, id: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const running = await worker.start(['batch', 'run', id, ...flags, '--json']);
      if (done.kills < kills) {
        await Promise.race([running.done, pause(Math.random() * usualMs * 1.1)]);
        running.signal('SIGKILL');
      }
      const { exit, err } = await running.done;
      if (exit === null) done.kills += 1;
      else {
        expect([0, 8, 12], err).toContain(exit);
        if (exit === 0 || (exit === 8 && !err.includes('no further row'))) return;
      }
      await pause(Math.random() * 100);
    }
  }

  async function expectPaidOnce(): Promise<void> {
    const database = new DatabaseSync(join(gateway.home.state, 'sandbox/default.db'), { readOnly: true });
    const payouts = database
      .prepare("SELECT client_order_id AS id, count(*) AS n FROM transactions WHERE kind = 'payout' GROUP BY 1")
      .all()
      .filter(({ id }: Row) => String(id).startsWith('kill-'));
    database.close();
    expect(payouts.filter(({ n }: Row) => n !== 1)).toEqual([]);
    const entries = new Map((await requests()).map((row) => [row['client_order_id'], row]));
    for (const [id, { state, attempt }] of entries) {
      expect(['done', 'unknown'], String(id)).toContain(state);
      expect(Number(attempt), String(id)).toBeLessThan(2);
    }
    // What was carried out is exactly what the journal holds as done.
    const isDone = ([, { state }]: readonly [unknown, Row]) => state === 'done';
    expect(payouts.map(({ id }: Row) => id).sort()).toEqual(
      [...entries]
        .filter(isDone)
        .map(([id]) => id)
        .sort(),
    );
    let unknown = 0;
    for (const id of plans) {
      const reported = await home.call(['batch', 'show', id, '--out', id]);
      expect(reported.exit, reported.err).toBe(0);
      const counts = countsIn(readFileSync(join(home.path, id, 'summary.json'), 'utf8'));
      expect((counts['done'] ?? 0) + (counts['unknown'] ?? 0), JSON.stringify(counts)).toBe(rows);
      unknown += counts['unknown'] ?? 0;
    }
    expect(payouts.length + unknown).toBe(plans.length * rows);
    expect(done.kills).toBeGreaterThanOrEqual(kills);
    if (kills > 2) {
      const figures = { ...done, usualMs: Math.round(usualMs), paid: payouts.length, unknown };
      process.stdout.write(`${JSON.stringify(figures)}\n`);
    }
  }
}

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'vitest';
import { testSale } from '../support/test-sale.js';
import type { Home } from './home.js';
import type { Gateway } from './shop.js';

/** After so many kills of one request it is let run to its end. */
const mostKills = 3;

type Row = Readonly<Record<string, unknown>>;

interface KilledCommands {
  readonly gateway: Gateway;
  /** Two people at work, on one machine or on two. */
  readonly workers: readonly [Home, Home];
  readonly kills: number;
  /** The requests as they stand in the database of the journal, past the program. */
  requests(): readonly Row[] | Promise<readonly Row[]>;
}

/** Sales and returns that are killed at random moments and typed again: none is made twice, and each has its entry. */
export async function killCommands({ gateway, workers, kills, requests }: KilledCommands): Promise<void> {
  const done = { kills: 0, sales: 0, returns: 0 };
  const [home] = workers;

  const start = performance.now();
  await home.run(testSale('--wait', '--client-order-id', 'first'));
  const usualMs = (performance.now() - start) * 1.2;
  await Promise.all(workers.map(work));
  const inDoubt = (await requests()).filter(({ state }) => state === 'sending' || state === 'unknown').length;
  const resolved = await home.call(['resolve']);
  expect([0, 8], resolved.err).toContain(resolved.exit);
  await expectMadeOnce();

  function ledger(sql: string): Row[] {
    const database = new DatabaseSync(join(gateway.home.state, 'sandbox/default.db'), { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  }

  /** The same command again and again, killed at random moments, until it ends by itself; its exit code. */
  async function insist(worker: Home, words: readonly string[]): Promise<number> {
    for (let killed = 0; ; killed += 1) {
      const running = await worker.start(words);
      if (killed < mostKills && done.kills < kills) {
        await Promise.race([running.done, pause(Math.random() * usualMs)]);
        running.signal('SIGKILL');
      }
      const { exit, err } = await running.done;
      if (exit !== null) {
        expect([0, 8], `${words.join(' ')}\n${err}`).toContain(exit);
        return exit;
      }
      done.kills += 1;
    }
  }

  async function work(worker: Home, number: number): Promise<void> {
    for (let at = 0; done.kills < kills; at += 1) {
      const id = `single-${number}-${at}`;
      const money = ['--currency', 'USD', '--client-order-id', id];
      done.sales += 1;
      // The workers' payments are equal, and one may be in doubt while the next is sent.
      const sale = ['sale', '--amount', '10.42', '--test-card', 'approved', '--wait', '--again', ...money];
      if ((await insist(worker, sale)) !== 0) continue;
      const [order] = ledger(`SELECT id FROM orders WHERE client_order_id = '${id}'`);
      done.returns += 1;
      await insist(worker, ['return', String(order?.['id']), '--amount', '1.00', '--wait', ...money]);
    }
  }

  async function expectMadeOnce(): Promise<void> {
    const entries = await requests();
    const made = (kind: string) =>
      ledger(`SELECT client_order_id FROM transactions WHERE kind = '${kind}' AND client_order_id LIKE 'single-%'`);
    const executed = { SALE: made('sale'), RETURN: made('reversal') };
    const ids = (list: readonly Row[]) => list.map((row) => row['client_order_id']).sort();
    for (const [operation, rows] of Object.entries(executed)) {
      expect(new Set(ids(rows)).size).toBe(rows.length);
      const own = entries.filter(
        (entry) => entry['operation'] === operation && String(entry['client_order_id']).startsWith('single-'),
      );
      // What was carried out is exactly what the journal holds as done; what nobody knows of is in doubt, and was not
      // tried twice.
      expect(ids(own.filter(({ state }) => state === 'done'))).toEqual(ids(rows));
      for (const entry of own) expect(['done', 'unknown', 'not_sent'], JSON.stringify(entry)).toContain(entry['state']);
      for (const entry of own) expect(Number(entry['attempt'])).toBeLessThan(2);
    }
    expect(done.kills).toBeGreaterThanOrEqual(kills);
    const unknown = entries.filter(({ state }) => state === 'unknown').length;
    const paid = { sales: executed.SALE.length, returns: executed.RETURN.length };
    if (kills > 2) process.stdout.write(`${JSON.stringify({ ...done, inDoubt, unknown, paid })}\n`);
  }
}

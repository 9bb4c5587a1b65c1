// @module-tag openssl
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJournalFile } from '../support/journal-file.js';
import { testSale } from '../support/test-sale.js';
import { expectSound } from '../support/user-journal.js';
import { Home } from './home.js';
import { type Gateway, profileText, startGateway } from './shop.js';

// Two kills in a quick run; JOURNAL_KILLS=300 for a long one.
const kills = Number(process.env['JOURNAL_KILLS'] ?? 2);
const workers = 2;
/** After so many kills of one request it is let run to its end. */
const mostKills = 3;

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  // A20: a second sale with the same id is a second payment, so that only the journal stands between a kill and a
  // duplicate.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  // Of class sandbox, so that questions about an unknown outcome take no minutes.
  const profile = profileText('shop', gateway.url, gateway.keys).replace('class: test', 'class: sandbox');
  home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
}, 60_000);

afterAll(async () => {
  home.remove();
  await gateway.close();
});

type Row = Readonly<Record<string, unknown>>;

function ledger(sql: string): Row[] {
  const database = new DatabaseSync(join(gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const requests = () => readJournalFile(home.state).requests;

const done = { kills: 0, sales: 0, returns: 0 };

/** The same command again and again, killed at random moments, until it ends by itself; its exit code. */
async function insist(words: readonly string[], usualMs: number): Promise<number> {
  for (let killed = 0; ; killed += 1) {
    const running = await home.start(words);
    if (killed < mostKills && done.kills < kills) {
      await Promise.race([running.done, pause(Math.random() * usualMs)]);
      running.signal('SIGKILL');
    }
    const { exit, err } = await running.done;
    if (exit === null) {
      done.kills += 1;
      continue;
    }
    expect([0, 8], `${words.join(' ')}\n${err}`).toContain(exit);
    return exit;
  }
}

async function work(worker: number, usualMs: number): Promise<void> {
  for (let at = 0; done.kills < kills; at += 1) {
    const id = `kill-${worker}-${at}`;
    const money = ['--currency', 'USD', '--client-order-id', id];
    done.sales += 1;
    // The workers' payments are equal, and one may be in doubt while the next is sent.
    const sale = ['sale', '--amount', '10.42', '--test-card', 'approved', '--wait', '--again', ...money];
    if ((await insist(sale, usualMs)) !== 0) continue;
    const [order] = ledger(`SELECT id FROM orders WHERE client_order_id = '${id}'`);
    done.returns += 1;
    await insist(['return', String(order?.['id']), '--amount', '1.00', '--wait', ...money], usualMs);
  }
}

test(`${kills} kills: no payment is made twice, and every payment has its entry`, {
  timeout: 60_000 + kills * 3000,
}, async () => {
  const start = performance.now();
  await home.run(testSale('--wait', '--client-order-id', 'first'));
  const usualMs = performance.now() - start;
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker, usualMs * 1.2)));

  const doubt = requests().filter(({ state }) => state === 'sending' || state === 'unknown').length;
  const resolved = await home.call(['resolve', '--all']);
  expect([0, 8], resolved.err).toContain(resolved.exit);
  await expectSound(home.path);

  const orders = ledger('SELECT id, client_order_id FROM orders');
  const sales = ledger("SELECT client_order_id, amount FROM transactions WHERE kind = 'sale'");
  const reversals = ledger("SELECT client_order_id, amount FROM transactions WHERE kind = 'reversal'");
  for (const rows of [orders, sales, reversals])
    expect(new Set(rows.map((row) => row['client_order_id'])).size).toBe(rows.length);

  const entries = requests();
  const executed = { SALE: sales, RETURN: reversals };
  for (const [operation, rows] of Object.entries(executed)) {
    const own = entries.filter((entry) => entry['operation'] === operation);
    const ids = (list: readonly Row[]) => list.map((row) => row['client_order_id']).sort();
    // What was carried out is exactly what the journal holds as done; what nobody knows of is in doubt, and was not
    // tried twice.
    expect(ids(own.filter(({ state }) => state === 'done'))).toEqual(ids(rows));
    for (const entry of own) expect(['done', 'unknown', 'not_sent'], JSON.stringify(entry)).toContain(entry['state']);
    for (const entry of own) expect(Number(entry['attempt'])).toBeLessThan(2);
  }
  expect(done.kills).toBeGreaterThanOrEqual(kills);
  const unknown = entries.filter(({ state }) => state === 'unknown').length;
  if (process.env['JOURNAL_KILLS'] !== undefined)
    process.stdout.write(
      `${JSON.stringify(done)}, in doubt before resolve ${doubt}, after ${unknown}, in the ledger ${sales.length} sales and ${reversals.length} returns\n`,
    );
});

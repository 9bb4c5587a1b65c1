// @module-tag openssl
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { readJournalFile } from '../support/journal-file.js';
import { Home } from './home.js';
import { type Gateway, profileText, startGateway } from './shop.js';

// Two kills in a quick run; BATCH_KILLS=300 for a long one.
const kills = Number(process.env['BATCH_KILLS'] ?? 2);
const workers = 2;
const rows = kills > 2 ? 40 : 20;

let gateway: Gateway;
let home: Home;

beforeAll(async () => {
  // A20: a second payout with the same id is a second payment, so that only the journal stands between a kill and a
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

function query(path: string, sql: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const ledger = (sql: string) => query(join(gateway.home.state, 'data/sandbox/default.db'), sql);

const done = { kills: 0, plans: 0 };
const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';

async function plan(): Promise<string> {
  done.plans += 1;
  const lines = Array.from(
    { length: rows },
    (_, at) =>
      `kill-${done.plans}-${at + 1},1.${String(at % 100).padStart(2, '0')},EUR,DE${done.plans}-${at},Bank,Main`,
  );
  const cents = Array.from({ length: rows }, (_, at) => 100 + (at % 100)).reduce((sum, each) => sum + each, 0);
  const file = home.write(`payouts-${done.plans}.csv`, `${[header, ...lines].join('\n')}\n`);
  const total = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const words = ['--operation', 'payout', '--expect-count', String(rows), '--expect-total', `EUR=${total}`];
  const planned = await home.call(['batch', 'plan', file, ...words, '--json']);
  expect(planned.exit, planned.err).toBe(0);
  return String(JSON.parse(planned.out).plan);
}

const flags = ['--rate', '2000/s', '--concurrency', '8', '--max-unknown', '100%'];

/** Sends a plan, killed and begun again, while another worker does the same, until it comes to its end. */
async function insist(id: string, usualMs: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const running = await home.start(['batch', 'run', id, ...flags, '--json']);
    if (done.kills < kills) {
      await Promise.race([running.done, pause(Math.random() * usualMs)]);
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

test(`${kills} kills: every row is paid at most once, and the totals are exact`, {
  timeout: 180_000 + kills * 12_000,
}, async () => {
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
    const isOver = () => ended > 0;
    const worker = async () => {
      await insist(id, usualMs * 1.1, isOver);
      ended += 1;
    };
    await Promise.all(Array.from({ length: workers }, worker));
  }

  const payouts = ledger(
    "SELECT client_order_id AS id, count(*) AS n, sum(amount) AS minor FROM transactions WHERE kind = 'payout' GROUP BY 1",
  );
  expect(payouts.filter(({ n }) => n !== 1)).toEqual([]);
  const entries = new Map(readJournalFile(home.state).requests.map((row) => [row['client_order_id'], row]));
  for (const [id, { state, attempt }] of entries) {
    expect(['done', 'unknown'], String(id)).toContain(state);
    expect(Number(attempt), String(id)).toBeLessThan(2);
  }
  // What was carried out is exactly what the journal holds as done.
  expect(payouts.map(({ id }) => id).sort()).toEqual(
    [...entries]
      .filter(([, { state }]) => state === 'done')
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
  if (process.env['BATCH_KILLS'] !== undefined)
    process.stdout.write(
      `${JSON.stringify({ ...done, usualMs: Math.round(usualMs), paid: payouts.length, unknown })}\n`,
    );
});

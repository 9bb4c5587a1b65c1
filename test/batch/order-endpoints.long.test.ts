// @module-tag openssl
// @module-tag postgres

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { Home } from '../e2e/home.js';
import { profileText } from '../e2e/shop.js';
import { openServers } from './servers.js';

const wantedKills = Number(process.env['KILL_LOOP'] ?? 60);
const killsOfRound = 8;
const count = Number(process.env['KILL_LOOP_ROWS'] ?? 10);

const servers = openServers();
const ledger = () => join(servers.gateway.home.state, 'data/sandbox/default.db');

/** Orders by the number of returns the gateway made of each. */
function returned(): Map<string, number> {
  const database = new DatabaseSync(ledger(), { readOnly: true });
  try {
    const rows: Record<string, unknown>[] = database
      .prepare(
        "SELECT order_id, count(*) AS made FROM transactions WHERE kind IN ('reversal', 'cancel') GROUP BY order_id",
      )
      .all();
    return new Map(rows.map((row) => [String(row['order_id']), Number(row['made'])]));
  } finally {
    database.close();
  }
}

/** A second endpoint of the merchant, as gateways have them for groups and currencies. */
function addEndpoint(id: string): void {
  const database = new DatabaseSync(ledger());
  database.exec(`INSERT INTO endpoints (id, login) VALUES ('${id}', 'shop')`);
  database.close();
}

function newHome(): Home {
  const profile = profileText('shop', servers.gateway.url, servers.gateway.keys).replace(
    'class: test',
    'class: sandbox',
  );
  const home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
  home.write('rows.key', 'ab'.repeat(32));
  onTestFinished(() => home.remove());
  return home;
}

/** Its ids, as a row of a file has them. */
async function sell(home: Home): Promise<string> {
  const sale = ['sale', '--amount', '50', '--currency', 'EUR', '--test-card', 'approved', '--wait', '--json'];
  const ran = await home.call(sale);
  expect(ran.exit, ran.err).toBe(0);
  const { order } = JSON.parse(ran.out);
  return `${order.clientOrderId},${order.orderId}`;
}

/** A plan of one return for each order, as the file of another person would have them. */
async function planReturns(
  home: Home,
  name: string,
  orders: readonly string[],
  flags: readonly string[],
): Promise<string> {
  const lines = orders.map((order) => `${order},5.00,EUR`);
  const file = home.write(`${name}.csv`, `client_orderid,orderid,amount,currency\n${lines.join('\n')}\n`);
  const total = `EUR=${(orders.length * 5).toFixed(2)}`;
  const expected = ['--expect-count', String(orders.length), '--expect-total', total];
  const ran = await home.call(['batch', 'plan', file, '--operation', 'return', ...expected, ...flags, '--json']);
  expect(ran.exit, ran.err).toBe(0);
  return String(JSON.parse(ran.out).plan);
}

/** The two plans of a round, each with all the returns. */
async function twoPlans(home: Home, round: number): Promise<readonly [string, string]> {
  const orders: string[] = [];
  while (orders.length < count) orders.push(await sell(home));
  const first = await planReturns(home, `one-${round}`, orders, []);
  // Nobody can plan the second one beside the first, but an earlier version could.
  const path = join(home.state, 'batches', `${first}.db`);
  renameSync(path, join(home.path, 'hidden.db'));
  const second = await planReturns(home, `other-${round}`, orders.toReversed(), ['--endpoint-id', '5002']);
  renameSync(join(home.path, 'hidden.db'), path);
  return [first, second];
}

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

test(`two plans with the same returns to two endpoints, ${wantedKills} kills, on either engine and moved between them: no return is made twice`, {
  timeout: 300_000 + wantedKills * 60_000,
}, async () => {
  const home = newHome();
  addEndpoint('5002');
  const databases = [await servers.server.newDatabase(), await servers.server.newDatabase()];
  const engines = [['--to', 'local'], ...databases.map((name) => ['--to', servers.server.url(name)])].map(
    ([flag = '', to = '']) => ({
      move: [flag, to, '--row-key-file', 'rows.key'],
      run: to === 'local' ? [] : ['--engine', to, '--row-key-file', 'rows.key'],
    }),
  );
  const seen = { rounds: 0, kills: 0, starts: 0, moves: 0 };
  const exits: Record<string, number> = {};
  /** What 60 s do for workers that run no more. */
  const lapse = async () => {
    for (const database of databases)
      await servers.server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', database).catch(() => []);
  };

  /** Whatever one may do with a plan, at any time, killed at any moment. */
  const drive = async (plan: string, until: number) => {
    // Mostly where it runs as far as anybody knows.
    let place = pick(engines);
    while (seen.kills < until) {
      const isMove = Math.random() < 0.2;
      const there = isMove || Math.random() < 0.2 ? pick(engines) : place;
      const run = [
        'batch',
        pick(['run', 'run', 'resume']),
        plan,
        ...there.run,
        '--rate',
        '3/s',
        '--max-unknown',
        '100%',
      ];
      seen.starts += 1;
      seen.moves += isMove ? 1 : 0;
      const words = isMove ? ['batch', 'move', plan, ...there.move] : run;
      const running = await home.start([...words, '--wait-timeout', '5', '--json']);
      await Promise.race([running.done, pause(1000 + Math.random() * 9000)]);
      running.signal('SIGKILL');
      const { exit, err } = await running.done;
      exits[String(exit)] = (exits[String(exit)] ?? 0) + 1;
      if (exit === 0 || exit === 12 || (exit === null && !isMove)) place = there;
      if (exit === null) seen.kills += 1;
      else if (![0, 2, 7, 8, 10, 12, 13].includes(exit)) throw new Error(`exit ${exit}: ${err}`);
      if (exit === null && Math.random() < 0.7) await lapse();
      expect([...returned().values()].filter((made) => made > 1)).toEqual([]);
    }
  };
  while (seen.kills < wantedKills) {
    seen.rounds += 1;
    const plans = await twoPlans(home, seen.rounds);
    await Promise.all(plans.map((plan) => drive(plan, Math.min(wantedKills, seen.rounds * killsOfRound))));
    await lapse();
    // Each may stand in the way of the other: somebody withdraws one, and the other goes on, wherever it is by now.
    const [first, second] = plans;
    for (const plan of [second, first])
      for (const { move, run } of engines) {
        await home.call(['batch', 'move', plan, ...move]);
        await home.call(['batch', 'resume', plan, ...run, '--rate', '300/s', '--json']);
        const withdrawal = [
          'batch',
          'withdraw',
          plan,
          '--reason',
          'the other one has them',
          '--row-key-file',
          'rows.key',
        ];
        if (plan === second) await home.call(withdrawal);
        else await home.call(['batch', 'run', plan, ...run, '--rate', '300/s', '--json']);
      }
    const made = returned();
    expect([...made.values()].filter((each) => each > 1)).toEqual([]);
    process.stdout.write(`${JSON.stringify({ ...seen, exits, returns: made.size })}\n`);
    expect(made.size).toBe(count * seen.rounds);
  }
});

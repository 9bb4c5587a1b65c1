// @module-tag openssl
// @module-tag postgres

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { eventually, type Home } from '../e2e/home.js';
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.js';
import { PayoutDeployment } from './payout-deployment.js';
import { openServers } from './servers.js';

const wantedKills = Number(process.env['KILL_LOOP'] ?? 100);
const rows = Number(process.env['KILL_LOOP_ROWS'] ?? 12 * wantedKills);
const perSecond = 25;
// In minor units, of one row and of what may be sent before somebody allows more.
const each = 1042;
const cap = each * Math.floor(rows / 2) + 500;

const servers = openServers();

interface Machine {
  readonly home: Home;
  readonly proxy: DatabaseProxy;
  readonly words: readonly string[];
}

/** What the sandbox paid: requests, rows and minor units. */
function paid({ prefix }: PayoutDeployment) {
  const ledger = new DatabaseSync(join(servers.gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
  try {
    const made: Record<string, unknown>[] = ledger
      .prepare("SELECT client_order_id, amount FROM transactions WHERE kind = 'payout'")
      .all();
    const own = made.filter((row) => String(row['client_order_id']).startsWith(prefix));
    const names = new Set(own.map((row) => String(row['client_order_id'])));
    const minor = own.reduce((sum, row) => sum + Number(row['amount']), 0);
    return { payments: own.length, names, minor };
  } finally {
    ledger.close();
  }
}

/** How a cap stands in the configuration of every machine. */
function setCap(homes: readonly Home[], minor: number): void {
  for (const home of homes) {
    const path = join(home.path, 'config/config.yaml');
    const rest = readFileSync(path, 'utf8').replace(/ +max-total-per-day: .*\n/, '');
    const line = `    max-total-per-day: ${(minor / 100).toFixed(2)} EUR\n`;
    writeFileSync(path, rest.replace('    login: shop', `${line}    login: shop`));
  }
}

test(`four workers, ${wantedKills} kills, the database killed three times, connections cut and blocked: no payout twice, totals to the cent, never over a cap`, {
  timeout: 300_000 + wantedKills * 20_000,
}, async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, rows);
  const seen = {
    kills: 0,
    databaseKills: 0,
    cuts: 0,
    blocks: 0,
    starts: 0,
    exits: {} as Record<string, number>,
    reasons: {} as Record<string, number>,
    waits: 0,
    capReached: 0,
  };
  const homes = [deployment.office, deployment.newMachine(), deployment.newMachine(), deployment.newMachine()];
  const machines = await Promise.all(
    homes.map(async (home, at): Promise<Machine> => {
      const proxy = await openDatabaseProxy(servers.server.port);
      const way = [
        '--engine',
        `postgres://postgres@127.0.0.1:${proxy.port}/${deployment.database}`,
        '--row-key-file',
        'rows.key',
      ];
      const words = at === 0 ? ['resume', deployment.plan, '--rate', `${perSecond}/s`] : ['work', deployment.plan];
      return { home, proxy, words: ['batch', ...words, ...way, '--wait-timeout', '20', '--json'] };
    }),
  );
  const [office] = machines;
  if (office === undefined) throw new Error('four machines');
  const first = await deployment.office.call(['batch', 'run', deployment.plan, ...deployment.on(), '--max-rows', '1']);
  expect(first.exit, first.err).toBe(12);
  await servers.server.query('DELETE FROM paycli.run_limits', deployment.database);
  // A batch beyond the cap would not be begun; one that was is counted row by row.
  setCap(homes, cap);

  const isOver = () => seen.kills >= wantedKills;
  let isDone = false;
  const counts = async () => {
    const found = await servers.server
      .query('SELECT state, count(*)::int AS count FROM paycli.gate GROUP BY state', deployment.database)
      .catch(() => []);
    return new Map(found.map((row) => [String(row['state']), Number(row['count'])]));
  };
  /** Starts it again and again, and kills it at a random moment. */
  const runAndKill = async ({ home, words }: Machine) => {
    while (!isOver() && !isDone) {
      seen.starts += 1;
      const running = await home.start(words);
      await Promise.race([running.done, pause(4000 + Math.random() * 8000)]);
      running.signal('SIGKILL');
      const { exit, err } = await running.done;
      seen.exits[String(exit)] = (seen.exits[String(exit)] ?? 0) + 1;
      if (exit === null) seen.kills += 1;
      else await pause(1000);
      seen.waits += err.split('does not answer').length - 1;
      const said = /^error: (.*)/m.exec(err)?.[1]?.replaceAll(/postgres:\S+|b-\S+|[\d.]+/g, '…') ?? '';
      if (exit !== null) seen.reasons[`${exit} ${said}`] = (seen.reasons[`${exit} ${said}`] ?? 0) + 1;
      if (exit !== null && ![0, 7, 8, 10, 12, 13].includes(exit)) throw new Error(`exit ${exit}: ${err}`);
    }
  };
  const spoil = async ({ proxy }: Machine) => {
    while (!isOver() && !isDone) {
      await pause(4000 + Math.random() * 12_000);
      if (Math.random() < 0.5) {
        seen.cuts += 1;
        proxy.cutAll();
      } else {
        seen.blocks += 1;
        proxy.block();
        await pause(1000 + Math.random() * 8000);
        proxy.open();
      }
    }
  };
  const killDatabase = async () => {
    for (const part of [0.25, 0.5, 0.75]) {
      while (seen.kills < wantedKills * part && !isDone) await pause(200);
      if (isDone) return;
      await servers.server.stop('SIGKILL');
      seen.databaseKills += 1;
      await pause(3000);
      await servers.server.start();
    }
  };
  /** Watches the cap, and lifts it once it is reached. */
  let allowed = cap;
  const watch = async () => {
    while (!isOver() && !isDone) {
      const { payments, names, minor } = paid(deployment);
      expect(names.size).toBe(payments);
      expect(minor).toBeLessThanOrEqual(allowed);
      if (seen.capReached === 0 && allowed - minor < each * 10) {
        // At the cap nothing more is sent, however often it is tried.
        await pause(15_000);
        seen.capReached += 1;
        expect(paid(deployment).minor).toBeLessThanOrEqual(allowed);
        allowed = each * rows + 1;
        setCap(homes, allowed);
      }
      const states = await counts();
      isDone = states.size > 0 && !['planned', 'not_sent', 'sending'].some((state) => states.has(state));
      await pause(500);
    }
  };
  await Promise.all([...machines.map(runAndKill), ...machines.map(spoil), killDatabase(), watch()]);
  for (const { proxy } of machines) proxy.open();
  const atTheEnd = paid(deployment);
  setCap(homes, each * rows + 1);
  // What the killed ones held is free once their leases ran out.
  const finished = await eventually(
    'the batch is over',
    async () => {
      const ended = await deployment.run('resume', deployment.on(), '--wait-timeout', '20', '--json');
      const states = await counts();
      return ['planned', 'not_sent', 'sending'].some((state) => states.has(state)) ? undefined : ended;
    },
    400_000,
  );
  for (const { proxy } of machines) proxy.close();

  const { payments, names, minor } = paid(deployment);
  const gate = await servers.server.query(
    'SELECT client_order_id, state, attempts, minor::int AS minor FROM paycli.gate ORDER BY number',
    deployment.database,
  );
  const done = gate.filter(({ state }) => state === 'done');
  const open = gate.filter(({ state }) => state === 'unknown');
  const [day] = await servers.server.query(
    'SELECT sum(units)::bigint / 100 AS minor FROM paycli.day_totals',
    deployment.database,
  );
  process.stdout.write(
    `${JSON.stringify({ ...seen, rows, paidUnderKills: atTheEnd.payments, payments, done: done.length, unknown: open.length, minor })}\n`,
  );
  expect(payments).toBe(names.size);
  expect(new Set(done.map((row) => row['client_order_id']))).toEqual(names);
  expect(done.length + open.length).toBe(rows);
  expect(minor).toBe(done.reduce((sum, row) => sum + Number(row['minor']), 0));
  expect(Number(day?.['minor'])).toBe([...done, ...open].reduce((sum, row) => sum + Number(row['minor']), 0));
  expect([0, 8]).toContain(finished.exit);
  expect(seen.kills).toBeGreaterThanOrEqual(wantedKills);
  expect([seen.databaseKills, seen.capReached]).toEqual([3, 1]);
});

// @module-tag openssl
// @module-tag postgres

import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { eventually, Home, type Ran } from '../e2e/home.js';
import { profileText } from '../e2e/shop.js';
import { payouts } from './command.js';
import { newDatabaseWithTables } from './postgres-fixture.js';
import { openServers } from './servers.js';

// A few kills in a quick run; POSTGRES_KILLS=100 for a long one.
const kills = Number(process.env['POSTGRES_KILLS'] ?? 2);

const servers = openServers();

/** Two machines: folders of their own, the same profile, key for rows and database. */
interface Deployment {
  readonly office: Home;
  readonly remote: Home;
  readonly database: string;
  readonly plan: string;
  /** How its order ids begin. */
  readonly prefix: string;
  readonly engine: readonly string[];
}

let sites = 0;

// A worker takes 25 rows at once, so that two workers need more than that to have a part each.
const shared = process.env['POSTGRES_KILLS'] === undefined ? 39 : 130;

// How long a row that a kill left in doubt is asked about, in seconds.
const inDoubt = process.env['POSTGRES_KILLS'] === undefined ? '5' : '60';

// Where the first one ends midway there is enough left for the second anyway.
const rescued = process.env['POSTGRES_KILLS'] === undefined ? 16 : shared;

async function openDeployment(count: number): Promise<Deployment> {
  sites += 1;
  const prefix = `deployment-${sites}-`;
  const profile = profileText('shop', servers.gateway.url, servers.gateway.keys).replace(
    'class: test',
    'class: sandbox',
  );
  const [office, remote] = [0, 1].map(() => new Home(`default-profile: shop\nprofiles:\n${profile}`));
  if (office === undefined || remote === undefined) throw new Error('two machines');
  const file = office.write('payouts.csv', payouts(count).replaceAll('row-', prefix));
  const expected = ['--expect-count', String(count), '--expect-total', `EUR=${((count * 1042) / 100).toFixed(2)}`];
  const planned = await succeeded(office.call(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json']));
  for (const home of [office, remote]) home.write('rows.key', 'ab'.repeat(32));
  const database = await newDatabaseWithTables(servers.server);
  const engine = ['--engine', servers.server.url(database), '--row-key-file', 'rows.key', '--json'];
  return { office, remote, database, prefix, plan: String(JSON.parse(planned.out).plan), engine };
}

async function succeeded(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  expect(ran.exit, ran.err + ran.out).toBe(0);
  return ran;
}

const begin = ({ office, plan, engine }: Deployment) =>
  office.start(['batch', 'run', plan, ...engine, '--rate', `${rescued / 2}/s`]);
const resume = ({ office, plan, engine }: Deployment) =>
  office.start(['batch', 'resume', plan, ...engine, '--rate', '100/s', '--wait-timeout', inDoubt]);
const work = ({ remote, plan, engine }: Deployment) =>
  remote.start(['batch', 'work', plan, ...engine, '--wait-timeout', inDoubt]);

function close({ office, remote }: Deployment): void {
  office.remove();
  remote.remove();
}

interface GateRow {
  readonly client_order_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly pid: number;
}

async function gateOf({ database }: Deployment): Promise<GateRow[]> {
  const rows = await servers.server
    .query('SELECT client_order_id, state, attempts, pid FROM paycli.gate ORDER BY number', database)
    .catch(() => []);
  return rows.map((row) => ({
    client_order_id: String(row['client_order_id']),
    state: String(row['state']),
    attempts: Number(row['attempts']),
    pid: Number(row['pid']),
  }));
}

const begunIn = async (deployment: Deployment) =>
  (await gateOf(deployment)).filter(({ attempts }) => attempts > 0).length;
const begun = (deployment: Deployment, min: number) =>
  eventually(`${min} rows are begun`, async () => ((await begunIn(deployment)) >= min ? true : undefined), 90_000);

/** What the gateway carried out for a deployment, whatever anybody here believes. */
function paid({ prefix }: Deployment): string[] {
  const ledger = new DatabaseSync(join(servers.gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
  try {
    const rows: Record<string, unknown>[] = ledger
      .prepare("SELECT client_order_id FROM transactions WHERE kind = 'payout'")
      .all();
    return rows.map((row) => String(row['client_order_id'])).filter((id) => id.startsWith(prefix));
  } finally {
    ledger.close();
  }
}

/** What time does for those that run no more: 60 s later their leases have run out. */
async function lapse({ database }: Deployment, pids: readonly number[]): Promise<void> {
  await servers.server
    .query('UPDATE paycli.workers SET lease_until = clock_timestamp() WHERE pid = ANY($1)', database, [pids])
    .catch(() => undefined);
}

/** Everything paid is done, nothing is paid twice, and what nobody knows of was tried once. */
async function checkAccounts(deployment: Deployment, count: number): Promise<readonly GateRow[]> {
  const rows = await gateOf(deployment);
  const orders = paid(deployment);
  expect(new Set(orders).size).toBe(orders.length);
  expect(
    rows
      .filter(({ state }) => state === 'done')
      .map((row) => row.client_order_id)
      .sort(),
  ).toEqual(orders.sort());
  for (const row of rows) expect(['done', 'unknown'], JSON.stringify(row)).toContain(row.state);
  for (const row of rows) expect(row.attempts).toBe(1);
  expect(rows).toHaveLength(count);
  return rows;
}

test.concurrent('F46: a worker stopped past its lease and woken sends nothing a second time', async () => {
  const deployment = await openDeployment(rescued);
  const first = await begin(deployment);
  await begun(deployment, 5);
  first.signal('SIGSTOP');
  const second = await work(deployment);
  await pause(500);
  const pids = (
    await servers.server.query('SELECT pid FROM paycli.workers ORDER BY id LIMIT 1', deployment.database)
  ).map(({ pid }) => Number(pid));
  // The server ends a transaction that nobody goes on with after 15 s.
  await servers.server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = $1 AND state LIKE 'idle in transaction%' AND state_change < now() - interval '400 ms'`,
    'postgres',
    [deployment.database],
  );
  await lapse(deployment, pids);
  await begun(deployment, rescued);
  first.signal('SIGCONT');
  const ended = await Promise.all([first.done, second.done]);
  for (const { exit, err, out } of ended) expect([0, 7, 8], err + out).toContain(exit);
  // What the first one was just sending may arrive only now, after the second one asked for its status in vain.
  if (ended.some(({ exit }) => exit === 7)) expect([0, 8]).toContain((await (await resume(deployment)).done).exit);
  const rows = await checkAccounts(deployment, rescued);
  expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
  close(deployment);
}, 180_000);

test.concurrent(`${kills} kills of two workers: no payout is made twice, and every row is accounted for`, {
  timeout: 120_000 + kills * 4000,
}, async () => {
  const done = { kills: 0, batches: 0, rows: 0, unknown: 0 };
  while (done.kills < kills) {
    const deployment = await openDeployment(rescued);
    done.batches += 1;
    const first = await begin(deployment);
    await begun(deployment, 1);
    let running = [first, await work(deployment)];
    for (let round = 0; round < 8 && done.kills < kills; round += 1) {
      await Promise.race([pause(300 + Math.random() * 1700), Promise.all(running.map((each) => each.done))]);
      for (const each of running) each.signal('SIGKILL');
      done.kills += (await Promise.all(running.map((each) => each.done))).filter(({ exit }) => exit === null).length;
      const pids = (await gateOf(deployment)).map(({ pid }) => pid);
      await lapse(deployment, pids);
      running = await Promise.all([resume(deployment), work(deployment)]);
    }
    for (const { exit, err, out } of await Promise.all(running.map((each) => each.done)))
      expect([0, 8], err + out).toContain(exit);
    const rows = await checkAccounts(deployment, rescued);
    done.rows += rows.length;
    done.unknown += rows.filter(({ state }) => state === 'unknown').length;
    close(deployment);
  }
  if (process.env['POSTGRES_KILLS'] !== undefined) process.stdout.write(`${JSON.stringify(done)}\n`);
});

test.concurrent('F48: a server that took over is refused, until somebody has every row asked about', async () => {
  const deployment = await openDeployment(12);
  const { office, plan, engine } = deployment;
  const run = (command: string, ...flags: string[]) =>
    office.call(['batch', command, plan, ...engine, '--rate', '300/s', ...flags]);
  expect(await run('run', '--max-rows', '5')).toMatchObject({ exit: 12 });
  await servers.server.query("UPDATE paycli.batches SET timeline = '0000000A'", deployment.database);
  // As an older standby has it: sent, and looking as if it never was.
  await servers.server.query(
    "SET session_replication_role = replica; UPDATE paycli.gate SET state = 'planned', attempts = 0 WHERE number = 3",
    deployment.database,
  );
  const refused = await run('resume');
  expect(refused).toMatchObject({ exit: 13, err: expect.stringContaining('--after-restore') });
  const careful = await run('resume', '--after-restore');
  expect(careful.exit, careful.err + careful.out).toBe(0);
  await checkAccounts(deployment, 12);
  expect((await run('resume')).exit).toBe(0);
  close(deployment);
}, 60_000);

test.concurrent('a row that a single command sent meanwhile keeps the batch out of the database', async () => {
  const deployment = await openDeployment(3);
  const payout = [
    'payout',
    '--amount',
    '10.42',
    '--currency',
    'EUR',
    '--account-number',
    'DE89370400440532010',
    '--bank-name',
    'Bank',
  ];
  const single = await deployment.office.call([
    ...payout,
    '--bank-branch',
    'Main',
    '--client-order-id',
    `${deployment.prefix}2`,
    '--wait',
  ]);
  expect(single.exit, single.err).toBe(0);
  const { exit, err } = await deployment.office.call(['batch', 'run', deployment.plan, ...deployment.engine]);
  expect({ exit, err }).toMatchObject({ exit: 10, err: expect.stringContaining('row 2') });
  expect(await gateOf(deployment)).toEqual([]);
  close(deployment);
}, 60_000);

test('what is wrong on the command line is told before anything is opened', async () => {
  const home = new Home();
  const run = (...words: string[]) => home.call(['batch', 'work', 'b-1', ...words]);
  const password = await run('--engine', 'postgres://ada:s3cret@127.0.0.1/pay');
  expect(password).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('contains a password') });
  expect(password.err).not.toContain('s3cret');
  expect(await run('--engine', 'postgres://ada@127.0.0.1/pay')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--make-row-key'),
  });
  expect(await run()).toMatchObject({ exit: 2, err: expect.stringContaining('--engine') });
  expect(await run('--make-row-key', 'rows.key')).toMatchObject({ exit: 0 });
  expect(statSync(join(home.path, 'rows.key')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home.path, 'rows.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await run('--make-row-key', 'rows.key')).toMatchObject({ exit: 2 });
  chmodSync(join(home.path, 'rows.key'), 0o644);
  const open = await run('--engine', 'postgres://ada@127.0.0.1:1/pay', '--row-key-file', 'rows.key');
  expect(open).toMatchObject({ exit: 3, err: expect.stringContaining('chmod 600') });
  chmodSync(join(home.path, 'rows.key'), 0o600);
  const away = await run('--engine', 'postgres://ada@127.0.0.1:1/pay', '--row-key-file', 'rows.key');
  expect(away).toMatchObject({ exit: 13, err: expect.stringContaining('nothing answers there') });
  home.remove();
}, 60_000);

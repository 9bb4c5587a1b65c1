// @module-tag openssl
// @module-tag postgres

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, type Home, type Ran } from '../e2e/home.js';
import { PayoutDeployment } from './payout-deployment.js';
import { openServers } from './servers.js';

const servers = openServers();

// Each row through PostgreSQL costs 40 ms of processor time, in three processes.
const rows = 7;
const openDeployment = () => PayoutDeployment.open(servers.gateway, servers.server, rows);
const paidOnce = (count: number) => `${count} payments of ${count} rows`;

/** Runs it until some rows are paid, and kills it; what had left reaches the gateway a moment later. */
async function killedRun(deployment: PayoutDeployment, way: readonly string[]): Promise<void> {
  const running = await deployment.office.start(['batch', 'run', deployment.plan, ...way, '--rate', '10/s']);
  await eventually('some rows are paid', () => (deployment.payments().length >= 3 ? true : undefined));
  running.signal('SIGKILL');
  expect((await running.done).exit).toBeNull();
  let count = -1;
  await eventually('nothing is on its way any more', async () => {
    await pause(150);
    const before = count;
    count = deployment.payments().length;
    return count === before ? true : undefined;
  });
}

/** Goes on where it was begun: no row is paid twice, and without a row in doubt all of them are paid. */
async function finish(deployment: PayoutDeployment, way: readonly string[]): Promise<void> {
  const { exit, err } = await deployment.run('resume', way);
  expect([0, 8], err).toContain(exit);
  const payments = deployment.payments();
  expect(new Set(payments).size).toBe(payments.length);
  if (exit === 0) expect(payments).toHaveLength(rows);
}

function single({ office, prefix }: PayoutDeployment, row: number, home: Home = office): Promise<Ran> {
  const account = ['--account-number', `DE8937040044053201${row - 1}`, '--bank-name', 'Bank', '--bank-branch', 'Main'];
  const order = ['--client-order-id', `${prefix}${row}`, '--wait'];
  return home.call(['payout', '--amount', '10.42', '--currency', 'EUR', ...account, ...order]);
}

test('begun on this machine and killed, it is refused on a database, and nothing is paid twice', async () => {
  const deployment = await openDeployment();
  await killedRun(deployment, []);
  const before = deployment.paid();
  for (const command of ['run', 'resume']) {
    const refused = await deployment.run(command, deployment.on());
    expect(refused, refused.err + refused.out).toMatchObject({ exit: 10, out: '' });
    expect(refused.err).toContain(`\`paycli batch ${command} ${deployment.plan} --profile shop\``);
  }
  expect(deployment.paid()).toBe(before);
  await finish(deployment, []);
});

test('begun on a database and killed: single payouts of its rows are asked about, not sent', async () => {
  const deployment = await openDeployment();
  await killedRun(deployment, deployment.on());
  await deployment.lapse();
  const before = deployment.payments();
  for (const row of [1, 2, rows]) {
    const { exit, err, out } = await single(deployment, row);
    // What came home is known here; of the rest the gateway was asked.
    expect([0, 10], err + out).toContain(exit);
    if (exit === 0) continue;
    const url = servers.server.url(deployment.database);
    expect(err).toContain(`row ${row} of plan ${deployment.plan}, which runs on ${url}`);
    expect(err).toContain(
      before.includes(`${deployment.prefix}${row}`) ? 'status approved' : 'does not have the order',
    );
  }
  expect(deployment.payments()).toEqual(before);
  await finish(deployment, deployment.on());
});

test('a machine that only worked on the batch sends none of its orders by a single command', async () => {
  const deployment = await openDeployment();
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
  const worked = await remote.call(['batch', 'work', deployment.plan, ...deployment.on()]);
  expect(worked.exit, worked.err).toBe(0);
  for (const row of [1, rows])
    expect(await single(deployment, row, remote)).toMatchObject({
      exit: 10,
      err: expect.stringContaining(deployment.plan),
    });
  expect(deployment.paid()).toBe(paidOnce(rows));
});

test('a machine that paid a row by a single command works on no batch that holds it', async () => {
  const deployment = await openDeployment();
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
  expect(await single(deployment, rows - 1, remote)).toMatchObject({ exit: 0 });
  const worked = await remote.call(['batch', 'work', deployment.plan, ...deployment.on()]);
  expect(worked, worked.err).toMatchObject({ exit: 10, err: expect.stringContaining(`row ${rows - 1}`) });
  expect(deployment.paid()).toBe(paidOnce(4));
});

test('a state folder from before the plan was bound to a database, restored: nothing is sent from here', async () => {
  const deployment = await openDeployment();
  const { office, plan } = deployment;
  const backup = join(office.path, 'backup');
  cpSync(office.state, backup, { recursive: true });
  expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
  rmSync(office.state, { recursive: true });
  cpSync(backup, office.state, { recursive: true });
  // The journal notices first; what is right about the plan counts once its end is taken as it is.
  const noticed = await deployment.run('resume', []);
  expect(noticed, noticed.err).toMatchObject({
    exit: 13,
    err: expect.stringContaining('paycli journal --accept-restored'),
  });
  expect(await office.call(['journal', '--accept-restored', '--profile', 'shop'])).toMatchObject({ exit: 0 });
  for (const more of ['', ' --after-restore']) {
    const refused = await deployment.run('run', [], ...more.trim().split(' ').filter(Boolean));
    expect(refused, refused.err).toMatchObject({ exit: 10, out: '' });
    expect(refused.err).toContain(`\`paycli batch run ${plan} ${deployment.shown()}${more} --profile shop\``);
  }
  expect(deployment.paid()).toBe(paidOnce(3));
  const right = await deployment.run('run', deployment.on(), '--after-restore');
  expect(right, right.err + right.out).toMatchObject({ exit: 0 });
  expect(deployment.paid()).toBe(paidOnce(rows));
});

test('two engines at the same moment: one sends, the other is refused', async () => {
  const deployment = await openDeployment();
  const both = await Promise.all([deployment.run('run', []), deployment.run('run', deployment.on())]);
  const exits = both.map(({ exit }) => exit);
  expect(exits, both.map(({ err }) => err).join('\n')).toContain(0);
  expect(exits.some((exit) => exit === 10 || exit === 13)).toBe(true);
  expect(deployment.paid()).toBe(paidOnce(rows));
});

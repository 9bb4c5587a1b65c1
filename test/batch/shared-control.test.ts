// @module-tag openssl
// @module-tag postgres
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Home } from '../e2e/home.js';
import { header, payouts } from './command.js';
import { PayoutDeployment } from './payout-deployment.js';
import { json, openServers } from './servers.js';

const servers = openServers();

const count = (out: string, wanted: string): number =>
  JSON.parse(out).ends.find(({ end }: { end: string }) => end === wanted)?.count ?? 0;

test('a batch is paused, continued and withdrawn from a machine that lacks its plan; every machine obeys, and a corrected file holds the rows again', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 6);
  const { office, plan } = deployment;
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
  await json(remote, 0, 'batch', 'pause', plan, ...deployment.on(), '--reason', 'the bank called');
  for (const [home, verb] of [
    [office, 'resume'],
    [remote, 'work'],
  ] as const) {
    const held = await json(home, 12, 'batch', verb, plan, ...deployment.on());
    expect(held.err).toContain('the bank called');
  }
  expect(deployment.paid()).toBe('2 payments of 2 rows');
  // Where the plan is, its engine is known.
  expect(JSON.parse((await json(office, 0, 'batch', 'show', plan)).out).state).toMatchObject({ state: 'paused' });
  await json(office, 0, 'batch', 'continue', plan);
  expect(await deployment.run('resume', deployment.on(), '--max-rows', '1')).toMatchObject({ exit: 12 });
  const withdrawn = await json(remote, 0, 'batch', 'withdraw', plan, ...deployment.on(), '--reason', 'wrong amounts');
  expect(JSON.parse(withdrawn.out)).toMatchObject({ state: 'withdrawn', withdrawn: 3 });
  const resumed = await json(office, 0, 'batch', 'resume', plan, ...deployment.on());
  expect([count(resumed.out, 'done'), count(resumed.out, 'withdrawn')]).toEqual([3, 3]);
  // A withdrawn row has no outcome to find or to settle, on whichever machine.
  const there = ['--engine', servers.server.url(deployment.database)];
  for (const [home, way] of [
    [remote, there],
    [office, []],
  ] as const) {
    for (const settle of [[], ['--settle-as', 'paid', '--evidence', 'statement of 31 January']]) {
      const resolved = await home.call(['resolve', `${deployment.prefix}6`, ...settle, ...way]);
      expect(resolved, resolved.err).toMatchObject({ exit: 2, out: '' });
      expect(resolved.err).toContain(`no request on order ${deployment.prefix}6`);
    }
  }
  const row = 'SELECT state FROM paycli.gate WHERE number = 6';
  expect(await servers.server.query(row, deployment.database)).toEqual([{ state: 'withdrawn' }]);

  const lines = [4, 5, 6].map((at) => `${deployment.prefix}${at},1.00,EUR,DE8937040044053201${at},Bank,Main`);
  const file = office.write('corrected.csv', [header, ...lines, ''].join('\n'));
  const expected = ['--expect-count', '3', '--expect-total', 'EUR=3.00'];
  const corrected = await json(office, 0, 'batch', 'plan', file, '--operation', 'payout', ...expected);
  await json(office, 0, 'batch', 'run', String(JSON.parse(corrected.out).plan), ...deployment.on(), '--rate', '300/s');
  expect(deployment.paid()).toBe('6 payments of 6 rows');
  const report = await json(office, 0, 'batch', 'report', plan);
  expect([count(report.out, 'done'), count(report.out, 'withdrawn')]).toEqual([3, 3]);
}, 60_000);

test('resolve on any machine settles a row everywhere; resume is over then, and a row that proves paid after all shows', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 6);
  const { office, plan, prefix } = deployment;
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
  // Two rows that were begun and never arrived, as after a power cut.
  await servers.server.query(
    `SET session_replication_role = replica;
     UPDATE paycli.gate SET state = 'unknown', attempts = 1, may_have_arrived = true, content = '' WHERE number > 4`,
    deployment.database,
  );
  expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 8 });
  const settle = ['--settle-as', 'not-paid', '--evidence', 'statement of 31 January'];
  const there = await json(
    remote,
    0,
    'resolve',
    `${prefix}5`,
    ...settle,
    '--engine',
    servers.server.url(deployment.database),
  );
  expect(JSON.parse(there.out)).toMatchObject({ settled: true, entries: [{ state: 'declined' }] });
  // The machine that planned it knows the database by itself.
  await json(office, 0, 'resolve', `${prefix}6`, ...settle);
  const states = () =>
    servers.server.query('SELECT state FROM paycli.gate WHERE number > 4 ORDER BY number', deployment.database);
  expect(await states()).toEqual([{ state: 'declined' }, { state: 'declined' }]);
  expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 5 });
  const journal = JSON.parse((await office.call(['journal', '--json', '--state', 'declined'])).out);
  expect(journal.entries).toHaveLength(2);
  expect(count((await json(office, 0, 'batch', 'report', plan)).out, 'declined')).toBe(2);

  // The gateway carried it out after all.
  const late = ['payout', '--client-order-id', `${prefix}5`, '--amount', '10.42', '--currency', 'EUR'];
  const account = ['--account-number', 'DE89370400440532014', '--bank-name', 'Bank', '--bank-branch', 'Main'];
  expect((await deployment.newMachine().call([...late, ...account])).exit).not.toBe(10);
  const conflict = await json(remote, 8, 'resolve', `${prefix}5`, '--engine', servers.server.url(deployment.database));
  expect(JSON.parse(conflict.out).entries).toMatchObject([{ state: 'conflict' }]);
  const report = await json(office, 0, 'batch', 'report', plan);
  expect([count(report.out, 'unknown'), report.err]).toEqual([1, expect.stringContaining(`${prefix}5 is in conflict`)]);
  expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 8 });
  const here = JSON.parse((await office.call(['journal', '--json', '--state', 'conflict'])).out);
  expect(here.entries).toHaveLength(1);
}, 60_000);

test('what is a row of a batch elsewhere is not guessed at while its database cannot be reached: it is said who has it', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 3);
  expect(await deployment.run('run', deployment.on(), '--max-rows', '1')).toMatchObject({ exit: 12 });
  const away = ['--engine', 'postgres://postgres@127.0.0.1:1/away'];
  const refused = await deployment.office.call(['resolve', `${deployment.prefix}2`, ...away]);
  expect(refused, refused.err).toMatchObject({ exit: 13, out: '' });
  expect(refused.err).toContain(`is a row of plan ${deployment.plan}, which runs on postgres://`);
}, 60_000);

test('orders, order, resolve --all and batch list read the rows of a shared batch from its database, on every machine', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 6);
  const { office, plan, prefix } = deployment;
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
  await json(remote, 0, 'batch', 'work', plan, ...deployment.on());
  const names = async (home: Home, ...flags: string[]) => {
    const { orders, total } = JSON.parse((await json(home, 0, 'orders', '--status', 'approved', ...flags)).out);
    const own = orders.map((order: Record<string, string>) => order['clientOrderId']);
    return { total, own: own.filter((id: string) => id.startsWith(prefix)) };
  };
  const all = [6, 5, 4, 3, 2, 1].map((at) => `${prefix}${at}`);
  const on = ['--engine', servers.server.url(deployment.database)];
  const fresh = deployment.newMachine();
  // A text is searched in the ids and not in the stored status.
  expect((await names(remote, prefix)).own).toEqual(all);
  expect((await names(remote, 'approved')).own).toEqual([]);
  // The journal of the first has two of them, that of the second none; the third was never near the batch.
  for (const [home, flags] of [
    [office, []],
    [remote, []],
    [fresh, on],
  ] as const)
    expect(await names(home, ...flags)).toEqual({ total: 6, own: expect.arrayContaining(all) });
  expect(await names(office, '--amount', '10.42 EUR')).toMatchObject({ total: 6 });
  expect(await names(office, '--amount', '10.43 EUR')).toMatchObject({ total: 0 });

  const shown = JSON.parse((await json(office, 0, 'order', `${prefix}5`)).out);
  expect(shown.events.filter(({ source }: { source: string }) => source === 'paycli')).toMatchObject([
    { title: 'payout send sent' },
    { title: expect.stringContaining('accepted') },
    { title: expect.stringContaining('done') },
  ]);
  const there = [{ plan, states: { done: 6 } }];
  expect(JSON.parse((await json(office, 0, 'batch', 'list')).out).batches).toMatchObject(there);
  expect(JSON.parse((await json(fresh, 0, 'batch', 'list', ...on)).out).batches).toMatchObject(there);

  const away = JSON.parse((await json(fresh, 0, 'batch', 'show', plan, ...on)).out);
  expect(away).toMatchObject({ state: null, states: [{ state: 'done', count: 6, totals: [{ currency: 'EUR' }] }] });
  expect((await json(remote, 0, 'batch', 'show', plan)).out).toContain('"count": 6');

  // Without the plan: its outcomes are reported, and who would send its rows is told who has it and what does so here.
  const folder = `${fresh.path}/report`;
  const reported = JSON.parse((await json(fresh, 0, 'batch', 'report', plan, ...on, '--out', folder)).out);
  expect(reported.ends).toContainEqual({
    end: 'done',
    count: 6,
    totals: [expect.objectContaining({ text: '62.52', currency: 'EUR' })],
  });
  expect(readFileSync(`${folder}/results.csv`, 'utf8').split('\n')[5]).toMatch(
    new RegExp(`^"5","${prefix}5","\\d+","","10.42","EUR","done","status: approved","1",`),
  );
  const elsewhere = await json(fresh, 10, 'batch', 'resume', plan, ...deployment.on());
  expect(elsewhere.err).toContain(`plan ${plan} was made by `);
  const next = /`paycli (batch work [^`]*)`/.exec(elsewhere.err)?.[1] ?? '';
  expect((await fresh.call(next.split(' '))).exit).toBe(0);
  // From here on this machine knows where the rows are.
  expect((await json(fresh, 10, 'batch', 'resume', plan)).err).toContain(`plan ${plan} was made by `);
  expect(JSON.parse((await json(fresh, 0, 'batch', 'report', plan, '--out', folder)).out).planned.count).toBe(6);

  // The worker was lost before it wrote down that a row was paid.
  await servers.server.query(
    "SET session_replication_role = replica; UPDATE paycli.gate SET state = 'unknown' WHERE number > 4",
    deployment.database,
  );
  expect(JSON.parse((await json(office, 0, 'orders', '--status', 'unknown')).out)).toMatchObject({ total: 2 });
  const settled = JSON.parse((await json(office, 0, 'resolve', '--all')).out);
  expect(settled).toMatchObject({ settled: true, entries: [{ state: 'done' }, { state: 'done' }] });
  expect(
    await servers.server.query(
      "SELECT count(*)::int AS left FROM paycli.gate WHERE state <> 'done'",
      deployment.database,
    ),
  ).toEqual([{ left: 0 }]);

  // Of a card the database has what a reply named.
  await servers.server.query(
    `SET session_replication_role = replica;
     UPDATE paycli.gate SET outcome = outcome || '{"dest-last-four-digits": "0077"}' WHERE number = 2`,
    deployment.database,
  );
  expect(await names(office, '--card', '0077')).toEqual({ total: 1, own: [`${prefix}2`] });
  expect(await names(office, '--card', '78')).toEqual({ total: 0, own: [] });

  // A journal that lacks a row says who has it.
  const offline = await office.call(['order', `${prefix}5`, '--offline']);
  expect(offline).toMatchObject({ exit: 2, err: expect.stringContaining(`is a row of plan ${plan}, which runs on`) });
  const journal = new DatabaseSync(`${office.state}/journal.db`);
  journal.exec(`UPDATE plans_elsewhere SET binding = replace(binding, ':${servers.server.port}/', ':1/')`);
  journal.close();
  for (const words of [['orders'], ['order', `${prefix}5`], ['batch', 'list']]) {
    const ran = await json(office, 0, ...words);
    expect(ran.err).toMatch(/could not be reached|cannot be reached/);
    expect(ran.err).toContain(plan);
  }
}, 60_000);

/** Plans a file of these rows on a machine; its id. */
async function planned(home: Home, { prefix }: PayoutDeployment, rows: number): Promise<string> {
  const file = home.write('again.csv', payouts(rows).replaceAll('row-', prefix));
  const expected = ['--expect-count', String(rows), '--expect-total', `EUR=${((rows * 1042) / 100).toFixed(2)}`];
  const made = await json(home, 0, 'batch', 'plan', file, '--operation', 'payout', ...expected);
  return String(JSON.parse(made.out).plan);
}

test('a finished batch in a database is archived: what was sealed is gone, its outcomes, order ids and day totals stay', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 6);
  const { office, plan, prefix, database } = deployment;
  const remote = deployment.newMachine();
  expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
  const archive = ['batch', 'archive', plan, ...deployment.on()];
  expect((await json(remote, 10, ...archive)).err).toContain('it has 3 planned');
  await json(remote, 0, 'batch', 'work', plan, ...deployment.on());
  const [before] = await servers.server.query('SELECT units::text FROM paycli.day_totals', database);
  const facts = async () => {
    const report = JSON.parse((await json(office, 0, 'batch', 'report', plan, '--out', join(office.path, 'out'))).out);
    return {
      ends: report.ends,
      results: readFileSync(join(office.path, 'out/results.csv'), 'utf8'),
      states: JSON.parse((await json(office, 0, 'batch', 'show', plan)).out).states,
      order: JSON.parse((await json(office, 0, 'order', `${prefix}5`)).out).events.map(
        ({ title }: { title: string }) => title,
      ),
      orders: JSON.parse((await json(office, 0, 'orders', '--status', 'approved')).out).total,
    };
  };
  const unfetched = await json(office, 10, 'batch', 'archive', plan);
  expect(unfetched.err).toMatch(/the outcomes of \d rows of batch \S+ are not in the journal of this machine/);
  // Whoever may only work cannot, and leaves nothing half done.
  await servers.server.query(
    `CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA paycli, paycli_jobs TO clerk;
   GRANT SELECT ON ALL TABLES IN SCHEMA paycli, paycli_jobs TO clerk;
   GRANT INSERT ON paycli.batch_states TO clerk; GRANT UPDATE (state) ON paycli.gate TO clerk`,
    database,
  );
  const asClerk = ['--engine', servers.server.url(database, 'clerk'), '--row-key-file', 'rows.key'];
  expect((await json(remote, 13, 'batch', 'archive', plan, ...asClerk)).err).toContain('lacks permission');
  expect(await servers.server.query('SELECT state FROM paycli.batch_states', database)).toEqual([]);
  const wasKnown = await facts();
  expect(wasKnown.orders).toBe(6);

  expect(JSON.parse((await json(remote, 0, ...archive)).out)).toMatchObject({
    plan,
    state: 'archived',
    changed: true,
  });
  expect(JSON.parse((await json(office, 0, 'batch', 'archive', plan)).out)).toMatchObject({ changed: false });
  expect(await facts()).toEqual(wasKnown);
  const rows = `SELECT count(*)::int AS rows, sum(length(sealed))::int AS sealed FROM paycli.gate`;
  expect(await servers.server.query(rows, database)).toEqual([{ rows: 6, sealed: 0 }]);
  const detailed = "SELECT count(*)::int AS moves FROM paycli.moves WHERE facts <> '{}' AND from_state <> to_state";
  expect(await servers.server.query(detailed, database)).toEqual([{ moves: 0 }]);
  expect(await servers.server.query("SELECT 1 FROM paycli_jobs.queue WHERE name LIKE 'paycli-%'", database)).toEqual(
    [],
  );
  expect(await servers.server.query('SELECT units::text FROM paycli.day_totals', database)).toEqual([before]);
  const away = JSON.parse(
    (await json(deployment.newMachine(), 0, 'batch', 'show', plan, '--engine', servers.server.url(database))).out,
  );
  expect(away).toMatchObject({ state: { state: 'archived' }, states: [{ state: 'done', count: 6 }] });

  // Nobody works on it any more, and what it paid nobody pays again: not from here, nor from where nobody knows of it.
  expect((await json(remote, 10, 'batch', 'work', plan, ...deployment.on())).err).toContain('was archived by');
  expect((await json(office, 10, 'batch', 'resume', plan, ...deployment.on())).err).toContain('was archived by');
  const fresh = deployment.newMachine();
  const again = await planned(fresh, deployment, 7);
  expect((await json(fresh, 10, 'batch', 'run', again, ...deployment.on())).err).toContain(
    `row 1 is already in batch ${plan}`,
  );
  await office.call(['payout', '--client-orderid', `${prefix}5`, '--amount', '10.42', '--currency', 'EUR', ...bank]);
  expect(deployment.paid()).toBe('6 payments of 6 rows');

  // Another batch of the same database goes on: what it saw of the moves still proves that nothing was lost.
  const next = await PayoutDeployment.open(servers.gateway, servers.server, 2);
  expect((await next.office.call(['batch', 'run', next.plan, ...deployment.on(), '--rate', '300/s'])).exit).toBe(0);
  // The cap of today counts what the archived batch sent: 6 rows of 10.42, and 2 more.
  const capped = deployment.newMachine();
  const config = join(capped.path, 'config/config.yaml');
  const cap = '    max-total-per-day: 90.00 EUR\n    login: shop';
  writeFileSync(config, readFileSync(config, 'utf8').replace('    login: shop', cap));
  const third = await PayoutDeployment.open(servers.gateway, servers.server, 3);
  const file = await planned(capped, third, 3);
  const stopped = await json(capped, 10, 'batch', 'run', file, ...deployment.on(), '--rate', '300/s');
  expect(stopped.err).toContain('90.00 EUR');
  expect(third.paid()).toBe('0 payments of 0 rows');
}, 90_000);

const bank = ['--account-number', 'DE89370400440532014', '--bank-name', 'Bank', '--bank-branch', 'Main'];

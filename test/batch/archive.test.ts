// @module-tag openssl
// @module-tag postgres
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Home } from '../e2e/home.js';
import { payouts } from './command.js';
import { PayoutSite } from './payout-site.js';
import { json, openServers } from './servers.js';

const servers = openServers();

/** Plans a file of these rows on a machine; its id. */
async function planned(home: Home, { prefix }: PayoutSite, rows: number): Promise<string> {
  const file = home.write('again.csv', payouts(rows).replaceAll('row-', prefix));
  const expected = ['--expect-count', String(rows), '--expect-total', `EUR=${((rows * 1042) / 100).toFixed(2)}`];
  const made = await json(home, 0, 'batch', 'plan', file, '--operation', 'payout', ...expected);
  return String(JSON.parse(made.out).plan);
}

test('a finished batch in a database is archived: what was sealed is gone, its outcomes, order ids and day totals stay', async () => {
  const site = await PayoutSite.open(servers.gateway, servers.server, 6);
  const { office, plan, prefix, database } = site;
  const remote = site.newMachine();
  expect(await site.run('run', site.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
  const archive = ['batch', 'archive', plan, ...site.on()];
  expect((await json(remote, 10, ...archive)).err).toContain('it has 3 planned');
  // No rule of the database lets anybody remove it from a batch that is not archived.
  await expect(servers.server.query("UPDATE paycli.gate SET sealed = ''", database)).rejects.toThrow('never changes');
  await expect(servers.server.query("UPDATE paycli.moves SET facts = '{}'", database)).rejects.toThrow('never changed');
  await json(remote, 0, 'batch', 'work', plan, ...site.on());
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

  expect(JSON.parse((await json(remote, 0, ...archive)).out)).toMatchObject({ plan, state: 'archived', changed: true });
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
    (await json(site.newMachine(), 0, 'batch', 'show', plan, '--engine', servers.server.url(database))).out,
  );
  expect(away).toMatchObject({ state: { state: 'archived' }, states: [{ state: 'done', count: 6 }] });

  // Nobody works on it any more, and what it paid nobody pays again: not from here, nor from where nobody knows of it.
  expect((await json(remote, 10, 'batch', 'work', plan, ...site.on())).err).toContain('was archived by');
  expect((await json(office, 10, 'batch', 'resume', plan, ...site.on())).err).toContain('was archived by');
  const fresh = site.newMachine();
  const again = await planned(fresh, site, 7);
  expect((await json(fresh, 10, 'batch', 'run', again, ...site.on())).err).toContain(
    `row 1 is already in batch ${plan}`,
  );
  await office.call(['payout', '--client-orderid', `${prefix}5`, '--amount', '10.42', '--currency', 'EUR', ...bank]);
  expect(site.paid()).toBe('6 payments of 6 rows');

  // Another batch of the same database goes on: what it saw of the moves still proves that nothing was lost.
  const next = await PayoutSite.open(servers.gateway, servers.server, 2);
  expect((await next.office.call(['batch', 'run', next.plan, ...site.on(), '--rate', '300/s'])).exit).toBe(0);
  // The cap of today counts what the archived batch sent: 6 rows of 10.42, and 2 more.
  const capped = site.newMachine();
  const config = join(capped.path, 'config/config.yaml');
  const cap = '    max-total-per-day: 90.00 EUR\n    login: shop';
  writeFileSync(config, readFileSync(config, 'utf8').replace('    login: shop', cap));
  const third = await PayoutSite.open(servers.gateway, servers.server, 3);
  const file = await planned(capped, third, 3);
  const stopped = await json(capped, 10, 'batch', 'run', file, ...site.on(), '--rate', '300/s');
  expect(stopped.err).toContain('90.00 EUR');
  expect(third.paid()).toBe('0 payments of 0 rows');
}, 90_000);

const bank = ['--account-number', 'DE89370400440532014', '--bank-name', 'Bank', '--bank-branch', 'Main'];

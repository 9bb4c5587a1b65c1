// @module-tag openssl
// @module-tag postgres
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PayoutSite } from './payout-site.js';
import { json, openServers } from './servers.js';

const servers = openServers();

/** The statements that `paycli help batches` shows, for whoever makes the database and then for its owner. */
const [beforeFirstRun = [], afterFirstRun = []] = [
  ...readFileSync('src/cli/docs/topics/batches.md', 'utf8').matchAll(/^```sql\n([\s\S]*?)^```/gm),
].map(([, sql = '']) => sql.trim().split('\n'));

/** A batch that its planner put in and began, with the flags of a machine that has the role of a worker. */
async function openRoles(rows: number, ...more: string[]) {
  const { server, gateway } = servers;
  const site = await PayoutSite.open(gateway, server, rows);
  for (const role of ['paycli_planner', 'paycli_worker'])
    if ((await server.query('SELECT 1 FROM pg_roles WHERE rolname = $1', 'postgres', [role])).length === 0)
      await server.query(`CREATE ROLE ${role} LOGIN`);
  for (const sql of beforeFirstRun.filter((each) => /^(REVOKE|GRANT)/.test(each)))
    await server.query(sql.replaceAll('DATABASE batches', `DATABASE ${site.database}`));
  await server.query(`ALTER DATABASE ${site.database} OWNER TO paycli_planner`);
  const as = (role: string) => ['--engine', server.url(site.database, role), '--row-key-file', 'rows.key'];
  const planner = as('paycli_planner');
  const first = await site.office.call(['batch', 'run', site.plan, ...planner, '--rate', '300/s', ...more]);
  for (const sql of afterFirstRun) await server.query(sql, site.database);
  return { site, first, planner, worker: as('paycli_worker') };
}

test('the role of a worker pauses, continues and withdraws a batch, and lifts --max-rows', async () => {
  const { site, first, worker } = await openRoles(6, '--max-rows', '2');
  expect(first.exit, first.err).toBe(12);
  const { plan } = site;
  const remote = site.newMachine();
  expect((await json(remote, 12, 'batch', 'work', plan, ...worker)).err).toContain('--max-rows');
  await json(remote, 0, 'batch', 'pause', plan, ...worker, '--reason', 'the bank called');
  expect((await json(remote, 12, 'batch', 'work', plan, ...worker)).err).toContain('the bank called');
  await json(remote, 0, 'batch', 'continue', plan, ...worker);
  await json(remote, 0, 'batch', 'work', plan, ...worker);
  expect(site.paid()).toBe('6 payments of 6 rows');
  const withdrawn = await json(remote, 0, 'batch', 'withdraw', plan, ...worker, '--reason', 'over');
  expect(JSON.parse(withdrawn.out)).toMatchObject({ state: 'withdrawn', withdrawn: 0 });
}, 60_000);

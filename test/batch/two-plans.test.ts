// @module-tag openssl
// @module-tag postgres
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PayoutSite } from './payout-site.js';
import { json, openServers } from './servers.js';

const servers = openServers();

/** A plan of the last two rows of the plan of a site, as somebody made it who did not see that one. */
async function planLastTwo(site: PayoutSite): Promise<string> {
  const path = join(site.office.state, 'batches', `${site.plan}.db`);
  renameSync(path, join(site.office.path, 'hidden.db'));
  const lines = readFileSync(join(site.office.path, 'payouts.csv'), 'utf8').trimEnd().split('\n');
  const file = site.office.write('other.csv', `${[lines[0], ...lines.slice(-2)].join('\n')}\n`);
  const expected = ['--expect-count', '2', '--expect-total', 'EUR=20.84'];
  const ran = await json(site.office, 0, 'batch', 'plan', file, '--operation', 'payout', ...expected);
  renameSync(join(site.office.path, 'hidden.db'), path);
  return String(JSON.parse(ran.out).plan);
}

test('a plan is not moved to a database while another plan may send one of its rows from elsewhere', async () => {
  const { server, gateway } = servers;
  const site = await PayoutSite.open(gateway, server, 6);
  const other = await planLastTwo(site);
  await json(site.office, 12, 'batch', 'run', site.plan, '--rate', '300/s', '--max-rows', '2');
  const there = await server.newDatabase();
  await json(site.office, 12, 'batch', 'run', other, ...site.on(there), '--rate', '300/s', '--max-rows', '1');
  await server.query('DELETE FROM paycli.run_limits', there);
  const moved = await site.run('move', ['--to', server.url(site.database), '--row-key-file', 'rows.key']);
  expect(moved, moved.err).toMatchObject({ exit: 10 });
  expect(moved.err).toContain(`is row 2 of plan ${other}, which runs on ${server.url(there)}`);
  // Here it goes on up to that row.
  expect(await site.run('resume', [])).toMatchObject({ exit: 10 });
  expect(site.paid()).toBe('5 payments of 5 rows');
  await json(site.office, 0, 'batch', 'resume', other, ...site.on(there), '--rate', '300/s');
  expect(site.paid()).toBe('6 payments of 6 rows');
}, 120_000);

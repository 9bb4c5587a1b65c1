// @module-tag openssl
// @module-tag postgres
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PayoutDeployment } from './payout-deployment.js';
import { newDatabaseWithTables } from './postgres-fixture.js';
import { json, openServers } from './servers.js';

const servers = openServers();

/** A plan of the last two rows of the plan of a deployment, as somebody made it who did not see that one. */
async function planLastTwo(deployment: PayoutDeployment): Promise<string> {
  const path = join(deployment.office.state, 'batches', `${deployment.plan}.db`);
  renameSync(path, join(deployment.office.path, 'hidden.db'));
  const lines = readFileSync(join(deployment.office.path, 'payouts.csv'), 'utf8').trimEnd().split('\n');
  const file = deployment.office.write('other.csv', `${[lines[0], ...lines.slice(-2)].join('\n')}\n`);
  const expected = ['--expect-count', '2', '--expect-total', 'EUR=20.84'];
  const ran = await json(deployment.office, 0, 'batch', 'plan', file, '--operation', 'payout', ...expected);
  renameSync(join(deployment.office.path, 'hidden.db'), path);
  return String(JSON.parse(ran.out).plan);
}

test('a plan is not moved to a database while another plan may send one of its rows from elsewhere', async () => {
  const { server, gateway } = servers;
  const deployment = await PayoutDeployment.open(gateway, server, 6);
  const other = await planLastTwo(deployment);
  await json(deployment.office, 12, 'batch', 'run', deployment.plan, '--rate', '300/s', '--max-rows', '2');
  const there = await newDatabaseWithTables(server);
  await json(
    deployment.office,
    12,
    'batch',
    'run',
    other,
    ...deployment.on(there),
    '--rate',
    '300/s',
    '--max-rows',
    '1',
  );
  await server.query('DELETE FROM paycli.run_limits', there);
  const moved = await deployment.run('move', ['--to', server.url(deployment.database), '--row-key-file', 'rows.key']);
  expect(moved, moved.err).toMatchObject({ exit: 10 });
  expect(moved.err).toContain(`is row 2 of plan ${other}, which runs on ${server.url(there)}`);
  // Here it goes on up to that row.
  expect(await deployment.run('resume', [])).toMatchObject({ exit: 10 });
  expect(deployment.paid()).toBe('5 payments of 5 rows');
  await json(deployment.office, 0, 'batch', 'resume', other, ...deployment.on(there), '--rate', '300/s');
  expect(deployment.paid()).toBe('6 payments of 6 rows');
}, 120_000);

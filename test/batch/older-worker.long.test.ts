// @module-tag openssl
// @module-tag postgres

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually, type Home } from '../e2e/home.js';
import { PayoutDeployment } from './payout-deployment.js';
import { openServers } from './servers.js';

/** The program of the version whose tables were of the number before. */
const older = process.env['OLDER_PAYCLI'];

const servers = openServers();

/** Runs the older program; gives its exit code and what it said. */
function startOlder(home: Home, words: readonly string[]) {
  if (older === undefined) throw new Error('OLDER_PAYCLI names no program');
  const child = spawn(process.execPath, [older, ...words], { cwd: home.path, env: { ...home.env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += String(piece);
    });
  return once(child, 'close').then(([exit]) => ({ exit: Number(exit), said }));
}

test('workers of the version before stop once a newer paycli has updated the tables; every row is paid once', async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 40);
  const remote = deployment.newMachine();
  const version = () =>
    servers.server.query('SELECT version FROM paycli.meta', deployment.database).catch(() => [{ version: 0 }]);
  const started = startOlder(deployment.office, ['batch', 'run', deployment.plan, ...deployment.on(), '--rate', '3/s']);
  await eventually('a row is paid', () => (/^[3-9]/.test(deployment.paid()) ? true : undefined));
  const [before] = await version();
  const newer = await remote.call(['batch', 'work', deployment.plan, ...deployment.on(), '--rate', '20/s']);
  const [after] = await version();
  expect(Number(after?.['version'])).toBe(Number(before?.['version']) + 1);
  const ended = await started;
  expect([8, 13], ended.said).toContain(ended.exit);
  const begunByOlder = await servers.server.query(
    "SELECT count(*)::int AS late FROM paycli.moves WHERE to_state = 'sending' AND worker = 1 AND at > (SELECT joined_at + interval '2 s' FROM paycli.workers WHERE id = 2)",
    deployment.database,
  );
  expect(begunByOlder).toEqual([{ late: 0 }]);
  expect([0, 8, 12], newer.err).toContain(newer.exit);
  const rest = await deployment.run('resume', deployment.on());
  expect(rest.exit, rest.err).toBe(0);
  expect(deployment.paid()).toBe('40 payments of 40 rows');
}, 180_000);

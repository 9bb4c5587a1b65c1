// @module-tag openssl
// @module-tag postgres

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../e2e/home.js';
import { databaseProxy } from './database-proxy.js';
import { PayoutDeployment } from './payout-deployment.js';
import { openServers } from './servers.js';

const awayMs = Number(process.env['AWAY_MS'] ?? 75_000);

const servers = openServers();

test(`a database that swallows every packet for ${awayMs / 1000} s: nothing is sent meanwhile, workers say so and go on by themselves`, {
  timeout: 120_000 + 3 * awayMs,
}, async () => {
  const deployment = await PayoutDeployment.open(servers.gateway, servers.server, 240);
  const remote = deployment.newMachine();
  const proxy = await databaseProxy(servers.server.port);
  const way = [
    '--engine',
    `postgres://postgres@127.0.0.1:${proxy.port}/${deployment.database}`,
    '--row-key-file',
    'rows.key',
  ];
  expect((await deployment.office.call(['batch', 'run', deployment.plan, ...way, '--max-rows', '1'])).exit).toBe(12);
  await servers.server.query('DELETE FROM paycli.run_limits', deployment.database);
  const running = await Promise.all([
    deployment.office.start(['batch', 'resume', deployment.plan, ...way, '--rate', '10/s']),
    remote.start(['batch', 'work', deployment.plan, ...way]),
  ]);
  const count = () => Number(deployment.paid().split(' ')[0]);
  await eventually('rows are paid', () => (count() >= 20 ? true : undefined), 60_000);
  proxy.block();
  // What was allowed to leave before it, leaves within its time.
  await pause(35_000);
  const paidEarly = count();
  await pause(awayMs - 35_000);
  expect(count()).toBe(paidEarly);
  proxy.open();
  const ended = await Promise.all(running.map(({ done }) => done));
  for (const { exit, err } of ended) {
    expect([0, 8, 12], err).toContain(exit);
    expect(err).toContain('does not answer: no more rows are sent');
    expect(err).toContain('answers again');
  }
  // What was on its way when it began is in doubt until its lease ran out.
  const last = await eventually(
    'the batch is over',
    async () => {
      const ran = await deployment.run('resume', deployment.on());
      return ran.exit === 0 ? ran : undefined;
    },
    120_000,
  );
  process.stdout.write(
    `${JSON.stringify({ awayMs, paidEarly, exits: ended.map(({ exit }) => exit), last: last.exit, paid: deployment.paid() })}\n`,
  );
  expect(deployment.paid()).toBe('240 payments of 240 rows');
});

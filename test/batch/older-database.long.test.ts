// @module-tag openssl
// @module-tag postgres
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../e2e/home.js';
import { type Gateway, startGateway } from '../e2e/shop.js';
import { PayoutDeployment } from './payout-deployment.js';
import { PostgresServer } from './postgres.js';

let server: PostgresServer;
let gateway: Gateway;

beforeAll(async () => {
  // A20: a second payout with the same id is a second payment, so that only paycli stands between a restored backup and
  // a duplicate.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  server = await PostgresServer.start();
}, 120_000);

afterAll(async () => {
  await gateway.close();
  await server.remove();
}, 120_000);

const openDeployment = () => PayoutDeployment.open(gateway, server);
const lost = 'rows and state changes it used to have are missing';

describe('a database that was restored while a process of its own works or worked on the batch', () => {
  test('the mark alone tells, where a killed run brought nothing home and others have worked since', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
    const restore = await deployment.backup();
    const running = await deployment.office.start([
      'batch',
      'resume',
      deployment.plan,
      ...deployment.on(),
      '--rate',
      '3/s',
    ]);
    await eventually('rows are paid', () => (Number(deployment.paid().split(' ')[0]) >= 8 ? true : undefined), 60_000);
    running.signal('SIGKILL');
    await running.done;
    const before = deployment.paid();
    await restore();
    const refused = await deployment.run('resume', deployment.on());
    expect(refused, refused.err).toMatchObject({ exit: 13, err: expect.stringContaining(lost) });
    expect(deployment.paid()).toBe(before);
  }, 120_000);

  test('under a worker that runs: it sends nothing more', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
    const remote = deployment.newMachine();
    const restore = await deployment.backup();
    const working = await remote.start([
      'batch',
      'work',
      deployment.plan,
      ...deployment.on(),
      '--rate',
      '2/s',
      '--concurrency',
      '1',
    ]);
    await eventually(
      'a row is paid there',
      () => (Number(deployment.paid().split(' ')[0]) >= 4 ? true : undefined),
      60_000,
    );
    await restore();
    expect((await working.done).exit).not.toBe(0);
    const [payments, , , rows] = deployment.paid().split(' ');
    expect(payments).toBe(rows);
    expect(Number(rows)).toBeLessThan(12);
  }, 120_000);

  test('asking about every row is not over when it was cut off: nothing is sent before it was', async () => {
    const deployment = await openDeployment();
    const remote = deployment.newMachine();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '4')).toMatchObject({ exit: 12 });
    await server.query('DROP SCHEMA paycli CASCADE; DROP SCHEMA IF EXISTS paycli_jobs CASCADE', deployment.database);
    const asking = await deployment.office.start([
      'batch',
      'resume',
      deployment.plan,
      ...deployment.on(),
      '--rate',
      '2/s',
      '--after-restore',
    ]);
    const begun = 'SELECT count(*)::int AS count FROM paycli.gate WHERE attempts > 0';
    await eventually(
      'two rows are taken over',
      async () => {
        const [found] = await server.query(begun, deployment.database).catch(() => []);
        return Number(found?.['count'] ?? 0) >= 2 ? true : undefined;
      },
      60_000,
    );
    asking.signal('SIGKILL');
    await asking.done;
    await deployment.lapse();
    for (const home of [deployment.office, remote])
      for (const verb of ['resume', 'work'].slice(home === remote ? 1 : 0)) {
        const refused = await home.call(['batch', verb, deployment.plan, ...deployment.on()]);
        expect(refused, refused.err).toMatchObject({ exit: 13, err: expect.stringContaining('--after-restore') });
      }
    expect(deployment.paid()).toBe('4 payments of 4 rows');
    expect(await deployment.run('resume', deployment.on(), '--after-restore')).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('12 payments of 12 rows');
  }, 120_000);
});

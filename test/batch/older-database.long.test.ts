// @module-tag openssl
// @module-tag postgres
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../e2e/home.js';
import { type Gateway, startGateway } from '../e2e/shop.js';
import { PayoutSite } from './payout-site.js';
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

const openSite = () => PayoutSite.open(gateway, server);
const lost = 'rows and state changes it used to have are missing';

describe('a database that was restored while a process of its own works or worked on the batch', () => {
  test('the mark alone tells, where a killed run brought nothing home and others have worked since', async () => {
    const site = await openSite();
    expect(await site.run('run', site.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
    const restore = await site.backup();
    const running = await site.office.start(['batch', 'resume', site.plan, ...site.on(), '--rate', '3/s']);
    await eventually('rows are paid', () => (Number(site.paid().split(' ')[0]) >= 8 ? true : undefined), 60_000);
    running.signal('SIGKILL');
    await running.done;
    const before = site.paid();
    await restore();
    const refused = await site.run('resume', site.on());
    expect(refused, refused.err).toMatchObject({ exit: 13, err: expect.stringContaining(lost) });
    expect(site.paid()).toBe(before);
  }, 120_000);

  test('under a worker that runs: it sends nothing more', async () => {
    const site = await openSite();
    expect(await site.run('run', site.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
    const remote = site.newMachine();
    const restore = await site.backup();
    const working = await remote.start([
      'batch',
      'work',
      site.plan,
      ...site.on(),
      '--rate',
      '2/s',
      '--concurrency',
      '1',
    ]);
    await eventually('a row is paid there', () => (Number(site.paid().split(' ')[0]) >= 4 ? true : undefined), 60_000);
    await restore();
    expect((await working.done).exit).not.toBe(0);
    const [payments, , , rows] = site.paid().split(' ');
    expect(payments).toBe(rows);
    expect(Number(rows)).toBeLessThan(12);
  }, 120_000);

  test('asking about every row is not over when it was cut off: nothing is sent before it was', async () => {
    const site = await openSite();
    const remote = site.newMachine();
    expect(await site.run('run', site.on(), '--max-rows', '4')).toMatchObject({ exit: 12 });
    await server.query('DROP SCHEMA paycli CASCADE; DROP SCHEMA IF EXISTS paycli_jobs CASCADE', site.database);
    const asking = await site.office.start([
      'batch',
      'resume',
      site.plan,
      ...site.on(),
      '--rate',
      '2/s',
      '--after-restore',
    ]);
    const begun = 'SELECT count(*)::int AS count FROM paycli.gate WHERE attempts > 0';
    await eventually(
      'two rows are taken over',
      async () => {
        const [found] = await server.query(begun, site.database).catch(() => []);
        return Number(found?.['count'] ?? 0) >= 2 ? true : undefined;
      },
      60_000,
    );
    asking.signal('SIGKILL');
    await asking.done;
    await site.lapse();
    for (const home of [site.office, remote])
      for (const verb of ['resume', 'work'].slice(home === remote ? 1 : 0)) {
        const refused = await home.call(['batch', verb, site.plan, ...site.on()]);
        expect(refused, refused.err).toMatchObject({ exit: 13, err: expect.stringContaining('--after-restore') });
      }
    expect(site.paid()).toBe('4 payments of 4 rows');
    expect(await site.run('resume', site.on(), '--after-restore')).toMatchObject({ exit: 0 });
    expect(site.paid()).toBe('12 payments of 12 rows');
  }, 120_000);
});

// @module-tag openssl
// @module-tag postgres
import { describe, expect, test } from 'vitest';
import { PayoutDeployment } from './payout-deployment.js';
import { openServers } from './servers.js';

const servers = openServers();

const openDeployment = () => PayoutDeployment.open(servers.gateway, servers.server, 7);
const lost = 'rows and state changes it used to have are missing';

describe('a database that was restored under its own name and number', () => {
  test('from a dump: what it lacks is not sent again', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    const restore = await deployment.backup();
    expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 0 });
    await restore();
    {
      const refused = await deployment.run('resume', deployment.on());
      expect(refused, refused.err).toMatchObject({ exit: 13, out: '', err: expect.stringContaining(lost) });
      expect(refused.err).toContain(
        `\`paycli batch resume ${deployment.plan} ${deployment.shown()} --after-restore --profile shop\``,
      );
    }
    expect(deployment.paid()).toBe('7 payments of 7 rows');
    const careful = await deployment.run('resume', deployment.on(), '--after-restore');
    expect(careful, careful.err).toMatchObject({ exit: 0 });
    expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('7 payments of 7 rows');
  }, 120_000);

  test('by a machine that joins for the first time: the gateway tells what the database forgot', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '2')).toMatchObject({ exit: 12 });
    const restore = await deployment.backup();
    expect(await deployment.run('resume', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    await restore();
    const worked = await deployment.newMachine().call(['batch', 'work', deployment.plan, ...deployment.on()]);
    expect(worked, worked.err).toMatchObject({ exit: 10, err: expect.stringContaining('row 3, 4, 5') });
    expect(worked.err).toContain('--after-restore');
    expect(deployment.paid()).toBe('5 payments of 5 rows');
  }, 120_000);

  test('whose tables were dropped: the plan is not put in anew', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    await servers.server.query(
      'DROP SCHEMA paycli CASCADE; DROP SCHEMA IF EXISTS paycli_jobs CASCADE',
      deployment.database,
    );
    for (const [verb, way] of [
      ['run', deployment.on()],
      ['resume', deployment.on()],
    ] as const) {
      const refused = await deployment.run(verb, way);
      expect(refused, refused.err).toMatchObject({ exit: 13, err: expect.stringContaining('--after-restore') });
    }
    expect(deployment.paid()).toBe('3 payments of 3 rows');
    const careful = await deployment.run('resume', deployment.on(), '--after-restore');
    expect(careful, careful.err).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('7 payments of 7 rows');
  }, 120_000);
});

describe('a copy of a database that is still there', () => {
  test('takes its place only by closing it: whoever works there afterwards sends nothing', async () => {
    const deployment = await openDeployment();
    const remote = deployment.newMachine();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    const copy = await deployment.copy();
    for (const home of [remote, deployment.office]) {
      const worked = await home.call(['batch', 'work', deployment.plan, ...deployment.on(copy)]);
      expect(worked, worked.err).toMatchObject({ exit: 13, err: expect.stringContaining('another database') });
    }
    // Also under another name than it had.
    await servers.server.query(`ALTER DATABASE ${deployment.database} RENAME TO "old ${deployment.database}"`);
    expect(await deployment.run('resume', deployment.on(copy), '--after-restore', '--max-rows', '2')).toMatchObject({
      exit: 12,
    });
    await servers.server.query(`ALTER DATABASE "old ${deployment.database}" RENAME TO ${deployment.database}`);
    const worked = await remote.call(['batch', 'work', deployment.plan, ...deployment.on()]);
    expect(worked, worked.err).toMatchObject({
      exit: 10,
      err: expect.stringContaining(`goes on in ${servers.server.url(copy)}`),
    });
    expect(deployment.paid()).toBe('5 payments of 5 rows');
    expect(await deployment.run('resume', deployment.on(copy))).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('7 payments of 7 rows');
  }, 120_000);

  test('is refused while a worker lives there, or a row there is in doubt', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    const copy = await deployment.copy();
    await servers.server.query("UPDATE paycli.workers SET lease_until = now() + interval '1 min'", deployment.database);
    const busy = await deployment.run('resume', deployment.on(copy), '--after-restore');
    expect(busy, busy.err).toMatchObject({ exit: 10, err: expect.stringContaining('is working on it') });
    await deployment.lapse();
    const doubt = "SET session_replication_role = replica; UPDATE paycli.gate SET state = 'unknown' WHERE number = 3";
    await servers.server.query(doubt, deployment.database);
    const open = await deployment.run('resume', deployment.on(copy), '--after-restore');
    expect(open, open.err).toMatchObject({
      exit: 10,
      err: expect.stringContaining(`\`paycli batch resume ${deployment.plan} ${deployment.shown()}`),
    });
    expect(deployment.paid()).toBe('3 payments of 3 rows');
  }, 120_000);
});

describe('a database that was dropped', () => {
  test('and made anew under its name: what is said leads on, and nothing is paid twice', async () => {
    const deployment = await openDeployment();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    await servers.server.query(`DROP DATABASE ${deployment.database}`);
    await servers.server.query(`CREATE DATABASE ${deployment.database}`);
    {
      const refused = await deployment.run('resume', deployment.on());
      expect(refused, refused.err).toMatchObject({ exit: 10, out: '' });
      expect(refused.err).toContain(
        `\`paycli batch resume ${deployment.plan} ${deployment.shown()} --after-restore --profile shop\``,
      );
    }
    const careful = await deployment.run('resume', deployment.on(), '--after-restore');
    expect(careful, careful.err).toMatchObject({ exit: 0 });
    expect(await deployment.run('resume', deployment.on())).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('7 payments of 7 rows');
  }, 120_000);

  test('is replaced by an empty one of another name only once it is gone', async () => {
    const deployment = await openDeployment();
    const other = await servers.server.newDatabase();
    expect(await deployment.run('run', deployment.on(), '--max-rows', '3')).toMatchObject({ exit: 12 });
    const refused = await deployment.run('resume', deployment.on(other), '--after-restore');
    expect(refused, refused.err).toMatchObject({
      exit: 10,
      err: expect.stringContaining(`batch resume ${deployment.plan} ${deployment.shown()}`),
    });
    expect(await servers.server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'paycli'", other)).toEqual([]);
    await servers.server.query(`DROP DATABASE ${deployment.database}`);
    const careful = await deployment.run('resume', deployment.on(other), '--after-restore');
    expect(careful, careful.err).toMatchObject({ exit: 0 });
    expect(deployment.paid()).toBe('7 payments of 7 rows');
  }, 120_000);
});

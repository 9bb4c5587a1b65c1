// @module-tag openssl
// @module-tag postgres

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually, Home, type Ran } from '../e2e/home.js';
import { type Gateway, profileText, startGateway } from '../e2e/shop.js';
import { payouts } from './command.js';
import { PostgresServer } from './postgres.js';
import { newDatabaseWithTables } from './postgres-fixture.js';

let server: PostgresServer;
let gateway: Gateway;

beforeAll(async () => {
  // A20: a second payout with the same id is a second payment, so that only paycli stands between an engine and a
  // duplicate.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
  server = await PostgresServer.start();
}, 120_000);

afterAll(async () => {
  await gateway.close();
  await server.remove();
}, 120_000);

const homes: Home[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

type EngineName = 'local' | 'postgres' | 'other';

// Each row through PostgreSQL costs 40 ms of processor time, in three processes.
const rows = 7;
let sites = 0;

/** A machine with a plan, databases for it, and what the gateway paid of its rows. */
class Deployment {
  readonly prefix: string;
  readonly office: Home;
  readonly #databases = new Map<EngineName, string>();
  plan = '';

  private constructor() {
    sites += 1;
    this.prefix = `one-${sites}-`;
    this.office = this.newMachine();
  }

  /** With a database for each of these engines but the local one. */
  static async open(...engines: EngineName[]): Promise<Deployment> {
    const deployment = new Deployment();
    for (const engine of engines)
      if (engine !== 'local') deployment.#databases.set(engine, await newDatabaseWithTables(server));
    const file = deployment.office.write('payouts.csv', payouts(rows).replaceAll('row-', deployment.prefix));
    const expected = ['--expect-count', String(rows), '--expect-total', `EUR=${((rows * 1042) / 100).toFixed(2)}`];
    deployment.plan = String(
      JSON.parse(
        (await ended(deployment.office, ['batch', 'plan', file, '--operation', 'payout', ...expected, '--json'])).out,
      ).plan,
    );
    return deployment;
  }

  newMachine(): Home {
    const profile = profileText('shop', gateway.url, gateway.keys).replace('class: test', 'class: sandbox');
    const home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
    home.write('rows.key', 'ab'.repeat(32));
    homes.push(home);
    return home;
  }

  database(engine: EngineName): string {
    const name = this.#databases.get(engine);
    if (name === undefined) throw new Error(`this deployment was opened without ${engine}`);
    return name;
  }

  url(engine: Exclude<EngineName, 'local'>): string {
    return server.url(this.database(engine));
  }

  flags(engine: EngineName): string[] {
    return engine === 'local' ? [] : ['--engine', this.url(engine), '--row-key-file', 'rows.key'];
  }

  async run(command: string, engine: EngineName, ...more: string[]): Promise<Ran> {
    const words = ['batch', command, this.plan, ...this.flags(engine), '--rate', '300/s', ...more];
    const ran = await this.office.call(words);
    if (more.includes('--max-rows') && engine !== 'local') await this.liftRunLimit(this.database(engine));
    return ran;
  }

  /** As `batch continue` does: workers send what --max-rows left. */
  async liftRunLimit(database: string): Promise<void> {
    const [found] = await server.query("SELECT to_regclass('paycli.run_limits') IS NOT NULL AS there", database);
    if (found?.['there'] === true) await server.query('DELETE FROM paycli.run_limits', database);
  }

  single(row: number, home = this.office): Promise<Ran> {
    const account = [
      '--account-number',
      `DE8937040044053201${row - 1}`,
      '--bank-name',
      'Bank',
      '--bank-branch',
      'Main',
    ];
    return home.call([
      'payout',
      '--amount',
      '10.42',
      '--currency',
      'EUR',
      ...account,
      '--client-order-id',
      `${this.prefix}${row}`,
      '--wait',
    ]);
  }

  /** Ids by the number of payments the gateway made of them, whatever anybody here believes. */
  paid(): Map<string, number> {
    const ledger = new DatabaseSync(join(gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
    try {
      const made: Record<string, unknown>[] = ledger
        .prepare("SELECT client_order_id FROM transactions WHERE kind = 'payout'")
        .all();
      const counts = new Map<string, number>();
      for (const { client_order_id: id } of made) {
        const name = String(id);
        if (name.startsWith(this.prefix)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return counts;
    } finally {
      ledger.close();
    }
  }

  twice(): string[] {
    return [...this.paid()].filter(([, count]) => count > 1).map(([id]) => id);
  }

  /** Runs it until some rows are paid, or to its end. */
  async begin(engine: EngineName, stop: Stop): Promise<void> {
    if (stop === '--max-rows')
      return void expect(await this.run('run', engine, '--max-rows', '3')).toMatchObject({ exit: 12 });
    const running = await this.office.start(['batch', 'run', this.plan, ...this.flags(engine), '--rate', '10/s']);
    await eventually('some rows are paid', () => (this.paid().size >= 3 ? true : undefined), 30_000);
    running.signal('SIGKILL');
    expect((await running.done).exit).toBeNull();
    await this.arrived();
    await this.lapse(engine);
  }

  /** What left before a kill reaches the gateway a moment later. */
  async arrived(): Promise<void> {
    let count = -1;
    await eventually('nothing is on its way any more', async () => {
      await new Promise((done) => setTimeout(done, 150));
      const before = count;
      count = this.paid().size;
      return count === before ? true : undefined;
    });
  }

  /** What time does for workers that run no more: 60 s later their leases have run out. */
  async lapse(engine: EngineName): Promise<void> {
    if (engine === 'local') return;
    await server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', this.database(engine));
  }
}

async function ended(home: Home, words: readonly string[]): Promise<Ran> {
  const ran = await home.call(words);
  expect(ran.exit, ran.err + ran.out).toBe(0);
  return ran;
}

type Stop = 'SIGKILL' | '--max-rows';

const table = [
  { first: 'local', second: 'postgres', stop: 'SIGKILL' },
  { first: 'postgres', second: 'other', stop: '--max-rows' },
] as const;

describe('a plan runs on one engine', () => {
  test.each(table)(
    '$first, then $second by batch run and batch resume after $stop: refused, and nothing is paid twice',
    async ({ first, second, stop }) => {
      const deployment = await Deployment.open(first, second);
      await deployment.begin(first, stop);
      const before = deployment.paid();
      for (const command of ['run', 'resume']) {
        const refused = await deployment.run(command, second);
        expect(refused, refused.err + refused.out).toMatchObject({ exit: 10, out: '' });
        const there =
          first === 'local'
            ? ''
            : ` --engine ${deployment.url(first)} --row-key-file ${join(deployment.office.path, 'rows.key')}`;
        expect(refused.err).toContain(`\`paycli batch ${command} ${deployment.plan}${there} --profile shop\``);
        expect(deployment.paid()).toEqual(before);
      }
      const right = await deployment.run('resume', first);
      expect([0, 8], right.err + right.out).toContain(right.exit);
      expect(deployment.twice()).toEqual([]);
      if (right.exit === 0) expect(deployment.paid().size).toBe(rows);
    },
    120_000,
  );

  test('postgres, then single payouts of its rows after a kill: asked about, not sent', async () => {
    const deployment = await Deployment.open('postgres');
    await deployment.begin('postgres', 'SIGKILL');
    const before = deployment.paid();
    for (const row of [1, 2, rows]) {
      const single = await deployment.single(row);
      // What came home is known here; of the rest the gateway was asked.
      expect([0, 10], single.err + single.out).toContain(single.exit);
      if (single.exit === 10)
        expect(single.err).toContain(
          `row ${row} of plan ${deployment.plan}, which runs on ${deployment.url('postgres')}`,
        );
      if (single.exit === 10)
        expect(single.err).toContain(
          before.has(`${deployment.prefix}${row}`) ? 'status approved' : 'does not have the order',
        );
    }
    expect(deployment.paid()).toEqual(before);
    const right = await deployment.run('resume', 'postgres');
    expect([0, 8], right.err + right.out).toContain(right.exit);
    expect(deployment.twice()).toEqual([]);
  }, 120_000);

  test('a machine that only worked on the batch sends none of its orders by a single command', async () => {
    const deployment = await Deployment.open('postgres');
    const remote = deployment.newMachine();
    expect(await deployment.run('run', 'postgres', '--max-rows', '3')).toMatchObject({ exit: 12 });
    await ended(remote, ['batch', 'work', deployment.plan, ...deployment.flags('postgres')]);
    for (const row of [1, rows])
      expect(await deployment.single(row, remote)).toMatchObject({
        exit: 10,
        err: expect.stringContaining(deployment.plan),
      });
    expect(deployment.twice()).toEqual([]);
    expect(deployment.paid().size).toBe(rows);
  }, 120_000);

  test('a machine that paid a row by a single command works on no batch that holds it', async () => {
    const deployment = await Deployment.open('postgres');
    const remote = deployment.newMachine();
    expect(await deployment.run('run', 'postgres', '--max-rows', '3')).toMatchObject({ exit: 12 });
    expect(await deployment.single(rows - 1, remote)).toMatchObject({ exit: 0 });
    const worked = await remote.call(['batch', 'work', deployment.plan, ...deployment.flags('postgres')]);
    expect(worked, worked.err).toMatchObject({ exit: 10, err: expect.stringContaining(`row ${rows - 1}`) });
    expect(deployment.paid().size).toBe(4);
  }, 120_000);

  describe('a state folder restored from a backup', () => {
    const backup = (deployment: Deployment) => {
      cpSync(deployment.office.state, join(deployment.office.path, 'backup'), { recursive: true });
      return () => {
        rmSync(deployment.office.state, { recursive: true });
        cpSync(join(deployment.office.path, 'backup'), deployment.office.state, { recursive: true });
      };
    };
    /** The journal notices first; what is right about the plan counts once its end is taken as it is. */
    const adopt = async (deployment: Deployment, engine: 'local' | 'postgres') => {
      const refused = await deployment.run('resume', engine);
      expect(refused, refused.err).toMatchObject({
        exit: 13,
        err: expect.stringContaining('paycli journal adopt --after-restore'),
      });
      const adopted = await deployment.office.call(['journal', 'adopt', '--after-restore', '--profile', 'shop']);
      expect(adopted, adopted.err).toMatchObject({ exit: 0 });
    };

    test('made before the plan was bound to a database sends nothing from here', async () => {
      const deployment = await Deployment.open('postgres');
      const restore = backup(deployment);
      expect(await deployment.run('run', 'postgres', '--max-rows', '3')).toMatchObject({ exit: 12 });
      restore();
      await adopt(deployment, 'local');
      for (const more of [[], ['--after-restore']]) {
        const refused = await deployment.run('run', 'local', ...more);
        expect(refused, refused.err).toMatchObject({ exit: 10, out: '' });
        const key = join(deployment.office.path, 'rows.key');
        const right = [
          'run',
          deployment.plan,
          '--engine',
          deployment.url('postgres'),
          '--row-key-file',
          key,
          ...more,
        ].join(' ');
        expect(refused.err).toContain(`\`paycli batch ${right} --profile shop\``);
      }
      expect(deployment.paid().size).toBe(3);
      const right = await deployment.run('run', 'postgres', '--after-restore');
      expect(right, right.err + right.out).toMatchObject({ exit: 0 });
      expect(deployment.paid().size).toBe(rows);
      expect(deployment.twice()).toEqual([]);
    }, 120_000);
  });

  describe('batch work in a copy of the database', () => {
    const copied = async () => {
      const deployment = await Deployment.open('postgres');
      const remote = deployment.newMachine();
      expect(await deployment.run('run', 'postgres', '--max-rows', '3')).toMatchObject({ exit: 12 });
      await server.query(
        `CREATE DATABASE copy_${deployment.database('postgres')} TEMPLATE ${deployment.database('postgres')}`,
      );
      const copy = ['--engine', server.url(`copy_${deployment.database('postgres')}`), '--row-key-file', 'rows.key'];
      return { deployment, remote, copy };
    };

    test('sends nothing on any machine, and after a restore the old database is closed to this one', async () => {
      const { deployment, remote, copy } = await copied();
      for (const home of [remote, deployment.office]) {
        const worked = await home.call(['batch', 'work', deployment.plan, ...copy]);
        expect(worked, worked.err).toMatchObject({ exit: 13, err: expect.stringContaining('another database') });
      }
      expect(deployment.paid().size).toBe(3);
      const rebound = await deployment.office.call([
        'batch',
        'resume',
        deployment.plan,
        ...copy,
        '--after-restore',
        '--max-rows',
        '3',
      ]);
      expect(rebound, rebound.err).toMatchObject({ exit: 12 });
      await deployment.liftRunLimit(new URL(copy[1] ?? '').pathname.slice(1));
      const old = await deployment.office.call(['batch', 'work', deployment.plan, ...deployment.flags('postgres')]);
      expect(old, old.err).toMatchObject({ exit: 10, err: expect.stringContaining(`goes on in ${copy[1]}`) });
      await ended(remote, ['batch', 'work', deployment.plan, ...copy]);
      expect(deployment.paid().size).toBe(rows);
      expect(deployment.twice()).toEqual([]);
    }, 120_000);
  });

  test('two engines at the same moment: one sends, the other is refused', async () => {
    const deployment = await Deployment.open('postgres');
    const both = await Promise.all([deployment.run('run', 'local'), deployment.run('run', 'postgres')]);
    const exits = both.map(({ exit }) => exit);
    expect(exits, both.map(({ err }) => err).join('\n')).toContain(0);
    expect(exits.some((exit) => exit === 10 || exit === 13)).toBe(true);
    expect(deployment.twice()).toEqual([]);
    expect(deployment.paid().size).toBe(rows);
  }, 120_000);
});

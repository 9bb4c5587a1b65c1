import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished } from 'vitest';
import { Home, type Ran } from '../e2e/home.js';
import { type Gateway, profileText } from '../e2e/shop.js';
import { payouts } from './command.js';
import type { PostgresServer } from './postgres.js';
import { newDatabaseWithTables } from './postgres-fixture.js';

let sites = 0;

/** A machine with a plan of payouts, a database for it, and what the gateway paid of its rows. */
export class PayoutDeployment {
  readonly gateway: Gateway;
  readonly server: PostgresServer;
  readonly database: string;
  readonly office: Home;
  readonly prefix: string;
  readonly rows: number;
  plan = '';

  private constructor(gateway: Gateway, server: PostgresServer, database: string, rows: number) {
    sites += 1;
    this.prefix = `deployment-${sites}-`;
    this.gateway = gateway;
    this.server = server;
    this.database = database;
    this.rows = rows;
    this.office = this.newMachine();
  }

  /** On a database that has the tables, unless another one is given. */
  static async open(gateway: Gateway, server: PostgresServer, rows = 12, given?: string): Promise<PayoutDeployment> {
    const database = given ?? (await newDatabaseWithTables(server));
    const deployment = new PayoutDeployment(gateway, server, database, rows);
    const file = deployment.office.write('payouts.csv', payouts(rows).replaceAll('row-', deployment.prefix));
    const expected = ['--expect-count', String(rows), '--expect-total', `EUR=${((rows * 1042) / 100).toFixed(2)}`];
    const planned = await deployment.office.call([
      'batch',
      'plan',
      file,
      '--operation',
      'payout',
      ...expected,
      '--json',
    ]);
    expect(planned.exit, planned.err).toBe(0);
    deployment.plan = String(JSON.parse(planned.out).plan);
    return deployment;
  }

  newMachine(): Home {
    const profile = profileText('shop', this.gateway.url, this.gateway.keys).replace('class: test', 'class: sandbox');
    const home = new Home(`default-profile: shop\nprofiles:\n${profile}`);
    home.write('rows.key', 'ab'.repeat(32));
    onTestFinished(() => home.remove());
    return home;
  }

  /** The flags for a database of the server. */
  on(database = this.database): string[] {
    return ['--engine', this.server.url(database), '--row-key-file', 'rows.key'];
  }

  /** The same as a message shows them. */
  shown(database = this.database): string {
    return `--engine ${this.server.url(database)} --row-key-file ${join(this.office.path, 'rows.key')}`;
  }

  async run(verb: string, way: readonly string[], ...more: string[]): Promise<Ran> {
    const rate = verb === 'run' || verb === 'resume' ? ['--rate', '300/s'] : [];
    const ran = await this.office.call(['batch', verb, this.plan, ...way, ...rate, ...more]);
    // As `batch continue` does: workers send what --max-rows left.
    if (more.includes('--max-rows')) await this.server.query('DELETE FROM paycli.run_limits', databaseOf(way));
    return ran;
  }

  /** The order id of each payment that the gateway made of its rows. */
  payments(): string[] {
    const ledger = new DatabaseSync(join(this.gateway.home.state, 'data/sandbox/default.db'), { readOnly: true });
    try {
      const made: Record<string, unknown>[] = ledger
        .prepare("SELECT client_order_id FROM transactions WHERE kind = 'payout'")
        .all();
      return made.map((row) => String(row['client_order_id'])).filter((name) => name.startsWith(this.prefix));
    } finally {
      ledger.close();
    }
  }

  /** How many payments those are, and of how many rows. */
  paid(): string {
    const names = this.payments();
    return `${names.length} payments of ${new Set(names).size} rows`;
  }

  /** Keeps what the database holds; gives a way to put it back as it was, under the same name and number. */
  async backup(): Promise<() => Promise<unknown>> {
    const tables = ['meta', 'batches', 'workers', 'gate', 'moves', 'paces'];
    const kept = tables.map((name) => `CREATE TABLE kept.${name} AS TABLE paycli.${name}`);
    await this.server.query(
      ['DROP SCHEMA IF EXISTS kept CASCADE', 'CREATE SCHEMA kept', ...kept].join(';'),
      this.database,
    );
    const back = tables.map((name) => `INSERT INTO paycli.${name} OVERRIDING SYSTEM VALUE SELECT * FROM kept.${name}`);
    const numbers = ['workers', 'gate', 'moves'].map(
      (name) =>
        `SELECT setval(pg_get_serial_sequence('paycli.${name}', 'id'), coalesce((SELECT max(id) FROM paycli.${name}), 1))`,
    );
    const emptied = `TRUNCATE ${tables.map((name) => `paycli.${name}`).join(', ')}`;
    const all = ['SET session_replication_role = replica', emptied, ...back, ...numbers].join(';');
    return () => this.server.query(all, this.database);
  }

  /** A second database with all that the first one holds; its name. */
  async copy(): Promise<string> {
    const name = `copy_${this.database}`;
    await this.server.query(`CREATE DATABASE ${name} TEMPLATE ${this.database}`);
    return name;
  }

  /** What 60 s do for workers that run no more. */
  async lapse(database = this.database): Promise<void> {
    await this.server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', database);
  }
}

function databaseOf(way: readonly string[]): string {
  return new URL(way[way.indexOf('--engine') + 1] ?? '').pathname.slice(1);
}

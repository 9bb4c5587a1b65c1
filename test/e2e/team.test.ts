// @module-tag postgres
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import rolesSql from '../../src/journal/postgres-roles.sql';
import { PostgresServer } from '../support/postgres.js';
import { testSale } from '../support/test-sale.js';
import { eventually, type Home } from './home.js';
import { killBatches } from './killed-batches.js';
import { killCommands } from './killed-commands.js';
import { type Gateway, homeAt, type ProfileOptions, startGateway } from './shop.js';

let server: PostgresServer;
let gateway: Gateway;

beforeAll(async () => {
  server = await PostgresServer.start();
  // A20: it pays every request that it gets.
  gateway = await startGateway(['--settle-ms', '0', '--assume', 'duplicate-order-id=pay']);
}, 60_000);

afterAll(async () => {
  await gateway.close();
  await server.remove();
});

/** A machine with the journal of its team, as a user of the database. */
function newMachine(url: string, more = '', kind: ProfileOptions['class'] = 'test', at: Gateway = gateway): Home {
  const home = homeAt(at, { class: kind }, `    journal: ${url}\n    journal-key: {file: team.key}\n${more}`);
  onTestFinished(() => home.remove());
  home.write('config/team.key', `${'k'.repeat(40)}\n`);
  return home;
}

// One kill of a batch in a quick run; TEAM_KILLS=300 for a long one, in which single commands are killed as well.
const kills = Number(process.env['TEAM_KILLS'] ?? 1);
const isLong = process.env['TEAM_KILLS'] !== undefined;
/** How often two machines send one sale at once; TEAM_ROUNDS=1000 for a long run. */
const rounds = Number(process.env['TEAM_ROUNDS'] ?? 1);

/** Each has its own folders. */
async function newTeam(): Promise<readonly [Home, Home]> {
  const url = server.url('postgres', await server.newDatabase());
  return [newMachine(url), newMachine(url)];
}

/** The client order ids of what the gateway paid, by its own ledger. */
function sent({ home } = gateway): readonly unknown[] {
  const database = new DatabaseSync(join(home.state, 'sandbox/default.db'), { readOnly: true });
  try {
    const sql = "SELECT client_order_id AS id FROM transactions WHERE kind IN ('sale', 'payout') ORDER BY 1";
    return database
      .prepare(sql)
      .all()
      .map(({ id }: { id: unknown }) => id);
  } finally {
    database.close();
  }
}

const sale = (id: string) => testSale('--wait', '--client-order-id', id, '--json');

test('what one machine sent, the other one sees and does not send again', async () => {
  const [one, other] = await newTeam();
  const first = await one.call(sale('order-1'));
  expect(first.exit, first.err).toBe(0);
  const listed = JSON.parse((await other.call(['orders', '--json'])).out);
  expect(listed.orders).toMatchObject([{ clientOrderId: 'order-1', state: 'done', profile: 'shop' }]);
  const again = await other.call(sale('order-1'));
  expect(again.exit, again.err).toBe(0);
  expect(sent()).toEqual(['order-1']);
  const equal = await other.call(sale('order-2'));
  expect(equal.exit, equal.err).toBe(10);
});

test('two machines that begin a batch at the same moment send one row alone until it is final, then share the others', {
  timeout: 180_000,
}, async () => {
  const slow = await startGateway();
  onTestFinished(async () => {
    await slow.close();
  });
  const database = await server.newDatabase();
  const machine = () => newMachine(server.url('postgres', database), '', 'sandbox', slow);
  const team = [machine(), machine()] as const;
  // The first one takes 100, which keep it busy for four seconds: the others are left for the one that looks later.
  const rows = 130;
  const plan = await planPayouts(team[0], rows, 'team');
  const queued = ['sandbox', 'outcomes', 'next', 'slow', '--login', 'shop', '--client-order-id', 'team-1'];
  expect((await slow.home.call(queued)).exit).toBe(0);
  const runs = await Promise.all(team.map((home) => home.start(['batch', 'run', plan, '--rate', '25/s', '--json'])));
  const began = "SELECT 1 AS run FROM event WHERE reason = 'run-began'";
  const areBegun = async () => (await server.query(began, database)).length === 2 || undefined;
  await eventually('both have begun, and the first row is sent', async () => (await areBegun()) && sent(slow)[0]);
  // Long enough for a second one to leave.
  await new Promise((done) => setTimeout(done, 300));
  expect(sent(slow)).toEqual(['team-1']);
  expect((await slow.home.call(['sandbox', 'clock', '+2h'])).exit).toBe(0);
  const ended = await Promise.all(runs.map(({ done }) => done));
  expect(
    ended.map(({ exit }) => exit),
    ended.map(({ err, out }) => err + out).join(),
  ).toEqual([0, 0]);
  expect([sent(slow).length, new Set(sent(slow)).size]).toEqual([rows, rows]);
  const workers = 'SELECT worker, count(*) FROM request GROUP BY worker';
  expect(await server.query(workers, database)).toHaveLength(2);
});

test('who planned a batch cannot approve it, whatever name is given; another role of the database can', async () => {
  const database = await server.newDatabase();
  expect((await newMachine(server.url('postgres', database)).call(['orders'])).exit).toBe(0);
  await server.query(rolesSql, database);
  await server.query('CREATE ROLE anna LOGIN IN ROLE paycli_planner; CREATE ROLE ben LOGIN IN ROLE paycli_approver');
  const [anna, ben] = ['anna', 'ben'].map((user) =>
    newMachine(server.url(user, database), '    require-approval: true\n'),
  );
  if (anna === undefined || ben === undefined) throw new Error('no machines');
  const plan = await planPayouts(anna, 2, 'eyes');
  const run = () => anna.call(['batch', 'run', plan, '--json']);
  expect((await run()).exit).toBe(10);
  const { digest } = JSON.parse((await anna.call(['batch', 'show', plan, '--json'])).out);
  const approve = ['batch', 'approve', plan, '--total', 'EUR=2.00', '--digest', String(digest).slice(0, 8), '--json'];
  expect((await anna.call([...approve, '--by', 'ben'])).exit).not.toBe(0);
  expect((await anna.call(approve)).exit).not.toBe(0);
  expect((await run()).exit).toBe(10);
  const approved = await ben.call(approve);
  expect(approved.exit, approved.err).toBe(0);
  expect(JSON.parse(approved.out).by).toBe('ben');
  const ran = await run();
  expect(ran.exit, ran.err).toBe(0);
});

test('a single payout of a row that a batch holds is refused, and so is a journal without its key', async () => {
  const [one, other] = await newTeam();
  const plan = await planPayouts(one, 3, 'held');
  const words = ['--currency', 'EUR', '--account-number', 'DE0', '--bank-name', 'Bank', '--bank-branch', 'Main'];
  const single = await other.call(['payout', '--amount', '1.00', '--client-order-id', 'held-1', ...words, '--json']);
  expect([single.exit, single.err.includes(plan)], single.err).toEqual([10, true]);
  other.write('config/team.key', `${'x'.repeat(40)}\n`);
  expect((await other.call(sale('no-key'))).exit).toBe(3);
});

test(`${rounds} times two machines send one sale at the same moment: it is paid once`, {
  timeout: 60_000 + rounds * 5000,
}, async () => {
  const team = await newTeam();
  for (let round = 0; round < rounds; round += 1) {
    const words = [...sale(`moment-${round}`), '--again'];
    const ran = await Promise.all(team.map((home) => home.call(words)));
    // The slower one is told what came of it, or that the other one is sending it.
    for (const { exit, err } of ran) expect([0, 13], err).toContain(exit);
    expect(ran.map(({ exit }) => exit)).toContain(0);
    expect(sent().filter((id) => id === `moment-${round}`)).toHaveLength(1);
  }
});

test('a run that is paused from another machine ends with 12 and leaves its rows to the others', async () => {
  const database = await server.newDatabase();
  const url = server.url('postgres', database);
  const [one, other] = [newMachine(url, '', 'sandbox'), newMachine(url, '', 'sandbox')];
  const plan = await planPayouts(one, 20, 'pause');
  const paid = () => sent().filter((id) => String(id).startsWith('pause-'));
  const running = await one.start(['batch', 'run', plan, '--rate', '10/s', '--json']);
  await eventually('some rows are sent', () => paid().length > 2 || undefined);
  expect((await other.call(['batch', 'pause', plan, '--reason', 'the bank called'])).exit).toBe(0);
  const { exit, err } = await running.done;
  expect(exit, err).toBe(12);
  const before = paid().length;
  expect(before).toBeLessThan(20);
  const kept = "SELECT 1 FROM request WHERE state IN ('planned', 'not_sent') AND worker IS NOT NULL";
  expect(await server.query(kept, database)).toEqual([]);
  const flags = ['--rate', '2000/s', '--json'];
  expect((await other.call(['batch', 'run', plan, ...flags])).exit).toBe(12);
  expect(paid()).toHaveLength(before);
  const rest = await other.call(['batch', 'run', plan, '--continue', ...flags]);
  expect(rest.exit, rest.err).toBe(0);
  expect([paid().length, new Set(paid()).size]).toEqual([20, 20]);
});

test('an order of the shop that a listener on one machine hears of is in the orders of the other', async () => {
  const [one, other] = await newTeam();
  const ready = join(one.path, 'ready');
  const listener = await one.start(['callback', 'listen', '--port', '0', '--ready-file', ready, '--json']);
  const url = await eventually(
    'the listener is ready',
    () => (existsSync(ready) && readFileSync(ready, 'utf8').trim()) || undefined,
  );
  // The shop has a journal of its own.
  const shop = homeAt(gateway);
  onTestFinished(() => shop.remove());
  const sold = await shop.call([...sale('shop-1'), '--notify-url', url]);
  expect(sold.exit, sold.err).toBe(0);
  const found = await eventually('the order is seen', async () => {
    const { out } = await other.call(['orders', '--json']);
    return JSON.parse(out).orders[0];
  });
  expect(found).toMatchObject({ clientOrderId: 'shop-1', orderId: JSON.parse(sold.out).order.orderId });
  listener.signal('SIGINT');
  expect((await listener.done).exit).toBe(0);
});

test('a journal that cannot be reached: nothing is sent, 13; a password in its address is never shown, 3', async () => {
  const [one] = await newTeam();
  const config = readFileSync(join(one.path, 'config/config.yaml'), 'utf8');
  one.write('config/config.yaml', config.replace(/journal: .*/, 'journal: postgres://shop@127.0.0.1:1/none'));
  const away = await one.call(sale('away'));
  expect(away.exit, away.err).toBe(13);
  expect(sent()).not.toContain('away');
  expect((await one.call(['status', '--client-order-id', 'order-1'])).exit).toBe(0);
  one.write('config/config.yaml', config.replace(/journal: .*/, 'journal: postgres://shop:hunter22@db.example/none'));
  const exposed = await one.call(sale('away'));
  expect([exposed.exit, `${exposed.out}${exposed.err}`.includes('hunter22')], exposed.err).toEqual([3, false]);
});

test(`${kills} kills of two machines: every row is paid at most once, and the totals are exact`, {
  timeout: 180_000 + kills * 12_000,
}, async () => {
  const database = await server.newDatabase();
  const url = server.url('postgres', database);
  const workers = [newMachine(url, '', 'sandbox'), newMachine(url, '', 'sandbox')] as const;
  const requests = () => server.query('SELECT client_order_id, state, attempt::int FROM request', database);
  await killBatches({ gateway, workers, kills, requests });
});

if (isLong)
  test(`${kills} kills of single commands on two machines: no payment is made twice, and every payment has its entry`, {
    timeout: 60_000 + kills * 5000,
  }, async () => {
    const database = await server.newDatabase();
    const url = server.url('postgres', database);
    const workers = [newMachine(url, '', 'sandbox'), newMachine(url, '', 'sandbox')] as const;
    const requests = () =>
      server.query('SELECT operation, client_order_id, state, attempt::int FROM request', database);
    await killCommands({ gateway, workers, kills, requests });
  });

async function planPayouts(home: Home, count: number, name: string): Promise<string> {
  const lines = Array.from({ length: count }, (_, at) => `${name}-${at + 1},1.00,EUR,DE${at},Bank,Main`);
  const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
  const file = home.write(`${name}.csv`, `${[header, ...lines].join('\n')}\n`);
  const expected = ['--expect-count', String(count), '--expect-total', `EUR=${count}.00`];
  const planned = await home.call(['batch', 'plan', file, '--operation', 'payout', ...expected, '--json']);
  expect(planned.exit, planned.err).toBe(0);
  return String(JSON.parse(planned.out).plan);
}

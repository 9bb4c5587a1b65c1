// @module-tag openssl
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { eventually, type Home } from './home.js';
import { homeAt, payingGateway } from './shop.js';

const { gateway, newHome } = payingGateway();

const header = 'client_orderid,amount,currency,account_number,bank_name,bank_branch';
let plans = 0;

/** A plan of so many payouts; its id and the name its orders begin with. */
async function plan(home: Home, rows: number): Promise<readonly [id: string, orders: string]> {
  plans += 1;
  const orders = `batch-${plans}-`;
  const lines = Array.from({ length: rows }, (_, at) => `${orders}${at + 1},1.00,EUR,DE${at},Bank,Main`);
  const file = home.write(`${orders}payouts.csv`, `${[header, ...lines].join('\n')}\n`);
  const words = ['--operation', 'payout', '--expect-count', String(rows), '--expect-total', `EUR=${rows}.00`, '--json'];
  const planned = await home.call(['batch', 'plan', file, ...words]);
  expect(planned.exit, planned.err).toBe(0);
  return [String(JSON.parse(planned.out).plan), orders];
}

/** How often each order of a plan was paid, by the sandbox's own ledger; those that it does not have are not there. */
function paid(orders: string): number[] {
  const database = new DatabaseSync(join(gateway().home.state, 'sandbox/default.db'), { readOnly: true });
  try {
    const sql = `SELECT count(*) AS n FROM transactions WHERE kind = 'payout' AND client_order_id LIKE '${orders}%' GROUP BY client_order_id`;
    return database
      .prepare(sql)
      .all()
      .map((row: Readonly<Record<string, unknown>>) => Number(row['n']));
  } finally {
    database.close();
  }
}

const fast = ['--rate', '2000/s'];
// Fifty rounds in a long run.
const rounds = Number(process.env['BATCH_ROUNDS'] ?? 1);

test.concurrent(`F44 two runs of one plan at the same moment, ${rounds} times: both end well, and each row is sent once`, {
  timeout: 30_000 + rounds * 15_000,
}, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const home = newHome();
    const [id, orders] = await plan(home, 12);
    const both = await Promise.all([home.run(['batch', 'run', id, ...fast]), home.run(['batch', 'run', id, ...fast])]);
    expect(
      both.map(({ exit }) => exit),
      both.map(({ err }) => err).join(),
    ).toEqual([0, 0]);
    expect(paid(orders)).toEqual(Array(12).fill(1));
  }
});

test.concurrent('F62 Ctrl-C: what is on its way is waited for and the rows are told; resume does the rest', {
  timeout: 60_000,
}, async () => {
  const home = newHome();
  // So many that some are left, however late the signal comes.
  const [id, orders] = await plan(home, 24);
  const running = await home.start(['batch', 'run', id, '--rate', '10/s', '-o', 'ndjson']);
  await eventually('three rows are done', () => (running.out().split('"state":"done"').length > 3 ? true : undefined));
  running.signal('SIGINT');
  const { exit, out } = await running.done;
  expect(exit).toBe(12);
  const end = JSON.parse(out.trim().split('\n').at(-1) ?? '');
  expect(end.schema).toBe('paycli.batch-run/1');
  const counts = countsIn(JSON.stringify(end));
  expect(counts['unknown'] ?? 0).toBe(0);
  const { planned: left = 0, done = 0, accepted = 0 } = counts;
  expect(left).toBeGreaterThan(0);
  expect(left + done + accepted).toBe(24);
  const resumed = await home.call(['batch', 'run', id, ...fast]);
  expect(resumed.exit, resumed.err).toBe(0);
  expect(paid(orders)).toEqual(Array(24).fill(1));
});

// Longer than a connection without use is kept; ten minutes of a closed lid take LID_CLOSED_MS=600000.
const asleepMs = Number(process.env['LID_CLOSED_MS'] ?? 2500);

test.concurrent('F62 a computer that sleeps in the middle of a run goes on when it wakes, and no row is paid twice', {
  timeout: 60_000 + asleepMs,
}, async () => {
  const home = newHome();
  const [id, orders] = await plan(home, 24);
  const running = await home.start(['batch', 'run', id, '--rate', '20/s', '--concurrency', '4', '-o', 'ndjson']);
  await eventually('five rows are done', () => (running.out().split('"state":"done"').length > 5 ? true : undefined));
  running.signal('SIGSTOP');
  const before = paid(orders).length;
  await new Promise((resolve) => setTimeout(resolve, asleepMs));
  expect(before).toBeLessThan(24);
  expect(paid(orders).length - before, 'it slept').toBeLessThanOrEqual(4);
  running.signal('SIGCONT');
  const { exit, err } = await running.done;
  expect([0, 8, 12], err).toContain(exit);
  let resumed = await home.call(['batch', 'run', id, ...fast]);
  // What was being written at that very moment may be lost with its connection: then it is in doubt, and nothing else
  // is.
  const times = paid(orders);
  expect(Math.max(...times)).toBe(1);
  const lost = 24 - times.length;
  expect(lost).toBeLessThanOrEqual(4);
  // A row that reached the gateway only after it was asked about is settled by the next question.
  if (resumed.exit === 8 && lost === 0) resumed = await home.call(['batch', 'run', id, ...fast]);
  expect(resumed.exit, resumed.err).toBe(lost === 0 ? 0 : 8);
});

test.concurrent('Ctrl-C twice does not wait: what was on its way is unknown, exit 8', { timeout: 60_000 }, async () => {
  // Answers questions and never a payout.
  const silent = createServer((request, reply) => {
    request.resume().on('end', () => {
      if (request.url?.includes('/status/') !== true) return;
      reply.writeHead(400, { 'content-type': 'application/vnd.pay+json' });
      reply.end(JSON.stringify({ type: 'error', 'error-message': 'No such order', 'error-code': '1' }));
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const other = homeAt({ url, keys: gateway().keys });
  try {
    const file = other.write('payouts.csv', `${header}\na-1,1.00,EUR,DE89,Bank,Main\na-2,1.00,EUR,DE90,Bank,Main\n`);
    const words = ['--operation', 'payout', '--expect-count', '2', '--expect-total', 'EUR=2.00', '--json'];
    const planned = await other.call(['batch', 'plan', file, ...words]);
    const plan = String(JSON.parse(planned.out).plan);
    const running = await other.start(['batch', 'run', plan, '--rate', '100/s']);
    await eventually('the first row is on its way', async () => {
      const journal = await other.call(['journal', '--state', 'sending', '--json']);
      return journal.out.includes('"a-1"') ? true : undefined;
    });
    running.signal('SIGINT');
    await eventually('it says so', () => (running.err().includes('stopping') ? true : undefined));
    running.signal('SIGINT');
    const { exit, err } = await running.done;
    expect(exit, err).toBe(8);
    const shown = await other.call(['batch', 'show', plan, '--json']);
    expect(countsIn(shown.out)).toMatchObject({ unknown: 1, planned: 1 });
  } finally {
    other.remove();
    silent.closeAllConnections();
    silent.close();
  }
});

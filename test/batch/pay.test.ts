import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { type CommandFixture, openFixture, payouts } from './command.js';
import { countsIn } from './files.js';

const fast = ['--rate', '1000/s', '--json'];

function inSandbox<T>({ home }: CommandFixture, work: (database: ReturnType<typeof sqlite.open>) => T): T {
  const database = sqlite.open(join(home, 'state/sandbox/default.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** What was paid out, by order, in minor units. */
const paid = (fixture: CommandFixture): Record<string, string> =>
  inSandbox(fixture, (database) => {
    const rows = database.all(
      "SELECT client_order_id AS id, group_concat(amount) AS minor FROM transactions WHERE kind = 'payout' GROUP BY 1",
    );
    return Object.fromEntries(rows.map((row) => [String(row['id']), String(row['minor'])]));
  });

test('checked first, then paid: exactly the orders and amounts the gateway validated, each once', async () => {
  const fixture = openFixture(payouts(4));
  const plan = await fixture.plan('payout-check');
  const early = await fixture.run(['batch', 'plan', '--pay', plan]);
  expect(early.exit).toBe(10);
  expect(early.err).toContain('row 1');
  await fixture.run(['sandbox', 'outcomes', 'next', 'declined']);
  const checked = await fixture.run(['batch', 'run', plan, ...fast]);
  expect(checked.exit, checked.err).toBe(5);
  expect(paid(fixture)).toEqual({});
  const made = await fixture.run(['batch', 'plan', '--pay', plan, '--json']);
  expect(made.exit, made.err).toBe(0);
  const { plan: paying, totals } = JSON.parse(made.out);
  expect(totals).toMatchObject([{ count: 3, text: '31.26' }]);
  const ran = await fixture.run(['batch', 'run', paying, ...fast]);
  expect(ran.exit, ran.err).toBe(0);
  expect(countsIn(ran.out)).toEqual({ done: 3 });
  expect(paid(fixture)).toEqual({ 'row-2': '1042', 'row-3': '1042', 'row-4': '1042' });
  const again = await fixture.run(['batch', 'plan', '--pay', plan]);
  expect([again.exit, again.err]).toEqual([10, expect.stringContaining(paying)]);
  expect(paid(fixture)).toEqual({ 'row-2': '1042', 'row-3': '1042', 'row-4': '1042' });
  const report = await fixture.run(['batch', 'show', paying, '--out', join(fixture.home, 'out'), '--json']);
  expect(countsIn(report.out)).toEqual({ done: 3 });
});

test.each([
  [
    'another amount',
    "UPDATE transactions SET amount = '9942' WHERE client_order_id = 'row-2'",
    'differs from the validated amount',
  ],
  [
    'another stage',
    "UPDATE transactions SET step = 'none', status = 'declined' WHERE client_order_id = 'row-2'",
    'not as checked',
  ],
])('a payout that the gateway holds with %s since its check is not paid', async (_, sql, words) => {
  const fixture = openFixture(payouts(3));
  const plan = await fixture.plan('payout-check');
  expect((await fixture.run(['batch', 'run', plan, ...fast])).exit).toBe(0);
  inSandbox(fixture, (database) => database.run(sql));
  const paying = JSON.parse((await fixture.run(['batch', 'plan', '--pay', plan, '--json'])).out).plan;
  const ran = await fixture.run(['batch', 'run', paying, ...fast]);
  expect(ran.exit, ran.err).toBe(10);
  expect(ran.err).toContain('row 2');
  expect(ran.err).toContain(words);
  expect(paid(fixture)['row-2']).toBeUndefined();
  expect(countsIn(ran.out)['planned']).toBeGreaterThan(0);
});

test('only a plan of checks has a second step', async () => {
  const fixture = openFixture(payouts(1));
  const ran = await fixture.run(['batch', 'plan', '--pay', await fixture.plan()]);
  expect(ran.exit).toBe(2);
  expect(ran.err).toContain('payout-check');
});

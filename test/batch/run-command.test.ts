import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { type CommandFixture, header, openFixture, payouts } from './command.js';
import { countsIn } from './files.js';

interface Ended {
  readonly planned: number;
  readonly stopped: string | null;
  readonly exit: number;
  readonly next: string | null;
}

const documentIn = (out: string): Ended => JSON.parse(out);

/** What the sandbox carried out, by its own ledger. */
function ledger({ home }: CommandFixture): Record<string, number> {
  const database = sqlite.open(join(home, 'state/sandbox/default.db'));
  const rows = database.all(
    "SELECT client_order_id AS id, count(*) AS n FROM transactions WHERE kind = 'payout' GROUP BY 1",
  );
  database.close();
  return Object.fromEntries(rows.map((row) => [String(row['id']), Number(row['n'])]));
}
const once = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`row-${at + 1}`, 1]));
const fast = ['--rate', '1000/s'];

describe('batch run', () => {
  test('sends a plan, adds up, and does nothing when it is run once more', async () => {
    const fixture = openFixture(payouts(6));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, ...fast]);
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toContain('62.52 EUR');
    expect(ran.out).toContain('6 rows = 6 done');
    const again = await fixture.run(['batch', 'run', plan, ...fast, '--json']);
    expect(again.exit).toBe(0);
    expect(countsIn(again.out)).toEqual({ done: 6 });
    expect(ledger(fixture)).toEqual(once(6));
    expect(JSON.parse((await fixture.run(['batch', 'show', plan, '--json'])).out).state).toBe('finished');
    expect(JSON.parse((await fixture.run(['batch', 'show', '--json'])).out).batches[0].state).toBe('finished');
  });

  test('5 when some are declined, and the report lists them', async () => {
    const fixture = openFixture(payouts(4));
    const plan = await fixture.plan();
    await fixture.run(['sandbox', 'outcomes', 'next', 'funds']);
    const ran = await fixture.run(['batch', 'run', plan, ...fast, '--json']);
    expect(ran.exit, ran.err).toBe(5);
    expect(countsIn(ran.out)).toEqual({ declined: 1, done: 3 });
    expect(documentIn(ran.out).next).toContain('--out');
  });

  test('7 when accepted rows are left open, and resume settles them', async () => {
    const fixture = openFixture(payouts(4));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, ...fast, '--no-wait', '--json']);
    expect(ran.exit, ran.err).toBe(7);
    expect(documentIn(ran.out).next).toContain(`paycli batch run ${plan}`);
    expect((await fixture.run(['sandbox', 'clock', 'next'])).exit).toBeLessThan(3);
    const resumed = await fixture.run(['batch', 'run', plan, ...fast, '--json']);
    expect(resumed.exit, resumed.err).toBe(0);
    expect(ledger(fixture)).toEqual(once(4));
  });

  test('12 when rows are left, as by --max-rows; resume does the rest', async () => {
    const fixture = openFixture(payouts(5));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, ...fast, '--max-rows', '2', '--json']);
    expect(ran.exit, ran.err).toBe(12);
    expect(countsIn(ran.out)).toEqual({ done: 2, planned: 3 });
    expect((await fixture.run(['batch', 'run', plan, ...fast])).exit).toBe(0);
    expect(ledger(fixture)).toEqual(once(5));
  });

  test('F24 8 as long as an outcome is unknown, 0 once status settled it', async () => {
    const fixture = openFixture(payouts(3));
    const plan = await fixture.plan();
    await fixture.run(['sandbox', 'outcomes', 'next', 'no-answer']);
    const ran = await fixture.run(['batch', 'run', plan, ...fast, '--json']);
    expect(ran.exit, ran.err).toBe(8);
    expect(countsIn(ran.out)).toEqual({ unknown: 1, done: 2 });
    const resumed = await fixture.run(['batch', 'run', plan, ...fast, '--json']);
    expect(resumed.exit).toBe(8);
    expect(countsIn(resumed.out)).toEqual({ unknown: 1, done: 2 });
    expect(ledger(fixture)).toEqual({ 'row-2': 1, 'row-3': 1 });
  });

  test.each([
    ['--rate', '10'],
    ['--max-unknown', '101%'],
  ])('%s %s is wrong', async (flag, value) => {
    const fixture = openFixture(payouts(1));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, flag, value]);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(flag);
    expect(ledger(fixture)).toEqual({});
  });

  test('--dry-run signs every row and sends none', async () => {
    const fixture = openFixture(payouts(5));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, '--dry-run']);
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.out).toContain('5 rows');
    expect(ran.err).toContain('client_orderid = row-1');
    expect(ran.err).toContain('oauth_signature="•••"');
    expect(ledger(fixture)).toEqual({});
    expect((await fixture.run(['journal', '--json'])).out).toContain('"entries": []');
  });

  test('Ctrl-C before the first row leaves everything', async () => {
    const fixture = openFixture(payouts(3));
    const plan = await fixture.plan();
    const ran = await fixture.run(['batch', 'run', plan, ...fast], { signal: 'SIGINT' });
    expect(ran.exit).toBe(130);
    expect(ledger(fixture)).toEqual({});
  });
});

test('a single command with the id of a planned row is refused with 10, naming the batch, and its row is sent once', async () => {
  const fixture = openFixture(payouts(3));
  const plan = await fixture.plan();
  const words = ['payout', '--client-order-id', 'row-3', '--amount', '10.42', '--currency', 'EUR', ...bankOf(2)];
  const single = await fixture.run(words);
  expect([single.exit, single.requests], single.err).toEqual([10, []]);
  expect(single.err).toContain(`batch ${plan}`);
  expect((await fixture.run(['batch', 'run', plan, ...fast])).exit).toBe(0);
  expect(ledger(fixture)).toEqual(once(3));
});

const bankOf = (at: number) => [
  ...['--account-number', `DE8937040044053201${at}`, '--bank-name', 'Bank', '--bank-branch', 'Main'],
];

describe('batch show --out', () => {
  test('four files, whole, for their owner only', async () => {
    const fixture = openFixture(payouts(3));
    const plan = await fixture.plan();
    await fixture.run(['sandbox', 'outcomes', 'next', 'no-answer']);
    await fixture.run(['batch', 'run', plan, ...fast]);
    await fixture.run(['batch', 'run', plan, ...fast]);
    const out = join(fixture.home, 'out');
    const report = await fixture.run(['batch', 'show', plan, '--out', out, '--json']);
    expect(report.exit, report.err).toBe(0);
    const read = (name: string) => readFileSync(join(out, name), 'utf8');
    for (const name of ['results.csv', 'results.jsonl', 'summary.json', 'unknown.csv'])
      expect(statSync(join(out, name)).mode & 0o777).toBe(0o600);
    const lines = read('results.csv').trim().split('\r\n');
    expect(lines[0]).toBe(
      '"row","client_orderid","orderid","destination","amount","currency","state","reason","attempts","first_time","last_time"',
    );
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^"1","row-1","",".*","10\.42","EUR","unknown",".*","1","2030-/);
    expect(lines[2]).toMatch(/^"2","row-2","\d+",".*","10\.42","EUR","done",/);
    expect(read('unknown.csv').trim().split('\r\n')).toHaveLength(2);
    const rows = read('results.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ row, state }) => [row, state])).toEqual([
      [1, 'unknown'],
      [2, 'done'],
      [3, 'done'],
    ]);
    const summary = JSON.parse(read('summary.json'));
    expect(summary).toMatchObject({
      schema: 'paycli.batch-summary/1',
      plan,
      operation: 'PAYOUT',
      count: 3,
    });
    expect(countsIn(read('summary.json'))).toEqual({ done: 2, unknown: 1 });
    expect(summary.states.find(({ state }: { state: string }) => state === 'done').totals[0].text).toBe('20.84');
    expect(JSON.stringify(summary) + read('results.csv') + read('results.jsonl')).not.toContain('DE89370400440532011');
  });

  test('F67 no spreadsheet runs a cell; results.jsonl keeps the text as it is', async () => {
    const row = '=HYPERLINK(1),10.42,EUR,DE8937040044053201,Bank,Main';
    const fixture = openFixture(`${header}\n${row}\n`);
    const plan = await fixture.plan();
    const out = join(fixture.home, 'out');
    expect((await fixture.run(['batch', 'show', plan, '--out', out])).exit).toBe(0);
    expect(readFileSync(join(out, 'results.csv'), 'utf8')).toContain('"\'=HYPERLINK(1)"');
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8')).toContain('"=HYPERLINK(1)"');
  });

  test('F38 a full disk: 13, nothing half written, and the money is safe', async () => {
    const fixture = openFixture(payouts(2));
    const plan = await fixture.plan();
    await fixture.run(['batch', 'run', plan, ...fast]);
    const out = join(fixture.home, 'out');
    const full = await fixture.run(['batch', 'show', plan, '--out', out], {
      outside: (usual) => ({
        ...usual,
        files: {
          ...usual.files,
          stage(path) {
            const staged = usual.files.stage(path);
            const write = () => {
              throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
            };
            return path.endsWith('unknown.csv') ? { ...staged, write } : staged;
          },
        },
      }),
    });
    expect(full.exit).toBe(13);
    expect(full.err).toContain('the disk is full');
    expect(full.err).toContain('recorded in the journal');
    expect(full.err).toContain('--out');
    expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
    expect((await fixture.run(['batch', 'show', plan, '--out', out])).exit).toBe(0);
    expect(readdirSync(out)).toHaveLength(4);
  });
});

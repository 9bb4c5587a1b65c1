import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approvalNeeded, reasonNotApproved } from '../../src/batch/approval.js';
import { headOf, type PlanHead } from '../../src/batch/plan.js';
import { at } from '../cli/live-at.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { expectEnd, homeWith, payoutFile, payoutLine } from './files.js';

const text = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));
const noon = Date.UTC(2030, 0, 7, 12);
const hour = 3_600_000;
const john = { name: 'john', id: '1001' };

async function planIn(home: string, flags: readonly string[] = []) {
  const words = ['batch', 'plan', 'rows.csv', '--operation', 'payout', '--again', ...flags, '--json', '--no-color'];
  const ran = await paycli(words, { home, tty: true, person: john });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out) as { readonly plan: string; readonly digest: string };
}

function approve(
  home: string,
  { plan, digest }: { plan: string; digest: string },
  flags: readonly string[] = [],
  options: TestOptions = {},
): Promise<Ran> {
  const usual = ['--by', 'mary', '--total', 'EUR=35.50', '--digest', digest.slice(0, 8)];
  const kept = usual.flatMap((word, index) =>
    index % 2 === 0 && !flags.includes(word) ? [word, usual[index + 1] ?? ''] : [],
  );
  return paycli(['batch', 'approve', plan, ...kept, ...flags], { person: john, ...options, home });
}

async function verdict(home: string, plan: string, now = noon): Promise<string | undefined> {
  const journal = openJournalOf(home);
  try {
    const [batch = expect.unreachable('no plan')] = await journal.findBatches(plan);
    return reasonNotApproved(headOf(batch), await journal.approvals(plan), now);
  } finally {
    await journal.close();
  }
}

describe('an approval', () => {
  test('by a second person stands for 72 hours', async () => {
    const home = homeWith(text);
    const made = await planIn(home);
    expect(await verdict(home, made.plan)).toBe('nobody has approved it');
    expect(await approve(home, made)).toMatchObject({ exit: 0, out: expect.stringContaining('is approved by mary') });
    expect(await verdict(home, made.plan)).toBeUndefined();
    expect(await verdict(home, made.plan, noon + 71 * hour)).toBeUndefined();
    expect(await verdict(home, made.plan, noon + 73 * hour)).toContain('72 hours');
  });

  test('is typed on a terminal, with the plan shown first', async () => {
    const home = homeWith(text);
    const made = await planIn(home);
    const answers = [
      ['by', 'mary'],
      ['EUR', '35.50'],
      ['digest', made.digest.slice(0, 8)],
    ] as const;
    const ran = await paycli(['batch', 'approve', made.plan], { home, person: john, tty: true, answers });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toContain('35.50 EUR in 2 rows');
    expect(await verdict(home, made.plan)).toBeUndefined();
  });

  test('of a plan without amounts counts its rows', async () => {
    const home = homeWith('client_orderid,orderid\na,1\nb,2\n');
    const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'return', '--json', '--no-color'], {
      ...{ home, tty: true, person: john },
    });
    const { plan, digest } = JSON.parse(ran.out);
    const argv = ['batch', 'approve', plan, '--by', 'mary', '--digest', digest.slice(0, 8), '--rows'];
    expect((await paycli([...argv, '3'], { home })).exit).toBe(10);
    expect((await paycli([...argv, '2'], { home })).exit).toBe(0);
  });

  test.each([[['--by', 'John']], [['--total', 'EUR=35.51']], [['--digest', '00000000']]])(
    'is refused with %j',
    async (flags) => {
      const home = homeWith(text);
      const made = await planIn(home);
      expect((await approve(home, made, flags)).exit).toBe(10);
      expect(await verdict(home, made.plan)).toBe('nobody has approved it');
    },
  );

  test('in a script needs the name and the total', async () => {
    const home = homeWith(text);
    const made = await planIn(home);
    expect(await paycli(['batch', 'approve', made.plan], { home })).toMatchObject({ exit: 10 });
    expect(await paycli(['batch', 'approve', made.plan, '--by', 'mary'], { home })).toMatchObject({
      exit: 10,
      err: expect.stringContaining('add --total EUR=… --digest XXXXXXXX'),
    });
  });

  test('does not pass to another plan', async () => {
    const home = homeWith(text);
    const first = await planIn(home);
    await approve(home, first);
    writeFileSync(join(home, 'rows.csv'), payoutFile(payoutLine('c-1', '10.00'), payoutLine('c-2', '25.50')));
    const second = await planIn(home);
    const journal = openJournalOf(home);
    for (const { at: _, ...approval } of await journal.approvals(first.plan))
      await journal.approve({ ...approval, batch: second.plan });
    await journal.close();
    expect(await verdict(home, second.plan)).toContain('is for another plan');
  });

  test('one from the future is none', async () => {
    const home = homeWith(text);
    const made = await planIn(home);
    await approve(home, made, [], { outside: at(60) });
    expect(await verdict(home, made.plan, noon)).toContain('is dated in the future');
  });
});

test('F60: a run without approval, or with one that ended, asks nothing and ends with 10; with one it goes on', async () => {
  const home = homeWith(text);
  appendFileSync(join(home, 'config', 'config.yaml'), '    require-approval: true\n');
  const made = await planIn(home);
  const run = (options: TestOptions = {}) => paycli(['batch', 'run', made.plan], { home, person: john, ...options });
  expectEnd(await run(), 10, 'needs the approval of a second person');
  expect((await approve(home, made)).exit).toBe(0);
  expectEnd(await run({ outside: at(72 * 60) }), 10, 'it is valid for 72 hours');
  const gone = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;
  expectEnd(await run({ network: [gone, gone, gone] }), 6, 'connection refused');
});

describe('who needs one', () => {
  const head = (over: Partial<PlanHead> = {}): PlanHead => ({
    ...{ id: 'b-1', operation: 'PAYOUT', madeAt: 1, planner: { user: 'u', host: 'h', id: '1' }, version: '1' },
    ...{ profile: 'shop', class: 'live', base: 'b', login: 'l', count: 2, hasCards: false, digest: '' },
    totals: [{ currency: 'EUR', count: 2, minor: '100000', digits: 2 }],
    file: { path: '/f', bytes: 1, sha256: 'x', format: 'csv', layout: { delimiter: ',', columns: [], map: {} } },
    ...over,
  });
  const tested = head({ class: 'test' });
  const above = (minor: bigint, currency = 'EUR') => ({ requireApproval: false, approvalAbove: [{ minor, currency }] });
  const none = { requireApproval: false, approvalAbove: [] };

  test.each([
    ['live without a limit', head(), none, /is live, and it sets no approval-above limit/],
    ['live above the limit', head(), above(99_999n), /1000\.00 EUR exceeds its approval-above limit/],
    ['live at the limit', head(), above(100_000n), undefined],
    ['live with rows that name no amount', head({ count: 3 }), above(100_000n), /some rows have no amount/],
    ['a test profile that asks for it', tested, { ...none, requireApproval: true }, /requires it \(require-approval\)/],
  ])('%s', (_, plan, rules, why) => {
    if (why === undefined) expect(approvalNeeded(plan, rules)).toBeUndefined();
    else expect(approvalNeeded(plan, rules)).toMatch(why);
  });
});

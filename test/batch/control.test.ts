import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { header, openFixture, payouts } from './command.js';
import { countsIn, expectEnd, homeWith, payoutFile, payoutLine, plan as planFile, planned, plansIn } from './files.js';

async function begunPlan(rows = 5) {
  const fixture = openFixture(payouts(rows));
  const plan = await fixture.plan();
  const json = async (words: readonly string[], exit: number) => {
    const ran = await fixture.run([...words, '--json']);
    expect(ran.exit, ran.err + ran.out).toBe(exit);
    return ran;
  };
  await json(['batch', 'run', plan, '--max-rows', '2', '--rate', '1000/s'], 12);
  const paid = async () => JSON.parse((await fixture.run(['journal', '--json', '--state', 'done'])).out).entries.length;
  return { fixture, plan, json, paid };
}

test('a paused plan sends nothing more, until a person lets it go on; both are in the journal with their names', async () => {
  const { plan, json, paid, fixture } = await begunPlan();
  const paused = JSON.parse((await json(['batch', 'pause', plan, '--reason', 'the bank called'], 0)).out);
  expect(paused).toMatchObject({ plan, state: 'paused', reason: 'the bank called' });
  expect(JSON.parse((await json(['batch', 'pause', plan], 0)).out).reason).toBe('the bank called');
  const held = await json(['batch', 'run', plan, '--rate', '1000/s'], 12);
  expect(held.err).toContain('the bank called');
  expect(JSON.parse(held.out)).toMatchObject({
    stopped: expect.stringMatching(`^batch ${plan} was paused by .*: the bank called$`),
    next: expect.stringMatching(new RegExp(`paycli batch run ${plan}.* --continue`)),
  });
  const answers = [['continue', 'no']] as const;
  expect((await fixture.run(['batch', 'run', plan, '--rate', '1000/s'], { tty: true, answers })).exit).toBe(12);
  expect(await paid()).toBe(2);
  const shown = async () => JSON.parse((await json(['batch', 'show', plan], 0)).out);
  expect(await shown()).toMatchObject({ state: 'paused', reason: 'the bank called' });
  await json(['batch', 'run', plan, '--continue', '--max-rows', '1', '--rate', '1000/s'], 12);
  expect(await shown()).toMatchObject({ state: 'running', reason: null });
  await json(['batch', 'run', plan, '--rate', '1000/s'], 0);
  expect(await paid()).toBe(5);
  const history: readonly { readonly what: string; readonly by: string; readonly facts: object }[] = (await shown())
    .events;
  const at = history.findIndex(({ what }) => what === 'paused');
  expect(history[at]).toMatchObject({ by: 'unknown', facts: { reason: 'the bank called', host: 'test' } });
  expect(history.slice(at).map(({ what }) => what)).toContain('running');
});

test('a finished batch is neither paused nor cancelled, and stays as it is', async () => {
  const { plan, json } = await begunPlan();
  await json(['batch', 'run', plan, '--rate', '1000/s'], 0);
  for (const words of [['pause'], ['cancel', '--reason', 'too late']])
    expect((await json(['batch', ...words, plan], 10)).err).toContain('is finished');
  const shown = JSON.parse((await json(['batch', 'show', plan], 0)).out);
  expect(shown).toMatchObject({ state: 'finished', reason: null });
});

test('rows never sent are cancelled for good; the totals say so, and a corrected file may hold it again', async () => {
  const { fixture, plan, json, paid } = await begunPlan();
  expect((await fixture.run(['batch', 'cancel', plan])).exit).toBe(2);
  const cancelled = await json(['batch', 'cancel', plan, '--reason', 'wrong amounts'], 0);
  expect(countsIn(cancelled.out)).toEqual({ done: 2, cancelled: 3 });
  const resumed = await json(['batch', 'run', plan, '--rate', '1000/s'], 0);
  expect(countsIn(resumed.out)).toEqual({ done: 2, cancelled: 3 });
  expect(await paid()).toBe(2);

  const lines = payouts(5, '9.00').split('\n').slice(3);
  writeFileSync(join(fixture.home, 'corrected.csv'), [header, ...lines].join('\n'), { mode: 0o600 });
  const expected = ['--expect-count', '3', '--expect-total', 'EUR=27.00'];
  const corrected = await json(
    ['batch', 'plan', join(fixture.home, 'corrected.csv'), '--operation', 'payout', ...expected],
    0,
  );
  await json(['batch', 'run', String(JSON.parse(corrected.out).plan), '--rate', '1000/s'], 0);
  expect(await paid()).toBe(5);
  // What another plan paid since is none of this one's.
  const report = await fixture.run(['batch', 'show', plan, '--out', join(fixture.home, 'report'), '--json']);
  expect(countsIn(report.out)).toEqual({ done: 2, cancelled: 3 });
  expect(JSON.parse((await json(['batch', 'cancel', plan, '--reason', 'again'], 0)).out)).toMatchObject({
    reason: 'wrong amounts',
  });
});

test('a run of a cancelled batch asks about its open rows, and leads it out of nothing', async () => {
  const fixture = openFixture(payouts(3));
  const plan = await fixture.plan();
  await fixture.run(['sandbox', 'outcomes', 'next', 'no-answer']);
  expect((await fixture.run(['batch', 'run', plan, '--max-rows', '1', '--rate', '1000/s'])).exit).toBe(8);
  const cancelled = await fixture.run(['batch', 'cancel', plan, '--reason', 'wrong file', '--json']);
  expect(countsIn(cancelled.out)).toEqual({ unknown: 1, cancelled: 2 });
  for (const words of [[], ['--continue']]) {
    const ran = await fixture.run(['batch', 'run', plan, ...words, '--rate', '1000/s', '--json']);
    expect([ran.exit, countsIn(ran.out)]).toEqual([8, { unknown: 1, cancelled: 2 }]);
  }
  const shown = JSON.parse((await fixture.run(['batch', 'show', plan, '--json'])).out);
  expect(shown).toMatchObject({ state: 'cancelled', reason: 'wrong file' });
});

test('a plan that never ran is cancelled as a whole, and nothing of it is sent', async () => {
  const fixture = openFixture(payouts(2));
  const plan = await fixture.plan();
  expect((await fixture.run(['batch', 'cancel', plan, '--reason', 'not needed'])).exit).toBe(0);
  const ran = await fixture.run(['batch', 'run', plan, '--json']);
  expect([ran.exit, countsIn(ran.out), ran.requests]).toEqual([0, { cancelled: 2 }, []]);
  const why = /was cancelled by \S+ on \S+: not needed; nothing will be sent/;
  const dry = await fixture.run(['batch', 'run', plan, '--dry-run']);
  expectEnd(dry, 0, why);

  // Nothing takes its rows for payments.
  const settle = ['--settle-as', 'not-paid', '--offline', '--evidence', 'statement of 31 January'];
  for (const [words, exit] of [
    [[], 6],
    [settle, 2],
  ] as const) {
    const resolved = await fixture.run(['resolve', 'row-1', '--profile', 'sandbox', ...words]);
    expect([resolved.exit, resolved.requests]).toEqual([exit, []]);
  }
  const { entries } = JSON.parse((await fixture.run(['journal', '--json'])).out);
  expect(entries).toEqual([]);
});

test('rows of a finished plan are paid no second time, as a file or one by one, at another endpoint too', async () => {
  const { fixture, plan, json, paid } = await begunPlan();
  await json(['batch', 'run', plan, '--rate', '1000/s'], 0);
  writeFileSync(fixture.file, payouts(5), { mode: 0o600 });
  const expected = ['--expect-count', '5', '--expect-total', 'EUR=52.10'];
  const again = ['batch', 'plan', fixture.file, '--operation', 'payout', ...expected];
  expect((await json(again, 10)).err).toContain('row-1');
  expect((await json([...again, '--endpoint-id', '1145'], 10)).err).toContain(
    `of batch ${plan} is already in the journal`,
  );
  const [first = '', row = ''] = payouts(1).split('\n');
  const fields = first.split(',').flatMap((name, at) => [`--${name.replaceAll('_', '-')}`, row.split(',')[at] ?? '']);
  await fixture.run(['payout', ...fields]);
  expect(await paid()).toBe(5);
});

test('in a journal that was restored nothing is cancelled: what it takes for unsent may have been sent', async () => {
  const home = homeWith(payoutFile(payoutLine('a-1', '10.00')));
  const { plan } = await planned(home);
  const [kept, copy] = [join(home, 'state', 'requests.db'), join(home, 'copy.db')];
  copyFileSync(kept, copy);
  writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('b-1', '20.00')));
  await planned(home, ['other.csv']);
  copyFileSync(copy, kept);
  const ran = await paycli(['batch', 'cancel', plan, '--reason', 'wrong file'], { home, tty: true });
  expectEnd(ran, 13, '--accept-restored');
  expect(ran.questions).toEqual([]);
  expect(await plansIn(home)).toMatchObject([{ plan, state: 'stopped', states: { planned: 1 } }]);
});

test('a plan whose making was cut off can be cancelled, so that its rows can be planned again', async () => {
  const home = homeWith(payoutFile(payoutLine('a-1', '10.00')));
  const { plan } = await planned(home);
  writeFileSync(join(home, 'other.csv'), payoutFile(payoutLine('b-1', '20.00')));
  const journal = openJournalOf(home);
  const [batch = expect.unreachable('no plan')] = await journal.findBatches(plan);
  const [request = expect.unreachable('no row')] = await journal.find({ batch: plan }, { limit: 1 });
  await journal.addBatch({ ...batch, id: 'b-half' });
  await journal.addRows('b-half', [{ ...request, clientOrderId: 'b-1', number: 1, payload: '{}' }]);
  await journal.close();
  expect((await planFile(home, ['other.csv'])).err).toContain('b-half');
  for (const words of [['pause'], ['approve', '--by', 'mary'], ['run']])
    expect((await paycli(['batch', ...words, 'b-half'], { home })).exit, words[0]).toBe(10);
  expect((await paycli(['batch', 'cancel', 'b-half', '--reason', 'cut off'], { home })).exit).toBe(0);
  expect((await planFile(home, ['other.csv'])).exit).toBe(0);
});

test('cancel asks on a terminal before what cannot be undone, unless --yes is given', async () => {
  const { plan, fixture } = await begunPlan();
  const words = ['batch', 'cancel', plan, '--reason', 'wrong file'];
  const refused = await fixture.run(words, { tty: true, answers: [['cancel', 'no']] });
  expect([refused.exit, refused.questions.length]).toEqual([10, 1]);
  expect(refused.questions[0]).toMatchObject({ initial: 'no', message: expect.stringMatching(/5 rows, 52\.10 EUR/) });
  expect(refused.err).toContain(`${plan} (payout send, 5 rows, 52.10 EUR, from `);
  const state = async () => JSON.parse((await fixture.run(['batch', 'show', plan, '--json'])).out).state;
  expect(await state()).toBe('running');
  for (const [flags, answers] of [
    [['--yes'], []],
    [[], [['cancel', 'yes']]],
  ] as const) {
    const ran = await fixture.run([...words, ...flags], { tty: true, answers });
    expect(ran.exit, ran.err).toBe(0);
  }
  expect(await state()).toBe('cancelled');
});

test('a plan that is not named is asked for on a terminal, and is an error in a script', async () => {
  const { run, plan } = openFixture(payouts(1));
  const id = await plan();
  for (const words of [['run'], ['pause'], ['cancel', '--reason', 'wrong file'], ['approve', '--by', 'mary']])
    expectEnd(await run(['batch', ...words]), 2, '<plan> is missing');
  const asked = await run(['batch', 'run', '--dry-run'], { tty: true, answers: [['plan', ` ${id.slice(0, -1)} `]] });
  expect(asked.exit, asked.err).toBe(0);
});

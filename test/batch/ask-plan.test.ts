import { expect, test } from 'vitest';
import { openFixture, payouts } from './command.js';

const verbs = ['run', 'pause', 'cancel', 'approve'];

test.each(verbs)('batch %s without a plan names the argument and the list where nobody can be asked', async (verb) => {
  const more: Readonly<Record<string, readonly string[]>> = {
    cancel: ['--reason', 'wrong file'],
  };
  const { run } = openFixture(payouts(1));
  const ran = await run(['batch', verb, ...(more[verb] ?? [])]);
  expect(ran.exit, ran.err).toBe(2);
  expect(ran.err).toContain(`no plan is named; give its id, as in \`paycli batch ${verb} PLAN\``);
  expect(ran.err).toContain('`paycli batch show` shows all');
});

test('on a terminal it offers the newest plans, or takes a typed id', async () => {
  const { run, plan } = openFixture(payouts(2));
  const made = await plan();
  const shown = await run(['batch', 'run', '--dry-run'], { tty: true, answers: [['plan', made]] });
  expect(shown.exit, shown.err).toBe(0);
  expect(shown.questions[0]).toMatchObject({
    message: 'which plan for batch run',
    choices: [made, 'another plan'],
    meanings: { [made]: 'payout send, 2 rows, 20.84 EUR, profile sandbox, just now' },
  });
  const answers = [
    ['plan', 'another plan'],
    ['plan-id', ` ${made.slice(0, -1)} `],
  ] as const;
  expect(await run(['batch', 'run', '--dry-run'], { tty: true, answers })).toMatchObject({ exit: 0 });
});

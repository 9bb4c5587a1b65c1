import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at } from '../cli/live-at.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';
import { expectEnd, homeWith, payoutFile, payoutLine } from './files.js';

const text = payoutFile(payoutLine('a-1', '10.00'));
const person = { name: 'john', id: '1001' };

/** A profile whose batches need approval, and a plan in it. */
async function prepared(): Promise<{ readonly home: string; readonly plan: string; readonly digest: string }> {
  const home = homeWith(text);
  const path = join(home, 'config', 'config.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}    require-approval: true\n`);
  const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'payout', '--json', '--no-color'], {
    home,
    tty: true,
    person,
  });
  const { plan, digest, next, approvalNeeded } = JSON.parse(ran.out);
  expect([next, approvalNeeded]).toEqual([
    `paycli batch approve ${plan}`,
    'profile shop requires it (require-approval)',
  ]);
  return { home, plan, digest };
}

const approve = (
  { home, plan, digest }: Awaited<ReturnType<typeof prepared>>,
  options: TestOptions = {},
): Promise<Ran> =>
  paycli(['batch', 'approve', plan, '--by', 'mary', '--total', 'EUR=10', '--digest', digest.slice(0, 8)], {
    home,
    ...options,
  });

/** Nothing of the network is planned, so a request would fail the test. */
const run = (home: string, plan: string, options: TestOptions = {}): Promise<Ran> =>
  paycli(['batch', 'run', plan], { home, person, ...options });

test('F60: a run without approval, or with one that ended, sends nothing and ends with 10', async () => {
  const made = await prepared();
  const { home, plan } = made;
  expect(await run(home, plan)).toMatchObject({
    exit: 10,
    err: expect.stringContaining('needs the approval of a second person'),
  });
  expect((await approve(made)).exit).toBe(0);
  const late = await run(home, plan, { outside: at(72 * 60) });
  expectEnd(late, 10, 'it is valid for 72 hours');
});

test('with approval a run goes on to ask the gateway', async () => {
  const made = await prepared();
  expect((await approve(made)).exit).toBe(0);
  const gone = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;
  const ran = await run(made.home, made.plan, { network: [gone, gone, gone] });
  expectEnd(ran, 6, 'connection refused');
});

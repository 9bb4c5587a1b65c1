import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examplesOf } from '../support/declared.js';
import { paycli, temporaryHome } from '../support/runtime.js';
import { writeApproverKey } from './approver-key.js';
import { homeWith, payoutFile, payoutLine } from './files.js';

const sendingNothing = ['batch plan', 'batch list', 'batch show', 'batch approve', 'batch reconcile'];
const sending = ['batch run', 'batch resume', 'batch report'];

/** The words a shell makes of an example. */
function words(line: string, names: Readonly<Record<string, string>>): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? '').replace(/\$([A-Z]+)/g, (_, name: string) => names[name] ?? `unset ${name}`),
  );
}

test('the examples of the help run, one after the other', async () => {
  const home = homeWith(payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50')), 'payouts.csv');
  writeFileSync(join(home, 'returns.ndjson'), '{"client_orderid":"b-1","order":"7","amount":5.00,"currency":"EUR"}\n');
  writeFileSync(join(home, 'statement.csv'), 'Merchant reference,order id,Total,amount,currency\n');
  const key = writeApproverKey(home, 'mary').toString('base64');
  const config = join(home, 'config', 'config.yaml');
  execFileSync('sh', ['-c', `printf '%s\\n' 'approvers: { mary: "${key}" }' >> ${config}`]);
  const names: Record<string, string> = {};
  // What is watched ends once every row has its end, which the rows of a plan that is not run never have.
  for (const line of (await examplesOf(...sendingNothing)).filter((each) => !each.endsWith(' --watch'))) {
    const argv = words(line, names);
    expect(argv.join(' ')).not.toContain('unset');
    // Who approves is another user of the system than who plans.
    const ran = await paycli(argv, {
      home,
      ...(line.includes('--key-file') ? { person: { name: 'mary', id: '1002' } } : {}),
    });
    expect(ran.exit, `${line}\n${ran.err}`).toBe(0);
    if (argv[1] !== 'plan' || names['PLAN'] !== undefined) continue;
    const [list] = JSON.parse((await paycli(['batch', 'list', '--json'], { home })).out).batches;
    names['PLAN'] = list.plan;
    names['DIGEST'] = list.digest.slice(0, 8);
    copyFileSync(join(home, 'state', 'batches', `${list.plan}.db`), join(home, `${list.plan}.db`));
  }
});

test('the examples of run, resume and report run against the built-in sandbox', async () => {
  const home = temporaryHome();
  writeFileSync(join(home, 'payouts.csv'), payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50')));
  const flags = [
    '--operation',
    'payout',
    '--expect-count',
    '2',
    '--expect-total',
    'EUR=35.50',
    '--template',
    '{{plan}}',
  ];
  const plan = await paycli(['batch', 'plan', 'payouts.csv', ...flags], { home });
  expect(plan.exit, plan.err).toBe(0);
  const watching = (await examplesOf('batch show')).filter((each) => each.endsWith(' --watch'));
  expect(watching).toHaveLength(1);
  for (const line of [...(await examplesOf(...sending)), ...watching]) {
    const ran = await paycli(words(line, { PLAN: plan.out.trim() }), { home });
    expect(ran.exit, `${line}\n${ran.err}`).toBe(0);
  }
});

test.each([...sendingNothing, ...sending])('%s --help shows them', async (name) => {
  const { out } = await paycli([...name.split(' '), '--help']);
  for (const line of await examplesOf(name)) expect(out.replace(/[\s\\]+/g, ' ')).toContain(`paycli ${line}`);
});

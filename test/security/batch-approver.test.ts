import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { writeApproverKey } from '../batch/approver-key.js';
import { homeWith, payoutFile, payoutLine } from '../batch/files.js';
import { openPlanIn } from '../batch/plans.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';

const john = { name: 'john', id: '1001' };
const mary = { name: 'mary', id: '1002' };
const text = payoutFile(payoutLine('a-1', '10.00'));

/** A home with a profile that asks for approval, and the keys of John and Mary. */
function newHome(content = text): string {
  const home = homeWith(content);
  const path = join(home, 'config', 'config.yaml');
  for (const name of ['john', 'mary', 'second']) writeApproverKey(home, name);
  const approvers = '{ john: ../john.pub, mary: ../mary.pub, second: ../second.pub }';
  writeFileSync(path, `${readFileSync(path, 'utf8')}    require-approval: true\napprovers: ${approvers}\n`);
  return home;
}

async function planIn(
  home: string,
  options: TestOptions = {},
  flags: readonly string[] = [],
): Promise<{ readonly plan: string; readonly digest: string }> {
  const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'payout', '--json', '--no-color', ...flags], {
    home,
    tty: true,
    person: john,
    ...options,
  });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

const said = (digest: string): readonly string[] => ['--total', 'EUR=10.00', '--digest', digest.slice(0, 8)];
const approve = (home: string, plan: string, digest: string, key: string, options: TestOptions): Promise<Ran> =>
  paycli(['batch', 'approve', plan, '--key-file', `${key}.pem`, ...said(digest)], { home, ...options });

const gone = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;
const mayRun = async (home: string, plan: string): Promise<boolean> => {
  const ran = await paycli(['batch', 'run', plan], { home, person: john, network: [gone, gone, gone] }).catch(
    (error: unknown) => {
      // No request was made: what was planned of the network is left.
      if (error instanceof Error && error.message.includes('planned replies nobody asked for')) return undefined;
      throw error;
    },
  );
  if (ran === undefined) return false;
  expect([ran.exit, ran.err]).toEqual([6, expect.stringContaining('connection refused')]);
  return true;
};

describe('two persons', () => {
  test('differ by key and by user id of the system', async () => {
    const home = newHome();
    const { plan, digest } = await planIn(home);
    expect((await approve(home, plan, digest, 'mary', { person: mary })).exit).toBe(0);
    expect(await mayRun(home, plan)).toBe(true);
  });

  test.each([
    ['a second key of the same account', 'second', john, 'system user id 1001 planned it'],
    [
      'a second key, and another name for the same account',
      'second',
      { name: 'mary', id: '1001' },
      'system user id 1001 planned it',
    ],
    ["the planner's own key from another account", 'john', mary, 'john planned it'],
  ])('are not two with %s', async (_, key, person, why) => {
    const home = newHome();
    const { plan, digest } = await planIn(home);
    const ran = await approve(home, plan, digest, key, { person });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining(why)]);
    expect(ran.err).toContain('--approval-file');
    expect(await mayRun(home, plan)).toBe(false);
  });

  test.each([['USER'], ['LOGNAME']])('are not named by the environment: %s', async (name) => {
    const home = newHome();
    const env = { [name]: 'somebody' };
    const { plan, digest } = await planIn(home, { env });
    const store = openPlanIn(home, plan);
    expect(store.head.planner).toEqual({ user: 'john', host: 'test', id: '1001' });
    store.close();
    const ran = await approve(home, plan, digest, 'second', { person: john, env: { [name]: 'mary' } });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('system user id 1001 planned it')]);
  });

  test('of this very process come from the system', () => {
    const before = { ...process.env };
    try {
      Object.assign(process.env, { USER: 'somebody', LOGNAME: 'somebody', USERNAME: 'somebody' });
      expect(systemProcesses.user).toEqual({ name: userInfo().username, id: String(process.geteuid?.()) });
      expect(systemProcesses.user.name).not.toBe('somebody');
    } finally {
      Object.assign(process.env, before);
    }
  });
});

describe('an account of its own', () => {
  /** Mary's home, with a copy of John's plan. */
  async function copied(content = text, flags: readonly string[] = []) {
    const [johns, marys] = [newHome(content), newHome()];
    writeFileSync(join(marys, 'mary.pem'), readFileSync(join(johns, 'mary.pem')));
    writeFileSync(join(marys, 'mary.pub'), readFileSync(join(johns, 'mary.pub')));
    const made = await planIn(johns, {}, flags);
    const copy = join(marys, `${made.plan}.db`);
    writeFileSync(copy, readFileSync(join(johns, 'state', 'batches', `${made.plan}.db`)), { mode: 0o600 });
    const out = join(marys, 'approval.json');
    const sign = (options: TestOptions = {}) =>
      paycli(['batch', 'approve', copy, '--key-file', 'mary.pem', '--approval-file', out, ...said(made.digest)], {
        home: marys,
        person: mary,
        ...options,
      });
    const takeIn = () => paycli(['batch', 'approve', made.plan, '--approval-file', out], { home: johns, person: john });
    return { ...made, johns, marys, copy, out, sign, takeIn };
  }

  test.each([
    ['of bank accounts', text, []],
    [
      'of cards, which stay where they are',
      'client_orderid,amount,currency,credit_card_number\na-1,10.00,EUR,4444333322221111\n',
      ['--allow-pan-file'],
    ],
  ])(
    'approves a copy of a plan %s, and the approval counts on the account that has the plan',
    async (_, content, flags) => {
      const { johns, plan, out, sign, takeIn } = await copied(content, flags);
      const signed = await sign();
      expect(signed.exit, signed.err).toBe(0);
      expect(signed.out).toContain(`batch approve ${plan} --approval-file`);
      expect(statSync(out).mode & 0o777).toBe(0o644);
      expect(await mayRun(johns, plan)).toBe(false);
      const taken = await takeIn();
      expect(taken.exit, taken.err).toBe(0);
      expect(await mayRun(johns, plan)).toBe(true);
    },
  );

  test('approves no copy that was changed, and an approval of another digest counts for nothing', async () => {
    const { johns, plan, copy, out, sign, takeIn } = await copied();
    expect((await sign()).exit).toBe(0);
    const database = sqlite.open(copy);
    database.run("UPDATE rows SET content = replace(content, 'DE02', 'DE03')");
    database.close();
    const again = await sign();
    expect([again.exit, again.err]).toEqual([10, expect.stringContaining('was changed after it was created')]);
    writeFileSync(out, readFileSync(out, 'utf8').replace('"userId":"1002"', '"userId":"1003"'));
    const taken = await takeIn();
    expect([taken.exit, taken.err]).toEqual([10, expect.stringContaining('does not match this plan or their key')]);
    writeFileSync(out, 'nonsense');
    expect((await takeIn()).exit).toBe(2);
    expect(await mayRun(johns, plan)).toBe(false);
  });

  // What the planner writes into the file.
  test.each<[what: string, change: (head: Record<string, unknown>) => void]>([
    ['an id with a second command', (head) => Object.assign(head, { id: 'b-1; touch ran' })],
    [
      'an id with a second line',
      (head) => Object.assign(head, { id: `${head['id']}\nnext: paycli payout send --live` }),
    ],
    ['a profile with a second command', (head) => Object.assign(head, { profile: 'my-shop; touch ran' })],
    [
      'a host with control sequences',
      (head) => Object.assign(head, { planner: { user: 'x', host: '\u001b[2K', id: '1001' } }),
    ],
  ])('a copy with a head that no plan has is not read: %s', async (_, change) => {
    const { copy, sign } = await copied();
    const database = sqlite.open(copy);
    const head = JSON.parse(String(database.get("SELECT value FROM meta WHERE name = 'head'")?.['value']));
    change(head);
    database.run("UPDATE meta SET value = ? WHERE name = 'head'", JSON.stringify(head));
    database.close();
    const ran = await sign();
    expect([ran.exit, ran.out, ran.err]).toEqual([
      13,
      '',
      expect.stringContaining('it is damaged, or was made by another version of paycli'),
    ]);
    expect(ran.err).not.toMatch(/touch ran|payout send|\p{Cf}/u);
    expect(ran.err).not.toContain('\u001b');
  });

  test('the account of the planner may not write the approval either', async () => {
    const { sign } = await copied();
    const ran = await sign({ person: john });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('system user id 1001 planned it')]);
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ApprovalVerdict, type Approvers, approvalNeeded, verifyApproval } from '../../src/batch/plan/approval.js';
import type { PlanHead, PlanStore } from '../../src/batch/plan.js';
import { approversOf } from '../../src/cli/commands/keys/approvers.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { at } from '../cli/live-at.js';
import { rsaKey } from '../cli/profiles.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';
import { writeApproverKey } from './approver-key.js';
import { homeWith, payoutFile, payoutLine, planned } from './files.js';
import { openPlanIn } from './plans.js';

const text = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));
const noon = Date.UTC(2030, 0, 7, 12);
const hour = 3_600_000;
const john = { name: 'john', id: '1001' };
const mary = { name: 'mary', id: '1002' };

/** A home whose user file names these approvers; each has a key pair there. */
function homeFor(names: readonly string[] = ['mary', 'john'], content = text): string {
  const home = homeWith(content);
  for (const name of [...names, 'stranger']) writeApproverKey(home, name);
  const lines = names.map((name) => `  ${name}: ${join(home, `${name}.pub`)}`);
  addConfig(home, ['approvers:', ...lines]);
  return home;
}

function addConfig(home: string, lines: readonly string[]): void {
  const path = join(home, 'config', 'config.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}${lines.join('\n')}\n`);
}

async function planIn(home: string) {
  const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'payout', '--again', '--json', '--no-color'], {
    home,
    tty: true,
    person: john,
  });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out) as { readonly plan: string; readonly digest: string };
}

function approve(
  home: string,
  { plan, digest }: { plan: string; digest: string },
  flags: readonly string[] = [],
  options: TestOptions = {},
): Promise<Ran> {
  const usual = ['--key-file', 'mary.pem', '--total', 'EUR=35.50', '--digest', digest.slice(0, 8)];
  const kept = usual.flatMap((word, index) =>
    index % 2 === 0 && !flags.includes(word) ? [word, usual[index + 1] ?? ''] : [],
  );
  return paycli(['batch', 'approve', plan, ...kept, ...flags], { person: mary, ...options, home });
}

async function verdict(home: string, plan: string, now = noon): Promise<ApprovalVerdict> {
  const store = openPlanIn(home, plan);
  try {
    return verifyApproval(store, await approversIn(home), now);
  } finally {
    store.close();
  }
}

function approversIn(home: string): Promise<Approvers> {
  const variables = { PAYCLI_CONFIG_DIR: join(home, 'config') };
  const runtime: Pick<Runtime, 'env' | 'files'> = {
    env: variables,
    files: openFiles(variables, { home, working: home }),
  };
  return approversOf(runtime);
}

describe('an approval', () => {
  test('by a second person stands for 72 hours', async () => {
    const home = homeFor();
    const made = await planIn(home);
    const ran = await approve(home, made);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain(`${made.plan} is approved by mary; valid until 2030-01-10T12:00:00Z`);
    expect(await verdict(home, made.plan)).toEqual({ valid: true, by: 'mary', at: noon, until: noon + 72 * hour });
    expect(await verdict(home, made.plan, noon + 72 * hour - 1)).toMatchObject({ valid: true });
    expect(await verdict(home, made.plan, noon + 72 * hour)).toEqual({
      valid: false,
      why: expect.stringContaining('it is valid for 72 hours'),
    });
    const show = await paycli(['batch', 'show', made.plan], { home });
    expect(show.out).toMatch(/approved +by mary, at 2030-01-07T12:00:00Z, /);
    const { events } = JSON.parse((await paycli(['batch', 'show', made.plan, '--json'], { home })).out);
    expect(events).toContainEqual(
      expect.objectContaining({ what: 'approved', facts: expect.objectContaining({ at: '2030-01-07T12:00:00.000Z' }) }),
    );
  });

  test('is typed on a terminal, on the account that has the plan shown first', async () => {
    const home = homeFor();
    const made = await planIn(home);
    const answers = [
      ['total EUR', '35.50'],
      ['digest', made.digest.slice(0, 8)],
    ] as const;
    const ran = await paycli(['batch', 'approve', made.plan, '--key-file', 'mary.pem'], {
      home,
      person: mary,
      tty: true,
      answers,
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toContain(made.digest);
    expect(ran.err).toContain('35.50 EUR in 2 rows');
    expect(await verdict(home, made.plan)).toMatchObject({ valid: true });
  });

  test('of a plan without amounts counts its rows', async () => {
    const home = homeFor(['mary'], 'client_orderid,orderid\na,1\nb,2\n');
    const ran = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'return', '--json', '--no-color'], {
      home,
      tty: true,
      person: john,
    });
    const { plan, digest } = JSON.parse(ran.out);
    const argv = ['batch', 'approve', plan, '--key-file', 'mary.pem', '--digest', digest.slice(0, 8), '--rows'];
    expect(await paycli([...argv, '3'], { home, person: mary })).toMatchObject({
      exit: 10,
      err: expect.stringContaining('you entered 3 rows, but the plan has 2'),
    });
    expect((await paycli([...argv, '2'], { home, person: mary })).exit).toBe(0);
  });

  test('is signed over a text that openssl can verify', { tags: 'openssl' }, async () => {
    const home = homeFor();
    const made = await planIn(home);
    await approve(home, made);
    const store = openPlanIn(home, made.plan);
    const [event] = store.events();
    store.close();
    const signature = join(home, 'signature');
    const signed = join(home, 'signed');
    writeFileSync(signature, Buffer.from(String(event?.facts['signature']), 'base64'));
    writeFileSync(
      signed,
      `["paycli batch approval 2","${made.plan}","${made.digest}",[["EUR","3550",2]],"mary",${noon},"mary","1002","test"]`,
    );
    const command = [
      'pkeyutl',
      '-verify',
      '-pubin',
      '-inkey',
      join(home, 'mary.pub'),
      '-rawin',
      '-in',
      signed,
      '-sigfile',
      signature,
    ];
    expect(execFileSync('openssl', command).toString()).toContain('Signature Verified Successfully');
  });
});

describe('F60: no approval, exit 10', () => {
  test.each([
    [
      'a total that is off by one cent',
      ['--total', 'EUR=35.51'],
      'the total you gave is 35.51 EUR, but the rows total 35.50 EUR',
    ],
    ['another digest', ['--digest', '00000000'], 'the digest does not begin with what you typed'],
    ['too short a digest', ['--digest', 'a'], 'the digest does not begin with what you typed'],
    ['the key of nobody', ['--key-file', 'stranger.pem'], 'this key does not belong to an approver'],
    ['the planner', ['--key-file', 'john.pem'], 'john planned it, and nobody may approve their own plan'],
  ])('with %s', async (_, flags, why) => {
    const home = homeFor();
    const made = await planIn(home);
    const ran = await approve(home, made, flags);
    expect([ran.exit, ran.out, ran.err]).toEqual([10, '', expect.stringContaining(why)]);
    expect(await verdict(home, made.plan)).toEqual({ valid: false, why: 'nobody has approved it' });
  });

  test('without a terminal and without the flags', async () => {
    const home = homeFor();
    const { plan } = await planIn(home);
    const ran = await paycli(['batch', 'approve', plan, '--key-file', 'mary.pem'], { home, person: mary });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('add --total EUR=… --digest XXXXXXXX')]);
  });

  test('when the file is planned once more with one byte changed', async () => {
    const home = homeFor();
    await approve(home, await planIn(home));
    writeFileSync(join(home, 'rows.csv'), text.replace('a-1', 'b-1').replace('a-2', 'b-2'));
    const other = await planIn(home);
    expect(await verdict(home, other.plan)).toMatchObject({ valid: false });
  });

  test.each([
    ["UPDATE rows SET minor = '1001' WHERE number = 1", 'the plan was changed'],
    ["UPDATE rows SET content = replace(content, 'DE02', 'DE03') WHERE number = 2", 'the plan was changed'],
    ['DELETE FROM events', 'nobody has approved it'],
  ])('after %s', async (sql, why) => {
    const home = homeFor();
    const made = await planIn(home);
    await approve(home, made);
    const database = sqlite.open(join(home, 'state', 'batches', `${made.plan}.db`));
    expect(database.run(sql).changes).toBeGreaterThan(0);
    database.close();
    expect(await verdict(home, made.plan)).toEqual({ valid: false, why: expect.stringContaining(why) });
  });

  test('an approval does not pass to another plan', async () => {
    const home = homeFor();
    const first = await planIn(home);
    await approve(home, first);
    writeFileSync(join(home, 'rows.csv'), payoutFile(payoutLine('c-1', '10.00'), payoutLine('c-2', '25.50')));
    const second = await planIn(home);
    const [from, to] = [openPlanIn(home, first.plan), openPlanIn(home, second.plan)];
    for (const { what, facts } of from.events()) to.addEvent(what, facts);
    from.close();
    to.close();
    expect(await verdict(home, second.plan)).toEqual({
      valid: false,
      why: expect.stringContaining('does not match this plan'),
    });
  });

  test('a card file that changed by one byte voids it', async () => {
    const cards = 'client_orderid,amount,currency,credit_card_number\na,35.50,EUR,4444333322221111\n';
    const home = homeFor(['mary'], cards);
    const ran = await paycli(
      ['batch', 'plan', 'rows.csv', '--operation', 'payout', '--allow-pan-file', '--json', '--no-color'],
      {
        home,
        tty: true,
        person: john,
      },
    );
    const made = JSON.parse(ran.out);
    expect((await approve(home, made)).exit).toBe(0);
    expect(await verdict(home, made.plan)).toMatchObject({ valid: true });
    writeFileSync(join(home, 'rows.csv'), cards.replace('1111', '1129'));
    expect(await verdict(home, made.plan)).toEqual({
      valid: false,
      why: expect.stringContaining('has changed since it was planned'),
    });
    expect((await approve(home, made)).exit).toBe(10);
  });

  test('an approver who is struck off approves nothing any more, and a new approval replaces an old one', async () => {
    const home = homeFor(['mary', 'ann']);
    const made = await planIn(home);
    await approve(home, made);
    await approve(home, made, ['--key-file', 'ann.pem'], { outside: at(73 * 60) });
    const later = noon + 73 * hour;
    expect(await verdict(home, made.plan, later)).toMatchObject({ valid: true, by: 'ann' });
    const config = join(home, 'config', 'config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace(/ {2}ann: .*\n/, ''));
    expect(await verdict(home, made.plan, later)).toMatchObject({
      valid: false,
      why: expect.stringContaining('ann, who approved it'),
    });
  });

  test('one from the future is none', async () => {
    const home = homeFor();
    const made = await planIn(home);
    await approve(home, made, [], { outside: at(60) });
    expect(await verdict(home, made.plan, noon)).toEqual({
      valid: false,
      why: expect.stringContaining('is dated in the future'),
    });
  });
});

describe('keys', () => {
  test('others may read are refused, and those of another kind', async () => {
    const home = homeFor();
    const made = await planIn(home);
    chmodSync(join(home, 'mary.pem'), 0o644);
    expect(await approve(home, made)).toMatchObject({ exit: 3, err: expect.stringContaining('chmod 600') });
    rsaKey(home);
    expect(await approve(home, made, ['--key-file', 'rsa.pem'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('it is not an Ed25519 key'),
    });
    writeFileSync(join(home, 'mary.pub'), 'nonsense');
    expect(await approve(home, made)).toMatchObject({ exit: 3, err: expect.stringContaining('of approver mary') });
  });

  test('of approvers may not stand in the file of a project', async () => {
    const home = homeFor();
    const made = await planIn(home);
    writeFileSync(join(home, '.paycli.yaml'), 'approvers: { mary: x.pub }\n');
    expect(await approve(home, made)).toMatchObject({
      exit: 3,
      err: expect.stringContaining('sets approvers, but a project file may set only'),
    });
  });
});

describe('who needs one', () => {
  const head = (over: Partial<PlanHead> = {}): PlanHead => ({
    ...{
      id: 'b-1',
      operation: 'PAYOUT',
      madeAt: 1,
      planner: { user: 'u', host: 'h', id: '1' },
      version: '1',
      profile: 'shop',
      class: 'live',
      base: 'b',
    },
    ...{
      login: 'l',
      count: 2,
      totals: [{ currency: 'EUR', count: 2, minor: '100000', digits: 2 }],
      hasCards: false,
      digest: '',
    },
    file: { path: '/f', bytes: 1, sha256: 'x', format: 'csv', layout: { delimiter: ',', columns: [], map: {} } },
    ...over,
  });
  const above = (minor: bigint, currency = 'EUR') => ({ requireApproval: false, approvalAbove: [{ minor, currency }] });
  const none = { requireApproval: false, approvalAbove: [] };

  test.each([
    ['live without a limit', head(), none, /is live, and it sets no approval-above limit/],
    ['live above the limit', head(), above(99_999n), /1000\.00 EUR exceeds its approval-above limit/],
    ['live at the limit', head(), above(100_000n), undefined],
    ['live in a currency nobody named', head(), above(1_000_000n, 'USD'), /1000\.00 EUR exceed/],
    ['live with rows that name no amount', head({ count: 3 }), above(100_000n), /some rows have no amount/],
    [
      'live in finer digits',
      head({ totals: [{ currency: 'EUR', count: 2, minor: '1000001', digits: 3 }] }),
      above(100_000n),
      /1000\.001 EUR/,
    ],
    ['a test profile', head({ class: 'test' }), none, undefined],
    [
      'a test profile that asks for it',
      head({ class: 'test' }),
      { ...none, requireApproval: true },
      /requires it \(require-approval\)/,
    ],
    ['questions', head({ operation: 'STATUS' }), { ...none, requireApproval: true }, undefined],
  ])('%s', (_, plan, rules, why) => {
    if (why === undefined) expect(approvalNeeded(plan, rules)).toBeUndefined();
    else expect(approvalNeeded(plan, rules)).toMatch(why);
  });

  test('the profile says it in its own keys', async () => {
    const home = homeWith(text);
    const path = join(home, 'config', 'config.yaml');
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}    require-approval: true\n    approval-above: [1000.00 EUR, 5 JPY]\n`,
    );
    const ran = await paycli(['profile', 'show', '--origins'], { home });
    expect(ran.out).toMatch(/require-approval +true/);
    expect(ran.out).toMatch(/approval-above +1000\.00 EUR, 5 JPY/);
    writeFileSync(path, readFileSync(path, 'utf8').replace('true', 'often').replace('5 JPY', '5.00 JPY'));
    expect(await paycli(['profile', 'show', '--origins'], { home })).toMatchObject({
      exit: 3,
      err: expect.stringContaining('require-approval: use true or false'),
    });
  });
});

// The compiler says that a store of any engine can be judged.
const judge: (store: PlanStore) => ApprovalVerdict = (store) => verifyApproval(store, new Map(), noon);
test('a plan nobody approved is not approved, whoever asks', async () => {
  const home = homeFor();
  const { plan } = await planned(home);
  const store = openPlanIn(home, plan);
  expect(judge(store)).toEqual({ valid: false, why: 'nobody has approved it' });
  store.close();
});

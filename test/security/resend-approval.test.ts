import { createHash, createPrivateKey, sign } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, SystemUser } from '../../src/runtime/ports.js';
import { writeApproverKey } from '../batch/approver-key.js';
import { at } from '../cli/live-at.js';
import { homeWithProfile, type ProfileSpec, saleFlags, statusReply } from '../cli/profiles.js';
import { oneIn } from '../support/every.js';
import { paycli, type Ran, reply, type TestOptions, temporaryHome } from '../support/runtime.js';

const john = { name: 'john', id: '1001' };
const mary = { name: 'mary', id: '1002' };
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const noOrder = reply(400, {
  type: 'error',
  'serial-number': '9',
  'error-message': 'order not found',
  'error-code': '6',
});
const payout = (order: string) => [
  ...[
    'payout',
    'send',
    '--client-order-id',
    order,
    '--amount',
    '250.00',
    '--currency',
    'EUR',
    '--routing-number',
    '021000021',
  ],
  ...['--account-number', 'DE89370400440532013000', '--bank-name', 'Example Bank', '--bank-branch', 'Main'],
  ...['--live', '--confirm-login', 'my-shop'],
];
const resend = ['resolve', 'p-1', '--resend', '--live'];

/** John's home: a live profile, and the keys of those who may approve in it. */
function newHome(spec: ProfileSpec = { class: 'live' }, approvers = ['john', 'mary', 'second']): string {
  const home = homeWithProfile(spec);
  const path = join(home, 'config', 'config.yaml');
  for (const name of [...approvers, 'stranger']) writeApproverKey(home, name);
  const lines = approvers.map((name) => `  ${name}: ../${name}.pub`);
  writeFileSync(path, `${readFileSync(path, 'utf8')}approvers:\n${lines.join('\n')}\n`);
  return home;
}

const run = (
  home: string,
  argv: readonly string[],
  minutes: number,
  replies: readonly Delivery[] = [],
  more: TestOptions = {},
) => paycli(argv, { home, person: john, outside: at(minutes), network: replies.map((one) => () => one), ...more });
const sentIn = ({ requests }: Ran) => requests.filter(({ url }) => !url.includes('/status/')).length;

/** A payout whose reply got lost, and three answers over an hour that there is no such order. */
async function inDoubt(home: string, order = 'p-1', from = 0): Promise<void> {
  // A second payout is identical, but for its id.
  expect((await run(home, [...payout(order), '--again'], from, [lost])).exit).toBe(8);
  await deny(home, order, from);
}

async function deny(home: string, order: string, from: number): Promise<void> {
  for (const minutes of [0, 31, 62])
    expect((await run(home, ['resolve', order, '--once', '--live'], from + minutes, [noOrder])).exit).toBe(8);
}

async function request(
  home: string,
  argv: readonly string[] = resend,
  replies: readonly Delivery[] = [noOrder],
): Promise<string> {
  const file = join(home, 'request.json');
  const ran = await run(home, [...argv, '--request-file', file], 63, replies);
  expect([ran.exit, sentIn(ran)]).toEqual([10, 0]);
  expect(existsSync(file), ran.err).toBe(true);
  return file;
}

interface Signing {
  readonly key?: string;
  readonly person?: SystemUser;
  readonly minutes?: number;
  readonly options?: TestOptions;
  readonly flags?: readonly string[];
}

/** Mary signs on an account of her own, with a copy of the request. */
async function signed(
  home: string,
  file: string,
  { key = 'mary', person = mary, minutes = 63, options = {}, flags }: Signing = {},
) {
  const marys = temporaryHome();
  const config = join(marys, 'config');
  mkdirSync(config, { mode: 0o700 });
  const names = ['john', 'mary', 'second', 'stranger'].filter((name) => existsSync(join(home, `${name}.pub`)));
  writeFileSync(
    join(config, 'config.yaml'),
    `approvers:\n${names.map((name) => `  ${name}: ${join(home, `${name}.pub`)}`).join('\n')}\n`,
  );
  const copy = join(marys, 'copy.json');
  writeFileSync(copy, readFileSync(file));
  const out = join(home, 'approval.json');
  const digest = String(JSON.parse(readFileSync(file, 'utf8')).digest).slice(0, 8);
  const argv = ['resolve', '--approve', copy, '--key-file', join(home, `${key}.pem`), '--approval-file', out];
  const ran = await run(marys, [...argv, ...(flags ?? ['--digest', digest])], minutes, [], { person, ...options });
  return { ran, out };
}

const takeIn = (home: string, out: string, minutes = 64, argv = resend) =>
  run(home, [...argv, '--approval-file', out], minutes, [noOrder]);

/** What is signed, as it is recorded for other programs: nothing of paycli makes it here. */
function forge(
  home: string,
  digest: string,
  facts: { by: string; at: number; user: string; userId: string; host: string },
  key: string,
) {
  const { by, at: when, user, userId, host } = facts;
  const bytes = Buffer.from(JSON.stringify(['paycli resolve approval 1', digest, by, when, user, userId, host]));
  const signature = sign(null, bytes, createPrivateKey(readFileSync(join(home, `${key}.pem`)))).toString('base64');
  const out = join(home, 'forged.json');
  writeFileSync(out, JSON.stringify({ schema: 'paycli.resolve-approval-file/1', digest, ...facts, signature }));
  return out;
}

const noon = Date.UTC(2030, 0, 7, 12);
const byMary = { by: 'mary', at: noon + 63 * 60_000, user: 'mary', userId: '1002', host: 'test' };
const parsed = (file: string): Record<string, string> => JSON.parse(readFileSync(file, 'utf8'));

describe('a resend on live', () => {
  test.each<[string, readonly Delivery[], TestOptions, number]>([
    ['gives no answer', [lost, lost, lost], {}, 8],
    ['was stopped by Ctrl-C', [lost], { signal: 'SIGINT' }, 130],
  ])('is not allowed where the last query before it %s', async (_, replies, more, exit) => {
    const home = newHome();
    await inDoubt(home);
    const { out } = await signed(home, await request(home));
    const given = more.signal === undefined ? replies : [];
    const ran = await run(home, [...resend, '--approval-file', out], 64, given, more);
    expect([ran.exit, sentIn(ran)], ran.err).toEqual([exit, 0]);
    expect(sentIn(await run(home, payout('p-1'), 65, [noOrder]))).toBe(0);
  });

  test('takes no typed name: it says which command asks for a signature, and asks the gateway nothing', async () => {
    const home = newHome();
    await inDoubt(home);
    const typed = await run(home, [...resend, '--approved-by', 'mary'], 63);
    expect([typed.exit, typed.requests]).toEqual([10, []]);
    expect(typed.err).toContain('does not count as a second person here, because profile shop is live');
    expect(typed.err).toContain('`paycli resolve --entry 1 --resend --request-file FILE --live`');
    const bare = await run(home, resend, 63, [noOrder]);
    expect([bare.exit, bare.err]).toEqual([10, expect.stringContaining('a second person has to sign')]);
    expect(sentIn(await run(home, payout('p-1'), 64, [noOrder]))).toBe(0);
  });

  test('is asked for in a file of mode 0600 that says what would be sent, to whom it is shown before they agree', async () => {
    const home = newHome();
    await inDoubt(home);
    const file = await request(home);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const said = parsed(file);
    expect(said).toMatchObject({
      ...{
        action: 'send it once more',
        operation: 'payout send',
        clientOrderId: 'p-1',
        amount: '250.00 EUR',
        class: 'live',
      },
      ...{
        amountInWords: '250.00 EUR (two hundred fifty EUR, 25000 in minor units)',
        gateway: 'https://gate.example/prefix',
      },
      ...{ entry: '1', askedBy: 'john', askedById: '1001', askedOn: 'test', firstMadeAt: '2030-01-07T12:00:00.000Z' },
    });
    expect(readFileSync(file, 'utf8')).not.toContain('DE89370400440532013000');
    const answers = [['digest', said['digest']?.slice(0, 8) ?? '']] as const;
    const { ran, out } = await signed(home, file, { flags: [], options: { tty: true, answers } });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(/LIVE: john requests your approval\n +what +send it once more\n/);
    expect(ran.err).toMatch(/in words +250\.00 EUR \(two hundred fifty EUR, 25000/);
    expect(statSync(out).mode & 0o777).toBe(0o644);
  });

  test('with the signature of a second person is allowed for exactly one attempt, and the journal keeps who approved', async () => {
    const home = newHome();
    await inDoubt(home);
    const { ran, out } = await signed(home, await request(home));
    expect(ran.exit, ran.err).toBe(0);
    const allowed = await takeIn(home, out);
    expect([allowed.exit, sentIn(allowed)], allowed.err).toEqual([0, 0]);
    expect(sentIn(await run(home, payout('p-1'), 65, [lost]))).toBe(1);
    expect(sentIn(await run(home, payout('p-1'), 66, [noOrder]))).toBe(0);
    const moves = await run(home, ['journal', 'export', '--moves'], 66);
    const line = moves.out.split('\n').find((each) => each.includes('resend approved')) ?? '';
    expect(line.replaceAll('\\', '')).toContain('"by":"mary","asked":"john"');
    expect(line.replaceAll('\\', '')).toContain('"user":"mary","userId":"1002","host":"test"');
    // The attempt that was allowed is over: the same signature is no leave for a second one.
    await deny(home, 'p-1', 70);
    const twice = await takeIn(home, out, 140);
    expect([twice.exit, twice.err]).toEqual([10, expect.stringContaining('the entry has changed since')]);
    expect(sentIn(await run(home, payout('p-1'), 141, [noOrder]))).toBe(0);
  });

  test('names its order as one word of the command to run again', async () => {
    const home = newHome();
    const argv = ['resolve', 'p 1; touch ran', '--resend', '--live'];
    await inDoubt(home, 'p 1; touch ran');
    const { out } = await signed(home, await request(home, argv));
    const allowed = await takeIn(home, out, 64, argv);
    expect([allowed.exit, allowed.out]).toEqual([
      0,
      expect.stringContaining("with --client-order-id 'p 1; touch ran' and all other"),
    ]);
  });

  test('is signed by nobody who says another digest, or none where nobody can be asked', async () => {
    const home = newHome();
    await inDoubt(home);
    const file = await request(home);
    const wrong = await signed(home, file, { flags: ['--digest', '00000000'] });
    expect([wrong.ran.exit, wrong.ran.err]).toEqual([
      10,
      expect.stringContaining('does not begin with what you typed'),
    ]);
    const none = await signed(home, file, { flags: [] });
    expect([none.ran.exit, none.ran.err]).toEqual([10, expect.stringContaining('add --digest')]);
    expect(existsSync(none.out)).toBe(false);
  });

  test.each<readonly [string, Signing, string]>([
    ['the same user id with another key', { key: 'second', person: john }, 'system user id 1001 requested it'],
    [
      'the same user id under another name',
      { person: { name: 'mary', id: '1001' } },
      'system user id 1001 requested it',
    ],
    [
      'the key of whoever asks, on another account',
      { key: 'john' },
      'john requested it, and nobody may approve their own request',
    ],
  ])('is not signed with %s', async (_, signing, why) => {
    const home = newHome();
    await inDoubt(home);
    const { ran, out } = await signed(home, await request(home), signing);
    expect([ran.exit, ran.err, existsSync(out)]).toEqual([10, expect.stringContaining(why), false]);
  });

  test.each(
    oneIn(
      2,
      [
        ['the same user id', { ...byMary, userId: '1001' }, 'mary', 'system user id 1001 requested it'],
        ['the key of whoever asks', { ...byMary, by: 'john' }, 'john', 'john requested it'],
        ['a key that is not theirs', byMary, 'stranger', 'does not match this request or their key'],
        [
          'somebody who is no approver',
          { ...byMary, by: 'stranger' },
          'stranger',
          'stranger, who approved it, is not among the approvers',
        ],
        ['a moment to come', { ...byMary, at: byMary.at + 3_600_000 }, 'mary', 'is dated in the future'],
      ],
      0,
    ),
  )('does not go by a signature that names %s, whatever made it', async (_, facts, key, why) => {
    const home = newHome();
    await inDoubt(home);
    const { digest = '' } = parsed(await request(home));
    const ran = await takeIn(home, forge(home, digest, facts, key));
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining(why)]);
    expect(ran.err).toContain('--request-file FILE');
    expect(sentIn(await run(home, payout('p-1'), 65, [noOrder]))).toBe(0);
    // The same by Mary, with her key and account, counts.
    expect((await takeIn(home, forge(home, digest, byMary, 'mary'))).exit).toBe(0);
  });

  test('does not go by a signature for another entry', async () => {
    const home = newHome();
    await inDoubt(home);
    await inDoubt(home, 'p-2', 1);
    const { out } = await signed(home, await request(home));
    const ran = await takeIn(home, out, 64, ['resolve', 'p-2', '--resend', '--live']);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('it covers a different request')]);
    expect((await takeIn(home, out)).exit).toBe(0);
  });

  test('a request with another amount is not signed, and with a digest of its own counts for nothing', async () => {
    const home = newHome();
    await inDoubt(home);
    const file = await request(home);
    const text = readFileSync(file, 'utf8').replace('250.00 EUR', '2.50 EUR');
    writeFileSync(file, text);
    const changed = await signed(home, file);
    expect([changed.ran.exit, changed.ran.err]).toEqual([2, expect.stringContaining('was changed later')]);
    const { schema: _, digest: __, ...parts } = parsed(file);
    const own = createHash('sha256')
      .update(JSON.stringify(Object.values(parts)))
      .digest('hex');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(text), digest: own }));
    const { ran, out } = await signed(home, file);
    expect(ran.exit, ran.err).toBe(0);
    const taken = await takeIn(home, out);
    expect([taken.exit, taken.err]).toEqual([10, expect.stringContaining('it covers a different request')]);
  });

  test.each(
    oneIn(
      2,
      [
        ['another user id', { name: 'john', id: '1003' }],
        ['another name', { name: 'jane', id: '1001' }],
      ],
      0,
    ),
  )('does not go by a signature that somebody else asked for: %s', async (_, person) => {
    const home = newHome();
    await inDoubt(home);
    const { out } = await signed(home, await request(home));
    const ran = await run(home, [...resend, '--approval-file', out], 64, [noOrder], { person });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('was requested by someone else')]);
  });

  test('goes by a signature for 24 hours', async () => {
    const home = newHome();
    await inDoubt(home);
    const { out } = await signed(home, await request(home));
    const late = await takeIn(home, out, 63 + 24 * 60);
    expect([late.exit, late.err]).toEqual([10, expect.stringContaining('it is valid for 24 hours')]);
    expect((await takeIn(home, out, 62 + 24 * 60)).exit).toBe(0);
  });

  test('needs the answers of the gateway whoever signed, and writes no request before', async () => {
    const home = newHome();
    expect((await run(home, payout('p-1'), 0, [lost])).exit).toBe(8);
    const file = join(home, 'request.json');
    const early = await run(home, [...resend, '--request-file', file], 1, [noOrder]);
    expect([early.exit, early.err, existsSync(file)]).toEqual([
      10,
      expect.stringContaining('at least 3 times over 60 minutes'),
      false,
    ]);
  });

  test('writes no request over another file', async () => {
    const home = newHome();
    await inDoubt(home);
    const file = await request(home);
    const before = readFileSync(file, 'utf8');
    const ran = await run(home, [...resend, '--request-file', file], 64, [noOrder]);
    expect([ran.exit, readFileSync(file, 'utf8')]).toEqual([2, before]);
  });
});

describe('a resend elsewhere', () => {
  const onTest = ['resolve', '902B4FF5', '--resend'];
  async function saleInDoubt(home: string): Promise<void> {
    expect((await run(home, saleFlags, 0, [lost])).exit).toBe(8);
    for (const minutes of [0, 31, 62]) await run(home, ['resolve', '902B4FF5', '--once'], minutes, [noOrder]);
  }

  test('takes a signature too where the profile asks for approvals', async () => {
    const home = newHome({ more: ['require-approval: true'] });
    await saleInDoubt(home);
    const typed = await run(home, [...onTest, '--approved-by', 'mary'], 63);
    expect([typed.exit, typed.err]).toEqual([
      10,
      expect.stringContaining('because profile shop requires it (require-approval)'),
    ]);
    const { out } = await signed(home, await request(home, onTest));
    expect((await takeIn(home, out, 64, onTest)).exit).toBe(0);
  });

  test('goes by a typed name, and by a signature where one is given', async () => {
    const home = newHome({});
    await saleInDoubt(home);
    const { out } = await signed(home, await request(home, onTest));
    expect((await takeIn(home, out, 64, onTest)).exit).toBe(0);
    expect((await run(home, [...onTest, '--approved-by', 'mary'], 63, [noOrder])).exit).toBe(0);
    expect((await run(home, [...onTest, '--approved-by', 'john'], 63, [noOrder])).exit).toBe(10);
    expect((await run(home, onTest, 63)).exit).toBe(2);
  });
});

describe('settling by hand on live', () => {
  const settle = (as: string, evidence: string) => [
    'resolve',
    'p-1',
    '--offline',
    '--settle-as',
    as,
    '--evidence',
    evidence,
    '--live',
  ];
  const paid = settle('paid', 'the statement of today');

  test('takes the same signature, for this outcome and this evidence', async () => {
    const home = newHome();
    await inDoubt(home);
    const typed = await run(home, [...paid, '--approved-by', 'mary'], 63);
    expect([typed.exit, typed.err]).toEqual([10, expect.stringContaining('does not count as a second person')]);
    const file = await request(home, paid, []);
    expect(parsed(file)).toMatchObject({ action: 'settle it as paid', evidence: 'the statement of today' });
    const { out, ran: approved } = await signed(home, file);
    expect(approved.out).toMatch(/approved by mary; valid until 2\d{3}-/);
    for (const other of [settle('not-paid', 'the statement of today'), settle('paid', 'another statement')]) {
      const ran = await run(home, [...other, '--approval-file', out], 64);
      expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('it covers a different request')]);
    }
    const notPaid = await run(home, settle('not-paid', 'the statement of today'), 64);
    expect([notPaid.exit, notPaid.err]).toEqual([10, expect.stringContaining('settle it as not paid')]);
    const asResend = await takeIn(home, out);
    expect([asResend.exit, asResend.err]).toEqual([10, expect.stringContaining('it covers a different request')]);
    const ran = await run(home, [...paid, '--approval-file', out, '--json'], 64);
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ settled: true, entries: [{ state: 'done' }] });
    expect((await run(home, ['journal', 'show', 'p-1', '--json'], 64)).out).toContain('1002');
  });

  test('is signed again once an answer of the gateway contradicts it', async () => {
    const home = newHome();
    await inDoubt(home);
    const { out } = await signed(home, await request(home, paid, []));
    expect((await run(home, [...paid, '--approval-file', out], 64)).exit).toBe(0);
    const declined = reply(200, { ...statusReply('declined'), 'merchant-order-id': 'p-1' });
    const asked = await run(home, ['status', '--client-order-id', 'p-1', '--live'], 65, [declined]);
    expect(asked.err).toContain('is in conflict');
    const ran = await run(home, [...paid, '--approval-file', out], 66);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('the entry has changed since')]);
    // So it is once more, when another answer comes after the signature about the conflict.
    rmSync(out);
    rmSync(join(home, 'request.json'));
    const again = await signed(home, await request(home, paid, []), { minutes: 67 });
    expect(again.ran.exit, again.ran.err).toBe(0);
    const approved = reply(200, { ...statusReply('approved'), 'merchant-order-id': 'p-1' });
    await run(home, ['status', '--client-order-id', 'p-1', '--live'], 68, [approved]);
    const late = await run(home, [...paid, '--approval-file', out], 69);
    expect([late.exit, late.err]).toEqual([10, expect.stringContaining('the entry has changed since')]);
  });
});

test.each([
  [
    ['resolve', 'p-1', '--approve', 'r.json', '--key-file', 'k', '--approval-file', 'a'],
    'do not name an order or another action',
  ],
  [['resolve', '--approve', 'r.json', '--approval-file', 'a'], '--key-file is missing'],
  [['resolve', '--approve', 'r.json', '--key-file', 'k'], '--approval-file is missing'],
  [['resolve', 'p-1', '--resend', '--approved-by', 'a', '--request-file', 'r'], 'use only one of'],
  [['resolve', 'p-1', '--request-file', 'r'], '--request-file does nothing without --settle-as or --resend'],
  [['resolve', 'p-1', '--resend', '--key-file', 'k'], '--key-file does nothing without --approve'],
])('%j is refused, exit 2', async (argv, words) => {
  const ran = await paycli(argv);
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(words)]);
});

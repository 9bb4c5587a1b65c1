import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Clock, Delivery } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { homeWithProfile, lost, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

const neverSent: Delivery = { kind: 'never-sent', reason: 'connection refused' };
const noOrder = reply(400, {
  type: 'error',
  'serial-number': '9',
  'error-message': 'order not found',
  'error-code': '6',
});

const send = (home: string, replies: readonly Delivery[], more: readonly string[] = []) =>
  paycli([...saleFlags, ...more], { home, network: replies.map((one) => () => one) });
const run = (home: string, argv: string | readonly string[], replies: readonly Delivery[] = [], minutesLater = 0) =>
  paycli(argv, {
    home,
    network: replies.map((one) => () => one),
    outside: (usual) => ({ ...usual, clock: moved(usual.clock, minutesLater) }),
  });
const moved = (clock: Clock, minutes: number): Clock => ({
  now: () => clock.now() + minutes * 60_000,
  monotonic: () => clock.monotonic(),
  sleep: (ms) => clock.sleep(ms),
});

/** The one error object at the end. */
const lastError = ({ err }: Ran) => JSON.parse(err.trim().split('\n').at(-1) ?? '');

interface Entry {
  readonly state: string;
  readonly attempts: number;
  readonly operation: string;
  readonly reason: string;
  readonly order: { readonly orderId: string | null; readonly clientOrderId: string };
}

async function entries(home: string): Promise<readonly Entry[]> {
  return JSON.parse((await run(home, 'journal --json')).out).entries;
}

const states = async (home: string) =>
  (await entries(home)).map(({ operation, state, attempts }) => `${operation} ${state} ${attempts}`);
const bodies = ({ requests }: Ran) => requests.filter(({ url }) => !url.includes('/status/')).length;

describe('what a sale leaves in the journal', () => {
  test('a dry run and a read leave no request', async () => {
    const home = homeWithProfile();
    await send(home, [], ['--dry-run']);
    await run(home, 'status --client-order-id x', [
      reply(200, { ...statusReply('approved'), 'merchant-order-id': 'x' }),
    ]);
    expect(await states(home)).toEqual([]);
  });

  test('neither card number, security code, checksum nor key, in no file of the state folder', async () => {
    const home = homeWithProfile();
    const ran = await send(home, [reply(200, { ...taken, 'error-message': 'card 4444 3333 2222 1111 seen' })]);
    const control = /control=([0-9a-f]{40})/.exec(ran.requests[0]?.body ?? '')?.[1] ?? '';
    expect(control).toHaveLength(40);
    const files = readdirSync(join(home, 'state'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const all = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
    expect(all).toContain('shop');
    for (const secret of ['4444333322221111', '4444 3333 2222 1111', control, 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20'])
      expect(all).not.toContain(secret);
  });
});

describe('the same command again', () => {
  test('while the outcome is unknown only asks, however often', async () => {
    const home = homeWithProfile();
    expect((await send(home, [lost])).exit).toBe(8);
    for (let times = 0; times < 3; times += 1) {
      const again = await send(home, [noOrder]);
      expect([again.exit, bodies(again), again.requests.length]).toEqual([8, 0, 1]);
      expect(again.err).toMatch(/nothing is sent again/);
      expect(again.err).toMatch(/paycli resolve/);
    }
    const settled = await send(home, [reply(200, statusReply('approved', { 'transaction-type': 'sale' }))]);
    expect([settled.exit, bodies(settled)]).toEqual([0, 0]);
    const shown = await send(home, []);
    expect([shown.exit, shown.requests.length]).toEqual([0, 0]);
    expect(shown.out).toContain('approved');
    expect(shown.err).toMatch(
      /^warning: this sale of 10\.42 USD on order 12345 was already sent; it has been approved since 2030-01-07T12:00:00Z, and nothing is sent again; another payment needs an order id of its own$/m,
    );
    const quiet = await run(home, [...saleFlags, '--quiet'], []);
    expect([quiet.exit, quiet.err]).toEqual([0, '']);
  });

  test('after a definite refusal or a failure before the network sends a new attempt', async () => {
    for (const first of [
      [reply(400, { type: 'error', 'error-message': 'no' }), noSuchOrder],
      [neverSent, neverSent, neverSent],
    ]) {
      const home = homeWithProfile();
      await send(home, first);
      const again = await send(home, [reply(200, taken)]);
      expect([again.exit, bodies(again)]).toEqual([0, 1]);
      expect(await states(home)).toEqual(['SALE accepted 2']);
    }
  });

  test('a 400 after an earlier attempt that may have reached the gateway is no refusal', async () => {
    const home = homeWithProfile();
    await send(home, [lost]);
    for (const minutes of [0, 31, 62]) await run(home, 'resolve 902B4FF5', [noOrder], minutes);
    for (const more of [[], ['--confirm-resend', '902B4FF6']])
      expect((await run(home, ['resolve', '902B4FF5', '--resend', ...more], [noOrder], 63)).exit).toBe(10);
    expect(bodies(await run(home, [...saleFlags], [noOrder], 63)), 'nothing was allowed').toBe(0);
    const allowed = await run(home, 'resolve 902B4FF5 --resend --confirm-resend 902B4FF5', [noOrder], 63);
    expect([allowed.exit, bodies(allowed)]).toEqual([0, 0]);
    expect(bodies(await run(home, [...saleFlags], [noOrder], 79)), 'an approval stands for fifteen minutes').toBe(0);
    const again = await run(
      home,
      [...saleFlags],
      [reply(400, { type: 'error', 'error-message': 'duplicate order' })],
      64,
    );
    expect([again.exit, bodies(again)]).toEqual([8, 1]);
    expect(await states(home)).toEqual(['SALE unknown 2']);
    expect(bodies(await run(home, [...saleFlags], [noOrder], 65)), 'an approval is for one attempt').toBe(0);
  });
});

describe('a resend that was allowed', () => {
  const resend = ['resolve', '902B4FF5', '--resend', '--confirm-resend', '902B4FF5'];
  const unreachable: Delivery = { kind: 'never-sent', reason: 'connection refused' };

  async function homeWithApproval(): Promise<string> {
    const home = homeWithProfile();
    await send(home, [lost]);
    for (const minutes of [0, 31, 62]) await run(home, ['resolve', '902B4FF5'], [noOrder], minutes);
    expect((await run(home, resend, [noOrder], 63)).exit).toBe(0);
    return home;
  }

  test('and gets no connection leaves the attempt before it in doubt', async () => {
    const home = await homeWithApproval();
    const again = await run(home, [...saleFlags], [unreachable, unreachable, unreachable], 64);
    expect(again.exit, again.err).toBe(8);
    expect(await states(home)).toEqual(['SALE unknown 2']);
    expect(bodies(await run(home, [...saleFlags], [noOrder], 65)), 'it needs another approval').toBe(0);
  });

  test('is not made once the gateway has shown the order', async () => {
    const home = await homeWithApproval();
    const odd = reply(200, statusReply('unknown', { 'transaction-type': 'sale' }));
    await run(home, ['status', '--client-order-id', '902B4FF5'], [odd], 64);
    expect(await states(home)).toEqual(['SALE unknown 1']);
    expect(bodies(await run(home, [...saleFlags], [odd], 65))).toBe(0);
  });
});

describe('a follow-up', () => {
  const capture = 'capture 12345 --client-order-id 902B4FF5 --amount 5.00 --currency USD --profile shop'.split(' ');
  const older = reply(200, statusReply('approved', { 'transaction-type': 'preauth', 'order-stage': 'auth_approved' }));
  const own = reply(
    200,
    statusReply('approved', {
      'transaction-type': 'capture',
      'order-stage': 'capture_approved',
      amount: '5.00',
      currency: 'USD',
    }),
  );

  test('is never done on the older approved of its order', async () => {
    const home = homeWithProfile();
    const waited = await run(home, [...capture, '--wait', '--wait-timeout', '1'], [reply(200, taken), older, older]);
    expect(waited.exit).toBe(7);
    expect(await states(home)).toEqual(['CAPTURE accepted 1']);
    const again = await run(home, [...capture, '--wait'], [older, own]);
    expect([again.exit, bodies(again)]).toEqual([0, 0]);
    expect(await states(home)).toEqual(['CAPTURE done 1']);
  });

  test('whose outcome is unknown stops every other one on its order', async () => {
    const home = homeWithProfile();
    expect((await run(home, capture, [lost])).exit).toBe(8);
    const back = await run(home, 'return 12345 --client-order-id 902B4FF5 --all --comment x --profile shop');
    expect([back.exit, back.requests.length]).toEqual([10, 0]);
    expect(back.err).toMatch(
      /an earlier request on this order has no final outcome yet: capture of 5.00 USD.*has an unknown outcome/,
    );
    expect((await run(home, 'resolve 12345', [older])).exit).toBe(8);
    expect((await run(home, 'resolve 12345', [own])).exit).toBe(0);
  });

  test('that is done is sent once more only with --again', async () => {
    const home = homeWithProfile();
    const first = await run(home, [...capture, '--wait'], [reply(200, taken), own]);
    expect(first.requests[1]?.body).toContain('by-request-sn=00000000-0000-0000-0000-0000015b2f9a');
    const shown = await run(home, capture);
    expect([shown.exit, shown.requests.length]).toEqual([0, 0]);
    expect(shown.err).toMatch(/^warning: an equal capture of 5\.00 USD on order 12345 was already sent; .*--again/);
    expect(bodies(await run(home, [...capture, '--again'], [reply(200, taken)]))).toBe(1);
    expect(await states(home)).toEqual(['CAPTURE done 1', 'CAPTURE accepted 1']);
  });
});

describe('resolve', () => {
  test.each<readonly [string, string, number, string]>([
    ['approved', 'sale', 0, 'done'],
    ['declined', 'sale', 5, 'declined'],
    ['processing', 'sale', 7, 'accepted'],
  ])('status %s: exit and state', async (status, type, exit, state) => {
    const home = homeWithProfile();
    await send(home, [lost]);
    const ran = await run(home, 'resolve 902B4FF5 --json', [
      reply(200, statusReply(status, { 'transaction-type': type })),
    ]);
    expect(ran.exit).toBe(exit);
    expect(JSON.parse(ran.out)).toMatchObject({
      schema: 'paycli.resolve/1',
      settled: state !== 'accepted',
      entries: [{ state }],
    });
  });

  test('a gateway that does not know the outcome itself leaves it unknown, and next says how it is settled', async () => {
    const home = homeWithProfile();
    await send(home, [reply(200, taken)]);
    const unknown = reply(200, statusReply('unknown', { 'transaction-type': 'sale' }));
    const ran = await run(home, 'resolve 902B4FF5 --json', [unknown]);
    expect(ran.exit).toBe(8);
    const { code, message, next } = lastError(ran);
    expect(code).toBe('OUTCOME_UNKNOWN');
    expect(message).toContain('the gateway itself does not know the outcome');
    expect(next).toMatch(/^do not send it again; .*--settle-as.*`paycli resolve 12345`$/);
    const pending = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
    const later = await run(home, 'resolve 902B4FF5 --json', [pending]);
    expect([later.exit, lastError(later).next]).toEqual([7, 'check again with `paycli resolve 12345`']);
  });

  test('a request that was refused does not end as one that was paid', async () => {
    const home = homeWithProfile();
    expect(
      (await send(home, [reply(400, { type: 'validation-error', 'error-message': 'no' }), noSuchOrder])).exit,
    ).toBe(4);
    const ran = await run(home, 'resolve 902B4FF5');
    expect(ran.exit).toBe(4);
    expect(ran.err).toContain('sale of 10.42 USD on order 902B4FF5: ');
    expect(ran.err).toContain('nothing took effect');
  });

  test('allows a resend only after three answers over an hour, and the id', async () => {
    const home = homeWithProfile();
    await send(home, [lost]);
    const early = await run(home, 'resolve 902B4FF5 --resend --confirm-resend 902B4FF5', [noOrder]);
    expect(early.exit).toBe(10);
    expect(early.err).toMatch(/at least 3 times over 60 minutes.*replies so far: 1, over 0 minutes/);
    expect(bodies(await send(home, [noOrder]))).toBe(0);
  });

  test.each([
    [400, 'INVALID_CONTROL_CODE'],
    [400, 'customer right now unavailable'],
  ])(
    'HTTP %i "%s" is no word about the order: it allows no resend, however often it is said',
    async (status, words) => {
      const home = homeWithProfile();
      await send(home, [lost]);
      const no = reply(status, { type: 'validation-error', 'error-message': words });
      for (const minutes of [0, 31, 62]) {
        const asked = await run(home, 'resolve 902B4FF5', [no], minutes);
        expect([asked.exit, asked.err]).toEqual([
          8,
          expect.stringContaining(`the status query failed: ${words} (HTTP ${status})`),
        ]);
        expect(asked.err).not.toContain('knows no such order');
      }
      const refused = await run(home, 'resolve 902B4FF5 --resend --confirm-resend 902B4FF5', [no], 63);
      expect([refused.exit, refused.err]).toEqual([10, expect.stringContaining('replies so far: 0, over 0 minutes')]);
      expect(bodies(await run(home, [...saleFlags], [no], 64))).toBe(0);
      expect(await states(home)).toEqual(['SALE unknown 1']);
    },
  );

  test('of an order nobody sent is an error, and of all where nothing is open is fine', async () => {
    const home = homeWithProfile();
    expect((await run(home, 'resolve nope --profile shop')).exit).toBe(2);
    const all = await run(home, 'resolve --profile shop');
    expect([all.exit, all.out, all.err]).toEqual([0, '', 'nothing is open; `paycli journal` shows every request\n']);
  });
});

test('Ctrl-C after the first byte is unknown, before it is interrupted', async () => {
  const home = homeWithProfile();
  const after = await paycli([...saleFlags], { home, signal: 'SIGINT', network: [] });
  expect([after.exit, after.requests.length]).toEqual([130, 0]);
  expect(await states(home)).toEqual([]);
});

test('an unknown outcome with --wait is asked about at once, and the wait goes on', async () => {
  const home = homeWithProfile();
  const approved = reply(200, statusReply('approved', { 'transaction-type': 'sale' }));
  const processing = reply(200, statusReply('processing', { 'transaction-type': 'sale' }));
  const ran = await send(home, [lost, noOrder, processing, approved], ['--wait']);
  expect([ran.exit, bodies(ran)]).toEqual([0, 1]);
  expect(await states(home)).toEqual(['SALE done 1']);
});

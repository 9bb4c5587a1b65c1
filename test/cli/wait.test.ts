import { describe, expect, test } from 'vitest';
import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, statusReply, taken } from './profiles.js';

const minute = 60_000;
const status = (word: string, more: Readonly<Record<string, string>> = {}) => reply(200, statusReply(word, more));
const noOrder = reply(400, {
  type: 'error',
  'serial-number': '9',
  'error-message': 'order not found',
  'error-code': '6',
});

interface During {
  /** What happens at so many milliseconds after the start, once somebody sleeps past it. */
  readonly at?: number;
  readonly happens?: (stop: (signal: 'SIGINT' | 'SIGTERM') => void) => void;
}

/** A run, with the times of its requests in milliseconds since its start. */
async function run(
  home: string,
  argv: string | readonly string[],
  replies: readonly Delivery[] = [],
  during: During = {},
): Promise<Ran & { asked: number[] }> {
  const asked: number[] = [];
  let now = () => 0;
  const outside = (usual: Runtime): Runtime => {
    const start = usual.clock.monotonic();
    const listening: ((signal: 'SIGINT' | 'SIGTERM') => void)[] = [];
    let isOver = during.at === undefined;
    now = () => usual.clock.monotonic() - start;
    const sleep = async (ms: number) => {
      await usual.clock.sleep(ms);
      if (isOver || now() < (during.at ?? 0)) return;
      isOver = true;
      expect(listening, 'somebody listens for signals').not.toEqual([]);
      for (const listen of listening) during.happens?.(listen);
    };
    return {
      ...usual,
      clock: { now: () => usual.clock.now(), monotonic: () => usual.clock.monotonic(), sleep },
      processes: {
        ...usual.processes,
        onStop: (callback) => {
          listening.push(callback);
          return () => undefined;
        },
      },
    };
  };
  const network = replies.map((one) => () => {
    asked.push(now());
    return one;
  });
  return { ...(await paycli(argv, { home, network, outside })), asked };
}

async function sold(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, [reply(200, taken)])).exit).toBe(0);
  return home;
}

const stateOf = async (home: string) => JSON.parse((await run(home, 'journal --json')).out).entries[0].state;

describe('the exit code is the outcome', () => {
  test.each<readonly [string, readonly string[], number, string]>([
    ['approved', [], 0, 'done'],
    ['declined', [], 5, 'declined'],
    ['declined', ['--expect', 'approved'], 11, 'declined'],
    ['declined', ['--expect', 'declined'], 0, 'declined'],
  ])('%s with %j: %i', async (word, more, exit, state) => {
    const home = await sold();
    const ran = await run(home, ['status', '--wait', '12345', ...more], [status('processing'), status(word)]);
    expect([ran.exit, ran.asked.length]).toEqual([exit, 2]);
    expect(ran.out).toContain(word);
    expect(ran.err.includes('expected approved, got declined')).toBe(exit === 11);
    expect(await stateOf(home)).toBe(state);
  });

  test.each([
    ['of the last transaction where there are several', [], undefined],
    ['of the one that --by-serial names', ['--by-serial', taken['serial-number']], taken['serial-number']],
  ])('%s', async (_, more, serial) => {
    const home = await sold();
    const returned = { 'transaction-type': 'reversal', amount: '5.00', currency: 'USD' };
    const replies = [status('processing', returned), status('declined', returned)];
    const ran = await run(home, ['status', '--wait', '12345', ...more], replies);
    expect(ran.exit).toBe(5);
    const asked = ran.requests.map(({ body }) => new URLSearchParams(body).get('by-request-sn') ?? undefined);
    expect(asked).toEqual([serial, serial]);
    const { out } = await paycli('status --help');
    const words = "the final outcome of the order's last transaction, or of the one --by-serial names (A42)";
    expect(out.replaceAll(/\s+/g, ' ')).toContain(words);
  });

  test.each([
    ['processing', 7, 'next: paycli status 12345 --wait\n'],
    ['chain_declined', 7, 'next: paycli status 12345 --wait\n'],
    ['unknown', 8, 'the gateway itself does not know the outcome'],
    ['frobnicated', 8, 'a status unknown to paycli'],
  ])('%s when the time is up: %i', async (word, exit, says) => {
    const ran = await run(await sold(), 'status --wait 12345 --wait-timeout 4', [
      status(word),
      status(word),
      status(word),
    ]);
    expect([ran.exit, ran.asked[0], ran.asked[2]]).toEqual([exit, 0, 4000]);
    expect(ran.out).toContain(says);
  });

  test('9 when three questions in a row went without an answer, and nothing on standard output', async () => {
    const ran = await run(await sold(), 'status --wait 12345 --json', [
      status('processing'),
      ...Array.from({ length: 9 }, () => lost),
    ]);
    expect([ran.exit, ran.out]).toEqual([9, '']);
    expect(JSON.parse(ran.err)).toMatchObject({
      code: 'READ_FAILED',
      message: expect.stringContaining('the last reply before that was processing'),
    });
  });

  test('4 when the gateway has no such order', async () => {
    const ran = await run(homeWithProfile(), 'status --wait 777', [noOrder, noOrder, noOrder]);
    expect([ran.exit, ran.err]).toEqual([4, expect.stringContaining('order not found')]);
  });

  test('a 3-D Secure step is waited through', async () => {
    const step = status('processing', { tds_status: 'CReqForm' });
    const ran = await run(await sold(), 'status --wait 12345', [status('processing'), step, step, status('approved')]);
    expect([ran.exit, ran.asked.length]).toEqual([0, 4]);
  });

  test('0 at a payout that is checked, unless another word is waited for', async () => {
    const checked = status('processing', { 'order-stage': 'payout_check_validated' });
    expect((await run(await sold(), 'status --wait 12345', [checked])).exit).toBe(0);
    expect(
      (await run(await sold(), 'status --wait 12345 --expect approved --wait-timeout 1', [checked, checked])).exit,
    ).toBe(7);
  });
});

test('asks every three to five seconds for five minutes, then every five to ten minutes up to an hour', async () => {
  const replies = Array.from({ length: 120 }, () => status('processing'));
  const asked: number[] = [];
  const home = await sold();
  let start = 0;
  const ran = await paycli('status --wait 12345 --wait-timeout 3600', {
    home,
    outside: (usual) => {
      start = usual.clock.monotonic();
      const post = async () => {
        asked.push(usual.clock.monotonic() - start);
        return replies[0] ?? lost;
      };
      return { ...usual, transport: async () => ({ post, close: async () => undefined }) };
    },
  });
  expect(ran.exit).toBe(7);
  const gaps = asked.slice(1).map((at, index) => ({ after: asked[index] ?? 0, gap: at - (asked[index] ?? 0) }));
  for (const { after, gap } of gaps.slice(0, -1)) {
    expect(gap).toBeGreaterThanOrEqual(after < 5 * minute ? 3000 : 5 * minute);
    expect(gap).toBeLessThanOrEqual(after < 5 * minute ? 5000 : 10 * minute);
  }
  expect(asked.at(-1)).toBe(60 * minute);
  expect(asked.filter((at) => at <= 5 * minute).length).toBeGreaterThanOrEqual(60);
  expect(asked.length).toBeLessThanOrEqual(101 + 12);
});

describe('an interrupted wait', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s shows what is known and exits with %i', async (signal, exit) => {
    const home = await sold();
    const ran = await run(home, 'status --wait 12345', [status('processing')], {
      at: 1000,
      happens: (stop) => stop(signal),
    });
    expect([ran.exit, ran.out]).toEqual([exit, expect.stringContaining('processing')]);
    expect(ran.out).toContain('next: paycli status 12345 --wait');
    expect(ran.err).toContain('so the order is as it was at the gateway');
  });

  test.each([
    ['unknown', 8, 'unknown'],
    ['processing', 7, 'accepted'],
  ])('of a sale whose status was %s last exits with %i, and the journal says %s', async (word, exit, state) => {
    const home = homeWithProfile();
    const interrupted = { at: 1000, happens: (stop: (signal: 'SIGINT') => void) => stop('SIGINT') };
    const ran = await run(home, [...saleFlags, '--wait'], [reply(200, taken), status(word)], interrupted);
    expect([ran.exit, ran.asked.length], ran.err).toEqual([exit, 2]);
    const { out } = await paycli('journal --json', { home });
    expect(JSON.parse(out).entries).toMatchObject([{ state }]);
  });
});

test.each([
  [[], 'paycli status --help'],
  [['1', '--wait-timeout', '3601'], '--wait-timeout: use a duration such as 500ms, 30s, 2m, 1h or 7d, or a number'],
  [['1', '--wait-timeout', '61m'], 'at most 3600s'],
  [['1', '--wait-timeout', '1.5s'], '--wait-timeout: use a duration'],
  [['1', '--expect', 'final'], '--expect: use one of approved'],
])('wait %j is wrong usage', async (argv, says) => {
  const ran = await run(homeWithProfile(), ['status', '--wait', ...argv]);
  expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(says)]);
});

test('a live profile needs --live', async () => {
  const home = homeWithProfile({ class: 'live' });
  expect((await run(home, 'status --wait 12345')).exit).toBe(10);
  expect((await run(home, 'status --wait 12345 --live', [status('approved')])).exit).toBe(0);
});

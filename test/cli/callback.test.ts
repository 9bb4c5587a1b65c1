import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import type { Clock, Delivery } from '../../src/runtime/ports.js';
import { key, oldKey, queryOf, saleFields } from '../callbacks/support.js';
import { openHandler } from '../sandbox/handler.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from './profiles.js';

/** Real time, in which nobody waits long. */
const hasty: Clock = { ...systemClock, sleep: (ms) => systemClock.sleep(Math.min(ms, ms === 5000 ? 50 : 10)) };

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const noOrder = reply(400, {
  type: 'error',
  'serial-number': '9',
  'error-message': 'order not found',
  'error-code': '6',
});
const status = (word: string) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }));

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = [], clock: Clock = hasty) =>
  paycli(argv, { home, network: replies.map((one) => () => one), outside: (usual) => ({ ...usual, clock }) });

type Act = (url: string) => Promise<unknown>;

/** Listens while `act` goes on. Whatever is open in the journal is asked about first. */
async function listening(
  home: string,
  flags: readonly string[],
  replies: readonly Delivery[],
  act: Act,
  clock: Clock = hasty,
): Promise<Ran> {
  const ready = join(home, 'ready');
  const running = run(home, ['callback', 'listen', '--ready-file', ready, ...flags], replies, clock);
  let ended = false;
  void running.finally(() => {
    ended = true;
  });
  while (!ended && !(existsSync(ready) && readFileSync(ready, 'utf8') !== '')) await systemClock.sleep(5);
  if (!ended) await act(readFileSync(ready, 'utf8').trim());
  return running;
}

const call =
  (fields: Readonly<Record<string, string>>): Act =>
  async (url) =>
    (await fetch(`${url}?${queryOf(fields)}`)).status;
const once = ['--exit-after', '1', '--check', '--json'];

interface Entry {
  readonly state: string;
  readonly reason: string;
}

const entries = async (home: string): Promise<readonly Entry[]> =>
  JSON.parse((await run(home, ['journal', '--json'])).out).entries;
const states = async (home: string) => (await entries(home)).map(({ state }) => state);
const events = ({ out }: Ran) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function sold(replies: readonly Delivery[], more: readonly string[] = []): Promise<string> {
  const home = homeWithProfile();
  await run(home, [...saleFlags, ...more], replies);
  return home;
}

describe('a callback moves the journal only through status', () => {
  test('approved by both', async () => {
    const home = await sold([reply(200, taken)]);
    const ran = await listening(home, once, [status('processing'), status('approved')], call(saleFields()));
    expect(ran.exit, ran.err + ran.out).toBe(0);
    expect(events(ran)).toMatchObject([
      { event: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) },
      { event: 'sweep', asked: 1, settled: 0 },
      {
        event: 'callback',
        as: 'new',
        verified: 'fits',
        answered: 200,
        settled: 1,
        asked: { status: 'approved' },
        conflicts: [],
      },
      { event: 'summary', reason: 'exit-after', received: 1, fits: 1, asked: 2, settled: 1, contradictions: 0 },
    ]);
    expect(await states(home)).toEqual(['done']);
  });

  test('status lags behind: it is asked again until it agrees', async () => {
    const home = await sold([reply(200, taken)]);
    const lag = ['processing', 'processing', 'processing', 'approved'].map(status);
    const ran = await listening(home, once, lag, call(saleFields()));
    expect(ran.exit, ran.err + ran.out).toBe(0);
    expect(await states(home)).toEqual(['done']);
  });

  test('a lost sale that the gateway knows', async () => {
    const home = await sold([lost]);
    const ran = await listening(home, once, [noOrder, status('approved')], call(saleFields()));
    expect([ran.exit, await states(home)]).toEqual([0, ['done']]);
  });

  test('a lost sale that status knows nothing of stays unknown, whatever the callback says', async () => {
    const home = await sold([lost]);
    const ran = await listening(
      home,
      once,
      Array.from({ length: 7 }, () => noOrder),
      call(saleFields()),
    );
    expect(await states(home)).toEqual(['unknown']);
    expect(events(ran)[2]).toMatchObject({
      settled: 0,
      asked: { status: null, says: expect.stringContaining('no reply to the status request') },
    });
  });

  test('status said declined, then a callback says approved: flagged, and the journal stays', async () => {
    const home = await sold([reply(200, taken), status('declined')], ['--wait']);
    const ran = await listening(home, once, [status('declined')], call(saleFields()));
    expect(ran.exit).toBe(11);
    const conflicts = [
      'the callback says approved, the journal says declined',
      'the callback says approved, status says declined',
    ];
    expect(events(ran)[1]).toMatchObject({ conflicts });
    expect(await states(home)).toEqual(['declined']);
    const shown = await run(home, ['journal', '902B4FF5']);
    for (const conflict of conflicts) expect(shown.out).toContain(`a callback contradicts this: ${conflict}`);
    const again = await listening(home, ['--exit-after', '1'], [status('declined')], call(saleFields({ type: '' })));
    expect(again.exit, 'without --check it is only told').toBe(0);
  });

  test.each<readonly [string, readonly Delivery[], readonly string[], readonly string[]]>([
    ['status agrees with it', [status('approved')], [], ['conflict']],
    ['status gives no answer', [noOrder], [], ['conflict']],
    ['nobody may be asked', [], ['--no-ask'], ['conflict']],
    ['status denies it', [status('declined')], [], ['declined']],
  ])('a person said not paid, then a callback says approved, and %s', async (_, answers, flags, becomes) => {
    const home = await sold([lost]);
    await run(home, [
      'resolve',
      '902B4FF5',
      '--offline',
      '--settle-as',
      'not-paid',
      '--evidence',
      'the statement of today',
    ]);
    await listening(home, [...once, ...flags], answers, call(saleFields()));
    expect(await states(home)).toEqual(becomes);
    expect((await run(home, ['resolve', '--all'])).exit).toBe(becomes[0] === 'conflict' ? 8 : 0);
  });

  test('a callback whose checksum does not match raises no conflict', async () => {
    const home = await sold([lost]);
    await run(home, [
      'resolve',
      '902B4FF5',
      '--offline',
      '--settle-as',
      'not-paid',
      '--evidence',
      'the statement of today',
    ]);
    await listening(home, once, [], call({ ...saleFields(), control: '0'.repeat(40) }));
    expect(await states(home)).toEqual(['declined']);
  });

  test('the gateway refused, then a callback says approved: a person must look', async () => {
    const home = await sold([reply(400, { type: 'validation-error', 'error-message': 'no' }), noSuchOrder]);
    const ran = await listening(home, once, [status('approved')], call(saleFields()));
    expect(ran.exit).toBe(11);
    expect(events(ran)[1]).toMatchObject({
      conflicts: ['the callback says approved, the journal says refused'],
      asked: { status: 'approved' },
    });
    expect(await states(home)).toEqual(['conflict']);
  });

  test('approved by both, for another amount: in conflict', async () => {
    const home = await sold([reply(200, taken)]);
    const less = reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '1.00', currency: 'USD' }));
    await listening(home, once, [status('processing'), less], call(saleFields({ amount: '1.00' })));
    expect(await states(home)).toEqual(['conflict']);
  });

  test.each([
    ['sale', 'conflict'],
    ['', 'done'],
    ['reversal', 'done'],
  ])('approved, then a callback of type "%s" says declined: %s', async (type, state) => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    await listening(home, [...once, '--no-ask'], [], call(saleFields({ status: 'declined', type })));
    expect(await states(home)).toEqual([state]);
  });

  test('what is settled and agrees is not asked about', async () => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    const ran = await listening(home, once, [], call(saleFields()));
    expect([ran.exit, ran.requests.length]).toEqual([0, 0]);
    expect(events(ran)[1]).toMatchObject({ asked: null, notAsked: 'no amount or outcome would change' });
  });
});

describe('what does not match', () => {
  test('a wrong checksum asks status once in the life of an order, and settles nothing by itself', async () => {
    const home = await sold([reply(200, taken)]);
    const wrong = (control: string) => call(saleFields({ control }));
    const act: Act = async (url) => {
      for (const control of ['1', '2', '3']) expect(await wrong(control)(url)).toBe(403);
    };
    const ran = await listening(
      home,
      ['--exit-after', '3', '--check', '--json'],
      [status('processing'), status('processing')],
      act,
    );
    expect([ran.exit, ran.requests.length, await states(home)]).toEqual([11, 2, ['accepted']]);
    expect(events(ran).at(-1)).toMatchObject({ wrong: 3, fits: 0, asked: 2 });
    const settled = await listening(home, once, [status('processing'), status('approved')], call(saleFields()));
    expect([settled.exit, await states(home)]).toEqual([0, ['done']]);
  });

  test('the right signature for an order nobody sent', async () => {
    const home = await sold([reply(200, taken)]);
    const other = saleFields({ orderid: '777', client_orderid: 'other' });
    const ran = await listening(home, once, [status('processing')], call(other));
    expect([ran.exit, await states(home)]).toEqual([0, ['accepted']]);
    expect(events(ran)[2]).toMatchObject({
      verified: 'fits',
      asked: null,
      notAsked: 'the journal has no request on this order',
    });
    const { orders } = JSON.parse((await run(home, ['orders', '--json'])).out);
    expect(orders).toMatchObject([
      { orderId: '12345', operation: 'sale' },
      { orderId: '777', clientOrderId: 'other', operation: null, reason: 'seen, made elsewhere' },
    ]);
  });

  test.each([
    [{ amount: '99.99' }, /^its amount 99.99 USD differs from the journal/],
    [{ currency: 'EUR' }, /^its amount 10.42 EUR differs from the journal/],
    [{ amount: 'x' }, /^its amount x USD/],
    [{ merchant_order: 'other' }, /^merchant_order differs from client_orderid/],
  ])('unsigned fields are held against the journal: %j', async (own, conflict) => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    const ran = await listening(home, once, [], call(saleFields(own)));
    expect(ran.exit).toBe(11);
    expect(events(ran)[1].conflicts).toEqual([expect.stringMatching(conflict)]);
  });

  test('hostile text is escaped and card numbers do not show; keys and checksums never', async () => {
    const home = homeWithProfile();
    const fields = saleFields({
      comment: '\u001b]52;c;x\u0007',
      descriptor: 'card 4444 3333 2222 1111',
      sneaky: '4444333322221111',
      amount: '1\n2',
    });
    const ran = await listening(home, ['--exit-after', '1'], [], call(fields));
    const shown = await run(home, ['callback', 'list', '1']);
    const listed = await run(home, ['callback', 'list', '--json']);
    for (const { out, err } of [ran, shown, listed]) {
      expect(out + err).not.toMatch(/(?![\n])\p{Cc}/u);
      for (const secret of [fields['control'] ?? '', key, '4444333322221111', '4444 3333 2222 1111'])
        expect(out + err).not.toContain(secret);
    }
    expect(ran.out).toContain('1 2 USD');
    expect(shown.out).toMatch(/ sneaky +•••\n/);
    const kept = readdirSync(join(home, 'state')).map((name) => readFileSync(join(home, 'state', name), 'latin1'));
    for (const text of kept) expect(text).not.toContain(key);
  });
});

describe('the end of a listener', () => {
  test('so long, with and without what it waits for', async () => {
    const home = homeWithProfile();
    expect((await listening(home, ['--timeout', '1'], [], async () => undefined)).exit).toBe(0);
    const ran = await listening(home, ['--timeout', '1', '--exit-after', '1', '--json'], [], async () => undefined);
    expect([ran.exit, events(ran).at(-1).reason]).toEqual([7, 'timeout']);
    expect(JSON.parse(ran.err)).toMatchObject({
      ...{ code: 'NO_CALLBACK', message: 'no callback received within 1 s', exit: 7, http: null, topic: 'callbacks' },
      next: expect.stringContaining('--server-callback-url or --notify-url'),
    });
    const asked = await sold([reply(200, taken)]);
    const open = [status('processing'), status('processing')];
    const argv = ['--timeout', '1', '--exit-after', '1', '--json'];
    const none = await listening(asked, argv, open, async () => undefined);
    expect([none.exit, JSON.parse(none.err)]).toMatchObject([7, { code: 'NO_CALLBACK', http: null }]);
    // The time is up once the first one was answered.
    let end = () => {};
    const called = new Promise<void>((resolve) => {
      end = resolve;
    });
    const clock: Clock = { ...hasty, sleep: (ms) => (ms === 77_000 ? called : hasty.sleep(ms)) };
    const two = await listening(
      home,
      ['--no-ask', '--timeout', '77', '--exit-after', '2', '--json'],
      [],
      async (url) => call(saleFields())(url).then(end),
      clock,
    );
    expect([two.exit, JSON.parse(two.err).message]).toEqual([7, 'only 1 of 2 callbacks received within 77 s']);
    expect(existsSync(join(home, 'ready')), 'the ready file goes with it').toBe(false);
  });

  test('a signal', async () => {
    const home = homeWithProfile();
    const ran = await paycli(['callback', 'listen', '--json'], {
      home,
      signal: 'SIGTERM',
      outside: (usual) => ({ ...usual, clock: hasty }),
    });
    expect([ran.exit, events(ran).map(({ event }) => event)]).toEqual([0, ['ready', 'summary']]);
    expect(events(ran)[1].reason).toBe('SIGTERM');
  });

  test('at the end of its time it asks about what nobody called back', async () => {
    const home = await sold([reply(200, taken)]);
    const ran = await listening(
      home,
      ['--timeout', '1'],
      [status('processing'), status('approved')],
      async () => undefined,
    );
    expect([ran.exit, await states(home)]).toEqual([0, ['done']]);
  });

  test.each<readonly [string, readonly string[], number]>([
    ['a command without --run', ['--', 'true'], 2],
    ['--run without a command', ['--run'], 2],
    ['a port that is none', ['--port', '70000'], 2],
    ['an address that is none', ['--forward', 'localhost:3000'], 2],
    ['a route that is none', ['--route', 'reversal'], 2],
    ['--answer-with-handler alone', ['--answer-with-handler'], 2],
    ['--run with --timeout', ['--timeout', '5', '--run', '--', 'true'], 2],
    ['an address of another machine', ['--host', '192.0.2.77'], 2],
    ['a path without a slash', ['--path', 'callback'], 2],
    ['an old key that is not there', ['--old-control-key-file', '/no/such/key'], 3],
    ['--live without a live profile', ['--live'], 10],
  ])('refuses %s', async (_, flags, exit) => {
    const ran = await run(homeWithProfile(), ['callback', 'listen', ...flags]);
    expect([ran.exit, ran.out]).toEqual([exit, '']);
  });

  test('a live profile needs --live', async () => {
    const home = homeWithProfile({ class: 'live' });
    expect((await run(home, ['callback', 'listen'])).exit).toBe(10);
    expect((await listening(home, ['--live', '--timeout', '1'], [], async () => undefined)).exit).toBe(0);
    expect((await run(home, ['callback', 'send', '1', '--to', 'http://127.0.0.1:9/'])).exit).toBe(10);
  });
});

test('several keys count while they are changed, and one callback is enough to see which', async () => {
  const home = homeWithProfile();
  const old = join(home, 'old.key');
  writeFileSync(old, oldKey, { mode: 0o600 });
  const ran = await listening(home, [...once, '--old-control-key-file', old], [], call(saleFields({}, oldKey)));
  expect(ran.exit).toBe(0);
  expect(events(ran)[1]).toMatchObject({
    verified: 'fits',
    why: expect.stringContaining('its checksum (control) matches an old control key'),
  });
});

describe('the history', () => {
  test('is listed, shown and replayed byte for byte, also many times', async () => {
    const home = homeWithProfile();
    const handler = await openHandler('/hook');
    await listening(home, ['--exit-after', '2', '--forward', handler.url], [], async (url) => {
      await call(saleFields())(url);
      await fetch(url, { method: 'POST', body: new URLSearchParams(saleFields({ type: 'reversal' })) });
    });
    const replays = 10;
    const listed = JSON.parse((await run(home, ['callback', 'list', '--order', '12345', '--json'])).out);
    expect(listed.callbacks.map(({ type }: { readonly type: string }) => type)).toEqual(['sale', 'reversal']);
    const none = await run(home, ['callback', 'list', '--order', 'other']);
    expect([none.exit, none.out, none.err]).toEqual([
      0,
      '',
      'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all\n',
    ]);
    for (let times = 0; times < replays; times += 1)
      await run(home, ['callback', 'send', '--stored', String(1 + (times % 2))]);
    expect(handler.calls).toHaveLength(2 + replays);
    expect(new Set(handler.calls.map((each) => JSON.stringify(each))).size).toBe(2);
    expect(handler.calls[0]?.fields).toEqual(Object.entries(saleFields()));
    expect((await run(home, ['callback', 'list', '-o', 'ndjson'])).out.trim().split('\n')).toHaveLength(2);
    const shown = JSON.parse((await run(home, ['callback', 'list', '1', '--json'])).out);
    expect(shown).toMatchObject({ schema: 'paycli.callback/1', repeats: 0 });
    expect(shown.forwards).toHaveLength(1 + replays / 2);
    const down = await run(home, ['callback', 'send', '--stored', '1', '--to', 'http://127.0.0.1:9/', '--json']);
    expect([down.exit, JSON.parse(down.err)]).toMatchObject([
      6,
      { code: 'HANDLER_SILENT', topic: 'callbacks', facts: { url: 'http://127.0.0.1:9/' } },
    ]);
  });
});

describe('callback verify', () => {
  const fits = queryOf(saleFields());

  test.each([
    [fits],
    [`?${fits}`],
    [`https://shop.example/cb?${fits}#x`],
    [`GET /cb?${fits} HTTP/1.1`],
    ['@callback.txt'],
  ])('%s', async (input) => {
    const home = await sold([reply(200, taken)]);
    writeFileSync(join(home, 'callback.txt'), `${fits}\n`);
    const ran = await run(home, ['callback', 'verify', input]);
    expect([ran.exit, ran.out]).toEqual([
      0,
      expect.stringMatching(/^✓ its checksum \(control\) matches the control key/),
    ]);
  });
});

describe('callback send', () => {
  test('says what status says, with a checksum that fits', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const ran = await run(home, ['callback', 'send', '12345', '--to', handler.url], [status('approved')]);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(handler.calls[0]?.fields).toEqual(
      Object.entries({ ...saleOrder, ...saleFields(), merchant_order: '902B4FF5' }),
    );
  });

  test('an order nobody knows needs everything that is signed', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const argv = ['callback', 'send', '12345', '--to', handler.url];
    const refused = await run(home, argv, [noOrder]);
    expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining('--set status=… --set client_orderid=…')]);
    const set = ['--set', 'status=approved', '--set', 'client_orderid=902B4FF5'];
    const ran = await run(home, [...argv, ...set], [noOrder]);
    expect([ran.exit, ran.err]).toEqual([
      0,
      expect.stringMatching(/^warning: .*order not found.*; this callback may not match the order$/m),
    ]);
    expect(Object.fromEntries(handler.calls[0]?.fields ?? [])).toMatchObject({ control: saleFields()['control'] });
  });

  test('makes the checksum itself', async () => {
    const ran = await run(homeWithProfile(), 'callback send 1 --to http://127.0.0.1:9/ --set control=x'.split(' '));
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('the checksum (control) is added automatically')]);
  });
});

// The order of the fields that a callback begins with.
const saleOrder = { status: '', merchant_order: '', client_orderid: '', orderid: '', type: '' };

test('after a gap status is asked about what was open meanwhile', async () => {
  const home = await sold([reply(200, taken)]);
  let slept = 0;
  // One clock stands still while the machine sleeps.
  const sleepy: Clock = {
    ...systemClock,
    now: () => systemClock.now() + slept,
    sleep: (ms) => {
      if (ms === 5000) slept += 600_000;
      return systemClock.sleep(Math.min(ms, ms === 5000 ? 20 : 200));
    },
  };
  const ran = await run(
    home,
    ['callback', 'listen', '--timeout', '1', '--json'],
    [status('processing'), status('approved')],
    sleepy,
  );
  const seen = events(ran).map(({ event, seconds, why }) => ({ event, seconds, why }));
  expect(seen).toContainEqual({ event: 'gap', seconds: 595 });
  expect(seen).toContainEqual({ event: 'sweep', why: 'missed meanwhile' });
  expect(await states(home)).toEqual(['done']);
});

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import type { Clock, Delivery, Runtime } from '../../src/runtime/ports.js';
import { key, oldKey, queryOf, saleFields } from '../callbacks/support.js';
import { openHandler } from '../sandbox/handler.js';
import { examplesOf } from '../support/declared.js';
import { isEvery } from '../support/every.js';
import { paycli, type Ran, reply, temporaryHome } from '../support/runtime.js';
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
  JSON.parse((await run(home, ['journal', 'list', '--json'])).out).entries;
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
    const shown = await run(home, ['journal', 'show', '902B4FF5']);
    for (const conflict of conflicts) expect(shown.out).toContain(`a callback contradicts this: ${conflict}`);
    expect((await run(home, ['journal', 'verify'])).exit).toBe(0);
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

  test('--no-ask', async () => {
    const home = await sold([reply(200, taken)]);
    const ran = await listening(home, [...once, '--no-ask'], [], call(saleFields()));
    expect([ran.exit, ran.requests.length, await states(home)]).toEqual([0, 0, ['accepted']]);
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
  });

  test('the right signature over ids that do not belong together', async () => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    const ran = await listening(home, once, [], call(saleFields({ orderid: '777' })));
    expect(ran.exit).toBe(11);
    expect(events(ran)[1].conflicts).toEqual([
      'its order id and client order id belong to different orders in the journal',
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

  test('without a number, show offers the newest ones on a terminal', async () => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    await listening(home, once, [], call(saleFields()));
    const ran = await paycli(['callback', 'show'], { home, tty: true, answers: [['callback', '1']] });
    expect(ran.questions.map(({ choices, meanings }) => [choices, meanings?.['1']])).toEqual([
      [['1'], expect.stringMatching(/^approved sale, order 902B4FF5 \/ 12345, /)],
    ]);
    expect([ran.exit, ran.out], ran.err).toEqual([0, expect.stringContaining('#1')]);
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
    const shown = await run(home, ['callback', 'show', '1']);
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

  test('a request to another path is told of once, without its query', async () => {
    const home = homeWithProfile();
    const ran = await listening(home, ['--no-ask', '--exit-after', '1'], [], async (url) => {
      for (const path of ['/cb?status=approved&orderid=4444333322221111', '/cb?again=1', '/4444333322221111'])
        expect((await fetch(new URL(path, url))).status).toBe(404);
      expect((await fetch(url)).status).toBe(400);
      await call(saleFields())(url);
    });
    expect([ran.exit, ran.err]).toEqual([
      0,
      [
        'warning: a request to /cb was answered 404: callbacks are received at /callback\n',
        'warning: a request to /•••• 1111 was answered 404: callbacks are received at /callback\n',
        'warning: a request to /callback was answered 400: the request has no fields\n',
      ].join(''),
    ]);
  });

  test('of requests to ever other paths, ten are told of', async () => {
    const ran = await listening(homeWithProfile(), ['--no-ask', '--exit-after', '1'], [], async (url) => {
      for (let count = 0; count < 15; count += 1) await fetch(new URL(`/x${count}`, url));
      await call(saleFields())(url);
    });
    const lines = ran.err.trimEnd().split('\n');
    expect([ran.exit, lines.length]).toEqual([0, 10]);
    expect(lines.at(-1)).toMatch(/^warning: a request to \/x9 was answered 404: .*; further ones are only counted$/);
  });

  test('whose address could not be printed: the port is closed again', async () => {
    let url = '';
    const out = (text: string) => {
      url = /http:\S+/.exec(text)?.[0] ?? url;
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    const ran = await paycli(['callback', 'listen'], {
      home: homeWithProfile(),
      outside: (usual) => ({ ...usual, clock: hasty, terminal: { ...usual.terminal, out } }),
    });
    expect(ran.exit).not.toBe(0);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
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
    expect((await run(home, ['callback', 'send', '--order', '1', '--to', 'http://127.0.0.1:9/'])).exit).toBe(10);
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

test('without a control key nothing can be verified, and that is said', async () => {
  const home = homeWithProfile({ withoutControlKey: true });
  const ran = await listening(home, once, [], call(saleFields()));
  expect(events(ran)[1]).toMatchObject({ verified: 'no-key', answered: 200 });
  expect((await run(home, ['callback', 'verify', queryOf(saleFields())])).exit).toBe(3);
});

describe('the history', () => {
  test('is listed, shown and replayed byte for byte, also many times', async () => {
    const home = homeWithProfile();
    const handler = await openHandler('/hook');
    await listening(home, ['--exit-after', '2', '--forward', handler.url], [], async (url) => {
      await call(saleFields())(url);
      await fetch(url, { method: 'POST', body: new URLSearchParams(saleFields({ type: 'reversal' })) });
    });
    const replays = isEvery ? 100 : 10;
    const listed = JSON.parse((await run(home, ['callback', 'list', '--order', '12345', '--json'])).out);
    expect(listed.callbacks.map(({ type }: { readonly type: string }) => type)).toEqual(['sale', 'reversal']);
    const none = await run(home, ['callback', 'list', '--order', 'other']);
    expect([none.exit, none.out, none.err]).toEqual([
      0,
      '',
      'no callback matches these filters; without them and PAYCLI_PROFILE, `paycli callback list` shows all\n',
    ]);
    for (let times = 0; times < replays; times += 1) await run(home, ['callback', 'replay', String(1 + (times % 2))]);
    expect(handler.calls).toHaveLength(2 + replays);
    expect(new Set(handler.calls.map((each) => JSON.stringify(each))).size).toBe(2);
    expect(handler.calls[0]?.fields).toEqual(Object.entries(saleFields()));
    expect((await run(home, ['callback', 'list', '--ndjson'])).out.trim().split('\n')).toHaveLength(2);
    const shown = JSON.parse((await run(home, ['callback', 'show', '1', '--json'])).out);
    expect(shown).toMatchObject({ schema: 'paycli.callback/1', repeats: 0 });
    expect(shown.forwards).toHaveLength(1 + replays / 2);
  });

  test('a replay says what the handler made of it', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    await listening(home, ['--exit-after', '1'], [], call(saleFields()));
    expect((await run(home, ['callback', 'replay', '1'])).exit, 'nowhere to').toBe(2);
    handler.answers.push((response) => void response.writeHead(500).end('broken'));
    const failed = await run(home, ['callback', 'replay', '1', '--to', handler.url]);
    expect([failed.exit, failed.out]).toEqual([
      11,
      expect.stringMatching(/→ http:\/\/127.0.0.1:\d+\/hook {2}500 {2}\d+ ms .*"broken"/),
    ]);
    expect((await run(home, ['callback', 'replay', '1'])).exit).toBe(0);
    expect((await run(home, ['callback', 'replay', '1', '--to', 'http://127.0.0.1:9/'])).exit).toBe(6);
    expect((await run(home, ['callback', 'replay', '2', '--to', handler.url])).exit).toBe(2);
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

  test('says why not, in text and JSON', async () => {
    const home = homeWithProfile();
    const ran = await run(home, ['callback', 'verify', queryOf(saleFields({ status: '' })), '--json']);
    expect([ran.exit, JSON.parse(ran.out)]).toMatchObject([
      11,
      { ok: false, verified: 'wrong', why: 'status is missing or empty' },
    ]);
    expect((await run(home, ['callback', 'verify', 'https://shop.example/'])).exit).toBe(11);
  });

  test.each<readonly [string, string, (texts: readonly [string, string, string], key: string) => string]>([
    ['both ids exchanged', 'order permuted', ([status, order, client], key) => status + client + order + key],
    ['the key first', 'order key-first', (texts, key) => key + texts.join('')],
    ['a line feed behind', 'key-whitespace line-feed', (texts, key) => `${texts.join('')}${key}\n`],
    [
      'the status in capitals',
      'upper-case values',
      ([status, ...ids], key) => status.toUpperCase() + ids.join('') + key,
    ],
    ['the recipe of status', 'order other-operation', ([, order, client], key) => `my-shop${client}${order}${key}`],
    ['nothing known', '', () => 'another text'],
  ])('names the mistake of a handler: %s', async (_, expected, textOf) => {
    const home = homeWithProfile();
    const { status = '', orderid = '', client_orderid = '' } = saleFields();
    const control = createHash('sha1')
      .update(textOf([status, orderid, client_orderid], key))
      .digest('hex');
    const input = queryOf({ ...saleFields(), amount: '10.42', currency: 'USD', control });
    const ran = await paycli(['callback', 'verify', input, '--json'], { home });
    const { mistakes = [] } = JSON.parse(ran.out) as { readonly mistakes?: readonly Record<string, string>[] };
    expect([ran.exit, mistakes.map(({ name, variant }) => `${name} ${variant}`).join()]).toEqual([11, expected]);
    expect(ran.out).not.toContain(key);
  });
});

describe('callback send', () => {
  test('says what status says, with a checksum that fits', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const ran = await run(home, ['callback', 'send', '--order', '12345', '--to', handler.url], [status('approved')]);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(handler.calls[0]?.fields).toEqual(
      Object.entries({ ...saleOrder, ...saleFields(), merchant_order: '902B4FF5' }),
    );
  });

  test.each([['902B4FF5'], ['--order', '902B4FF5'], ['12345'], ['902B4FF5', '--order', '902B4FF5']])(
    'takes either id as the argument or with --order: %s %s %s',
    async (...order) => {
      const handler = await openHandler();
      const argv = ['callback', 'send', ...order, '--to', handler.url];
      const ran = await run(homeWithProfile(), argv, [status('approved')]);
      expect([ran.exit, ran.err]).toEqual([0, '']);
      const asked = new URLSearchParams(ran.requests[0]?.body);
      expect([asked.get('orderid'), asked.get('client_orderid')]).toEqual(
        order.includes('12345') ? ['12345', null] : [null, '902B4FF5'],
      );
      expect(handler.calls[0]?.fields).toEqual(
        Object.entries({ ...saleOrder, ...saleFields(), merchant_order: '902B4FF5' }),
      );
    },
  );

  test('two different orders, or none, are wrong usage', async () => {
    const to = ['--to', 'http://127.0.0.1:9/'];
    const two = await run(homeWithProfile(), ['callback', 'send', '1', '--order', '2', ...to]);
    expect([two.exit, two.err]).toEqual([2, expect.stringContaining('the argument and --order name different orders')]);
    const none = await run(homeWithProfile(), ['callback', 'send', ...to]);
    expect([none.exit, none.err]).toEqual([2, expect.stringContaining('no order is named')]);
  });

  test('warns when it says something else', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const argv = [
      'callback',
      'send',
      '--order',
      '12345',
      '--post',
      '--set',
      'status=declined',
      '--set',
      'amount=1.00',
      '--to',
      handler.url,
    ];
    const ran = await run(home, argv, [status('approved')]);
    expect(ran.err).toContain('the status reply has status approved, this callback declined');
    expect(ran.err).toContain('the status reply has amount 10.42, this callback 1.00');
    const sent = Object.fromEntries(handler.calls[0]?.fields ?? []);
    expect([handler.calls[0]?.method, sent]).toEqual([
      'POST',
      { ...saleFields({ status: 'declined', amount: '1.00' }), merchant_order: '902B4FF5' },
    ]);
  });

  test('an order nobody knows needs everything that is signed', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const argv = ['callback', 'send', '--order', '12345', '--to', handler.url];
    const refused = await run(home, argv, [noOrder, noOrder]);
    expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining('--set status=… --set client_orderid=…')]);
    const set = ['--set', 'status=approved', '--set', 'client_orderid=902B4FF5'];
    const ran = await run(home, [...argv, ...set], [noOrder, noOrder]);
    expect([ran.exit, ran.err]).toEqual([
      0,
      expect.stringMatching(/^warning: .*order not found.*; this callback may not match the order$/m),
    ]);
    expect(Object.fromEntries(handler.calls[0]?.fields ?? [])).toMatchObject({ control: saleFields()['control'] });
  });

  test('makes the checksum itself', async () => {
    const ran = await run(homeWithProfile(), [
      'callback',
      'send',
      '--order',
      '1',
      '--to',
      'http://127.0.0.1:9/',
      '--set',
      'control=x',
    ]);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('the checksum (control) is added automatically')]);
  });
});

// The order of the fields that a callback begins with.
const saleOrder = { status: '', merchant_order: '', client_orderid: '', orderid: '', type: '' };

describe('the examples of the help', () => {
  test('are what it shows', async () => {
    for (const name of ['listen', 'list', 'show', 'replay', 'verify', 'send']) {
      const { out } = await paycli(['callback', name, '--help'], { home: temporaryHome() });
      for (const line of await examplesOf(`callback ${name}`))
        expect(out.replace(/\\\n/g, ' ').replace(/\s+/g, ' ')).toContain(`paycli ${line}`);
    }
  });

  test('work, with a handler at its address and an order in the sandbox', { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    const handler = await openHandler('/callback');
    writeFileSync(join(home, 'callback.txt'), 'status=approved');
    await paycli(
      [
        'sale',
        '--client-order-id',
        'order-1',
        '--amount',
        '10.42',
        '--currency',
        'USD',
        '--test-card',
        'approved',
        '--wait',
      ],
      {
        home,
      },
    );
    const port = new URL(handler.url).port;
    const exits: Readonly<Record<string, number>> = { verify: 11, listen: 0 };
    const started: (readonly string[])[] = [];
    const outside = (usual: Runtime): Runtime => ({
      ...usual,
      clock: systemClock,
      processes: {
        ...usual.processes,
        start: async (command) => {
          started.push(command);
          return { exit: Promise.resolve(0), signal: () => undefined };
        },
      },
    });
    for (const name of ['listen', 'send', 'list', 'show', 'replay', 'verify'] as const)
      for (const line of await examplesOf(`callback ${name}`)) {
        const argv = words(line.replaceAll(':3000', `:${port}`));
        const ready = join(home, `ready-${name}`);
        const ends = line.includes('--run')
          ? argv
          : ['callback', 'listen', '--exit-after', '1', '--ready-file', ready, ...argv.slice(2)];
        const running = paycli(name === 'listen' ? ends : argv, { home, outside });
        if (name === 'listen' && !line.includes('--run')) {
          while (!(existsSync(ready) && readFileSync(ready, 'utf8') !== '')) await systemClock.sleep(5);
          const url = readFileSync(ready, 'utf8').trim();
          const made = [
            'callback',
            'send',
            '--client-order-id',
            'order-1',
            '--to',
            url,
            '--set',
            `type=${line.length}`,
          ];
          const sent = await paycli(made, { home });
          expect(sent.exit, sent.err).toBe(0);
        }
        const ran = await running;
        expect(ran.exit, `${line}\n${ran.err}${ran.out}`).toBe(exits[name] ?? 0);
      }
    expect(started).toEqual([['npm', 'test']]);
  });
});

/** A line as a shell takes it apart. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('after a gap the port is opened anew and status is asked about what was open meanwhile', async () => {
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
  const [ready, first, gap, second] = events(ran);
  expect([ready.event, first, gap, second]).toMatchObject([
    'ready',
    { event: 'sweep', why: 'from before this listener started', settled: 0 },
    { event: 'gap', seconds: 595, reopened: true },
    { event: 'sweep', why: 'missed meanwhile', settled: 1 },
  ]);
  expect(await states(home)).toEqual(['done']);
});

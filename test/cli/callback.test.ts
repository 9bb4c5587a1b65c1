import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/machine.js';
import type { Clock, Delivery } from '../../src/runtime/ports.js';
import { key, queryOf, saleFields } from '../callbacks/support.js';
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
const status = (word: string, amount = '10.42') =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', amount, currency: 'USD' }));

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one), outside: (usual) => ({ ...usual, clock: hasty }) });

type Act = (url: string) => Promise<unknown>;

/** Listens while `act` goes on. */
async function listening(home: string, flags: readonly string[], replies: readonly Delivery[], act: Act): Promise<Ran> {
  const ready = join(home, 'ready');
  const running = run(home, ['callback', 'listen', '--ready-file', ready, ...flags], replies);
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
const once = ['--exit-after', '1', '--json'];

const states = async (home: string) =>
  JSON.parse((await run(home, ['journal', '--json'])).out).entries.map(
    (entry: { readonly state: string }) => entry.state,
  );
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

async function markedNotPaid(): Promise<string> {
  const home = await sold([lost]);
  const mark = ['--offline', '--settle-as', 'not-paid', '--evidence', 'the statement of today'];
  await run(home, ['resolve', '902B4FF5', ...mark]);
  return home;
}

describe('a callback moves the journal only through status', () => {
  test('approved by both', async () => {
    const home = await sold([reply(200, taken)]);
    const ran = await listening(home, once, [status('approved')], call(saleFields()));
    expect(ran.exit, ran.err + ran.out).toBe(0);
    expect(events(ran)).toMatchObject([
      { event: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) },
      { event: 'callback', as: 'new', verified: 'fits', answered: 200, settled: 1, asked: { status: 'approved' } },
      { event: 'summary', reason: 'exit-after', new: 1, wrong: 0, settled: 1, contradictions: 0 },
    ]);
    expect(await states(home)).toEqual(['done']);
  });

  test('status lags behind: it is asked again until it agrees', async () => {
    const home = await sold([reply(200, taken)]);
    const lag = ['processing', 'processing', 'approved'].map((word) => status(word));
    const ran = await listening(home, once, lag, call(saleFields()));
    expect([ran.exit, await states(home)], ran.err + ran.out).toEqual([0, ['done']]);
  });

  test.each([
    ['knows', [status('approved')], 'done'],
    [
      'has no record of: it stays unknown, whatever the callback says',
      Array.from({ length: 4 }, () => noOrder),
      'unknown',
    ],
  ] as const)('a lost sale that the gateway %s', async (_, replies, state) => {
    const home = await sold([lost]);
    await listening(home, once, replies, call(saleFields()));
    expect(await states(home)).toEqual([state]);
  });

  test('status said declined, then a callback says approved: flagged, and the journal stays', async () => {
    const home = await sold([reply(200, taken), status('declined')], ['--wait']);
    const ran = await listening(home, once, [status('declined')], call(saleFields()));
    const conflicts = [
      'the callback says approved, the journal says declined',
      'the callback says approved, status says declined',
    ];
    expect([ran.exit, events(ran)[1].conflicts, await states(home)]).toEqual([11, conflicts, ['declined']]);
    const shown = await run(home, ['journal', '902B4FF5']);
    for (const conflict of conflicts) expect(shown.out).toContain(`a callback contradicts this: ${conflict}`);
  });

  test.each<readonly [string, Delivery, string]>([
    ['status agrees with it', status('approved'), 'conflict'],
    ['status gives no answer', noOrder, 'conflict'],
    ['status denies it', status('declined'), 'declined'],
  ])('a person said not paid, then a callback says approved, and %s', async (_, answer, becomes) => {
    const home = await markedNotPaid();
    await listening(home, once, [answer], call(saleFields()));
    expect(await states(home)).toEqual([becomes]);
  });

  test('the gateway refused, then a callback says approved: a person must look', async () => {
    const home = await sold([reply(400, { type: 'validation-error', 'error-message': 'no' }), noSuchOrder]);
    const ran = await listening(home, once, [status('approved')], call(saleFields()));
    expect([ran.exit, await states(home)]).toEqual([11, ['conflict']]);
  });

  test('approved by both, for another amount: in conflict', async () => {
    const home = await sold([reply(200, taken)]);
    await listening(home, once, [status('approved', '1.00')], call(saleFields({ amount: '1.00' })));
    expect(await states(home)).toEqual(['conflict']);
  });

  test.each([{}, { status: 'declined', type: 'reversal' }])('%j: what agrees is not asked about', async (own) => {
    const home = await sold([reply(200, taken), status('approved')], ['--wait']);
    const ran = await listening(home, once, [], call(saleFields(own)));
    expect([ran.exit, ran.requests.length, await states(home)]).toEqual([0, 0, ['done']]);
  });
});

test('a callback whose checksum does not match is listed and changes nothing', async () => {
  for (const [home, state] of [
    [await sold([reply(200, taken)]), 'accepted'],
    [await markedNotPaid(), 'declined'],
  ] as const) {
    const ran = await listening(home, once, [], call(saleFields({ control: '0'.repeat(40) })));
    expect([ran.exit, ran.requests.length, await states(home)]).toEqual([11, 0, [state]]);
    const { callbacks } = JSON.parse((await run(home, ['callback', 'list', '--json'])).out);
    expect(callbacks).toMatchObject([{ verified: 'wrong' }]);
  }
});

test('an order that was not sent from here is noted as seen', async () => {
  const home = await sold([reply(200, taken)]);
  const ran = await listening(home, once, [], call(saleFields({ orderid: '777', client_orderid: 'other' })));
  expect([ran.exit, ran.requests.length, await states(home)]).toEqual([0, 0, ['accepted']]);
  const { orders } = JSON.parse((await run(home, ['orders', '--json'])).out);
  expect(orders).toMatchObject([{ orderId: '12345' }, { orderId: '777', clientOrderId: 'other', operation: null }]);
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
  expect(shown.out).toMatch(/ sneaky +•••\n/);
  const kept = readdirSync(join(home, 'state')).map((name) => readFileSync(join(home, 'state', name), 'latin1'));
  for (const text of kept) expect(text).not.toContain(key);
});

describe('the end of a listener', () => {
  test('so long, with and without what it waits for', async () => {
    const home = homeWithProfile();
    expect((await listening(home, ['--timeout', '1'], [], async () => undefined)).exit).toBe(0);
    const ran = await listening(home, ['--timeout', '1', ...once], [], async () => undefined);
    expect([ran.exit, events(ran).at(-1).reason]).toEqual([7, 'timeout']);
    expect(JSON.parse(ran.err)).toMatchObject({ code: 'NO_CALLBACK', exit: 7, http: null });
    expect(existsSync(join(home, 'ready')), 'the ready file goes with it').toBe(false);
  });

  test('a signal', async () => {
    const ran = await paycli(['callback', 'listen', '--json'], {
      home: homeWithProfile(),
      signal: 'SIGTERM',
      outside: (usual) => ({ ...usual, clock: hasty }),
    });
    expect([ran.exit, events(ran).map(({ event }) => event)]).toEqual([0, ['ready', 'summary']]);
    expect(events(ran)[1].reason).toBe('SIGTERM');
  });

  test('a live profile needs --live', async () => {
    const home = homeWithProfile({ class: 'live' });
    expect((await run(home, ['callback', 'listen'])).exit).toBe(10);
    expect((await listening(home, ['--live', '--timeout', '1'], [], async () => undefined)).exit).toBe(0);
    expect((await run(home, ['callback', 'send', '1', '--to', 'http://127.0.0.1:9/'])).exit).toBe(10);
  });
});

test('the history is listed, shown and forwarded again byte for byte', async () => {
  const home = homeWithProfile();
  const handler = await openHandler('/hook');
  await listening(home, ['--exit-after', '2', '--forward', handler.url], [], async (url) => {
    await call(saleFields())(url);
    await fetch(url, { method: 'POST', body: new URLSearchParams(saleFields({ type: 'reversal' })) });
  });
  const listed = JSON.parse((await run(home, ['callback', 'list', '--order', '12345', '--json'])).out);
  expect(listed.callbacks.map(({ type }: { readonly type: string }) => type)).toEqual(['sale', 'reversal']);
  expect((await run(home, ['callback', 'list', '--order', 'other'])).out).toBe('');
  for (const id of ['1', '2']) await run(home, ['callback', 'send', '--stored', id]);
  expect(handler.calls.slice(2)).toEqual(handler.calls.slice(0, 2));
  expect(handler.calls[0]?.fields).toEqual(Object.entries(saleFields()));
  const shown = JSON.parse((await run(home, ['callback', 'list', '1', '--json'])).out);
  expect([shown.schema, shown.forwards.length]).toEqual(['paycli.callback/1', 2]);
  const down = await run(home, ['callback', 'send', '--stored', '1', '--to', 'http://127.0.0.1:9/', '--json']);
  expect([down.exit, JSON.parse(down.err).code]).toEqual([6, 'HANDLER_SILENT']);
});

describe('callback verify', () => {
  const fits = queryOf(saleFields());

  test.each([[fits], [`https://shop.example/cb?${fits}#x`], [`GET /cb?${fits} HTTP/1.1`], ['@callback.txt']])(
    '%s',
    async (input) => {
      const home = homeWithProfile();
      writeFileSync(join(home, 'callback.txt'), `${fits}\n`);
      const ran = await run(home, ['callback', 'verify', input, '--json']);
      expect([ran.exit, JSON.parse(ran.out)]).toMatchObject([0, { ok: true, verified: 'fits' }]);
    },
  );
});

describe('callback send', () => {
  test('says what status says, with a checksum that fits', async () => {
    const home = homeWithProfile();
    const handler = await openHandler();
    const ran = await run(home, ['callback', 'send', '12345', '--to', handler.url], [status('approved')]);
    expect([ran.exit, ran.err]).toEqual([0, '']);
    expect(Object.fromEntries(handler.calls[0]?.fields ?? [])).toEqual({
      ...saleFields(),
      merchant_order: '902B4FF5',
    });
  });
});

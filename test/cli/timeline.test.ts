import { describe, expect, test } from 'vitest';
import type { NewCallback } from '../../src/callbacks/store.js';
import { timelineText } from '../../src/cli/commands/order/timeline.js';
import { eventOf, type Kind, type Source, type TimelineEvent } from '../../src/cli/commands/order/timeline-events.js';
import type { Timeline } from '../../src/cli/commands/order/timeline-gather.js';
import type { Delivery, Paint } from '../../src/runtime/ports.js';
import { openHistoryIn } from '../callbacks/support.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const noon = Date.UTC(2030, 0, 7, 12);
const plain = (text: string) => text;
const noPaint: Paint = { bold: plain, dim: plain, good: plain, bad: plain, warn: plain, name: plain };

function event(at: number, source: Source, kind: Kind, title: string): TimelineEvent {
  return eventOf({ at: noon + at, source, kind, title }, {});
}

const timeline: Timeline = {
  order: { orderId: '10000004', clientOrderId: 'order-1' },
  about: 'sale 10.42 USD: done',
  events: [
    event(0, 'paycli', 'planned', 'sale 10.42 USD recorded'),
    event(4, 'paycli', 'request', 'sale sent'),
    event(9, 'sandbox', 'request', 'sale accepted'),
    event(21, 'paycli', 'answer', 'sale: accepted; HTTP 200'),
    event(1021, 'sandbox', 'poll', 'status answered: processing'),
    event(4021, 'sandbox', 'poll', 'status answered: processing'),
    event(8021, 'sandbox', 'poll', 'status answered: processing'),
    event(33_021, 'sandbox', 'step', 'sale_3d_validating'),
    event(273_021, 'callbacks', 'callback', 'callback: approved (sale); the checksum matches'),
    event(
      273_030,
      'callbacks',
      'forward',
      'handed to http://127.0.0.1:3000/payments/callbacks/of-the-shop: HTTP 200 in 12 ms',
    ),
    event(273_030 + 13 * 3_600_000, 'paycli', 'state', 'sale: done; status: approved'),
    event(273_030 + 85 * 3_600_000, 'paycli', 'refusal', `return: refused; ${'x'.repeat(60)}`),
  ],
};

describe('the picture', () => {
  test('at 80 columns', () => {
    expect(timelineText(timeline, 80, noPaint)).toBe(`order 10000004 / order-1  sale 10.42 USD: done
p: journal of paycli   c: callbacks received   s: log of the sandbox

2030-01-07    p c s  UTC
12:00:00.000  + │ │  planned   sale 10.42 USD recorded
12:00:00.004  > │ │  request   sale sent
12:00:00.009  │ │ >  request   sale accepted
12:00:00.021  < │ │  answer    sale: accepted; HTTP 200
12:00:01.021  │ │ ?  poll      status answered: processing (3 times, the last at
              │ │ │            12:00:08.021)
              : : :  … 25 s …
12:00:33.021  │ │ 3  3DS       sale_3d_validating
              : : :  … 4 min …
12:04:33.021  │ ! │  callback  callback: approved (sale); the checksum matches
12:04:33.030  │ / │  forward
    handed to http://127.0.0.1:3000/payments/callbacks/of-the-shop: HTTP 200 in
    12 ms
              : : :  … 13 h …
2030-01-08    p c s  UTC
01:04:33.030  = │ │  state     sale: done; status: approved
              : : :  … 3 days …
2030-01-11    p c s  UTC
01:04:33.030  x │ │  refusal
    return: refused;
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`);
  });

  test('at 120 columns', () => {
    expect(timelineText(timeline, 120, noPaint)).toBe(`order 10000004 / order-1  sale 10.42 USD: done
p: journal of paycli   c: callbacks received   s: log of the sandbox

2030-01-07    p c s  UTC
12:00:00.000  + │ │  planned   sale 10.42 USD recorded
12:00:00.004  > │ │  request   sale sent
12:00:00.009  │ │ >  request   sale accepted
12:00:00.021  < │ │  answer    sale: accepted; HTTP 200
12:00:01.021  │ │ ?  poll      status answered: processing (3 times, the last at 12:00:08.021)
              : : :  … 25 s …
12:00:33.021  │ │ 3  3DS       sale_3d_validating
              : : :  … 4 min …
12:04:33.021  │ ! │  callback  callback: approved (sale); the checksum matches
12:04:33.030  │ / │  forward   handed to http://127.0.0.1:3000/payments/callbacks/of-the-shop: HTTP 200 in 12 ms
              : : :  … 13 h …
2030-01-08    p c s  UTC
01:04:33.030  = │ │  state     sale: done; status: approved
              : : :  … 3 days …
2030-01-11    p c s  UTC
01:04:33.030  x │ │  refusal   return: refused; xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
`);
  });

  test.each([80, 120])('no line is longer than %i, and colour changes nothing but colour', (width) => {
    const tinted = (text: string) => `\u001b[1m${text}\u001b[22m`;
    const painted = timelineText(timeline, width, {
      bold: tinted,
      dim: tinted,
      good: tinted,
      bad: tinted,
      warn: tinted,
      name: tinted,
    });
    const bare = painted.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '');
    expect(bare).toBe(timelineText(timeline, width, noPaint));
    for (const line of bare.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  test('never cuts a character in two', () => {
    const events = [event(0, 'paycli', 'note', '💳'.repeat(40))];
    expect(timelineText({ ...timeline, events }, 80, noPaint).match(/💳/gu)).toHaveLength(40);
  });
});

const callback: NewCallback = {
  place: 'https://gate.example/prefix',
  profile: 'shop',
  class: 'test',
  orderId: '12345',
  clientOrderId: '902B4FF5',
  status: 'approved',
  type: 'sale',
  verified: 'fits',
  why: '',
  raw: { method: 'GET', target: '/?card=4444333322221111', contentType: undefined, body: Buffer.from('cvv2=123') },
  forwardTo: undefined,
};

function store(home: string, more: Partial<NewCallback> = {}, at = noon + 2000): number {
  const history = openHistoryIn(home);
  const { id } = history.save({ ...callback, ...more }, at).callback;
  history.recordForward(id, {
    at: at + 5,
    url: 'http://127.0.0.1:3000/hook?token=opensesame',
    status: 500,
    reply: '',
    reason: undefined,
    ms: 7,
  });
  history.close();
  return id;
}

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const approved = reply(200, statusReply('approved', { 'transaction-type': 'sale' }));

async function sold(replies: readonly Delivery[] = [reply(200, taken)]): Promise<string> {
  const home = homeWithProfile();
  await paycli(saleFlags, { home, network: replies.map((one) => () => one) });
  return home;
}

interface Shown {
  readonly schema: string;
  readonly about: string;
  readonly order: object;
  readonly events: readonly {
    readonly at: string;
    readonly gapMs: number;
    readonly source: string;
    readonly kind: string;
    readonly title: string;
    readonly detail: Readonly<Record<string, string>>;
  }[];
}

async function shown(home: string, argv: readonly string[]): Promise<Shown> {
  const ran = await paycli(['order', ...argv, '--json', '--timeline'], { home });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

const short = ({ events }: Shown) => events.map(({ source, kind, title }) => `${source} ${kind} ${title}`);

describe('what is known of an order', () => {
  test('the journal: request, answer, questions and what they proved', async () => {
    const home = await sold([lost]);
    const noOrder = reply(400, { type: 'error', 'serial-number': '9', 'error-message': 'order not found' });
    await paycli(['resolve', '902B4FF5', '--once'], { home, network: [() => noOrder] });
    await paycli(['status', '--wait', '902B4FF5'], { home, network: [() => approved] });
    expect(short(await shown(home, ['902B4FF5']))).toEqual([
      'paycli planned sale 10.42 USD recorded',
      'paycli request sale sent',
      'paycli state sale: unknown; the connection was reset',
      'paycli poll sale: the gateway has no such order; HTTP 400 with an error reply',
      'paycli state sale: done; status: approved',
    ]);
    const journal = await paycli(['journal', 'show', '902B4FF5'], { home });
    expect(journal.out).toMatch(/^ +\S+ +queried: the gateway has no such order$/m);
  });

  test('callbacks, what was done about them, and the order of time', async () => {
    const home = await sold();
    const id = store(home);
    store(home, {}, noon + 9000);
    store(home, { verified: 'wrong', status: 'declined' }, noon + 3000);
    const history = openHistoryIn(home);
    history.recordStatusAnswer(id, { at: noon + 2001, status: 'approved', says: 'status says approved' });
    history.addConflicts(id, ['the callback says 10.43 USD, the journal 10.42 USD']);
    history.close();
    const document = await shown(home, ['12345']);
    expect(document).toMatchObject({
      schema: 'paycli.timeline/1',
      about: 'sale 10.42 USD: accepted',
      order: { orderId: '12345', clientOrderId: '902B4FF5' },
      profile: 'shop',
      gateway: 'https://gate.example/prefix',
    });
    expect(short(document).slice(3)).toEqual([
      'callbacks callback callback: approved (sale); the checksum matches; received once more at 2030-01-07T12:00:09Z',
      'callbacks conflict the callback says 10.43 USD, the journal 10.42 USD',
      'callbacks poll status queried after it: status says approved',
      'callbacks forward forwarded to http://127.0.0.1:3000/hook: HTTP 500 in 7 ms',
      'callbacks callback callback: declined (sale); the checksum (control) does NOT match, so it proves nothing',
      'callbacks forward forwarded to http://127.0.0.1:3000/hook: HTTP 500 in 7 ms',
      'callbacks forward forwarded to http://127.0.0.1:3000/hook: HTTP 500 in 7 ms',
    ]);
    expect(document.events.map(({ at }) => at)).toEqual(document.events.map(({ at }) => at).toSorted());
    expect(document.events.map(({ gapMs }) => gapMs)).toEqual([0, 0, 0, 2000, 0, 1, 4, 995, 5, 6000]);
  });

  test('by either id, each time the same', async () => {
    const home = await sold();
    store(home);
    const [first, ...others] = await Promise.all(
      [['12345'], ['902B4FF5'], ['--client-order-id', '902B4FF5'], ['12345', '--client-order-id', '902B4FF5']].map(
        (argv) => shown(home, argv),
      ),
    );
    for (const other of others) expect(other).toEqual(first);
  });

  test('callbacks alone, for an order that was not sent from here', async () => {
    const home = await sold();
    store(home, { orderId: '777', clientOrderId: 'theirs' });
    const document = await shown(home, ['777']);
    expect([document.order, document.events.length]).toEqual([{ orderId: '777', clientOrderId: 'theirs' }, 2]);
    expect(await shown(home, ['theirs'])).toEqual(document);
  });

  test('a client order id of digits only, also where the journal does not know it', async () => {
    const home = await sold();
    store(home, { orderId: '777', clientOrderId: '1001' });
    expect((await shown(home, ['1001'])).order).toEqual({ orderId: '777', clientOrderId: '1001' });
    expect(await shown(home, ['777'])).toEqual(await shown(home, ['1001']));
  });

  test('nothing of another gateway or another order', async () => {
    const home = await sold();
    store(home, { place: 'https://other.example' });
    store(home, { orderId: '999' });
    expect((await shown(home, ['12345'])).events.map(({ source }) => source)).toEqual(['paycli', 'paycli', 'paycli']);
  });

  test('the order of another profile is an error that names the profile', async () => {
    const home = await sold();
    const ran = await paycli(['order', '12345', '--profile', 'sandbox', '--timeline'], { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(
      'order 12345 was sent with profile shop\nnext:  nothing was sent; `paycli order 12345 --timeline --profile shop`',
    );
  });

  test('an unknown order is an error, and so is none', async () => {
    const home = temporaryHome();
    const ran = await paycli(['order', '12345', '--json', '--timeline'], { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(JSON.parse(ran.err)).toMatchObject({
      code: 'USAGE',
      message: 'nothing is known here about order 12345 of profile sandbox',
    });
    expect((await paycli(['order', '--timeline'], { home })).exit).toBe(2);
  });

  test('nothing is sent, and a live profile needs no --live for it', async () => {
    const home = homeWithProfile({ class: 'live' });
    expect((await paycli(['order', '12345', '--timeline'], { home })).err).toContain(
      'nothing is known here about order 12345',
    );
  });
});

describe('the log of a sandbox', () => {
  const flags = ['--currency', 'USD', '--client-order-id', 'order-1'];

  test('of the built-in one: requests, 3-D Secure steps, pages and polls', async () => {
    const home = temporaryHome();
    await paycli(['sale', '--amount', '10.42', '--test-card', '3ds-method', ...flags], { home });
    expect((await paycli(['3ds', 'run', '--client-order-id', 'order-1', '--path', 'challenge'], { home })).exit).toBe(
      0,
    );
    const lines = short(await shown(home, ['order-1'])).map((line) => line.replace(/^(\w+) (\w+) /, '$1 $2: '));
    expect(lines).toEqual(
      expect.arrayContaining([
        'paycli request: sale sent',
        'sandbox request: sale accepted',
        'sandbox poll: status answered: processing',
        'sandbox page: 3-D Secure method frame loaded',
        'sandbox step: upload-3ds method accepted',
        'sandbox step: sale_3d_validating',
        'sandbox page: 3-D Secure challenge ended: Y',
        'sandbox step: upload-3ds cres accepted',
        'sandbox state: sale_approved',
        'paycli state: sale: done; status: approved',
      ]),
    );
    // Programs get the words of the gateway, people those of the command line.
    for (const command of [
      ['order', 'order-1', '--timeline'],
      ['order', 'order-1'],
    ]) {
      const { out } = await paycli(command, { home });
      expect(out).toMatch(/3DS +sale waiting for the payer: 3-D Secure\n(?:.*\n)*.*state +sale approved\n/);
      expect(out).not.toMatch(/_(validating|approved)/);
    }
    const table = await paycli(['order', 'order-1', '--timeline', '-o', 'table'], { home });
    expect(table.out).toMatch(/state +sale approved\n/);
    expect(lines.indexOf('paycli request: sale sent')).toBeLessThan(lines.indexOf('sandbox request: sale accepted'));
  });

  test('an upload is a step, a hosted form a page, a refused request a refusal', async () => {
    const home = temporaryHome();
    await paycli(['form', 'sale', '--amount', '10.42', ...flags], { home });
    const upload = [
      'upload-3ds',
      'method',
      '--order-id',
      '10000004',
      '--client-order-id',
      'order-1',
      '--tds-comp-ind',
      'Y',
    ];
    await paycli([...upload, '--tds-server-trans-id', '00000000-0000-4000-8000-000000000014'], { home });
    const lines = short(await shown(home, ['order-1']));
    expect(lines).toContain('paycli page form sale: accepted; HTTP 200');
    expect(lines).toContain('paycli step upload-3ds method sent');
    expect(lines.filter((line) => line.startsWith('paycli refusal upload-3ds method: refused'))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith('sandbox refusal'))).toMatch(
      /^sandbox refusal upload-3ds method refused: .*; HTTP 400; control valid$/,
    );
  });

  test('of another one on this machine, behind a loopback address', async () => {
    const home = temporaryHome();
    await paycli(['sale', '--amount', '10.42', '--test-card', 'approved', ...flags], {
      home,
      env: { PAYCLI_SANDBOX: 'second' },
    });
    const env = {
      PAYCLI_BASE_URL: 'http://127.0.0.1:9/gateway',
      PAYCLI_LOGIN: 'sandbox',
      PAYCLI_ENDPOINT_ID: '4001',
      PAYCLI_CONTROL_KEY_FILE: '/none',
    };
    const ran = await paycli(['order', 'order-1', '--json', '--timeline'], { home, env });
    expect(ran.exit, ran.err).toBe(0);
    const document: Shown = JSON.parse(ran.out);
    expect(document.about).toBe('sale');
    expect(short(document)).toEqual(['sandbox request sale accepted']);
    const elsewhere = await paycli(['order', 'order-1', '--timeline'], {
      home,
      env: { ...env, PAYCLI_LOGIN: 'other' },
    });
    expect(elsewhere.exit).toBe(2);
  });

  test('what happened on a clock that was moved stands where it was seen, with the time it had', async () => {
    const home = temporaryHome();
    await paycli(['sale', '--amount', '10.42', '--test-card', 'approved', ...flags], { home });
    await paycli(['sandbox', 'clock', 'advance', '2h'], { home });
    await paycli(['status', '--wait', 'order-1'], { home });
    const document = await shown(home, ['order-1']);
    const done = document.events.find(({ title }) => title.startsWith('sale_approved'));
    expect(done?.title).toBe('sale_approved');
    const poll = document.events.find(({ kind }) => kind === 'poll');
    expect(poll).toMatchObject({
      at: '2030-01-07T12:00:00.000Z',
      title: 'status answered: approved; sandbox clock 2030-01-07T14:00:00Z',
    });
    expect(poll?.detail['sandboxAt']).toBe('2030-01-07T14:00:00.000Z');
  });
});

describe('text of others', () => {
  const evil = 'a\u001b]52;c;x\u0007\u009b31m\u202eb\nfaked line 4444333322221111';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not come through
  const unfit = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

  test.each([[[]], [['--json']]])(
    'cannot drive the terminal, begin a line of its own or hold a card number: %j',
    async (flags) => {
      const home = await sold([reply(400, { type: 'error', 'error-message': evil })]);
      store(home, { type: evil, status: evil });
      const ran = await paycli(['order', '902B4FF5', ...flags, '--timeline'], { home });
      expect(ran.exit, ran.err).toBe(0);
      expect(ran.out).not.toMatch(unfit);
      expect(ran.out).not.toMatch(/^\s*faked/m);
      expect(ran.out).toContain('•••• 1111');
      expect(ran.out + ran.err).not.toContain('4444333322221111');
    },
  );

  test('is not shown at any length', async () => {
    const home = await sold();
    store(home, { status: 'x'.repeat(50_000) });
    expect(short(await shown(home, ['12345'])).every((line) => line.length < 400)).toBe(true);
  });

  test('nothing secret comes with it: card, security code, key, checksum, the words of an address', async () => {
    const home = await sold();
    store(home);
    const texts = [
      await paycli(['order', '12345', '--timeline'], { home }),
      await paycli(['order', '12345', '--json', '--timeline'], { home }),
    ].map(({ out }) => out);
    for (const text of texts) {
      expect(text).toContain('callback');
      for (const secret of ['4444333322221111', 'cvv', 'opensesame', controlKey]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/[0-9a-f]{40}/);
    }
  });
});

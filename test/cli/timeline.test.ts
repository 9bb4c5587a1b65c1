import { describe, expect, test } from 'vitest';
import type { NewCallback } from '../../src/callbacks/store.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { openHistoryIn } from '../callbacks/support.js';
import { paycli, reply } from '../support/runtime.js';
import { controlKey, homeWithProfile, lost, saleFlags, statusReply, taken } from './profiles.js';

const noon = Date.UTC(2030, 0, 7, 12);

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
    readonly source: string;
    readonly title: string;
  }[];
}

async function shown(home: string, argv: readonly string[]): Promise<Shown> {
  const ran = await paycli(['order', ...argv, '--json', '--timeline', '-v'], { home });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

const short = ({ events }: Shown) => events.map(({ source, title }) => `${source} ${title}`);

describe('what is known of an order', () => {
  test('the journal: request, answer, questions and what they proved', async () => {
    const home = await sold([lost]);
    const noOrder = reply(400, { type: 'error', 'serial-number': '9', 'error-message': 'order not found' });
    await paycli('resolve 902B4FF5', { home, network: [() => noOrder] });
    await paycli('status --wait 902B4FF5', { home, network: [() => approved] });
    expect(short(await shown(home, ['902B4FF5']))).toEqual([
      'paycli sale 10.42 USD: sending',
      'paycli sale 10.42 USD: unknown; the connection was reset',
      'paycli sale 10.42 USD: the gateway has no such order; HTTP 400 with an error reply',
      'paycli sale 10.42 USD: done; status: approved',
    ]);
    const journal = await paycli('journal 902B4FF5', { home });
    expect(journal.out).toMatch(/^ +\S+ +the gateway has no such order; HTTP 400/m);
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
      order: { orderId: '12345', clientOrderId: '902B4FF5' },
      profile: 'shop',
      gateway: 'https://gate.example/prefix',
    });
    expect(short(document).slice(2)).toEqual([
      'callbacks callback: approved sale; the checksum matches; received 2 times',
      'callbacks the callback says 10.43 USD, the journal 10.42 USD',
      'callbacks status queried after it: status says approved',
      'callbacks forwarded to http://127.0.0.1:3000/hook, which failed',
      'callbacks callback: declined sale; the checksum (control) does NOT match, so it proves nothing',
      'callbacks forwarded to http://127.0.0.1:3000/hook, which failed',
      'callbacks forwarded to http://127.0.0.1:3000/hook, which failed',
    ]);
    expect(document.events.map(({ at }) => at)).toEqual(document.events.map(({ at }) => at).toSorted());
  });

  test('callbacks alone, for an order that was not sent from here', async () => {
    const home = await sold();
    store(home, { orderId: '777', clientOrderId: 'theirs' });
    const document = await shown(home, ['777']);
    expect([document.order, document.events.length]).toEqual([{ orderId: '777', clientOrderId: 'theirs' }, 2]);
    expect(await shown(home, ['theirs'])).toEqual(document);
  });

  test('nothing of another gateway or another order', async () => {
    const home = await sold();
    store(home, { place: 'https://other.example' });
    store(home, { orderId: '999' });
    expect((await shown(home, ['12345'])).events.map(({ source }) => source)).toEqual(['paycli', 'paycli']);
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

  test('nothing secret comes with it: card, security code, key, checksum, the words of an address', async () => {
    const home = await sold();
    store(home);
    const texts = [
      await paycli('order 12345 --timeline', { home }),
      await paycli('order 12345 --json --timeline', { home }),
    ].map(({ out }) => out);
    for (const text of texts) {
      expect(text).toContain('callback');
      for (const secret of ['4444333322221111', 'cvv', 'opensesame', controlKey]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/[0-9a-f]{40}/);
    }
  });
});

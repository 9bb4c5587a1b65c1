import { expect, test } from 'vitest';
import { compose } from '../../src/payments/compose.js';
import { defaultLimits } from '../../src/payments/exchange.js';
import type { GatewayConnection } from '../../src/payments/gateway-connection.js';
import { journalEntryOf } from '../../src/payments/journal-entry.js';
import { PaymentRecord } from '../../src/payments/payment-record.js';
import { checkResend } from '../../src/payments/resend.js';
import { pollUntilResolved } from '../../src/payments/status-polling.js';
import { submit } from '../../src/payments/submit.js';
import type { Clock, Delivery, HttpRequest } from '../../src/runtime/ports.js';
import { type Credentials, Secret } from '../../src/signing/index.js';
import { assumeDefaults, operationById } from '../../src/spec/index.js';
import { dead, open } from '../journal/support.js';
import { CountingRandom, reply, TestClock } from '../support/runtime.js';

// What moves money stands over ports alone: here are a journal in a file, a scripted gateway and no command line.

const place = { base: 'https://gate.example', login: 'shop', profile: 'shop', class: 'test' };
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };

function openPayment(answers: readonly Delivery[]) {
  const requests: HttpRequest[] = [];
  const { journal } = open();
  const connection: GatewayConnection = {
    assume: assumeDefaults,
    limits: defaultLimits,
    ports: {
      clock: new TestClock(),
      random: new CountingRandom(),
      transport: {
        async post(request) {
          requests.push(request);
          return answers[requests.length - 1] ?? lost;
        },
        close: async () => undefined,
      },
    },
    target: (endpointId) => ({
      baseUrl: 'https://gate.example/paynet/api/v2',
      endpointId,
      login: 'shop',
      assume: assumeDefaults,
    }),
    credentials: async () => ({ login: 'shop', controlKey: new Secret('control-key') }),
  };
  const values = {
    clientOrderId: 'order-1',
    amount: '10.00',
    currency: 'EUR',
    orderDesc: 'Tea',
    cardNumber: '4000000000000002',
  };
  const sale = compose(operationById('SALE'), values, [], connection.target('4001'));
  const wanted = journalEntryOf(sale, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('a sale is recorded');
  const record = new PaymentRecord(journal, journal.plan(wanted, dead).intent, 'iso4217');
  const watched = { signal: new AbortController().signal };
  const begin = () => {
    record.begin();
    return { maySend: true, earlierAttempt: false };
  };
  /** Sends only while the leave to send is younger than 30 s; its answer takes as long as the test says. */
  const sendWithin30s = (held: () => Promise<void> | void, clock: Clock) =>
    submit(
      sale,
      { ...connection, ports: { ...connection.ports, clock } },
      async () => {
        const leave = begin();
        await held();
        return leave;
      },
      watched,
    );
  const send = async () => {
    const { sent } = await submit(sale, connection, begin, watched);
    if (sent !== undefined) record.recordResult(sent.transition, sent.classified, sale.row);
    return sent;
  };
  const sendWith = (keys: Credentials) =>
    submit(sale, { ...connection, credentials: async () => keys }, begin, watched);
  const poll = (isOnce = false) => pollUntilResolved(record, { connection, watched, profileClass: 'test', isOnce });
  return { requests, journal, record, send, sendWith, sendWithin30s, poll };
}

const status = (word: string): Delivery =>
  reply(200, {
    type: 'status-response',
    'serial-number': 's-2',
    'merchant-order-id': 'order-1',
    'paynet-order-id': '77',
    status: word,
    amount: '10.00',
    currency: 'EUR',
    'transaction-type': 'sale',
  });

test('a sale whose reply is lost is settled by status and sent once', async () => {
  const { requests, journal, record, send, poll } = openPayment([lost, status('approved')]);
  const sent = await send();
  expect(sent?.classified.class).toBe('unknown');
  expect(record.intent.state).toBe('unknown');
  const { evidence, stopped } = await poll();
  expect([evidence.proves, stopped]).toEqual(['done', false]);
  expect(journal.list({}).map(({ state, orderId }) => [state, orderId])).toEqual([['done', '77']]);
  expect(requests.map(({ url }) => url.split('/').slice(-2).join('/'))).toEqual(['sale/4001', 'status/4001']);
  expect(journal.flaws()).toEqual([]);
});

test('while the gateway says that it knows no such order the outcome stays unknown, and each answer is written down', async () => {
  const noSuchOrder = reply(200, { type: 'error', 'error-message': 'Order not found', 'error-code': '8' });
  const { requests, journal, record, send, poll } = openPayment([lost, noSuchOrder, noSuchOrder]);
  await send();
  expect((await poll(true)).evidence.proves).toBe('nothing');
  expect((await poll(true)).evidence.proves).toBe('nothing');
  expect(record.intent.state).toBe('unknown');
  expect(journal.linesAbout(record.intent.id).filter(({ reason }) => reason === 'no record')).toHaveLength(2);
  expect(requests.filter(({ url }) => url.includes('/sale/'))).toHaveLength(1);
});

test('nothing leaves where the keys cannot be read', async () => {
  const { requests, record } = openPayment([]);
  const broken = { credentials: () => Promise.reject(new Error('no key')) };
  const sale = compose(operationById('SALE'), { clientOrderId: 'order-1' }, [], {
    ...{ baseUrl: 'https://gate.example', endpointId: '4001', login: 'shop', assume: assumeDefaults },
  });
  let begun = 0;
  const begin = () => {
    begun += 1;
    return { maySend: true, earlierAttempt: false };
  };
  const connection = { ...broken } as unknown as GatewayConnection;
  await expect(submit(sale, connection, begin, { signal: new AbortController().signal })).rejects.toThrow('no key');
  expect([begun, requests.length, record.intent.state]).toEqual([0, 0, 'planned']);
});

test('a key that cannot sign leaves nothing sent, and nothing in doubt', async () => {
  const { requests, record, sendWith } = openPayment([]);
  await expect(sendWith({ login: 'shop' })).rejects.toThrow();
  expect([requests.length, record.intent.state]).toEqual([0, 'planned']);
});

const taken = reply(200, { type: 'async-response', 'serial-number': 's-1', 'paynet-order-id': '77' });

test('what the gateway accepted and does not know the outcome of is unknown, until status says more', async () => {
  const words = ['unknown', 'unknown', 'processing', 'unknown', 'approved'];
  const { journal, record, send, poll } = openPayment([taken, ...words.map(status)]);
  await send();
  const seen = [record.intent.state];
  for (const _ of words) {
    await poll(true);
    seen.push(record.intent.state);
  }
  expect(seen).toEqual(['accepted', 'unknown', 'unknown', 'accepted', 'unknown', 'done']);
  const moves = journal.linesAbout(record.intent.id).filter(({ from, to }) => from !== to);
  // The second `unknown` says nothing new.
  expect(moves.map(({ to }) => to)).toEqual([
    ...['planned', 'sending', 'accepted', 'unknown', 'accepted', 'unknown', 'done'],
  ]);
  expect(journal.flaws()).toEqual([]);
});

test('a lost reply and a gateway that does not know the outcome: unknown, with the id the gateway gave it', async () => {
  const { journal, send, poll } = openPayment([lost, status('unknown'), status('unknown')]);
  await send();
  await poll(true);
  await poll(true);
  expect(journal.list({})).toMatchObject([{ state: 'unknown', orderId: '77', reason: 'status: unknown' }]);
  expect(journal.flaws()).toEqual([]);
});

test('what another process lost does not make unknown what was accepted', async () => {
  const { journal, record, send } = openPayment([taken]);
  await send();
  expect(journal.recordResult(record.intent.id, 'unknown', { reason: 'the connection was reset' }).state).toBe(
    'accepted',
  );
});

test('what the gateway accepted once is never sent again, whatever it says of it later', async () => {
  const noSuchOrder = reply(200, { type: 'error', 'error-message': 'Order not found', 'error-code': '8' });
  const { journal, record, send, poll } = openPayment([taken, status('unknown'), ...Array(3).fill(noSuchOrder)]);
  await send();
  for (let asked = 0; asked < 4; asked += 1) await poll(true);
  expect(record.intent.state).toBe('unknown');
  expect(() => checkResend(journal, record.intent)).toThrow(/accepted it before/);
});

test.each([
  ['29 s', 29_000, 1],
  ['86 s', 86_000, 0],
])('leave to send whose answer was held back %s', async (_, ms, requestsMade) => {
  const { requests, sendWithin30s } = openPayment([status('approved')]);
  const clock = new TestClock();
  const { sent } = await sendWithin30s(() => clock.sleep(ms), clock);
  expect(requests).toHaveLength(requestsMade);
  expect(sent?.classified.class === 'not-sent').toBe(requestsMade === 0);
});

test('a machine that slept, with its steady clock, gives the request back unsent', async () => {
  const { requests, sendWithin30s } = openPayment([status('approved')]);
  const day = new TestClock();
  const clock: Clock = { now: () => day.now(), monotonic: () => 5, sleep: (ms) => day.sleep(ms) };
  const { sent } = await sendWithin30s(() => day.sleep(86_000), clock);
  expect(sent?.transition.to).toBe('not_sent');
  expect(requests).toEqual([]);
});

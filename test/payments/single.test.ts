import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Journal, Request } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite.js';
import { checkResend, decide, type Wishes } from '../../src/payments/decide.js';
import { describeRequest } from '../../src/payments/request.js';
import { send } from '../../src/payments/send.js';
import { noSuchOrder, queryOutcome, recordAnswer, settleOrder } from '../../src/payments/settle.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Unsigned } from '../../src/signing/index.js';
import { operations } from '../../src/spec/index.js';
import { begin, end, newFolder, sale as recordedSale } from '../journal/support.js';
import { CountingRandom, reply } from '../support/runtime.js';
import { PayingGateway, refund, sale } from './gateway.js';

// Requests from the wish of a user to the last evidence of their outcome, against a gateway that pays whatever it gets.

const place = { base: 'https://gate.example/pay', login: 'shop', profile: 'shop', class: 'test' };
const refused = reply(400, { type: 'validation-error', 'error-message': 'Not allowed', 'error-code': '7' });
const signal = new AbortController().signal;

let gateway: PayingGateway;
let journal: Journal;
beforeEach(() => {
  gateway = new PayingGateway();
  const folder = newFolder();
  journal = openSqliteJournal({
    databases: sqlite,
    files: openFiles({}, { home: folder, working: folder }),
    clock: gateway.clock,
    random: new CountingRandom(),
    process: { pid: 1, host: 'here', place: undefined, isAlive: () => true },
    path: join(folder, 'state', 'requests.db'),
    markPath: join(folder, 'config', 'marks.json'),
    key: 'the key of this installation',
    who: 'tester',
  });
  onTestFinished(() => journal.close());
});

/** What a command does with a request: decides, then sends it, asks about it or shows it. */
async function run(unsigned: Unsigned, wishes: Partial<Wishes> = {}) {
  const wanted = describeRequest(unsigned, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('it is recorded');
  const decision = await decide(journal, wanted, {
    ...{ again: false, equalSince: 0, now: gateway.clock.now() },
    ...wishes,
  });
  if (decision.do === 'show') return decision.earlier;
  if (decision.do === 'ask') return ask(decision.earlier);
  const toSend = { unsigned, wanted, decision, first: undefined, limits: {} };
  return (await send(toSend, journal, gateway.connection, { signal })).request;
}

async function ask(request: Request): Promise<Request> {
  const answer = await queryOutcome(gateway.connection, request, { signal });
  return (await recordAnswer(request, answer, journal, 'iso4217')).request;
}

/** The error that it ends with, by its code. */
function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  );
}

const sent = (path: string) => gateway.paths.filter((each) => each === path).length;

describe('a payment', () => {
  test('is sent once, and settled by its status', async () => {
    expect((await run(sale('a'))).state).toBe('accepted');
    expect(await run(sale('a'))).toMatchObject({ state: 'done', orderId: '500' });
    expect((await run(sale('a'))).state).toBe('done');
    expect([gateway.taken, sent('sale')]).toEqual([1000, 1]);
  });

  test('whose reply was lost is asked about, and never sent again', async () => {
    gateway.answers.push('lose');
    expect((await run(sale('a'))).state).toBe('unknown');
    expect((await run(sale('a'))).state).toBe('done');
    expect([gateway.taken, sent('sale')]).toEqual([1000, 1]);
  });

  test('that the gateway does not have stays unknown', async () => {
    gateway.answers.push({ kind: 'lost', reason: 'the connection was reset' });
    await run(sale('a'));
    expect((await run(sale('a'))).state).toBe('unknown');
    const events = await journal.events({ request: 1 });
    expect(events.map(({ reason }) => reason)).toContain('no-such-order');
    expect(sent('sale')).toBe(1);
  });

  test('under a used id with another amount is refused', async () => {
    await run(sale('a'));
    expect(await errorOf(run(sale('a', '11.00')))).toBe('ORDER_ID_USED');
    expect(sent('sale')).toBe(1);
  });

  test('twice at the same moment is sent once, and the slower one is busy', async () => {
    const both = await Promise.all([run(sale('a')).then(() => 'sent'), errorOf(run(sale('a')))]);
    expect(both).toEqual(['sent', 'REQUEST_BUSY']);
    expect(sent('sale')).toBe(1);
  });

  test('corrected after a refusal is sent again in its own row', async () => {
    gateway.answers.push(refused, reply(400, { type: 'error', 'error-message': 'Order not found' }));
    expect((await run(sale('a', '10.00'))).state).toBe('refused');
    const corrected = await run(sale('a', '12.00'));
    expect(corrected).toMatchObject({ id: 1, attempt: 2, state: 'accepted', sum: { minor: '1200' } });
  });

  test('that the same command in another process began a moment ago is being sent: 13, and not an id that is used', async () => {
    const unsigned = sale('a');
    const wanted = describeRequest(unsigned, place, (parts) => journal.hash(parts));
    if (wanted === undefined) throw new Error('it is recorded');
    await begin(journal, wanted);
    const decision = { do: 'send', earlier: undefined } as const;
    const toSend = { unsigned, wanted, decision, first: undefined, limits: {} };
    await expect(send(toSend, journal, gateway.connection, { signal })).rejects.toMatchObject({ code: 'REQUEST_BUSY' });
    expect(gateway.requests).toEqual([]);
  });
});

const returnOf = (amount: string) => {
  const sum = { minor: amount.replace('.', ''), currency: 'EUR', digits: 2 };
  const followUp = {
    kind: 'follow-up',
    operation: 'RETURN',
    orderId: '900',
    card4: undefined,
    payment: undefined,
  } as const;
  return { ...recordedSale, ...followUp, base: place.base, sum, endpoint: '4001', content: `return ${amount}` };
};

describe('a return', () => {
  async function paid(): Promise<void> {
    await run(sale('a'));
    await run(sale('a'));
  }

  test('waits for one whose outcome is in doubt', async () => {
    await paid();
    gateway.answers.push({ kind: 'lost', reason: 'the connection was reset' });
    expect((await run(refund('500', 'a', '3.00'))).state).toBe('unknown');
    expect(await errorOf(run(refund('500', 'a', '4.00')))).toBe('ORDER_BUSY');
    expect(await errorOf(run(refund('500', 'a', '3.00'), { again: true }))).toBe('ORDER_BUSY');
    expect([sent('return'), gateway.returned]).toEqual([1, 0]);
  });

  test('whose reply was lost is settled where the total grew by exactly its amount', async () => {
    await paid();
    gateway.answers.push('lose');
    expect((await run(refund('500', 'a', '3.00'))).state).toBe('unknown');
    expect((await run(refund('500', 'a', '3.00'))).state).toBe('done');
    expect([sent('return'), gateway.returned]).toEqual([1, 300]);
  });

  test('whose reply was lost stays unknown where the total grew by more', async () => {
    await paid();
    gateway.answers.push('lose');
    await run(refund('500', 'a', '3.00'));
    const [order] = gateway.orders;
    if (order !== undefined) order.returned += 100;
    expect((await run(refund('500', 'a', '3.00'))).state).toBe('unknown');
  });

  test('of everything that is done is not sent again by its amount', async () => {
    await paid();
    await run(refund('500', 'a'));
    expect((await run(refund('500', 'a'))).state).toBe('done');
    expect((await run(refund('500', 'a', '10.00'))).state).toBe('done');
    expect([sent('return'), gateway.returned]).toEqual([1, 1000]);
  });

  test('whose reply was lost stays unknown where status shows a declined return of its amount', async () => {
    const lostOne = await end(journal, await begin(journal, returnOf('5.00')), 'unknown');
    const declined = new Map(
      Object.entries({ 'paynet-order-id': '900', status: 'declined', 'transaction-type': 'reversal' }),
    );
    declined.set('amount', '5.00').set('currency', 'EUR');
    const requests = await settleOrder(declined, journal, {
      ...{ base: place.base, endpoint: '4001', minorDigits: 'iso4217' },
      ownStatus: async () => expect.unreachable(),
    });
    expect(requests).toMatchObject([{ id: lostOne.id, state: 'unknown' }]);
  });

  test('is not proven by the status of another return, but by its own serial number', async () => {
    await paid();
    const first = await run(refund('500', 'a', '3.00'));
    await run(refund('500', 'a', '4.00'));
    const status = await queryOutcome(gateway.connection, { ...first, outcome: {} }, { signal });
    const requests = await settleOrder(status.fields ?? new Map(), journal, {
      ...{ base: place.base, endpoint: '4001', minorDigits: 'iso4217' },
      ownStatus: (request) => queryOutcome(gateway.connection, request, { signal }),
    });
    const returns = requests.filter(({ operation }) => operation === 'RETURN');
    expect(returns.map(({ state }) => state).sort()).toEqual(['done', 'done']);
    // By the newest status alone nothing was proven: each was asked about by its own number.
    expect(sent('status')).toBe(4);
  });
});

describe('the status of an order of the same client order id at another endpoint', () => {
  const other = new Map(
    Object.entries({
      ...{ 'paynet-order-id': '999', 'merchant-order-id': 'order-1', status: 'approved', 'transaction-type': 'sale' },
      ...{ amount: '10.42', 'initial-amount': '10.42', currency: 'USD' },
    }),
  );

  test.each([['unknown', undefined] as const, ['accepted', '555'] as const, ['declined', '555'] as const])(
    'says nothing of a payment that is %s here',
    async (state, orderId) => {
      await end(journal, await begin(journal, recordedSale), state, { orderId });
      const requests = await settleOrder(other, journal, {
        ...{ base: recordedSale.base, endpoint: '5005', minorDigits: 'iso4217' },
        ownStatus: async () => expect.unreachable(),
      });
      expect(requests).toEqual([]);
    },
  );
});

describe('a request whose outcome is unknown may be sent once more', () => {
  const denials = async (hours: number, jump: number) => {
    const request = await end(journal, await begin(journal, recordedSale), 'unknown');
    const deny = (aheadMs: number) =>
      journal.record({ request: request.id }, noSuchOrder, { why: '', gatewayAt: gateway.clock.now() - aheadMs });
    await deny(0);
    await gateway.clock.sleep(hours * 3_600_000 + jump);
    await deny(jump);
    await deny(jump);
    return checkResend(journal, request);
  };

  test('an hour after its first denial', () => expect(denials(1, 0)).resolves.toBeUndefined());

  test('but not where only the clock of this machine jumped by an hour', () =>
    expect(denials(0, 3_700_000)).rejects.toMatchObject({ code: 'RESEND_REFUSED' }));
});

describe('while the outcome of a payment is unknown, an equal one under another id is refused', () => {
  const opening = operations.filter(({ opens, effect }) => opens && effect === 'money');

  test.each(opening.map(({ command, id }) => [command, id]))('%s', async (_, operation) => {
    const lostOne = { ...recordedSale, operation };
    await end(journal, await begin(journal, lostOne), 'unknown');
    const second = { ...lostOne, clientOrderId: 'second' };
    const wishes = { again: false, equalSince: gateway.clock.now(), now: gateway.clock.now() };
    expect(await errorOf(decide(journal, second, wishes))).toBe('SAME_CONTENT_OPEN');
    expect(await decide(journal, second, { ...wishes, again: true })).toMatchObject({ do: 'send' });
  });
});

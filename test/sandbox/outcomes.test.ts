import { describe, expect, test } from 'vitest';
import { inProcessTransport } from '../../src/cli/sandbox-session.js';
import { usualReplyMs } from '../../src/payments/exchange.js';
import { type Fault, faults } from '../../src/sandbox/faults.js';
import { testCards } from '../../src/spec/index.js';
import {
  base,
  bodyOf,
  cardOrder,
  openFixture,
  orderOf,
  partial,
  plainHeaders,
  salePairs,
  signed,
  status,
} from './support.js';

const hour = 3_600_000;

describe('security codes', () => {
  const expected: Readonly<Record<string, readonly [status: string, code?: string]>> = {
    '123': ['approved'],
    '1234': ['approved'],
    '111': ['approved'],
    '101': ['declined', '54'],
    '116': ['declined', '51'],
    '119': ['declined', '57'],
    '209': ['declined', '43'],
    '217': ['unknown'],
    '321': ['processing'],
    '322': ['processing'],
    '323': ['processing'],
    '324': ['processing'],
    '325': ['processing'],
    '359': ['filtered', '59'],
    '360': ['processing'],
    '396': ['error', '96'],
    '777': ['declined', '5'],
    '000': ['declined', '5'],
  };

  test.each(Object.entries(expected))('%s', (cvv, [word, code]) => {
    const fixture = openFixture();
    const order = orderOf(cardOrder(fixture, 'sale', { id: 's', cvv }));
    fixture.later();
    const shown = status(fixture, 's', order);
    expect(shown['status']).toBe(word);
    expect(shown['error-code']).toBe(code);
    expect(shown['error-message'] === undefined).toBe(code === undefined);
  });
});

describe('endings of an amount without a security code', () => {
  const expected: Readonly<Record<string, string>> = {
    '51': 'declined',
    '52': 'error',
    '53': 'filtered',
    '54': 'unknown',
    '55': 'processing',
  };

  test.each([...Object.entries(expected), ['50', 'approved']])('.%s', (ending, word) => {
    const fixture = openFixture();
    const pairs = {
      client_orderid: 'p',
      amount: `20.${ending}`,
      currency: 'EUR',
      receiver_phone: '+4930123456',
      bank_id: '100',
    };
    const order = orderOf(signed(fixture, '/api/v2/payout/4001', pairs));
    fixture.later();
    expect(status(fixture, 'p', order)['status']).toBe(word);
    fixture.later(hour);
    if (word === 'processing') expect(status(fixture, 'p', order)['status']).toBe('approved');
  });
});

describe('a queued outcome', () => {
  test.each([
    ['approved', 'approved'],
    ['declined', 'declined'],
    ['funds', 'declined'],
    ['error', 'error'],
    ['filtered', 'filtered'],
    ['unknown', 'unknown'],
    ['slow', 'processing'],
  ])('%s decides the next transaction, and only that one', (name, word) => {
    const fixture = openFixture();
    fixture.sandboxState.queueOutcome(name);
    const first = orderOf(cardOrder(fixture, 'sale', { id: 'a', cvv: '321' }));
    const second = orderOf(cardOrder(fixture, 'sale', { id: 'b' }));
    fixture.later();
    expect(status(fixture, 'a', first)['status']).toBe(word);
    expect(status(fixture, 'b', second)['status']).toBe('approved');
    fixture.later(hour);
    if (name === 'slow') expect(status(fixture, 'a', first)['status']).toBe('approved');
  });
});

/** What each 3-D Secure flow begins with, as status says it. */
const begins: Readonly<Record<string, string | undefined>> = {
  '3ds-method': 'MethodUrlFrame',
  '3ds-frictionless': 'MethodUrlFrame',
  '3ds-challenge': 'CReqForm',
  '3ds-pares': 'PaReqForm',
  '3ds-simplified': undefined,
};

test.each(Object.entries(begins))('the 3-D Secure flow %s may be queued and chosen by card', (name, word) => {
  const fixture = openFixture();
  fixture.sandboxState.queueOutcome(name);
  const { number = '', cvv = '' } = testCards.find((each) => each.name === name) ?? {};
  cardOrder(fixture, 'sale', { id: 'queued' });
  cardOrder(fixture, 'sale', { id: 'card', number, cvv });
  fixture.later();
  for (const id of ['queued', 'card']) {
    const shown = status(fixture, id, '');
    expect([id, shown['status'], shown['tds_status']]).toEqual([id, 'processing', word]);
    expect([shown['html'] === undefined, shown['redirect-to'] === undefined]).toEqual(
      Array(2).fill(word !== undefined),
    );
  }
});

/** Where it is not 500. */
const statusOfShape: Partial<Record<Fault['shape'], number>> = {
  half: 200,
  page: 502,
  redirect: 307,
  'too-many': 429,
  late: 200,
};

describe.each(Object.entries(faults))('the fault %s', (name, { isDone, shape }) => {
  const httpStatus = statusOfShape[shape] ?? 500;

  test('leaves behind what it says', () => {
    const fixture = openFixture();
    fixture.sandboxState.queueOutcome(name);
    expect(cardOrder(fixture, 'sale', { id: 'q' }).status).toBe(httpStatus);
    fixture.later();
    const shown = status(fixture, 'q', '');
    expect(isDone ? shown['status'] : shown['error-message']).toBe(isDone ? 'approved' : 'order not found');
  });

  test('may happen to a follow-up', () => {
    const fixture = openFixture();
    const order = orderOf(cardOrder(fixture, 'preauth', { id: 'h' }));
    fixture.later();
    fixture.sandboxState.queueOutcome(name, { orderId: order });
    cardOrder(fixture, 'sale', { id: 'another' });
    expect(partial(fixture, 'capture', 'h', order).status).toBe(httpStatus);
    fixture.later();
    expect(status(fixture, 'h', order)['transaction-type']).toBe(isDone ? 'capture' : 'preauth');
  });

  test('reaches a client inside the process as a lost reply, if no reply is what it is', async () => {
    const fixture = openFixture();
    fixture.sandboxState.queueOutcome(name);
    const body = bodyOf(salePairs(fixture.key, { id: 's' }));
    const request = { url: `${base}/api/v2/sale/4001`, headers: { ...plainHeaders }, body };
    expect((await inProcessTransport(fixture.sandbox).post(request, usualReplyMs)).kind).toBe(
      ['no-answer', 'hang', 'late'].includes(shape) ? 'lost' : 'reply',
    );
  });
});

import { describe, expect, test } from 'vitest';
import { amountEndings, cvvOutcomes, paresAmounts, testCards, testNumbers } from '../../src/spec/index.js';
import { cardOrder, openBench, orderOf, partial, signed, status } from './support.js';

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
    '777': ['declined', '5'],
    '000': ['declined', '5'],
  };

  test('are all covered here', () => {
    expect(Object.keys(cvvOutcomes).filter((code) => !(code in expected))).toEqual([]);
  });

  test.each(Object.entries(expected))('%s', (cvv, [word, code]) => {
    const bench = openBench();
    const order = orderOf(cardOrder(bench, 'sale', { id: 's', cvv }));
    bench.later();
    const shown = status(bench, 's', order);
    expect(shown['status']).toBe(word);
    expect(shown['error-code']).toBe(code);
    expect(shown['error-message'] === undefined).toBe(code === undefined);
  });
});

test.each(testCards.map(({ name, number, cvv }) => [name, number, cvv]))('the test card %s is taken', (_, number, cvv) => {
  expect(cardOrder(openBench(), 'sale', { id: 's', number: number ?? '', cvv: cvv ?? '' }).status).toBe(200);
});

test('every published number is taken', () => {
  const bench = openBench({ assume: { 'duplicate-order-id': 'pay' } });
  for (const number of testNumbers) expect([number, cardOrder(bench, 'sale', { id: 's', number }).status]).toEqual([number, 200]);
});

describe('endings of an amount without a security code', () => {
  const expected: Readonly<Record<string, string>> = {
    '51': 'declined',
    '52': 'error',
    '53': 'filtered',
    '54': 'unknown',
    '55': 'processing',
  };

  test('are all covered here', () => {
    expect(Object.keys(amountEndings)).toEqual(Object.keys(expected));
  });

  test.each([...Object.entries(expected), ['50', 'approved']])('.%s', (ending, word) => {
    const bench = openBench();
    const pairs = { client_orderid: 'p', amount: `20.${ending}`, currency: 'EUR', receiver_phone: '+4930123456', bank_id: '100' };
    const order = orderOf(signed(bench, '/api/v2/payout/4001', pairs));
    bench.later();
    expect(status(bench, 'p', order)['status']).toBe(word);
    bench.later(hour);
    if (word === 'processing') expect(status(bench, 'p', order)['status']).toBe('approved');
  });

  test('do nothing where there is one', () => {
    const bench = openBench();
    const order = orderOf(cardOrder(bench, 'sale', { id: 's', amount: '20.51' }));
    bench.later();
    expect(status(bench, 's', order)['status']).toBe('approved');
    partial(bench, 'return', 's', order);
    bench.later();
    expect(status(bench, 's', order)).toMatchObject({ 'transaction-type': 'reversal', status: 'approved' });
  });
});

test('amounts of 3-D Secure 1.0.2 do not stand in the way of a payout', () => {
  const bench = openBench();
  for (const amount of paresAmounts) {
    const id = `p${amount}`;
    const order = orderOf(
      signed(bench, '/api/v2/payout/4001', { client_orderid: id, amount, currency: 'EUR', wallet_type: 'w', wallet_id: 'x' }),
    );
    bench.later();
    expect(status(bench, id, order)['status']).toBe('approved');
  }
});

describe('a queued outcome', () => {
  test.each([
    ['approved', 'approved'],
    ['declined', 'declined'],
    ['funds', 'declined'],
    ['expired', 'declined'],
    ['not-permitted', 'declined'],
    ['stolen', 'declined'],
    ['error', 'error'],
    ['filtered', 'filtered'],
    ['unknown', 'unknown'],
    ['slow', 'processing'],
  ])('%s decides the next transaction, and only that one', (name, word) => {
    const bench = openBench();
    bench.world.queueOutcome(name);
    const first = orderOf(cardOrder(bench, 'sale', { id: 'a', cvv: '321' }));
    const second = orderOf(cardOrder(bench, 'sale', { id: 'b' }));
    bench.later();
    expect(status(bench, 'a', first)['status']).toBe(word);
    expect(status(bench, 'b', second)['status']).toBe('approved');
    bench.later(hour);
    if (name === 'slow') expect(status(bench, 'a', first)['status']).toBe('approved');
  });

  test('may wait for one order id', () => {
    const bench = openBench();
    bench.world.queueOutcome('stolen', { clientOrderId: 'b' });
    bench.world.queueOutcome('funds');
    const codes = ['a', 'b', 'c'].map((id) => [id, orderOf(cardOrder(bench, 'sale', { id }))] as const);
    bench.later();
    expect(codes.map(([id, order]) => status(bench, id, order)['error-code'])).toEqual(['51', '43', undefined]);
  });

  test('stays when the request was refused', () => {
    const bench = openBench();
    bench.world.queueOutcome('funds');
    expect(partial(bench, 'capture', 'x', '1').status).toBe(400);
    const order = orderOf(cardOrder(bench, 'sale', { id: 'a' }));
    bench.later();
    expect(status(bench, 'a', order)['error-code']).toBe('51');
  });

  test('that is none is refused with those there are', () => {
    expect(() => openBench().world.queueOutcome('maybe')).toThrow(/maybe is no outcome; known: approved, declined/);
  });
});

describe('a queued server error', () => {
  test('before anything was done leaves no order', () => {
    const bench = openBench();
    bench.world.queueOutcome('server-error');
    const answer = cardOrder(bench, 'sale', { id: 'a' });
    expect(answer.status).toBe(500);
    expect(answer.fields).toMatchObject({
      type: 'error',
      'error-code': '99',
      'serial-number': expect.any(String),
      'error-message': expect.any(String),
    });
    expect(status(bench, 'a', '')['error-message']).toBe('order not found');
    expect(cardOrder(bench, 'sale', { id: 'a' }).status).toBe(200);
  });

  test('after everything was done leaves an approved order', () => {
    const bench = openBench();
    bench.world.queueOutcome('server-error-done');
    const answer = cardOrder(bench, 'sale', { id: 'a', cvv: '116' });
    expect(answer.status).toBe(500);
    expect(answer.fields).not.toHaveProperty('paynet-order-id');
    bench.later();
    expect(status(bench, 'a', '')['status']).toBe('approved');
    expect(cardOrder(bench, 'sale', { id: 'a' }).fields['error-code']).toBe('7');
  });

  test('does not hit a request that is refused, nor a status', () => {
    const bench = openBench();
    bench.world.queueOutcome('server-error');
    expect(partial(bench, 'capture', 'x', '1').status).toBe(400);
    expect(status(bench, 'x', '')['error-message']).toBe('order not found');
    expect(cardOrder(bench, 'sale', { id: 'a' }).status).toBe(500);
  });
});

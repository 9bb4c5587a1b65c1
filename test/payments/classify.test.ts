import { describe, expect, test } from 'vitest';
import { type ClassifyContext, classify, isOrderUnknown } from '../../src/payments/classify.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { replies } from '../../src/spec/replies.js';

const jsonType = 'application/vnd.pay+json';
const sale: ClassifyContext = {
  effect: 'money',
  reply: 'AsyncResponse',
  clientOrderId: 'order-1',
  format: 'json',
  earlierAttempt: false,
};
const status: ClassifyContext = { ...sale, effect: 'read', reply: 'StatusResponse' };
const accepted = { type: 'async-response', 'paynet-order-id': '17', 'merchant-order-id': 'order-1' };
const refusal = { type: 'validation-error', 'error-message': 'INVALID', 'error-code': '2' };

function reply(
  body: object | string,
  code = 200,
  headers: Readonly<Record<string, string | readonly string[]>> = { 'content-type': jsonType },
): Delivery {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'reply', reply: { status: code, headers, body: Buffer.from(text) } };
}

const classOf = (delivery: Delivery, context: ClassifyContext = sale) => classify(delivery, context).class;

describe('without a reply', () => {
  test.each([
    [{ kind: 'never-sent', reason: 'r' }, 'not-sent', 'not-sent'],
    [{ kind: 'certificate', reason: 'r', remedy: 'm' }, 'certificate', 'certificate'],
    [{ kind: 'lost', reason: 'r' }, 'unknown', 'read-retry'],
  ] as const)('%j is %s, for a read %s', (delivery, money, read) => {
    expect(classify(delivery, sale)).toMatchObject({ class: money, reason: 'r' });
    expect(classify(delivery, { ...sale, effect: 'write' }).class).toBe(money);
    expect(classify(delivery, status).class).toBe(read);
  });
});

describe('200', () => {
  test('accepted is accepted', () => {
    const outcome = classify(reply(accepted), sale);
    expect(outcome).toMatchObject({ class: 'accepted', status: 200 });
    expect(outcome.fields?.get('paynet-order-id')).toBe('17');
  });

  test('allows parameters of the content type and ids as numbers', () => {
    const text = '{"type":"async-response","paynet-order-id":9223372036854775807,"merchant-order-id":"order-1"}';
    const outcome = classify(reply(text, 200, { 'content-type': 'application/vnd.pay+json; charset=utf-8' }), sale);
    expect(outcome.fields?.get('paynet-order-id')).toBe('9223372036854775807');
  });

  test.each([
    ['AsyncResponse', { orderid: '17' }],
    ['AsyncCheckoutFormRedirect', { 'redirect-url': 'https://a' }],
    ['AsyncCheckoutFormRedirect', { redirect_url: 'https://a' }],
    ['CardRefAsyncResponse', { 'card-ref-id': '1' }],
    ['CardRefV4AsyncResponse', { 'card-ref-id': '1' }],
    ['CardInfoAsyncResponse', { bin: '444433' }],
    ['CardInfoAsyncResponse', { 'last-four-digits': '1111' }],
    ['StatusResponse', { status: 'processing' }],
    ['CreateRecurringPaymentResponse', { 'recurring-payment-id': '5' }],
  ] as const)('%s is accepted with %j alone, and with each of its types', (record, own) => {
    expect(classOf(reply(own), { ...sale, reply: record })).toBe('accepted');
    for (const type of replies[record].types)
      expect(classOf(reply({ type, ...own }), { ...sale, reply: record })).toBe('accepted');
    expect(classOf(reply({ ...own, type: 'a-word-nobody-lists' }), { ...sale, reply: record })).toBe('accepted');
    expect(classOf(reply({ type: replies[record].types[0], 'serial-number': '1' }), { ...sale, reply: record })).toBe(
      'unknown',
    );
    expect(
      classOf(reply(Object.fromEntries(Object.keys(own).map((name) => [name, '']))), { ...sale, reply: record }),
    ).toBe('unknown');
  });

  test.each([
    ['HTML', reply('<html></html>', 200, { 'content-type': 'text/html' })],
    ['nothing', reply('')],
    ['truncated JSON', reply('{"paynet-order-id":"17"')],
    ['an array', reply('[]')],
    [
      'bytes that are not UTF-8',
      {
        kind: 'reply',
        reply: { status: 200, headers: { 'content-type': jsonType }, body: Buffer.from([0x7b, 0xff, 0x7d]) },
      },
    ],
    ['a content type', reply(accepted, 200, { 'content-type': 'application/json' })],
    ['no content type', reply(accepted, 200, {})],
    ['two content types', reply(accepted, 200, { 'content-type': [jsonType, jsonType] })],
    ['an encoding', reply(accepted, 200, { 'content-type': jsonType, 'content-encoding': 'gzip' })],
    ['another client order id', reply({ ...accepted, 'merchant-order-id': 'order-2' })],
    ['another record', reply({ ...accepted, type: 'status-response' })],
    ['a validation error', reply(refusal)],
    ['an error', reply({ ...refusal, type: 'error' })],
  ] satisfies [string, Delivery][])('with %s is unknown, and for a read no reason to stop asking', (_, delivery) => {
    expect(classOf(delivery)).toBe('unknown');
    expect(classOf(delivery, { ...sale, effect: 'write' })).toBe('unknown');
    expect(['read-retry', 'refused']).toContain(classOf(delivery, status));
  });

  test('with an identity encoding is accepted', () => {
    expect(classOf(reply(accepted, 200, { 'content-type': jsonType, 'content-encoding': 'identity' }))).toBe(
      'accepted',
    );
  });

  test('with the id of another order is unknown and gives no fields', () => {
    const outcome = classify(reply(accepted), { ...sale, orderId: '18' });
    expect(outcome).toEqual({
      class: 'unknown',
      reason: 'HTTP 200 about another order',
      status: 200,
      isOfAnother: true,
    });
    expect(classOf(reply(accepted), { ...sale, orderId: '' })).toBe('accepted');
    expect(classOf(reply(accepted), { ...sale, orderId: '17' })).toBe('accepted');
  });

  test('with an error record says no to a read', () => {
    expect(classOf(reply(refusal), status)).toBe('refused');
  });
});

describe('form replies (A12)', () => {
  const form: ClassifyContext = { ...sale, format: 'form' };
  const pairs = (text: string, code = 200) => reply(text, code, { 'content-type': 'text/html;charset=utf-8' });

  test.each([
    ['type=async-response\n&paynet-order-id=17\n&merchant-order-id=order-1\n', form, 'accepted'],
    ['type=validation-error&error-message=no&error-code=2', form, 'refused'],
    ['type=error&error-message=no', form, 'refused'],
    ['type=validation-error&error-message=no', { ...form, earlierAttempt: true }, 'unknown'],
    ['type=validation-error&error-message=no&paynet-order-id=17', form, 'ask-status'],
    ['<html>type=async-response</html>', form, 'unknown'],
    ['type=async-response&paynet-order-id=17', sale, 'unknown'],
  ] as const)('%s', (text, context, expected) => {
    expect(classOf(pairs(text), context)).toBe(expected);
  });
});

describe('400, 401, 403 and 404', () => {
  test.each([400, 401, 403, 404])('%i with an error record', (code) => {
    expect(classOf(reply(refusal, code))).toBe('refused');
    expect(classOf(reply({ ...refusal, type: 'error' }, code))).toBe('refused');
    expect(classOf(reply({ 'error-message': 'no' }, code))).toBe('refused');
    expect(classOf(reply(refusal, code), { ...sale, effect: 'write' })).toBe('refused');
    expect(classOf(reply(refusal, code), { ...sale, earlierAttempt: true })).toBe('unknown');
    expect(classOf(reply({ ...refusal, 'paynet-order-id': '17' }, code))).toBe('ask-status');
    expect(classOf(reply({ ...refusal, orderid: '17' }, code), { ...sale, earlierAttempt: true })).toBe('ask-status');
    expect(classOf(reply({ ...refusal, 'merchant-order-id': 'order-2' }, code))).toBe('unknown');
    expect(classOf(reply(refusal, code), status)).toBe('refused');
    expect(classOf(reply({ ...refusal, 'paynet-order-id': '17' }, code), status)).toBe('refused');
  });

  test.each([400, 401, 403, 404])('%i with anything else', (code) => {
    for (const body of [
      reply('<html>', code, { 'content-type': 'text/html' }),
      reply('', code),
      reply(accepted, code),
      reply('{}', code),
    ]) {
      expect(classOf(body)).toBe('unknown');
      expect(classOf(body, status)).toBe('read-retry');
    }
    expect(classOf(reply(refusal, code, { 'content-type': 'application/json' }))).toBe('unknown');
  });
});

describe('other statuses', () => {
  test.each([402, 405, 409, 422])('%i asks status when the error names an order', (code) => {
    expect(classOf(reply({ ...refusal, 'paynet-order-id': '17' }, code))).toBe('ask-status');
    expect(classOf(reply(refusal, code))).toBe('unknown');
    expect(classOf(reply(refusal, code), status)).toBe('read-retry');
  });

  test.each([201, 202, 204, 301, 302, 303, 307, 308, 418, 429, 500, 501, 502, 503, 504])(
    '%i is unknown, for a read another try',
    (code) => {
      for (const body of [reply(accepted, code), reply(refusal, code), reply('', code)]) {
        expect(classOf(body)).toBe('unknown');
        expect(classOf(body, status)).toBe('read-retry');
      }
    },
  );

  test('429 and 500 stay unknown even when the error names an order', () => {
    expect(classOf(reply({ ...refusal, 'paynet-order-id': '17' }, 429))).toBe('unknown');
    expect(classOf(reply({ ...refusal, 'paynet-order-id': '17' }, 500))).toBe('unknown');
  });
});

test('a reason never holds text of the gateway', () => {
  const spoilt = { ...refusal, 'error-message': 'CANARY', type: 'error' };
  for (const code of [200, 400, 500]) expect(classify(reply(spoilt, code), sale).reason).not.toContain('CANARY');
});

describe('an answer that there is no such order', () => {
  const says = (message: string, code = 400, type = 'validation-error') =>
    isOrderUnknown(classify(reply({ type, 'error-message': message, 'error-code': '6' }, code), status));

  test.each([
    'order not found',
    'Order with id 17 not found',
    'Order 17 was not found.',
    'No such order',
    'Unknown transaction',
    'Transaction 17 does not exist',
    "Order 17 doesn't exist",
    'Cannot find the order',
    'ORDER_NOT_FOUND',
  ])('is known by its words, in either record: %s', (message) => {
    expect([says(message), says(message, 400, 'error')]).toEqual([true, true]);
  });

  test.each([
    // Taken for "never arrived", each of these could lead to a second payment.
    'INVALID_CONTROL_CODE',
    'End point with id 4001 not found',
    'the status of the order is unknown',
    'order 17: outcome unknown',
    'Internal error, try later',
    'Too many questions about this order',
    '',
  ])('is no other refusal, in either record: %s', (message) => {
    expect([says(message), says(message, 400, 'error')]).toEqual([false, false]);
  });

  test.each([401, 403, 404, 500])('proves nothing under %i', (code) => {
    expect(says('order not found', code)).toBe(false);
  });
});

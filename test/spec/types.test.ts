import { describe, expect, test } from 'vitest';
import { type Own, writeFields } from '../../src/sandbox/effects/reply.js';
import * as f from '../../src/spec/fields.js';
import {
  callbackFields,
  control,
  defineOperation,
  forbidden,
  hmac,
  onlyWith,
  type Rule,
  requiredWhen,
  ruled,
  stated,
  switched,
  together,
  unsigned,
} from '../../src/spec/index.js';

// tsc reads these as well: each `@ts-expect-error` is an error of its own unless the next line fails to compile.
const fields = { clientOrderId: f.clientOrderId, amount: f.optional(f.amount), currency: f.optional(f.currency) };
const probe = {
  command: 'probe',
  path: '/api/v2/probe',
  examples: [],
  brief: 'A row for this test',
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'read',
  opens: false,
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
  id: 'PROBE',
  fields,
} as const;

describe('a row', () => {
  test('keeps its id and its field names literal', () => {
    const row = defineOperation({
      ...probe,
      rules: [ruled(stated, together('amount', 'currency'))],
      protection: control('login', 'endpointId', 'amount'),
    });
    const id: 'PROBE' = row.id;
    const wire: string = row.fields.amount.wire;
    // @ts-expect-error The row has no such field.
    const missing: unknown = row.fields.email;
    expect([id, wire, missing]).toEqual(['PROBE', 'amount', undefined]);
  });

  test('does not compile with a checksum over a field it lacks', () => {
    // @ts-expect-error
    defineOperation({ ...probe, rules: [], protection: control('login', 'orderId') });
    const byHand = { scheme: 'control', values: ['email'] } as const;
    // @ts-expect-error
    defineOperation({ ...probe, rules: [], protection: byHand });
    const bySwitch = switched('card-info-control', { omit: unsigned, 'login+cardrefid': control('email') });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [], protection: bySwitch });
    expect(defineOperation({ ...probe, rules: [], protection: hmac }).protection).toBe(hmac);
  });

  test('does not compile with a rule about a field it lacks', () => {
    // @ts-expect-error
    defineOperation({ ...probe, rules: [ruled(stated, together('amount', 'email'))], protection: hmac });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [onlyWith('email', 'amount')], protection: hmac });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [requiredWhen('currency', ['USD'], ['email'])], protection: hmac });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [forbidden(['email'], 'no')], protection: hmac });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [{ rule: 'exactlyOne', groups: [['amount'], ['email=x']] }], protection: hmac });
    expect(fields.amount.need).toBe('optional');
  });

  test('does not compile with a kind of rule, a switch or a record there is not', () => {
    // @ts-expect-error
    const rule: Rule = { rule: 'sometimes', fields: ['amount'] };
    // @ts-expect-error
    switched('no-such-switch', { omit: unsigned });
    // @ts-expect-error
    defineOperation({ ...probe, rules: [], protection: hmac, records: { request: null, reply: 'NoSuchResponse' } });
    expect(rule.rule).toBe('sometimes');
  });
});

describe('what the sandbox writes', () => {
  const fields = { status: 'approved', orderId: '1', merchantOrder: 'a', clientOrderId: 'a', transactionType: 'sale' };

  test('has the fields of its table, those without a value left out', () => {
    expect(writeFields(callbackFields, { ...fields, control: 'c', amount: undefined, errorCode: '' })).toEqual([
      ['status', 'approved'],
      ['orderid', '1'],
      ['merchant_order', 'a'],
      ['client_orderid', 'a'],
      ['type', 'sale'],
      ['control', 'c'],
    ]);
  });

  test('does not compile with a field its table lacks, or without one that is always there', () => {
    // @ts-expect-error
    writeFields(callbackFields, { ...fields, control: 'c', orderStage: 'sale_approved' });
    // @ts-expect-error
    expect(writeFields(callbackFields, fields)).toHaveLength(5);
    // @ts-expect-error
    const stored: Own<'CardRefAsyncResponse'> = { cardRef: '1', uniqueCardRef: '1' };
    expect(stored.cardRef).toBe('1');
  });
});

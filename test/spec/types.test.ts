import { describe, expect, test } from 'vitest';
import { type Own, writeFields } from '../../src/sandbox/replies.js';
import { fields as fieldsNamed } from '../../src/spec/fields.js';
import {
  callbackFields,
  control,
  defineOperation,
  forbidden,
  hmac,
  onlyWith,
  type Rule,
  requiredWhen,
  switched,
  together,
  unsigned,
} from '../../src/spec/index.js';

// tsc reads these as well: each `@ts-expect-error` is an error of its own unless the next line fails to compile.
const fields = fieldsNamed('clientOrderId', 'amount?', 'currency?');
const probe = {
  command: 'probe',
  path: '/api/v2/probe',
  examples: [],
  brief: 'A row for this test',
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'read',
  id: 'PROBE',
  fields,
} as const;
const row = { ...probe, protection: hmac };

describe('a row', () => {
  test('keeps its id and its field names literal', () => {
    const made = defineOperation({
      ...probe,
      rules: [together('amount', 'currency')],
      protection: control('login', 'endpointId', 'amount'),
    });
    const id: 'PROBE' = made.id;
    const wire: string = made.fields.amount.wire;
    // @ts-expect-error The row has no such field.
    const missing: unknown = made.fields.email;
    expect([id, wire, missing]).toEqual(['PROBE', 'amount', undefined]);
  });

  test('does not compile with a field that is not in the dictionary, or an exception to one it lacks', () => {
    // @ts-expect-error
    const misspelt = () => defineOperation({ ...row, fields: { ...fields, emial: 'required' } });
    // @ts-expect-error
    const misspeltName = () => fieldsNamed('emial');
    // @ts-expect-error
    const lacking = () => defineOperation({ ...row, except: { email: { max: 5 } } });
    const shared = { amount: { max: 5 }, email: { max: 5 } };
    // @ts-expect-error
    const byHand = () => defineOperation({ ...row, except: shared });
    // @ts-expect-error
    const unfounded = () => defineOperation({ ...row, fieldBasis: 'A54' });
    expect([misspelt, misspeltName, lacking, byHand, unfounded]).toHaveLength(5);
  });

  test('does not compile with a checksum over a field it lacks', () => {
    // @ts-expect-error
    defineOperation({ ...probe, protection: control('login', 'orderId') });
    const byHand = { scheme: 'control', values: ['email'] } as const;
    // @ts-expect-error
    defineOperation({ ...probe, protection: byHand });
    const bySwitch = switched('card-info-control', { omit: unsigned, 'login+cardrefid': control('email') });
    // @ts-expect-error
    defineOperation({ ...probe, protection: bySwitch });
    expect(defineOperation(row).protection).toBe(hmac);
  });

  test('does not compile with a rule about a field it lacks, or a destination that is none', () => {
    // @ts-expect-error
    defineOperation({ ...row, rules: [{ ...together('amount', 'email'), basis: 'stated' }] });
    // @ts-expect-error
    defineOperation({ ...row, rules: [onlyWith('email', 'amount')] });
    // @ts-expect-error
    defineOperation({ ...row, rules: [requiredWhen('currency', ['USD'], ['email'])] });
    // @ts-expect-error
    defineOperation({ ...row, rules: [forbidden(['email'], 'no')] });
    // @ts-expect-error
    defineOperation({ ...row, rules: [{ rule: 'exactlyOne', groups: [['amount'], ['email=x']] }] });
    // @ts-expect-error
    defineOperation({ ...row, destination: ['walletId'] });
    expect(fields.amount).toBe('optional');
  });

  test('does not compile with a kind of rule, a switch or a record there is not', () => {
    // @ts-expect-error
    const rule: Rule = { rule: 'sometimes', fields: ['amount'] };
    // @ts-expect-error
    switched('no-such-switch', { omit: unsigned });
    // @ts-expect-error
    defineOperation({ ...row, records: { request: null, reply: 'NoSuchResponse' } });
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

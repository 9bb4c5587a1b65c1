import { expect, test } from 'vitest';
import { assumeDefaults, type OperationId, operations, statuses } from '../../src/spec/index.js';
import { legality, type OrderFacts, stageOf, type TransactionKind, transactionKinds } from '../../src/spec/lifecycle.js';

const kinds = ['sale', 'preauth', 'account-verification', 'rebill', 'payout', 'payout-check', 'transfer', 'pan-eligibility'] as const;

/** For each follow-up: the orders it may be made on, and the status they must have. */
const allowed: Partial<
  Record<OperationId, { readonly on: readonly TransactionKind[]; readonly status: string; readonly facts?: Partial<OrderFacts> }>
> = {
  CAPTURE: { on: ['preauth'], status: 'approved' },
  VOID: { on: ['preauth'], status: 'approved' },
  RETURN: { on: ['preauth', 'sale', 'rebill'], status: 'approved' },
  CARDREF: { on: ['preauth', 'sale', 'account-verification'], status: 'approved' },
  CARDREF_V4: { on: ['preauth', 'sale', 'account-verification'], status: 'approved' },
  PAYOUT_V4_PAY: { on: ['payout-check'], status: 'processing', facts: { step: 'validated' } },
  TDS_UPLOAD_METHOD_URL_RESULT: { on: kinds, status: 'processing', facts: { step: 'method' } },
  TDS_UPLOAD_CRES_RESULT: { on: kinds, status: 'processing', facts: { step: 'challenge' } },
  TDS_UPLOAD_PARES_RESULT: { on: kinds, status: 'processing', facts: { step: 'pareq' } },
};

function facts(opened: TransactionKind, status: string, own: Partial<OrderFacts> = {}): OrderFacts {
  const hold = opened === 'preauth' && status === 'approved' ? 'live' : 'none';
  return {
    opened,
    status,
    step: 'none',
    following: 'none',
    hold,
    captured: 'nothing',
    returned: 'nothing',
    voided: 'no',
    day: 'open',
    paid: 'no',
    ...own,
  };
}

test('every operation that follows on an order is in the table', () => {
  const followUps = operations.filter((row) => !row.opens && row.effect !== 'read').map(({ id }) => id);
  expect(followUps.toSorted()).toEqual(Object.keys(allowed).toSorted());
});

test.each(operations.map(({ id }) => id))('%s on every kind of order in every status', (id) => {
  const rule = allowed[id];
  for (const opened of kinds) {
    for (const status of Object.keys(statuses)) {
      const reason = legality(id, facts(opened, status, rule?.facts), assumeDefaults);
      const mayFollow = rule === undefined || (rule.on.includes(opened) && rule.status === status);
      expect([opened, status, reason === undefined]).toEqual([opened, status, mayFollow]);
      expect(reason ?? 'may be made').toMatch(/^[a-z][^{}]{9,}$/);
    }
  }
});

test.each([
  ['CAPTURE', { following: 'processing' }],
  ['CAPTURE', { captured: 'part' }],
  ['CAPTURE', { captured: 'all' }],
  ['CAPTURE', { returned: 'all' }],
  ['CAPTURE', { voided: 'yes' }],
  ['CAPTURE', { hold: 'lapsed' }],
  ['VOID', { following: 'processing' }],
  ['VOID', { captured: 'part' }],
  ['VOID', { returned: 'part' }],
  ['VOID', { voided: 'yes' }],
  ['VOID', { hold: 'lapsed' }],
  ['RETURN', { following: 'processing' }],
  ['RETURN', { returned: 'all' }],
  ['RETURN', { voided: 'yes' }],
] as const)('%s is refused on an approved preauth with %o', (id, own) => {
  expect(legality(id, facts('preauth', 'approved', own), assumeDefaults)).toBeDefined();
});

test.each([
  ['CAPTURE', { returned: 'part' }],
  ['RETURN', { captured: 'part' }],
  ['RETURN', { returned: 'part' }],
  ['VOID', { day: 'closed' }],
] as const)('%s is fine on an approved preauth with %o', (id, own) => {
  expect(legality(id, facts('preauth', 'approved', own), assumeDefaults)).toBeUndefined();
});

test('stages are words of lower case letters, whatever the transaction and its status', () => {
  for (const kind of Object.keys(transactionKinds).filter((each): each is TransactionKind => each in transactionKinds))
    for (const status of Object.keys(statuses)) expect(stageOf(kind, status, 'none')).toMatch(/^[a-z0-9]+(?:_[a-z0-9]+)+$/);
  expect(stageOf('preauth', 'processing', 'challenge')).toBe('auth_3d_validating');
  expect(stageOf('payout-check', 'processing', 'validated')).toBe('payout_check_validated');
});

import { expect, test } from 'vitest';
import { assumeDefaults, type OperationId, operationById, operations } from '../../src/spec/index.js';
import { legality, type OrderFacts, type TransactionKind } from '../../src/spec/lifecycle.js';

/**
 * Kinds of the first transaction of an order, and steps it may be in; recorded here, not taken from the table under
 * test.
 */
const kinds = [
  'sale',
  'preauth',
  'account-verification',
  'rebill',
  'payout',
  'payout-check',
  'transfer',
  'pan-eligibility',
] as const;
const steps = [
  'none',
  'form',
  'method',
  'frictionless',
  'challenge',
  'pareq',
  'simplified',
  'validating',
  'validated',
] as const;
const words = ['approved', 'declined', 'error', 'filtered', 'processing', 'unknown', 'chain_declined'] as const;

/**
 * `KIND:STATUS:STEP` of every order with a live hold or a settled payment, nothing done on it yet, on which the
 * operation may follow.
 */
const settled = ['sale', 'preauth', 'rebill'];
const withCard = ['sale', 'preauth', 'account-verification'];
const resting = ['none', 'validating', 'validated'];
const on = (opened: readonly string[], status: string, at: readonly string[]) =>
  opened.flatMap((kind) => at.map((step) => `${kind}:${status}:${step}`));
const everywhere = kinds.flatMap((kind) => words.flatMap((word) => on([kind], word, steps)));

/** Operations that begin an order are not here: they follow on none. */
const expected: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  // A question is always allowed.
  STATUS: everywhere,
  // "settles funds held by a preauth"
  CAPTURE: on(['preauth'], 'approved', resting),
  // "cancels a transaction that is authorized but not settled"
  VOID: on(['preauth'], 'approved', resting),
  // "allowed only when the original transaction is in a final successful status"; of a preauth, a sale or a capture
  RETURN: on(settled, 'approved', resting),
  CARDREF: on(withCard, 'approved', resting),
  CARDREF_V4: on(withCard, 'approved', resting),
  // "executes a payout registered by payout-check"
  PAYOUT_V4_PAY: on(['payout-check'], 'processing', ['validated']),
  TDS_UPLOAD_METHOD_URL_RESULT: on(kinds, 'processing', ['method', 'frictionless']),
  TDS_UPLOAD_CRES_RESULT: on(kinds, 'processing', ['challenge']),
  TDS_UPLOAD_PARES_RESULT: on(kinds, 'processing', ['pareq']),
  // "against cardrefid": they need a known card reference, whatever became of the order the card came with.
  REBILL: everywhere,
  CARDINFO: everywhere,
};

function facts(opened: TransactionKind, status: string, own: Partial<OrderFacts> = {}): OrderFacts {
  const hold = opened === 'preauth' && status === 'approved' ? 'live' : 'none';
  const nothing = { captured: 'nothing', returned: 'nothing', voided: 'no', day: 'open', paid: 'no' } as const;
  return { opened, status, step: 'none', following: 'none', hold, ...nothing, card: 'kept', ...own };
}

test.each(operations.map(({ id }) => id))('%s on every kind of order, in every status, at every step', (id) => {
  const { opens, command } = operationById(id);
  const allowed = new Set(expected[id] ?? (opens ? [] : expect.unreachable(`${command} follows on an order`)));
  // Collected, since one expect for each of 504 costs more than all else.
  const wrong: string[] = [];
  for (const opened of kinds)
    for (const status of words)
      for (const step of steps) {
        const where = `${opened}:${status}:${step}`;
        const reason = legality(id, facts(opened, status, { step }), assumeDefaults);
        if ((reason === undefined) !== allowed.has(where)) wrong.push(`${where}: ${reason ?? 'it may be made'}`);
      }
  expect(wrong).toEqual([]);
});

test.each(['REBILL', 'CARDINFO'] as const)('%s needs a card that is kept', (id) => {
  expect(legality(id, facts('sale', 'approved', { card: 'given' }), assumeDefaults)).toMatch(/not tokenized yet/);
  expect(legality(id, facts('payout', 'approved', { card: 'none' }), assumeDefaults)).toBe(
    'this payout has no payer card',
  );
});

test.each([
  ['CAPTURE', { following: 'processing' }],
  ['CAPTURE', { captured: 'part' }],
  ['CAPTURE', { captured: 'all' }],
  ['CAPTURE', { returned: 'hold' }],
  ['CAPTURE', { voided: 'yes' }],
  ['CAPTURE', { hold: 'expired' }],
  ['VOID', { following: 'processing' }],
  ['VOID', { captured: 'part' }],
  ['VOID', { returned: 'part' }],
  ['VOID', { voided: 'yes' }],
  ['VOID', { hold: 'expired' }],
  ['RETURN', { following: 'processing' }],
  ['RETURN', { hold: 'expired' }],
  ['CAPTURE', { hold: 'rest-expired' }],
  ['RETURN', { returned: 'all' }],
  ['RETURN', { returned: 'hold' }],
  ['RETURN', { voided: 'yes' }],
] as const)('%s is refused on an approved preauth with %o', (id, own) => {
  expect(legality(id, facts('preauth', 'approved', own), assumeDefaults)).toBeDefined();
});

test.each([
  ['CAPTURE', { returned: 'part' }],
  ['RETURN', { captured: 'part' }],
  ['RETURN', { captured: 'part', hold: 'rest-expired' }],
  ['RETURN', { returned: 'part' }],
  ['VOID', { day: 'closed' }],
] as const)('%s is fine on an approved preauth with %o', (id, own) => {
  expect(legality(id, facts('preauth', 'approved', own), assumeDefaults)).toBeUndefined();
});

test.each(['yes', 'processing', 'unknown', 'failed'] as const)('a payout whose payment is "%s" is not paid', (paid) => {
  const checked = facts('payout-check', 'processing', { step: 'validated', paid });
  expect(legality('PAYOUT_V4_PAY', checked, assumeDefaults)).toMatch(/^its payment was sent already/);
});

test('several captures, one return and a void of a sale are allowed where a switch says so', () => {
  const partly = facts('preauth', 'approved', { captured: 'part' });
  expect(legality('CAPTURE', partly, { ...assumeDefaults, 'captures-per-hold': 'many' })).toBeUndefined();
  const refunded = facts('preauth', 'approved', { captured: 'part', returned: 'all' });
  expect(legality('CAPTURE', refunded, { ...assumeDefaults, 'captures-per-hold': 'many' })).toBeUndefined();
  const returned = facts('sale', 'approved', { returned: 'part' });
  expect(legality('RETURN', returned, { ...assumeDefaults, 'returns-sum': 'one' })).toMatch(/only one is allowed/);
  const untilCutoff = { ...assumeDefaults, 'void-window': 'until-cutoff' };
  expect(legality('VOID', facts('sale', 'approved'), untilCutoff)).toBeUndefined();
  expect(legality('VOID', facts('sale', 'approved', { day: 'closed' }), untilCutoff)).toMatch(/has closed/);
});

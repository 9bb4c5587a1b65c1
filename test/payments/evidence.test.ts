import { describe, expect, test } from 'vitest';
import type { Intent, State } from '../../src/journal/index.js';
import { type EvidenceFacts, evidenceFor, isBeyondStatus } from '../../src/payments/evidence.js';
import { operations } from '../../src/spec/index.js';

let made = 0;

function intent(operation: string, more: Partial<Intent> = {}): Intent {
  made += 1;
  const isOpening = operations.find(({ id }) => id === operation)?.opens === true;
  return {
    id: made,
    kind: isOpening ? 'opening' : 'follow-up',
    operation,
    effect: 'money',
    base: 'https://gate.example',
    endpointId: '4001',
    login: 'shop',
    profile: 'shop',
    class: 'test',
    clientOrderId: 'order-1',
    orderId: isOpening ? undefined : '900',
    sum: { minor: '1042', currency: 'USD' },
    lastFour: undefined,
    content: 'c',
    sequence: 1,
    state: 'unknown',
    attempts: 1,
    mayHaveArrived: true,
    madeAt: 0,
    changedAt: 0,
    reason: '',
    outcome: {},
    sender: { host: 'here', pid: 1, version: '1' },
    ...more,
  };
}

const answer = (fields: Readonly<Record<string, string>>) =>
  new Map(Object.entries({ type: 'status-response', 'paynet-order-id': '900', ...fields }));
const alone: EvidenceFacts = { others: [], bySerial: false, minorDigits: 'iso4217' };
const proves = (of: Intent, fields: Readonly<Record<string, string>>, facts: Partial<EvidenceFacts> = {}) =>
  evidenceFor(of, answer(fields), { ...alone, ...facts }).proves;

describe('an opening operation', () => {
  test.each([
    ['approved', 'done'],
    ['declined', 'declined'],
    ['error', 'declined'],
    ['filtered', 'declined'],
    ['processing', 'open'],
    ['chain_declined', 'open'],
    ['unknown', 'open'],
    ['settled_maybe', 'open'],
  ])('status %s proves %s', (status, wanted) => {
    expect(proves(intent('SALE'), { status, 'transaction-type': 'sale', 'order-stage': `sale_${status}` })).toBe(
      wanted,
    );
  });

  test.each([
    ['USD', 'done'],
    ['EUR', 'nothing'],
    // No code that paycli knows says nothing.
    ['840', 'done'],
    ['usd', 'done'],
  ])('the same amount in %s proves %s of a sale and of a return in USD', (currency, wanted) => {
    const shown = { status: 'approved', amount: '10.42', currency };
    expect(proves(intent('SALE'), { ...shown, 'transaction-type': 'sale' })).toBe(wanted);
    const reversal = { ...shown, 'transaction-type': 'reversal', 'total-reversal-amount': '10.42' };
    if (wanted === 'nothing') expect(proves(intent('RETURN'), reversal)).toBe(wanted);
    expect(proves(intent('RETURN'), { ...reversal, currency: 'USD' })).toBe('done');
  });

  test('is there when status speaks of a later transaction of its order, and no more is proven', () => {
    expect(proves(intent('PREAUTH'), { status: 'declined', 'transaction-type': 'capture' })).toBe('open');
  });

  test.each<
    readonly [
      opening: string,
      status: Readonly<Record<string, string>>,
      others: readonly (readonly [string, State])[],
      wanted: string,
    ]
  >([
    ['SALE', { status: 'approved', 'transaction-type': 'reversal', amount: '5.00' }, [], 'done'],
    ['SALE', { status: 'processing', 'transaction-type': 'reversal', amount: '5.00' }, [], 'open'],
    ['SALE', { status: 'declined', 'transaction-type': 'reversal', amount: '5.00' }, [], 'open'],
    ['SALE', { status: 'processing', 'transaction-type': 'reversal', amount: '5.00' }, [['RETURN', 'done']], 'done'],
    [
      'SALE',
      { status: 'processing', 'transaction-type': 'reversal', amount: '5.00' },
      [['RETURN', 'accepted']],
      'open',
    ],
    ['SALE', { status: 'approved', 'transaction-type': 'capture', amount: '5.00' }, [], 'open'],
    ['PREAUTH', { status: 'approved', 'transaction-type': 'capture', amount: '5.00' }, [], 'done'],
    ['PREAUTH', { status: 'approved', 'transaction-type': 'cancel', amount: '10.42' }, [], 'done'],
    ['PREAUTH', { status: 'approved', 'transaction-type': 'void' }, [], 'done'],
    ['PREAUTH', { status: 'approved', 'transaction-type': 'capture', 'initial-amount': '9.00' }, [], 'nothing'],
    [
      'PAYOUT_V4_CHECK',
      { status: 'approved', 'transaction-type': 'payout', 'order-stage': 'payout_approved' },
      [],
      'done',
    ],
  ])('%s, when status speaks of %j and the journal of %j: %s', (opening, status, others, wanted) => {
    const known = others.map(([operation, state]) =>
      intent(operation, { state, sum: { minor: '500', currency: 'USD' } }),
    );
    expect(proves(intent(opening, { state: 'accepted' }), { currency: 'USD', ...status }, { others: known })).toBe(
      wanted,
    );
  });

  test('of another amount is another one: somebody else used that id', () => {
    const fields = { status: 'approved', 'transaction-type': 'sale', amount: '10.43', currency: 'USD' };
    expect(proves(intent('SALE'), fields)).toBe('nothing');
    expect(proves(intent('SALE'), { ...fields, amount: '10.42' })).toBe('done');
    expect(proves(intent('SALE'), { ...fields, amount: '1.00', 'initial-amount': '10.42' })).toBe('done');
    // A46: a rebill may charge another of the amounts it was given.
    expect(proves(intent('REBILL'), fields)).toBe('done');
  });

  test('is settled by an answer that names no transaction, as long as nothing followed on it', () => {
    expect(proves(intent('SALE'), { status: 'approved' })).toBe('done');
    expect(proves(intent('SALE'), { status: 'approved' }, { others: [intent('RETURN')] })).toBe('open');
  });
});

describe('a follow-up', () => {
  test('an older approved of the same order proves nothing', () => {
    expect(
      proves(intent('CAPTURE'), { status: 'approved', 'transaction-type': 'preauth', 'order-stage': 'auth_approved' }),
    ).toBe('nothing');
    expect(proves(intent('CAPTURE'), { status: 'approved' })).toBe('nothing');
    expect(proves(intent('RETURN'), { status: 'approved', 'transaction-type': 'sale' })).toBe('nothing');
    expect(
      proves(intent('PAYOUT_V4_PAY'), {
        status: 'approved',
        'transaction-type': 'payout',
        'order-stage': 'payout_check_approved',
      }),
    ).toBe('nothing');
  });

  test('an answer that names it settles it', () => {
    expect(
      proves(intent('CAPTURE'), {
        status: 'approved',
        'transaction-type': 'capture',
        amount: '10.42',
        currency: 'USD',
      }),
    ).toBe('done');
    expect(proves(intent('VOID', { sum: undefined }), { status: 'declined', 'transaction-type': 'void' })).toBe(
      'declined',
    );
    expect(
      proves(intent('PAYOUT_V4_PAY'), {
        status: 'approved',
        'transaction-type': 'payout',
        'order-stage': 'payout_approved',
      }),
    ).toBe('done');
    expect(
      proves(intent('CAPTURE'), {
        status: 'processing',
        'transaction-type': 'capture',
        amount: '10.42',
        currency: 'USD',
      }),
    ).toBe('open');
  });

  test.each<readonly [string, string, Readonly<Record<string, string>>]>([
    ['CAPTURE', 'approved', {}],
    ['CAPTURE', 'declined', {}],
    ['CAPTURE', 'processing', {}],
    ['RETURN', 'declined', {}],
    ['RETURN', 'processing', {}],
  ])('%s that is %s, in an answer without an amount, may be that of another machine', (operation, status) => {
    const type = operation === 'CAPTURE' ? 'capture' : 'reversal';
    expect(proves(intent(operation), { status, 'transaction-type': type })).toBe('nothing');
  });

  test('what was matched by operation and amount says why: no reply came, or none about the serial number of its own', () => {
    const fields = { status: 'approved', 'transaction-type': 'capture', amount: '10.42', currency: 'USD' };
    const reasonOf = (more: Partial<Intent>, facts: Partial<EvidenceFacts> = {}) =>
      evidenceFor(intent('CAPTURE', more), answer(fields), { ...alone, ...facts }).reason;
    const matched = 'status: approved; matched by operation and amount:';
    expect(reasonOf({})).toBe(
      `${matched} no reply gave its serial number, and an identical capture from another machine would look the same`,
    );
    const replied: Partial<Intent> = { state: 'accepted', outcome: { 'serial-number': 'a-1' } };
    expect(reasonOf(replied)).toBe(`${matched} the gateway gave no status for its serial number`);
    expect(reasonOf(replied, { bySerial: true })).toBe('status: approved');
  });

  test.each([
    ['VOID', 'void'],
    ['PAYOUT_V4_PAY', 'payout'],
  ])('%s takes effect once on an order, so nothing is said of how it was matched', (operation, type) => {
    const evidence = evidenceFor(intent(operation), answer({ status: 'approved', 'transaction-type': type }), alone);
    expect(evidence).toEqual({ proves: 'done', reason: 'status: approved' });
  });

  test('not when it may be about an earlier one of the same kind, unless it was asked for by its serial number', () => {
    const fields = { status: 'approved', 'transaction-type': 'capture', amount: '10.42', currency: 'USD' };
    const others = [intent('CAPTURE', { state: 'done' })];
    expect(proves(intent('CAPTURE'), fields, { others })).toBe('nothing');
    expect(proves(intent('CAPTURE'), fields, { others, bySerial: true })).toBe('done');
    expect(proves(intent('CAPTURE'), { ...fields, amount: '5.00' })).toBe('nothing');
  });

  const returned = (total: string, status = 'approved') => ({
    status,
    'transaction-type': 'reversal',
    currency: 'USD',
    'total-reversal-amount': total,
  });

  test.each<readonly [string, string, readonly (readonly [State, string | undefined])[], string]>([
    ['the sum is this one', '10.42', [], 'done'],
    ['it grew by this one', '15.42', [['done', '500']], 'done'],
    ['it grew by less', '12.00', [['done', '500']], 'nothing'],
    ['it grew by more', '20.00', [['done', '500']], 'nothing'],
    ['it is that of the earlier one', '5.00', [['done', '500']], 'nothing'],
    ['a declined one counts for nothing', '10.42', [['declined', '500']], 'done'],
    ['it alone makes the sum, another one is open', '10.42', [['unknown', '500']], 'nothing'],
    ['another open one makes the sum', '5.00', [['unknown', '500']], 'nothing'],
    ['an open one of the same amount makes the sum as well', '10.42', [['unknown', '1042']], 'nothing'],
    ['an open one of the whole order', '10.42', [['unknown', undefined]], 'nothing'],
    ['one in conflict counts as open', '10.42', [['conflict', '500']], 'nothing'],
    ['an earlier one took the whole amount', '10.42', [['done', undefined]], 'nothing'],
  ])('a return: %s', (_, total, earlier, wanted) => {
    const others = earlier.map(([state, minor]) =>
      intent('RETURN', { state, sum: minor === undefined ? undefined : { minor, currency: 'USD' } }),
    );
    expect(proves(intent('RETURN'), returned(total), { others })).toBe(wanted);
  });

  test.each<readonly [string, string, string | undefined, readonly State[], string]>([
    ['none was returned', 'declined', undefined, [], 'declined'],
    ['what this journal returned, maybe by the request described', 'declined', '10.42', ['done'], 'nothing'],
    ['less than this journal returned', 'declined', undefined, ['done'], 'nothing'],
    ['more than this journal returned', 'declined', '10.42', [], 'nothing'],
    ['none was returned', 'processing', undefined, [], 'open'],
    ['more than this journal returned', 'processing', '10.42', [], 'nothing'],
  ])('a return, where the gateway shows that %s: %s, total %s', (_, status, total, earlier, wanted) => {
    const others = earlier.map((state) => intent('RETURN', { state }));
    const fields = {
      ...{ status, 'transaction-type': 'reversal', currency: 'USD', amount: '10.42' },
      ...(total === undefined ? {} : { 'total-reversal-amount': total }),
    };
    expect(proves(intent('RETURN'), fields, { others })).toBe(wanted);
  });

  test('a return of everything: everything has to be returned, for another machine may have returned a part', () => {
    const all = intent('RETURN', { sum: undefined });
    expect(proves(all, { ...returned('10.42'), 'initial-amount': '10.42' })).toBe('done');
    expect(proves(all, { ...returned('5.00'), 'initial-amount': '10.42' })).toBe('nothing');
    expect(proves(all, returned('10.42'))).toBe('nothing');
    const sale = { others: [intent('SALE', { state: 'done' })] };
    expect(proves(all, returned('10.42'), sale)).toBe('done');
    expect(proves(all, returned('5.00'), sale)).toBe('nothing');
  });

  test('a capture of everything: the status has to show all of it', () => {
    const all = intent('CAPTURE', { sum: undefined });
    const captured = (amount: string) => ({
      ...{ status: 'approved', 'transaction-type': 'capture', currency: 'USD' },
      ...{ amount, 'initial-amount': '10.42' },
    });
    expect(proves(all, captured('10.42'))).toBe('done');
    expect(proves(all, captured('4.00'))).toBe('nothing');
  });

  test('what was refused is no conflict where another request moved all there was', () => {
    const fields = { ...returned('10.42'), 'initial-amount': '10.42' };
    expect(proves(intent('RETURN', { sum: undefined, state: 'refused' }), fields)).toBe('nothing');
    expect(proves(intent('RETURN', { state: 'refused' }), fields)).toBe('done');
  });

  test('a return of everything: the sum has to have grown', () => {
    expect(proves(intent('RETURN', { sum: undefined }), { status: 'approved', 'transaction-type': 'reversal' })).toBe(
      'nothing',
    );
  });
});

test.each<
  readonly [
    string,
    string,
    { readonly minor: string; readonly currency: string; readonly digits?: number },
    string,
    string,
  ]
>([
  [
    'by the digits of the profile, before the journal kept them',
    'hundredths',
    { minor: '10000', currency: 'JPY' },
    '100',
    'done',
  ],
  [
    'by its own digits, whatever the profile assumes now',
    'iso4217',
    { minor: '10000', currency: 'JPY', digits: 2 },
    '100',
    'done',
  ],
  ['by ISO 4217', 'iso4217', { minor: '100', currency: 'JPY' }, '100', 'done'],
  ['another amount in the same digits', 'hundredths', { minor: '100', currency: 'JPY', digits: 2 }, '100', 'nothing'],
])('an amount is read %s', (_, minorDigits, sum, amount, wanted) => {
  const fields = { status: 'approved', 'transaction-type': 'sale', amount, currency: 'JPY' };
  expect(proves(intent('SALE', { sum }), fields, { minorDigits })).toBe(wanted);
});

test('a checked payout is done when it is validated, whatever its status word', () => {
  const fields = { status: 'processing', 'transaction-type': 'payout', 'order-stage': 'payout_check_validated' };
  expect(proves(intent('PAYOUT_V4_CHECK'), fields)).toBe('done');
  expect(proves(intent('PAYOUT_V4_CHECK'), { ...fields, 'order-stage': 'payout_check_validating' })).toBe('open');
});

test('what status cannot tell is settled by other evidence only', () => {
  const beyond = operations
    .filter(({ effect }) => effect !== 'read')
    .map(({ id }) => id)
    .filter(isBeyondStatus);
  expect(beyond.sort()).toEqual([
    'CARDREF',
    'CARDREF_V4',
    'CREATE_RP_V4',
    'TDS_UPLOAD_CRES_RESULT',
    'TDS_UPLOAD_METHOD_URL_RESULT',
    'TDS_UPLOAD_PARES_RESULT',
  ]);
  expect(proves(intent('CARDREF'), { status: 'approved', 'transaction-type': 'sale' })).toBe('nothing');
});

import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cardOrder, type Fixture, onOrder, openFixture, orderOf, status } from './support.js';

const cresPath = '/api/3ds/v1/upload-cres-result';
const methodPath = '/api/3ds/v1/upload-method-url-result';
const paresPath = '/api/3ds/v1/upload-pares-result';

function begin(
  fixture: Fixture,
  order: { readonly number?: string; readonly cvv?: string; readonly amount?: string },
  kind: 'sale' | 'preauth' = 'sale',
) {
  const answer = cardOrder(fixture, kind, { id: 't', ...order });
  expect(answer.status).toBe(200);
  return { order: orderOf(answer), redirect: answer.fields['redirect_url'] };
}

function challengeOf(fixture: Fixture, order: string): Record<string, string> {
  const shown = status(fixture, 't', order);
  expect(shown['tds_status']).toBe('CReqForm');
  return JSON.parse(Buffer.from(shown['tds-creq-form-creq'] ?? '', 'base64url').toString());
}

function cres(tdsId: string | undefined, own: object = {}): string {
  const message = {
    messageType: 'CRes',
    messageVersion: '2.2.0',
    threeDSServerTransID: tdsId,
    challengeCompletionInd: 'Y',
    transStatus: 'Y',
    ...own,
  };
  return Buffer.from(JSON.stringify(message)).toString('base64');
}

const pares = (word: string, purchase = '') =>
  `<ThreeDSecure><Message><PARes>${purchase}<TX><time>20300107</time><status>${word}</status></TX></PARes></Message></ThreeDSecure>`;

describe('the security code 321', () => {
  test('leads through the method step and the challenge to approved', () => {
    const fixture = openFixture({ pagesBase: 'http://127.0.0.1:9' });
    const { order, redirect } = begin(fixture, { cvv: '321' });
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:9\/gateway\/pages\/3ds\/\w{32}$/);
    fixture.later(1_740_000);
    const first = status(fixture, 't', order);
    expect(first).toMatchObject({
      status: 'processing',
      'order-stage': 'sale_3d_validating',
      tds_status: 'MethodUrlFrame',
      'tds-method-url-frame-3ds-method-url': redirect,
    });
    const tdsId = first['tds-method-url-frame-3ds-server-trans-id'] ?? '';
    expect(
      onOrder(fixture, methodPath, 't', order, { threeDSServerTransID: tdsId, threeDSCompInd: 'Y' }).fields['type'],
    ).toBe('async-response');
    const creq = challengeOf(fixture, order);
    expect(creq).toMatchObject({
      messageType: 'CReq',
      threeDSServerTransID: tdsId,
      acsTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const uploaded = onOrder(fixture, cresPath, 't', order, { cRes: cres(tdsId, { acsTransID: creq['acsTransID'] }) });
    expect(uploaded.status).toBe(200);
    const waiting = status(fixture, 't', order, { 'by-request-sn': uploaded.fields['serial-number'] ?? '' });
    expect(waiting).toMatchObject({ status: 'processing', 'transaction-type': 'sale' });
    expect(waiting).not.toHaveProperty('tds_status');
    fixture.later();
    expect(status(fixture, 't', order)).toMatchObject({ status: 'approved', 'verified-3d-status': 'AUTHENTICATED' });
  });
});

test.each([
  ['N', 'NOT_AUTHENTICATED'],
  ['R', 'NOT_AUTHENTICATED'],
  ['U', 'UNSUPPORTED'],
])('a payer who is not authenticated is declined: transStatus %s of a CRes, shown as %s', (transStatus, shown) => {
  const fixture = openFixture();
  const { order } = begin(fixture, { number: '4444000011118888' });
  const tdsId = challengeOf(fixture, order)['threeDSServerTransID'];
  expect(onOrder(fixture, cresPath, 't', order, { cRes: cres(tdsId, { transStatus }) }).status).toBe(200);
  fixture.later();
  expect(status(fixture, 't', order)).toMatchObject({
    status: 'declined',
    'verified-3d-status': shown,
    'error-code': '82',
  });
});

test.each(['A', 'y', '', 1, null])(
  'a CRes with the transStatus %j, which no challenge ends with, is refused, and the step stays open',
  (transStatus) => {
    const fixture = openFixture();
    const { order } = begin(fixture, { number: '4444000011118888' });
    const tdsId = challengeOf(fixture, order)['threeDSServerTransID'];
    const answer = onOrder(fixture, cresPath, 't', order, { cRes: cres(tdsId, { transStatus }) });
    expect([answer.status, answer.fields['error-message']]).toEqual([400, 'transStatus of cRes must be Y, N, U or R']);
    expect(status(fixture, 't', order)['tds_status']).toBe('CReqForm');
  },
);

describe('an upload is refused', () => {
  const fixture = openFixture();
  const { order } = begin(fixture, { number: '4444000011118888' });
  const tdsId = challengeOf(fixture, order)['threeDSServerTransID'] ?? '';
  const another = 'c0ffee00-0000-4000-8000-ffffffffffff';

  test.each([
    [
      'for another step',
      methodPath,
      { threeDSServerTransID: tdsId, threeDSCompInd: 'Y' },
      /is not waiting for a 3-D Secure method result; the open step is: 3-D Secure challenge/,
    ],
    [
      'for another flow',
      paresPath,
      { paRes: Buffer.from(pares('Y')).toString('base64') },
      /is not waiting for a payer authentication response/,
    ],
    ['that is no JSON', cresPath, { cRes: Buffer.from('hello').toString('base64') }, /not Base64 of a JSON object/],
    [
      "of another issuer's transaction",
      cresPath,
      { cRes: cres(tdsId, { acsTransID: another }) },
      /belongs to a different 3-D Secure transaction/,
    ],
  ])('%s', (_, path, own, words) => {
    const answer = onOrder(fixture, path, 't', order, own);
    expect(answer.status).toBe(400);
    expect(answer.fields['error-message']).toMatch(words);
    expect(status(fixture, 't', order)['tds_status']).toBe('CReqForm');
  });
});

describe('3-D Secure 1.0.2', () => {
  test.each([
    ['Y', 'approved', 'AUTHENTICATED'],
    ['A', 'approved', 'AUTHENTICATED'],
    ['N', 'declined', 'NOT_AUTHENTICATED'],
    // The bank could not authenticate anybody: that is no proof of who paid.
    ['U', 'declined', 'UNSUPPORTED'],
  ])('status %s of a PaRes ends in %s, shown as %s', (word, outcome, shown) => {
    const fixture = openFixture();
    const { order } = begin(fixture, { amount: '1.00' });
    expect(onOrder(fixture, paresPath, 't', order, { paRes: Buffer.from(pares(word)).toString('base64') }).status).toBe(
      200,
    );
    fixture.later();
    expect(status(fixture, 't', order)).toMatchObject({ status: outcome, 'verified-3d-status': shown });
  });

  test.each(['B', 'y', '', 'YES'])(
    'a PaRes with the status "%s", which 1.0.2 does not have, is refused, and the step stays open',
    (word) => {
      const fixture = openFixture();
      const { order } = begin(fixture, { amount: '1.00' });
      const answer = onOrder(fixture, paresPath, 't', order, { paRes: Buffer.from(pares(word)).toString('base64') });
      expect([answer.status, answer.fields['error-message']]).toEqual([
        400,
        'the status of paRes must be Y, A, N or U',
      ]);
      fixture.later();
      expect(status(fixture, 't', order)).toMatchObject({ status: 'processing', tds_status: 'PaReqForm' });
    },
  );

  test.each([
    ['no XML', Buffer.from('hello').toString('base64')],
    ['no status', Buffer.from('<PARes></PARes>').toString('base64')],
    ['a bomb', deflateSync(`<PARes>${'x'.repeat(1_000_000)}</PARes>`).toString('base64')],
  ])('refuses %s', (_, paRes) => {
    const fixture = openFixture();
    const { order } = begin(fixture, { amount: '1.00' });
    const answer = onOrder(fixture, paresPath, 't', order, { paRes });
    expect(answer.status).toBe(400);
    expect(answer.fields['error-code']).toBe('11');
  });

  test('a response names the order it was made for, and no other takes it', () => {
    const fixture = openFixture();
    const [mine, other] = ['mine', 'other'].map((id) => orderOf(cardOrder(fixture, 'sale', { id, amount: '1.00' })));
    // The order id in 20 digits, in Base64.
    const xid = (order = '') =>
      `<Purchase><xid>${Buffer.from(`000000000000${order}`).toString('base64')}</xid></Purchase>`;
    expect([mine, other]).toEqual([expect.stringMatching(/^\d{8}$/), expect.stringMatching(/^\d{8}$/)]);
    const upload = (id: string, order = '', of = order) =>
      onOrder(fixture, paresPath, id, order, { paRes: deflateSync(pares('Y', xid(of))).toString('base64') });
    const answer = upload('mine', mine, other);
    expect([answer.status, answer.fields['error-message']]).toEqual([
      400,
      `paRes belongs to a different order than ${mine}: its xid differs`,
    ]);
    expect(status(fixture, 'mine', mine ?? '')['tds_status']).toBe('PaReqForm');
    expect([upload('other', other).status, upload('mine', mine).status]).toEqual([200, 200]);
  });
});

describe('an order that waits for a payer who never comes', () => {
  const waits: readonly (readonly [step: string, order: Parameters<typeof begin>[1]])[] = [
    ['the method step', { cvv: '321' }],
    ['a frictionless method step', { cvv: '322' }],
    ['a challenge', { number: '4444000011118888' }],
    ['the simplified flow', { cvv: '324' }],
    ['3-D Secure 1.0.2', { amount: '1.00' }],
  ];
  const half = 30 * 60_000;

  test.each(waits)('is declined after 30 minutes of the sandbox clock, not authenticated, at %s (A32)', (_, given) => {
    const fixture = openFixture();
    const { order } = begin(fixture, given);
    fixture.later(half - 1);
    expect(status(fixture, 't', order)['status']).toBe('processing');
    fixture.later(1);
    const over = status(fixture, 't', order);
    expect(over).toMatchObject({
      status: 'declined',
      'order-stage': 'sale_declined',
      'error-message': 'The payer was not authenticated',
      'error-code': '82',
      'verified-3d-status': 'UNKNOWN',
    });
    expect(over).not.toHaveProperty('tds_status');
    expect(over).not.toHaveProperty('html');
    const cRes = cres('c0ffee00-0000-4000-8000-000000000001');
    expect(onOrder(fixture, cresPath, 't', order, { cRes }).fields['error-message']).toBe(
      'the sale is declined; no 3-D Secure step is open',
    );
  });
});

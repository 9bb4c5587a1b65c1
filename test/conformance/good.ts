import { describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import { samples as kindSamples } from '../support/samples.js';
import { breachesOf, fieldsOf, ids } from './rows.js';
import { payment, scenarios } from './scenarios.js';
import { openShop } from './shop.js';
import { factOf, headerText, posted, protectionOf, type Values } from './signer.js';
import type { Open } from './target.js';

/** What a record must hold, by hand: the type, and fields of its own. Names are A14, A15 and A50. */
const records: Readonly<Record<string, { readonly type: string; readonly own: Readonly<Record<string, RegExp>> }>> = {
  AsyncResponse: { type: 'async-response', own: { 'paynet-order-id': /^\d+$/ } },
  AsyncCheckoutFormRedirect: {
    type: 'async-form-response',
    own: { 'paynet-order-id': /^\d+$/, 'redirect-url': /^https?:\/\/[^/]+\/./ },
  },
  CardRefAsyncResponse: { type: 'create-card-ref-response', own: { 'card-ref-id': /^\d+$/ } },
  CardRefV4AsyncResponse: { type: 'create-card-ref-response', own: { 'card-ref-id': /^\d+$/ } },
  CardInfoAsyncResponse: {
    type: 'get-card-info-response',
    own: {
      bin: /^444433$/,
      'card-type': /^VISA$/,
      'masked-card-number': /^444433\*{6}1111$/,
      'last-four-digits': /^1111$/,
      'expire-month': /^12$/,
      'expire-year': /^2035$/,
    },
  },
  StatusResponse: { type: 'status-response', own: { status: /^approved$/, 'paynet-order-id': /^\d+$/ } },
  CreateRecurringPaymentResponse: {
    type: 'create-recurring-payment-response',
    own: { 'recurring-payment-id': /^\d+$/ },
  },
};

function recordOf(id: OperationId) {
  const record = records[factOf(id).reply ?? 'AsyncResponse'];
  if (record === undefined) throw new Error(`no record for ${id}`);
  return record;
}

const opening: readonly OperationId[] = ids.filter((id) =>
  /^(?:SALE|PREAUTH|PAYOUT|PAYOUT_V4_CHECK|ACCOUNT_VERIFICATION|TRANSFER_V4|CREATE_RP_V4|REBILL|.*FORM|PAN_.*)$/.test(
    id,
  ),
);

export function goodCases(open: Open): void {
  const shop = openShop(open);

  test.each(ids)('%s is accepted and answers its record', async (id) => {
    const values = await scenarios[id](shop());
    const reply = await shop().accepted(id, values);
    const { type, own } = recordOf(id);
    expect(reply['type']).toBe(type);
    for (const [name, form] of Object.entries(own)) expect(reply[name], name).toMatch(form);
    expect(reply['end-point-id']).toBe(shop().merchant.endpointId);
    const clientOrderId = values['client_orderid'] ?? values['client-order-id'] ?? values['client-orderid'];
    expect(reply['merchant-order-id']).toBe(clientOrderId);
    if (values['orderid'] !== undefined) expect(reply['paynet-order-id']).toBe(values['orderid']);
  });

  const settled: readonly (readonly [OperationId, Values])[] = [
    ['SALE', { status: 'approved', 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }],
    ['PREAUTH', { status: 'approved', 'transaction-type': 'preauth', amount: '10.42', currency: 'USD' }],
    ['CAPTURE', { status: 'approved', 'transaction-type': 'capture', amount: '10.42' }],
    ['VOID', { status: 'approved', 'transaction-type': 'void' }],
    ['RETURN', { status: 'approved', 'transaction-type': 'reversal', 'total-reversal-amount': '10.42' }],
    ['ACCOUNT_VERIFICATION', { status: 'approved', 'transaction-type': 'account_verification' }],
    ['PAYOUT', { status: 'approved', 'transaction-type': 'payout', amount: '10.42' }],
    ['PAYOUT_V4_CHECK', { status: 'processing', 'order-stage': 'payout_check_validated' }],
    ['PAYOUT_V4_PAY', { status: 'approved', 'transaction-type': 'payout' }],
    ['TRANSFER_V4', { status: 'approved', 'transaction-type': 'transfer', amount: '10.42' }],
    ['REBILL', { status: 'approved', amount: '10.42' }],
    ['PAN_ELIGIBILITY_SEND', { status: 'approved' }],
    ['SALEFORM', { status: 'processing' }],
    ['PREAUTHFORM', { status: 'processing' }],
    ['PAYMENTFORM', { status: 'processing' }],
    ['PAYOUTFORM', { status: 'processing' }],
    ['ACCOUNT_VERIFICATION_FORM', { status: 'processing' }],
    ['TDS_UPLOAD_METHOD_URL_RESULT', { status: 'processing', tds_status: 'CReqForm' }],
    ['TDS_UPLOAD_CRES_RESULT', { status: 'approved' }],
    ['TDS_UPLOAD_PARES_RESULT', { status: 'approved' }],
  ];
  test.each(settled)('after %s the status says what became of it', async (id, expected) => {
    const values = await scenarios[id](shop());
    const reply = await shop().accepted(id, values);
    shop().settle();
    const clientOrderId = values['client_orderid'] ?? values['client-order-id'] ?? '';
    expect((await shop().status(clientOrderId, reply['paynet-order-id'])).fields).toMatchObject(expected);
    expect((await shop().status(clientOrderId)).fields).toMatchObject(expected);
  });

  for (const id of opening)
    describe(`${id} takes`, () => {
      const bound = new Set(
        breachesOf(id).flatMap(({ changes, isFreeAlone }) => (isFreeAlone ? [] : Object.keys(changes))),
      );
      const free = fieldsOf(id).filter(({ wire, need }) => need === 'optional' && !bound.has(wire));
      const samples = free.map((field) => {
        const longest =
          /^(?:text|personText|accountText)$/.test(field.kind) && field.limit <= 256
            ? ['x'.repeat(field.limit), 'é'.repeat(field.limit)]
            : [];
        const fitting = (field.values ?? kindSamples[field.kind].good).filter((sample) => sample.length <= field.limit);
        return [field.wire, [...fitting, ...longest]] as const;
      });
      test('every sample of its optional fields', async () => {
        const most = Math.max(0, ...samples.map(([, list]) => list.length));
        for (let at = 0; at < most; at += 1) {
          const given = Object.fromEntries(samples.map(([wire, list]) => [wire, list[at % list.length] ?? '']));
          await shop().accepted(id, { ...(await scenarios[id](shop())), ...given });
        }
      });

      test('its fields in any order, and empty ones as absent', async () => {
        const values = await scenarios[id](shop());
        const empty = Object.fromEntries(free.map(({ wire }) => [wire, '']));
        await shop().accepted(id, { ...empty, ...Object.fromEntries(Object.entries(values).reverse()) });
      });
    });

  const amounts: readonly (readonly [amount: string, currency: string, shown: string])[] = [
    ['10.5', 'USD', '10.50'],
    ['1042', 'JPY', '1042'],
    ['10.425', 'KWD', '10.425'],
    ['999999999.99', 'USD', '999999999.99'],
  ];
  test.each(amounts)(
    'a sale of %s %s is signed in minor units and shown as %s (A03, A04)',
    async (amount, currency, shown) => {
      const client_orderid = shop().newId();
      await shop().accepted('SALE', { ...payment(shop()), client_orderid, amount, currency });
      shop().settle();
      expect((await shop().status(client_orderid)).fields).toMatchObject({ amount: shown, currency });
    },
  );

  const oauth = ids.filter((id) => typeof protectionOf(id) === 'string' && protectionOf(id) !== 'none');
  test.each(oauth)('%s takes an Authorization header with a realm and without blanks after its commas', async (id) => {
    const draft = shop().draft(id, await scenarios[id](shop()));
    const request = posted(draft);
    const bare = headerText(draft.oauth ?? [], ',').replace('OAuth ', 'OAuth realm="pay, back",');
    expect((await shop().post({ ...request, headers: { ...request.headers, Authorization: bare } })).status).toBe(200);
  });

  const hmac = ids.filter((id) => protectionOf(id) === 'HMAC-SHA1');
  test.each(hmac)('%s takes oauth_* repeated in the body and counts them once (A07)', async (id) => {
    const values = await scenarios[id](shop());
    const once = shop().draft(id, values);
    const repeated = (once.oauth ?? []).filter(([name]) => name !== 'oauth_signature');
    expect((await shop().send({ ...once, pairs: [...once.pairs, ...repeated] })).status).toBe(200);
  });

  test.each(hmac)('%s takes a clock that is 299 seconds off (A23)', async (id) => {
    for (const off of [-299, 299]) {
      const values = await scenarios[id](shop());
      await shop().accepted(id, values, { timestamp: String(Math.floor(shop().target.now() / 1000) + off) });
    }
  });
}

import { deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import type { OperationId } from '../../src/spec/index.js';
import type { Shop } from './shop.js';
import type { Values } from './signer.js';

const payer = {
  email: 'jane.doe@example.com',
  phone: '+4930123456',
  address1: "1 O'Neill Straße (back)",
  city: 'Köln',
  zip_code: '50667',
  country: 'DE',
  ipaddress: '192.0.2.10',
};

/** Card payments: sale, preauth. */
export const payment = (shop: Shop): Values => ({
  client_orderid: shop.newId(),
  amount: '10.42',
  currency: 'USD',
  credit_card_number: '4444333322221111',
  card_printed_name: 'JANE DOE',
  expire_month: '12',
  expire_year: '2035',
  cvv2: '123',
  order_desc: 'Two cups & one plate = 100% "good" ~ ü*',
  ...payer,
  redirect_url: 'https://shop.example/back?order=1&x=%20',
});

const verification = (shop: Shop): Values => {
  const { amount: _amount, currency: _currency, ...rest } = payment(shop);
  return rest;
};

const form = (shop: Shop): Values => {
  const {
    credit_card_number: _number,
    card_printed_name: _name,
    expire_month: _month,
    expire_year: _year,
    cvv2: _code,
    ...rest
  } = payment(shop);
  return rest;
};

const verificationForm = (shop: Shop): Values => {
  const { amount: _amount, currency: _currency, ...rest } = form(shop);
  return rest;
};

const payout = (shop: Shop): Values => ({
  client_orderid: shop.newId(),
  amount: '10.42',
  currency: 'USD',
  account_number: '12345678901234567890',
  bank_name: 'A+B Bank',
  bank_branch: 'Main',
  order_desc: 'Payout é',
});

/** Names an order a follow-up is about. */
export interface Named {
  readonly login: string;
  readonly client_orderid: string;
  readonly orderid: string;
}

export function named(shop: Shop, values: Values, reply: Values): Named {
  return {
    login: shop.merchant.login,
    client_orderid: values['client_orderid'] ?? '',
    orderid: reply['paynet-order-id'] ?? '',
  };
}

/** An order of this kind that is final and approved. */
export async function approved(
  shop: Shop,
  id: 'SALE' | 'PREAUTH' | 'ACCOUNT_VERIFICATION',
  changes: Values = {},
): Promise<Named> {
  const values = { ...(id === 'ACCOUNT_VERIFICATION' ? verification(shop) : payment(shop)), ...changes };
  const order = named(shop, values, await shop.accepted(id, values));
  shop.settle();
  expect(await wordOf(shop, order)).toBe('approved');
  return order;
}

/** The status word of an order. */
export async function wordOf(shop: Shop, { client_orderid, orderid }: Named): Promise<string | undefined> {
  return (await shop.status(client_orderid, orderid)).fields['status'];
}

export async function cardRef(shop: Shop): Promise<string> {
  const { 'card-ref-id': ref = '' } = await shop.accepted('CARDREF', { ...(await approved(shop, 'SALE')) });
  return ref;
}

/** A checked payout that may be paid. */
export async function checkedPayout(shop: Shop): Promise<Named> {
  const values = payout(shop);
  const order = named(shop, values, await shop.accepted('PAYOUT_V4_CHECK', values));
  shop.settle();
  return order;
}

interface Upload {
  readonly login: string;
  readonly 'client-order-id': string;
  readonly orderid: string;
}

/** An order that waits for a 3-D Secure step, with what its status says. */
async function waiting(
  shop: Shop,
  changes: Values,
  word: string,
): Promise<{ readonly upload: Upload; readonly status: Values }> {
  const values = { ...payment(shop), ...changes };
  const { login, client_orderid, orderid } = named(shop, values, await shop.accepted('SALE', values));
  const { fields } = await shop.status(client_orderid, orderid);
  expect([fields['status'], fields['tds_status']]).toEqual(['processing', word]);
  return { upload: { login, 'client-order-id': client_orderid, orderid }, status: fields };
}

export async function methodStep(shop: Shop): Promise<Values> {
  const { upload, status } = await waiting(shop, { credit_card_number: '4444000022224444' }, 'MethodUrlFrame');
  return {
    ...upload,
    threeDSServerTransID: status['tds-method-url-frame-3ds-server-trans-id'] ?? '',
    threeDSCompInd: 'Y',
  };
}

/** `transStatus` is the letter of EMV 3-D Secure: Y authenticated, N not. */
export function challengeResponse(status: Values, transStatus: string): string {
  const request: unknown = JSON.parse(Buffer.from(status['tds-creq-form-creq'] ?? '', 'base64url').toString('utf8'));
  expect(request).toMatchObject({ messageType: 'CReq' });
  const message = {
    ...(typeof request === 'object' ? request : {}),
    messageType: 'CRes',
    challengeCompletionInd: 'Y',
    transStatus,
  };
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

export async function challengeStep(shop: Shop, transStatus = 'Y'): Promise<Values> {
  const { upload, status } = await waiting(shop, { credit_card_number: '4444000011118888' }, 'CReqForm');
  return { ...upload, cRes: challengeResponse(status, transStatus) };
}

export async function payerStep(shop: Shop, letter = 'Y'): Promise<Values> {
  const { upload } = await waiting(shop, { amount: '1.00' }, 'PaReqForm');
  const xml = `<?xml version="1.0"?><ThreeDSecure><Message id="1"><PARes><version>1.0.2</version><TX><status>${letter}</status></TX></PARes></Message></ThreeDSecure>`;
  return { ...upload, paRes: deflateSync(xml).toString('base64') };
}

/** Values of a request that is accepted, with everything done that it needs to be. */
export const scenarios: Readonly<Record<OperationId, (shop: Shop) => Values | Promise<Values>>> = {
  SALE: payment,
  PREAUTH: payment,
  CAPTURE: async (shop) => ({ ...(await approved(shop, 'PREAUTH')) }),
  VOID: async (shop) => ({ ...(await approved(shop, 'PREAUTH')) }),
  RETURN: async (shop) => ({ ...(await approved(shop, 'SALE')) }),
  STATUS: async (shop) => ({ ...(await approved(shop, 'SALE')) }),
  ACCOUNT_VERIFICATION: verification,
  PAYOUT: payout,
  PAYOUT_V4_CHECK: payout,
  PAYOUT_V4_PAY: async (shop) => {
    const { client_orderid, orderid, login } = await checkedPayout(shop);
    return { client_orderid, orderid, login };
  },
  TRANSFER_V4: (shop) => ({
    client_orderid: shop.newId(),
    amount: '10.42',
    currency: 'USD',
    credit_card_number: '4444333322221111',
    card_printed_name: 'JANE DOE',
    expire_month: '1',
    expire_year: '2035',
    cvv2: '123',
    'destination-card-no': '5555555555554444',
    ipaddress: '2001:db8::1',
    order_desc: 'Transfer',
    redirect_url: 'https://shop.example/back',
  }),
  CARDREF: async (shop) => ({ ...(await approved(shop, 'SALE')) }),
  CARDREF_V4: async (shop) => ({ ...(await approved(shop, 'ACCOUNT_VERIFICATION')) }),
  CARDINFO: async (shop) => ({ login: shop.merchant.login, cardrefid: await cardRef(shop) }),
  REBILL: async (shop) => ({
    login: shop.merchant.login,
    client_orderid: shop.newId(),
    cardrefid: await cardRef(shop),
    amount: '10.42',
    currency: 'USD',
    order_desc: 'Rebill',
    ipaddress: '192.0.2.10',
  }),
  CREATE_RP_V4: (shop) => ({
    'client-orderid': shop.newId(),
    rp_card_type: 'SRC',
    'credit-card-number': '4444333322221111',
    'card-printed-name': 'JANE DOE',
    'expire-month': '12',
    'expire-year': '2035',
    currency: 'USD',
    amount: '10.42',
    period: 'monthly',
    interval: '1',
    'first-name': 'Jane',
    'last-name': 'Doe',
    email: 'jane.doe@example.com',
    address1: '1 Main Street',
    city: 'Köln',
    'zip-code': '50667',
    country: 'DE',
  }),
  PAN_ELIGIBILITY_SEND: async (shop) => ({
    'client-order-id': shop.newId(),
    'sending-card-ref-id': await cardRef(shop),
  }),
  SALEFORM: form,
  PREAUTHFORM: form,
  PAYMENTFORM: form,
  PAYOUTFORM: (shop) => ({ client_orderid: shop.newId(), amount: '10.42', currency: 'USD', order_desc: 'Payout' }),
  ACCOUNT_VERIFICATION_FORM: verificationForm,
  TDS_UPLOAD_CRES_RESULT: (shop) => challengeStep(shop),
  TDS_UPLOAD_METHOD_URL_RESULT: methodStep,
  TDS_UPLOAD_PARES_RESULT: (shop) => payerStep(shop),
};

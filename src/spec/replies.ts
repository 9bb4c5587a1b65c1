import { type KindName, kinds, type Secrecy } from './kinds.js';

/** Kinds that only replies have. */
const ownKinds = {
  // Words of the gateway or of a bank, in which anything may stand.
  message: { secrecy: 'open' },
  // A part of a card number, where a faulty gateway may put the whole.
  cardPart: { secrecy: 'open' },
  cardHolder: { secrecy: 'personal' },
} as const;

const allKinds: Readonly<Record<ReplyKind, { readonly secrecy: Secrecy }>> = { ...kinds, ...ownKinds };

/** What a field of a reply holds. */
export type ReplyKind = KindName | keyof typeof ownKinds;

/**
 * When a record has a field: `sometimes` if not every gateway sends it, `given` if a request gave it, `bank` and `card`
 * if something is known of them, `failed` if it was declined or refused.
 */
type Presence = 'always' | 'sometimes' | 'given' | 'bank' | 'card' | 'approved' | 'failed' | 'returned' | '3-D Secure';

interface Marks {
  /** Other spellings of its name, which are understood but never written. */
  readonly also?: readonly string[];
  /** What a later command shows of the reply. */
  readonly isKept?: true;
  /** Of a callback: it may be sent once only. */
  readonly isSingle?: true;
  /** Of a callback: the checksum covers it. */
  readonly isSigned?: true;
  /** How its value is shown, where not as others of its kind. */
  readonly secrecy?: Secrecy;
}

export interface ReplyField extends Marks {
  readonly wire: string;
  readonly kind: ReplyKind;
  readonly secrecy: Secrecy;
  readonly meaning: string;
  readonly when: Presence;
}

export type ReplyFields = Readonly<Record<string, ReplyField>>;

function field<const When extends Presence>(
  wire: string,
  kind: ReplyKind,
  meaning: string,
  when: When,
  marks: Marks = {},
): ReplyField & { readonly when: When } {
  return { wire, kind, secrecy: allKinds[kind].secrecy, meaning, when, ...marks };
}

const kept = { isKept: true } as const;
const single = { isSingle: true } as const;
const signed = { isSingle: true, isSigned: true } as const;

/** What a record begins with (A15). */
const head = {
  type: field('type', 'text', 'kind of reply', 'always', kept),
  serial: field('serial-number', 'serial', 'id of the request, or of its transaction', 'always', kept),
  clientOrderId: field('merchant-order-id', 'clientOrderId', 'client order id', 'given', kept),
  endpointId: field('end-point-id', 'digits', 'endpoint', 'always', { ...kept, secrecy: 'open' }),
};

const order = {
  ...head,
  orderId: field('paynet-order-id', 'gatewayId', 'gateway order id', 'always', { ...kept, also: ['orderid'] }),
};

const status = field('status', 'text', 'approved, declined, processing and others', 'sometimes', kept);
const cardRef = field('card-ref-id', 'gatewayId', 'card reference', 'always', kept);
const recurring = field('recurring-payment-id', 'gatewayId', 'id of a subscription', 'always', kept);

const redirect = field('redirect-url', 'url', 'where to send the payer', 'always', { also: ['redirect_url'] });

/** Why it was declined or refused. */
const failure = {
  errorMessage: field('error-message', 'message', 'why it was declined or refused', 'failed', kept),
  errorCode: field('error-code', 'text', 'the same as a number', 'failed', kept),
};

/** What is known of the payer's card. */
const card = {
  bin: field('bin', 'cardPart', 'first digits of the card', 'card'),
  lastFour: field('last-four-digits', 'cardPart', 'last digits of the card', 'card', kept),
  cardType: field('card-type', 'text', 'card brand', 'card', kept),
};

/** What is known of a card that is kept (A50). */
const storedCard = {
  ...card,
  maskedNumber: field('masked-card-number', 'cardPart', 'number of the card, masked', 'sometimes'),
  expireMonth: field('expire-month', 'text', 'month of expiry', 'card'),
  expireYear: field('expire-year', 'text', 'year of expiry', 'card'),
  printedName: field('card-printed-name', 'cardHolder', 'name on the card', 'given'),
  result3d: field('result-3d', 'text', 'result of 3-D Secure when the card was stored', 'sometimes'),
};

/** The steps of the payer (A18). */
const payerSteps = {
  threeDSecureStep: field('tds_status', 'text', 'step of 3-D Secure that is due', 'sometimes'),
  html: field('html', 'text', 'page for the payer, ready to be shown', '3-D Secure'),
  redirectTo: field('redirect-to', 'url', 'where to send the payer, in place of that page', '3-D Secure'),
  methodUrl: field('tds-method-url-frame-3ds-method-url', 'url', 'address of the method step', '3-D Secure'),
  tdsId: field('tds-method-url-frame-3ds-server-trans-id', 'uuid', '3-D Secure transaction id', '3-D Secure'),
  creqUrl: field('tds-creq-form-acs-url', 'url', 'where the payer posts the CReq', '3-D Secure'),
  creq: field('tds-creq-form-creq', 'base64', 'the CReq', '3-D Secure'),
  pareqUrl: field('tds-pareq-form-acs-url', 'url', 'where the payer posts the PaReq', '3-D Secure'),
  pareq: field('tds-pareq-form-pareq', 'base64', 'the PaReq', '3-D Secure'),
  pareqMd: field('tds-pareq-form-md', 'text', 'MD to post with it', '3-D Secure'),
  termUrl: field('tds-pareq-form-term-url', 'url', 'TermUrl to post with it', '3-D Secure'),
  verified3d: field('verified-3d-status', 'text', 'result of 3-D Secure', '3-D Secure'),
  verifiedSum: field('verified-rsc-status', 'text', 'result of the random sum check', 'sometimes'),
};

const whatWasDone = 'what was done: sale, preauth, capture, reversal and others';

/** What a reply, a callback and the return of the browser may all say. */
const shared = {
  processorId: field('processor-tx-id', 'gatewayId', 'id at the processor', 'bank', kept),
  descriptor: field('descriptor', 'text', 'what the statement of the payer names', 'sometimes'),
  partialReversal: field('gate-partial-reversal', 'text', 'whether returns in parts are enabled', 'sometimes'),
  partialCapture: field('gate-partial-capture', 'text', 'whether captures in parts are enabled', 'sometimes'),
  merchantData: field('merchantdata', 'text', "the merchant's own data", 'given'),
  phone: field('phone', 'phone', 'phone number of the payer', 'given'),
};

/** What a reply and a callback may both say. */
const ofCallbacks = {
  rrn: field('processor-rrn', 'gatewayId', 'retrieval reference number', 'bank'),
  approvalCode: field('approval-code', 'text', "the bank's approval code", 'approved', kept),
  comment: field('comment', 'text', 'comment of the request', 'given'),
  reasonCode: field('reason-code', 'text', 'reason of the chargeback', 'sometimes'),
};

/** What a status reply says of its transaction. */
const transaction = {
  ...shared,
  ...ofCallbacks,
  bySerial: field('by-request-sn', 'serial', 'the request that the status is about', 'given'),
  transactionType: field('transaction-type', 'text', whatWasDone, 'always', kept),
  stage: field('order-stage', 'text', 'stage of the order', 'always', kept),
  receiptId: field('receipt-id', 'gatewayId', 'receipt number', 'sometimes'),
  bankMessage: field('bank_message', 'message', 'words of the bank', 'bank'),
  amount: field('amount', 'amount', 'amount of the order', 'given', kept),
  currency: field('currency', 'currency', 'ISO 4217 code of the currency', 'given', kept),
  initialAmount: field('initial-amount', 'amount', 'amount of the first transaction', 'given', kept),
  totalReversed: field('total-reversal-amount', 'amount', 'sum of all returns', 'returned', kept),
  authCode: field('auth-response-code', 'text', "the bank's response code", 'bank'),
  terminalId: field('terminal-id', 'text', 'terminal', 'bank'),
  gateDescriptor: field('original-gate-descriptor', 'text', 'descriptor of the gate', 'sometimes'),
  processedAt: field('paynet-processing-date', 'text', 'when the gateway processed it', 'always', kept),
  acquiredAt: field('acquirer-processing-date', 'text', 'when the acquirer processed it', 'bank'),
  authCredit: field('processor-auth-credit-code', 'text', "the bank's approval code of the credit", 'bank'),
  creditRrn: field('processor-credit-rrn', 'gatewayId', 'retrieval reference number of the credit', 'bank'),
  creditArn: field('processor-credit-arn', 'gatewayId', 'acquirer reference number of the credit', 'bank'),
  debitArn: field('processor-debit-arn', 'gatewayId', 'acquirer reference number of the debit', 'bank'),
};

/** More that a status reply says of the payer's card. */
const cardDetails = {
  expiryMonth: field('card-exp-month', 'text', 'month of expiry', 'card'),
  expiryYear: field('card-exp-year', 'text', 'year of expiry', 'card'),
  holder: field('cardholder-name', 'cardHolder', 'name on the card', 'given'),
  cardHash: field('card-hash-id', 'gatewayId', 'the same for all orders of the card', 'sometimes'),
  cardCountry: field('card-country-alpha-three-code', 'text', 'country of the card', 'sometimes'),
  bankName: field('bank-name', 'text', 'bank of the card', 'sometimes'),
  productCode: field('ips-src-payment-product-code', 'text', 'product of the card', 'sometimes'),
  productName: field('ips-src-payment-product-name', 'text', 'product of the card, in words', 'sometimes'),
  typeCode: field('ips-src-payment-type-code', 'text', 'type of the card', 'sometimes'),
  typeName: field('ips-src-payment-type-name', 'text', 'type of the card, in words', 'sometimes'),
};

/** Who pays and who is paid. */
const people = {
  name: field('name', 'personText', 'name of the payer', 'sometimes'),
  firstName: field('first-name', 'personText', 'first name of the payer', 'given'),
  lastName: field('last-name', 'personText', 'last name of the payer', 'given'),
  email: field('email', 'email', 'e-mail address of the payer', 'given'),
  destinationBank: field('dest-bank-name', 'text', 'bank of the card paid', 'sometimes'),
  destinationLastFour: field('dest-last-four-digits', 'cardPart', 'last digits of the card paid', 'card', kept),
  destinationBin: field('dest-bin', 'cardPart', 'first digits of the card paid', 'card'),
  destinationType: field('dest-card-type', 'text', 'brand of the card paid', 'card', kept),
  destinationHash: field('destination-hash-id', 'gatewayId', 'the same for all orders that pay the card', 'sometimes'),
  destinationRef: field('destination-card-ref-id', 'gatewayId', 'reference of the card paid', 'sometimes'),
  loyaltyBalance: field('loyalty-balance', 'text', 'balance of the loyalty program', 'sometimes'),
  loyaltyMessage: field('loyalty-message', 'text', 'words of the loyalty program', 'sometimes'),
  loyaltyBonus: field('loyalty-bonus', 'text', 'bonus of the loyalty program', 'sometimes'),
  loyaltyProgram: field('loyalty-program', 'text', 'the loyalty program', 'sometimes'),
};

const uniqueCardRef = field('unq-card-ref-id', 'gatewayId', 'the same for all references to the card', 'sometimes');
const stored = { ...order, status, cardRef, recurring: { ...recurring, when: 'sometimes' } } as const;
const refusal = {
  ...head,
  endpointId: { ...head.endpointId, when: 'given' },
  orderId: { ...order.orderId, when: 'sometimes' },
  ...failure,
} as const;

/** Every field of a reply, in the order in which help names them. */
export const replyFields = {
  ...order,
  status,
  redirect,
  cardRef,
  recurring,
  ...failure,
  ...payerSteps,
  ...transaction,
  ...storedCard,
  ...cardDetails,
  ...people,
  uniqueCardRef,
} as const satisfies ReplyFields;

export type ReplyKey = keyof typeof replyFields;

/** One reply record: its fields, and what tells it from the others (A14, A15). */
export interface ReplyFacts {
  /** Words of the field `type`. The first one is written by the sandbox, all are understood. */
  readonly types: readonly [string, ...string[]];
  /** Without a value in one of these it is not that record. */
  readonly requires: readonly [ReplyKey, ...ReplyKey[]];
  readonly fields: ReplyFields;
}

// Public pages show both.
const cardRefTypes = ['create-card-ref-response', 'async-response'] as const;
const bankRedirect = { ...redirect, wire: 'redirect_url', also: ['redirect-url'], when: '3-D Secure' } as const;

export const replies = {
  // A sale with 3-D Secure may answer with a redirect address besides its order id, so both types fit.
  AsyncResponse: {
    types: ['async-response', 'async-form-response'],
    requires: ['orderId'],
    fields: { ...order, status, redirect: bankRedirect },
  },
  AsyncCheckoutFormRedirect: {
    types: ['async-form-response', 'async-response'],
    requires: ['redirect'],
    fields: { ...order, status, redirect },
  },
  CardRefAsyncResponse: { types: cardRefTypes, requires: ['cardRef'], fields: stored },
  CardRefV4AsyncResponse: { types: cardRefTypes, requires: ['cardRef'], fields: { ...stored, uniqueCardRef } },
  CardInfoAsyncResponse: {
    types: ['get-card-info-response', 'async-response'],
    requires: ['bin', 'lastFour'],
    fields: { ...head, cardRef: { ...cardRef, when: 'sometimes' }, ...storedCard },
  },
  StatusResponse: {
    types: ['status-response'],
    requires: ['status'],
    fields: {
      ...order,
      status: { ...status, when: 'always' },
      ...failure,
      ...payerSteps,
      ...transaction,
      ...card,
      ...cardDetails,
      ...people,
      cardRef: { ...cardRef, when: 'sometimes' },
    },
  },
  CreateRecurringPaymentResponse: {
    types: ['create-recurring-payment-response', 'async-response'],
    requires: ['recurring'],
    fields: { ...head, status, recurring },
  },
  ValidationErrorResponse: { types: ['validation-error'], requires: ['type'], fields: refusal },
  ServerErrorResponse: { types: ['error'], requires: ['type'], fields: refusal },
} as const satisfies Readonly<Record<string, ReplyFacts>>;

/** The records that answer an accepted request. */
export type ReplyRecord = Exclude<keyof typeof replies, 'ValidationErrorResponse' | 'ServerErrorResponse'>;

/** What the browser posts to the shop when it returns (A26). A key that replies have too means the same. */
export const returnFields = {
  status: field('status', 'text', 'status of the transaction', 'always', signed),
  orderId: field('orderid', 'gatewayId', 'gateway order id', 'always', signed),
  merchantOrder: field('merchant_order', 'clientOrderId', 'client order id', 'always', single),
  clientOrderId: field('client_orderid', 'clientOrderId', 'client order id', 'always', signed),
  transactionType: field('type', 'text', whatWasDone, 'always', single),
  amount: field('amount', 'amount', 'amount of the transaction', 'given', single),
  errorCode: field('error_code', 'text', 'the same as a number', 'failed'),
  errorMessage: field('error_message', 'message', 'why it was declined', 'failed'),
  ...card,
  ...shared,
  cardHolder: field('card-holder-name', 'cardHolder', 'name on the card', 'given'),
  control: field('control', 'opaque', 'checksum over status, orderid and client_orderid', 'always', single),
} as const satisfies ReplyFields;

/** The fields of a callback (A24). */
export const callbackFields = {
  ...returnFields,
  ...ofCallbacks,
  currency: { ...transaction.currency, ...single, when: 'sometimes' },
  holder: field('name', 'cardHolder', 'name of the payer', 'given'),
  email: people.email,
  rapidaBalance: field('rapida-balance', 'text', 'balance of a wallet', 'sometimes'),
} as const satisfies ReplyFields;

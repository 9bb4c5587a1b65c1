import * as f from '../fields.js';
import { stateRule } from '../fields.js';
import { assumed, atLeastOne, control, defineOperation, forbidden, ruled, stated, together } from '../operation.js';

const payment = assumed('A44');
const payer = {
  address1: f.address1,
  city: f.city,
  state: f.optional(f.state),
  zipCode: f.zipCode,
  country: f.country,
};
const card = {
  cardNumber: f.cardNumber,
  cardHolder: f.cardHolder,
  expireMonth: f.expireMonth,
  expireYear: f.expireYear,
  cvv: f.cvv,
};
const extras = {
  firstName: f.optional(f.firstName),
  lastName: f.optional(f.lastName),
  ssn: f.optional(f.ssn),
  birthday: f.optional(f.birthday),
  cellPhone: f.optional(f.cellPhone),
  siteUrl: f.optional(f.siteUrl),
  purpose: f.optional(f.purpose),
  merchantData: f.optional(f.merchantData),
  serverCallbackUrl: f.optional(f.serverCallbackUrl),
  notifyUrl: f.optional(f.notifyUrl),
};
const cardPayment = {
  clientOrderId: f.clientOrderId,
  amount: f.amount,
  currency: f.currency,
  ...card,
  orderDesc: f.orderDesc,
  email: f.email,
  phone: f.phone,
  ...payer,
  ipAddress: f.ipAddress,
  redirectUrl: f.neededBy(f.redirectUrl, payment),
  redirectSuccessUrl: f.optional(f.redirectSuccessUrl),
  redirectFailUrl: f.optional(f.redirectFailUrl),
  ...extras,
};

export const sale = defineOperation({
  id: 'SALE',
  command: 'sale',
  path: '/api/v2/sale',
  brief: 'Charge a card: authorize and capture in one request',
  examples: [
    'sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait',
    'sale --profile sandbox --amount 10.42 --currency USD --test-card 3ds-method --json',
  ],
  fields: cardPayment,
  rules: [stateRule(payment)],
  protection: control('endpointId', 'clientOrderId', 'amount', 'email'),
  records: { request: 'SaleRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: true,
  namedByStatus: { types: ['sale'] },
  provenBy: ['RETURN', 'VOID'],
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const preauth = defineOperation({
  id: 'PREAUTH',
  command: 'preauth',
  path: '/api/v2/preauth',
  brief: 'Hold an amount on a card, to capture or void later',
  examples: ['preauth --profile sandbox --amount 25.00 --currency EUR --test-card approved --wait'],
  // The interface names redirect_url with a sale.
  fields: { ...cardPayment, redirectUrl: f.on(f.redirectUrl, payment) },
  rules: [stateRule(payment)],
  protection: control('endpointId', 'clientOrderId', 'amount', 'email'),
  records: { request: 'AuthRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: true,
  namedByStatus: { types: ['preauth'] },
  provenBy: ['CAPTURE', 'RETURN', 'VOID'],
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const capture = defineOperation({
  id: 'CAPTURE',
  command: 'capture',
  path: '/api/v2/capture',
  brief: 'Capture a held amount, in full or in part',
  examples: ['capture $ORDER --amount 10.00 --wait', 'capture $ORDER --all'],
  fields: {
    login: f.login,
    clientOrderId: f.clientOrderId,
    orderId: f.orderId,
    amount: f.optional(f.meaning(f.amount, 'the amount; if omitted, asks to capture what remains')),
    currency: f.optional(f.currency),
  },
  rules: [ruled(stated, together('amount', 'currency'))],
  protection: control('login', 'clientOrderId', 'orderId', 'amount', 'currency'),
  records: { request: 'CaptureRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: false,
  namedByStatus: { types: ['capture'] },
  withoutAmount: 'whole order',
  inBatches: true,
  basis: stated,
});

const neverPartial = 'a void never takes a partial amount; release part of a hold with `return`';

export const voidOperation = defineOperation({
  id: 'VOID',
  command: 'void',
  path: '/api/v2/void',
  brief: 'Cancel a hold in full, before anything is captured',
  examples: ['void $ORDER --comment "ordered twice"'],
  fields: {
    login: f.login,
    clientOrderId: f.clientOrderId,
    orderId: f.orderId,
    amount: f.optional(f.amount),
    currency: f.optional(f.currency),
    comment: f.optional(f.comment),
  },
  rules: [ruled(stated, forbidden(['amount', 'currency'], neverPartial))],
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'VoidRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: false,
  namedByStatus: { types: ['void'] },
  withoutAmount: 'nothing',
  inBatches: true,
  basis: stated,
});

export const returnOperation = defineOperation({
  id: 'RETURN',
  command: 'return',
  path: '/api/v2/return',
  brief: 'Refund a payment or release a hold, in full or in part',
  examples: ['return $ORDER --amount 5.00 --wait', 'return $ORDER --all'],
  fields: {
    login: f.login,
    clientOrderId: f.clientOrderId,
    orderId: f.orderId,
    amount: f.optional(f.meaning(f.amount, 'the amount; if omitted, asks to return what remains')),
    currency: f.optional(f.currency),
    comment: f.optional(f.comment),
  },
  rules: [ruled(stated, together('amount', 'currency'))],
  protection: control('login', 'clientOrderId', 'orderId', 'amount', 'currency'),
  records: { request: 'ReturnRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: false,
  namedByStatus: { types: ['reversal', 'cancel'] },
  withoutAmount: 'whole order',
  inBatches: true,
  basis: stated,
});

export const status = defineOperation({
  id: 'STATUS',
  command: 'status',
  path: '/api/v2/status',
  brief: 'Query the current status of an order',
  examples: ['status $ORDER', 'status --client-order-id $ID --wait --expect approved'],
  fields: {
    login: f.login,
    clientOrderId: f.optional(f.clientOrderId),
    orderId: f.optional(f.orderId),
    bySerial: f.optional(f.bySerial),
  },
  rules: [ruled(stated, atLeastOne('orderId', 'clientOrderId'))],
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'StatusRequest', reply: 'StatusResponse' },
  effect: 'read',
  opens: false,
  namedByStatus: undefined,
  withoutAmount: 'nothing',
  inBatches: true,
  basis: stated,
});

export const accountVerification = defineOperation({
  id: 'ACCOUNT_VERIFICATION',
  command: 'account-verification',
  aliases: ['verify'],
  path: '/api/v2/account-verification',
  brief: 'Check a card with a zero-amount authorization',
  examples: ['account-verification --profile sandbox --test-card approved --wait'],
  fields: {
    clientOrderId: f.clientOrderId,
    ...card,
    orderDesc: f.orderDesc,
    email: f.email,
    phone: f.optional(f.phone),
    ...payer,
    ipAddress: f.ipAddress,
    redirectUrl: f.on(f.optional(f.redirectUrl), payment),
    ...extras,
  },
  rules: [stateRule(payment)],
  protection: control('endpointId', 'clientOrderId', 'email'),
  records: { request: 'AccountVerificationRequest', reply: 'AsyncResponse' },
  effect: 'write',
  opens: true,
  namedByStatus: { types: ['account_verification'] },
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

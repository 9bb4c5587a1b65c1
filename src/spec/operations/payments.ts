import { fields } from '../fields.js';
import { atLeastOne, control, defineOperation, forbidden, stateRule, together } from '../operation.js';

const holds = ['PREAUTH', 'PREAUTHFORM', 'PAYMENTFORM'] as const;
const payments = ['SALE', 'SALEFORM', 'REBILL', ...holds] as const;

const card = fields('cardNumber', 'cardHolder', 'expireMonth', 'expireYear', 'cvv');
const address = fields('address1', 'city', 'state?', 'zipCode', 'country', 'ipAddress');
const extras = {
  ...fields('firstName?', 'lastName?', 'ssn?', 'birthday?', 'cellPhone?', 'siteUrl?', 'purpose?', 'merchantData?'),
  ...fields('serverCallbackUrl?', 'notifyUrl?'),
};
const cardPayment = {
  effect: 'money',
  fields: {
    ...fields('clientOrderId', 'amount', 'currency'),
    ...card,
    ...fields('orderDesc', 'email', 'phone'),
    ...address,
    ...fields('redirectUrl', 'redirectSuccessUrl?', 'redirectFailUrl?'),
    ...extras,
  },
  fieldBasis: 'A44',
  rules: [stateRule],
  protection: control('endpointId', 'clientOrderId', 'amount', 'email'),
} as const;

export const sale = defineOperation({
  id: 'SALE',
  command: 'sale',
  path: '/api/v2/sale',
  brief: 'Charge a card: authorize and capture in one request',
  examples: [
    'sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait',
    'sale --profile sandbox --amount 10.42 --currency USD --test-card 3ds-method --json',
  ],
  ...cardPayment,
  moves: 'charges',
  except: { redirectUrl: { basis: 'stated', needBasis: 'A44' } },
  records: { request: 'SaleRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['sale'] },
});

export const preauth = defineOperation({
  id: 'PREAUTH',
  command: 'preauth',
  path: '/api/v2/preauth',
  brief: 'Hold an amount on a card, to capture or void later',
  examples: ['preauth --profile sandbox --amount 25.00 --currency EUR --test-card approved --wait'],
  ...cardPayment,
  moves: 'holds',
  records: { request: 'AuthRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['preauth'] },
});

export const captureOperation = defineOperation({
  id: 'CAPTURE',
  command: 'capture',
  path: '/api/v2/capture',
  brief: 'Capture a held amount, in full or in part',
  examples: ['capture $ORDER --amount 10.00 --wait', 'capture $ORDER --all'],
  effect: 'money',
  moves: 'captures',
  follows: holds,
  fields: fields('login', 'clientOrderId', 'orderId', 'amount?', 'currency?'),
  except: { amount: { meaning: 'the amount; if omitted, the whole hold is captured' } },
  rules: [together('amount', 'currency')],
  protection: control('login', 'clientOrderId', 'orderId', 'amount', 'currency'),
  records: { request: 'CaptureRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['capture'] },
  inBatches: true,
});

const commented = fields('login', 'clientOrderId', 'orderId', 'amount?', 'currency?', 'comment?');

export const voidOperation = defineOperation({
  id: 'VOID',
  command: 'void',
  path: '/api/v2/void',
  brief: 'Cancel a hold in full, before anything is captured',
  examples: ['void $ORDER --comment "ordered twice"'],
  effect: 'money',
  moves: 'releases',
  follows: payments,
  fields: commented,
  rules: [
    forbidden(['amount', 'currency'], 'a void never takes a partial amount; release part of a hold with `return`'),
  ],
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'VoidRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['void'] },
  inBatches: true,
});

export const returnOperation = defineOperation({
  id: 'RETURN',
  command: 'return',
  path: '/api/v2/return',
  brief: 'Refund a payment or release a hold, in full or in part',
  examples: ['return $ORDER --amount 5.00 --wait', 'return $ORDER --all'],
  effect: 'money',
  moves: 'returns',
  follows: payments,
  fields: commented,
  except: { amount: { meaning: 'the amount; if omitted, what remains is returned' } },
  rules: [together('amount', 'currency')],
  protection: control('login', 'clientOrderId', 'orderId', 'amount', 'currency'),
  records: { request: 'ReturnRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['reversal', 'cancel'] },
  inBatches: true,
});

export const statusQuery = defineOperation({
  id: 'STATUS',
  command: 'status',
  path: '/api/v2/status',
  brief: 'Query the current status of an order',
  examples: ['status $ORDER', 'status --client-order-id $ID --wait --expect approved'],
  effect: 'read',
  fields: fields('login', 'clientOrderId?', 'orderId?', 'bySerial?'),
  rules: [atLeastOne('orderId', 'clientOrderId')],
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'StatusRequest', reply: 'StatusResponse' },
});

export const accountVerification = defineOperation({
  id: 'ACCOUNT_VERIFICATION',
  command: 'account-verification',
  aliases: ['verify'],
  path: '/api/v2/account-verification',
  brief: 'Check a card with a zero-amount authorization',
  examples: ['account-verification --profile sandbox --test-card approved --wait'],
  effect: 'write',
  fields: {
    ...fields('clientOrderId'),
    ...card,
    ...fields('orderDesc', 'email', 'phone?'),
    ...address,
    ...fields('redirectUrl?'),
    ...extras,
  },
  fieldBasis: 'A44',
  rules: [stateRule],
  protection: control('endpointId', 'clientOrderId', 'email'),
  records: { request: 'AccountVerificationRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['account_verification'] },
});

import { fields } from '../fields.js';
import {
  control,
  defineOperation,
  exactlyOne,
  hmac,
  notAfter,
  requiredWhen,
  rsa,
  stateRule,
  switched,
  together,
  unsigned,
} from '../operation.js';

// A11: by default the card comes from an earlier approved order; under `card-data` the card fields take its place.
const fromOrder = { switch: 'card-ref-source', value: 'order' } as const;
const fromCard = { when: { switch: 'card-ref-source', value: 'card-data' } } as const;
const verifications = ['ACCOUNT_VERIFICATION', 'ACCOUNT_VERIFICATION_FORM'] as const;
const cardRefRow = {
  follows: ['SALE', 'PREAUTH', 'SALEFORM', 'PREAUTHFORM', 'PAYMENTFORM', ...verifications],
  fields: fields('login', 'clientOrderId', 'orderId', 'cardNumber', 'cardHolder', 'expireMonth', 'expireYear'),
  fieldBasis: 'A11',
  except: {
    orderId: { meaning: 'the approved order whose card is tokenized', when: fromOrder },
    cardNumber: fromCard,
    cardHolder: fromCard,
    expireMonth: fromCard,
    expireYear: fromCard,
  },
} as const;

export const createCardRef = defineOperation({
  id: 'CARDREF',
  command: 'card-ref create',
  path: '/api/v2/create-card-ref',
  brief: 'Tokenize the card of an approved order as a card reference',
  examples: ['card-ref create $ORDER'],
  effect: 'write',
  ...cardRefRow,
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'CreateCardRefRequest', reply: 'CardRefAsyncResponse' },
});

export const createCardRefV4 = defineOperation({
  id: 'CARDREF_V4',
  command: 'card-ref create --api v4',
  path: '/api/v4/create-card-ref',
  brief: 'Tokenize the card of an approved order, signed with RSA-SHA256',
  examples: ['card-ref create $ORDER --api v4'],
  effect: 'write',
  ...cardRefRow,
  protection: rsa,
  records: { request: 'CreateCardRefV4Request', reply: 'CardRefV4AsyncResponse' },
});

export const cardInfo = defineOperation({
  id: 'CARDINFO',
  command: 'card-ref info',
  path: '/api/v2/get-card-info',
  brief: 'Show the card behind a card reference',
  examples: ['card-ref info --card-ref-id $CARD'],
  effect: 'read',
  fields: fields('login', 'cardRefId'),
  protection: switched('card-info-control', { omit: unsigned, 'login+cardrefid': control('login', 'cardRefId') }),
  records: { request: 'GetCardInfoRequest', reply: 'CardInfoAsyncResponse' },
});

export const rebill = defineOperation({
  id: 'REBILL',
  command: 'rebill',
  path: '/api/v2/make-rebill',
  brief: 'Charge a stored card reference (merchant-initiated)',
  examples: ['rebill --card-ref-id $CARD --amount 9.99 --currency USD --wait'],
  effect: 'money',
  moves: 'charges',
  fields: {
    ...fields('login', 'clientOrderId', 'cardRefId', 'amount', 'currency', 'orderDesc', 'ipAddress'),
    ...fields('enumerateAmounts?', 'recurrentScenario?', 'cvv?', 'comment?', 'redirectUrl?', 'serverCallbackUrl?'),
    ...fields('notifyUrl?'),
  },
  fieldBasis: 'A46',
  except: { comment: { basis: 'A46' } },
  protection: control('login', 'clientOrderId', 'cardRefId', 'amount', 'currency'),
  records: { request: 'RebillRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['sale', 'rebill'] },
  inBatches: true,
});

const payer = ['firstName', 'lastName', 'email', 'address1', 'city', 'zipCode', 'country'] as const;

export const createRecurring = defineOperation({
  id: 'CREATE_RP_V4',
  command: 'recurring',
  path: '/api/v4/create-recurring-payment',
  brief: 'Register a card for repeated charges, scheduled or not',
  examples: [
    'recurring --profile sandbox --recurring-card-type SRC --amount 9.99 --currency USD --period monthly --interval 1 --test-card approved',
  ],
  effect: 'money',
  fields: {
    ...fields('clientOrderId', 'recurringCardType', 'cardNumber', 'cardHolder?', 'expireMonth?', 'expireYear?', 'cvv?'),
    ...fields('currency', 'amount?', 'amountFrom?', 'amountTo?', 'amountSequence?'),
    ...fields('period?', 'interval?', 'startDate?', 'finishDate?'),
    ...fields('firstName?', 'lastName?', 'email?', 'phone?', 'address1?', 'city?', 'state?', 'zipCode?', 'country?'),
    ...fields('ipAddress?', 'orderDesc?', 'serverCallbackUrl?'),
  },
  fieldBasis: 'A48',
  except: {
    clientOrderId: { wire: 'client-orderid', basis: 'A48' },
    cardNumber: { wire: 'credit-card-number' },
    cardHolder: { wire: 'card-printed-name' },
    expireMonth: { wire: 'expire-month' },
    expireYear: { wire: 'expire-year' },
    currency: { basis: 'A48' },
    amount: { meaning: 'the amount of each charge' },
    firstName: { wire: 'first-name', max: 128 },
    lastName: { wire: 'last-name', max: 128 },
    email: { basis: 'A48' },
    city: { max: 128 },
    zipCode: { wire: 'zip-code' },
    ipAddress: { wire: 'customer-ip' },
  },
  rules: [
    exactlyOne(['amount'], ['amountFrom', 'amountTo'], ['amountSequence']),
    notAfter('amountFrom', 'amountTo'),
    { ...together('period', 'interval'), basis: 'A27' },
    { ...notAfter('startDate', 'finishDate'), basis: 'A28' },
    requiredWhen('recurringCardType', ['SRC'], ['cardHolder', 'expireMonth', 'expireYear', ...payer]),
    stateRule,
  ],
  protection: rsa,
  records: { request: 'RecurringPaymentForCreation', reply: 'CreateRecurringPaymentResponse' },
});

export const panEligibility = defineOperation({
  id: 'PAN_ELIGIBILITY_SEND',
  command: 'pan-eligibility',
  path: '/api/v2/pan-eligibility/send',
  brief: 'Check whether a card may send a money transfer',
  examples: ['pan-eligibility --sending-card-ref-id $CARD --wait'],
  basis: 'A30',
  effect: 'write',
  fields: {
    ...fields('clientOrderId', 'sendingCardRefId?', 'sendingCardNumber?', 'cardHolder?', 'expireMonth?', 'expireYear?'),
    ...fields('serverCallbackUrl?'),
  },
  except: { clientOrderId: { wire: 'client-order-id' }, cardHolder: { wire: 'card-printed-name' } },
  rules: [exactlyOne(['sendingCardRefId'], ['sendingCardNumber', 'cardHolder', 'expireMonth', 'expireYear'])],
  protection: hmac,
  records: { request: null, reply: 'AsyncResponse' },
  namedByStatus: { types: ['pan_eligibility'] },
});

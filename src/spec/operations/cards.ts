import * as f from '../fields.js';
import { stateRule } from '../fields.js';
import {
  assumed,
  control,
  defineOperation,
  exactlyOne,
  hmac,
  notAfter,
  requiredWhen,
  rsa,
  ruled,
  stated,
  switched,
  together,
  unsigned,
} from '../operation.js';

// A11: by default the card comes from an earlier approved order; under `card-data` the card fields take its place.
const fromOrder = { orderId: f.onlyUnder('card-ref-source', 'order', f.meaning(f.orderId, 'the approved order whose card is kept')) };
const fromCard = {
  cardNumber: f.onlyUnder('card-ref-source', 'card-data', f.on(f.cardNumber, assumed('A11'))),
  cardHolder: f.onlyUnder('card-ref-source', 'card-data', f.on(f.cardHolder, assumed('A11'))),
  expireMonth: f.onlyUnder('card-ref-source', 'card-data', f.on(f.expireMonth, assumed('A11'))),
  expireYear: f.onlyUnder('card-ref-source', 'card-data', f.on(f.expireYear, assumed('A11'))),
};

export const createCardRef = defineOperation({
  id: 'CARDREF',
  command: 'card-ref create',
  path: '/api/v2/create-card-ref',
  brief: 'Keep the card of an approved order as a card reference',
  fields: { login: f.login, clientOrderId: f.clientOrderId, ...fromOrder, ...fromCard },
  rules: [],
  protection: control('login', 'clientOrderId', 'orderId'),
  records: { request: 'CreateCardRefRequest', reply: 'CardRefAsyncResponse' },
  effect: 'write',
  opens: false,
  basis: stated,
});

export const createCardRefV4 = defineOperation({
  id: 'CARDREF_V4',
  command: 'card-ref create-v4',
  path: '/api/v4/create-card-ref',
  brief: 'The same, signed with RSA-SHA256; also `card-ref create --api v4`',
  fields: { login: f.login, clientOrderId: f.clientOrderId, ...fromOrder, ...fromCard },
  rules: [],
  protection: rsa,
  records: { request: 'CreateCardRefV4Request', reply: 'CardRefV4AsyncResponse' },
  effect: 'write',
  opens: false,
  basis: stated,
});

export const cardInfo = defineOperation({
  id: 'CARDINFO',
  command: 'card-ref info',
  path: '/api/v2/get-card-info',
  brief: 'Show what a card reference stands for',
  fields: { login: f.login, cardRefId: f.cardRefId },
  rules: [],
  protection: switched('card-info-control', { omit: unsigned, 'login+cardrefid': control('login', 'cardRefId') }),
  records: { request: 'GetCardInfoRequest', reply: 'CardInfoAsyncResponse' },
  effect: 'read',
  opens: false,
  basis: stated,
});

export const rebill = defineOperation({
  id: 'REBILL',
  command: 'rebill',
  path: '/api/v2/make-rebill',
  brief: 'Charge a stored card reference, the cardholder being absent',
  fields: {
    login: f.login,
    clientOrderId: f.clientOrderId,
    cardRefId: f.cardRefId,
    amount: f.amount,
    currency: f.currency,
    orderDesc: f.on(f.orderDesc, assumed('A46')),
    ipAddress: f.on(f.ipAddress, assumed('A46')),
    enumerateAmounts: f.optional(f.enumerateAmounts),
    recurrentScenario: f.optional(f.recurrentScenario),
    cvv: f.on(f.optional(f.cvv), assumed('A46')),
    comment: f.on(f.optional(f.comment), assumed('A46')),
    redirectUrl: f.on(f.optional(f.redirectUrl), assumed('A46')),
    serverCallbackUrl: f.optional(f.serverCallbackUrl),
    notifyUrl: f.optional(f.notifyUrl),
  },
  rules: [],
  protection: control('login', 'clientOrderId', 'cardRefId', 'amount', 'currency'),
  records: { request: 'RebillRequest', reply: 'AsyncResponse' },
  effect: 'money',
  opens: true,
  basis: stated,
});

const r = assumed('A48');

export const createRecurring = defineOperation({
  id: 'CREATE_RP_V4',
  command: 'recurring create',
  path: '/api/v4/create-recurring-payment',
  brief: 'Register a card for repeated charges, with or without a schedule',
  fields: {
    clientOrderId: f.on(f.spelled(f.clientOrderId, 'client-orderid'), r),
    recurringCardType: f.recurringCardType,
    cardNumber: f.on(f.spelled(f.cardNumber, 'credit-card-number'), r),
    cardHolder: f.on(f.optional(f.spelled(f.cardHolder, 'card-printed-name')), r),
    expireMonth: f.on(f.optional(f.spelled(f.expireMonth, 'expire-month')), r),
    expireYear: f.on(f.optional(f.spelled(f.expireYear, 'expire-year')), r),
    cvv: f.on(f.optional(f.cvv), r),
    currency: f.on(f.currency, r),
    amount: f.on(f.optional(f.meaning(f.amount, 'the amount of each charge')), stated),
    amountFrom: f.optional(f.amountFrom),
    amountTo: f.optional(f.amountTo),
    amountSequence: f.optional(f.amountSequence),
    period: f.optional(f.period),
    interval: f.optional(f.interval),
    startDate: f.optional(f.startDate),
    finishDate: f.optional(f.finishDate),
    firstName: f.on(f.optional(f.limited(f.spelled(f.firstName, 'first-name'), 128)), r),
    lastName: f.on(f.optional(f.limited(f.spelled(f.lastName, 'last-name'), 128)), r),
    email: f.on(f.optional(f.email), r),
    phone: f.on(f.optional(f.phone), r),
    address1: f.on(f.optional(f.address1), r),
    city: f.on(f.optional(f.limited(f.city, 128)), r),
    state: f.on(f.optional(f.state), r),
    zipCode: f.on(f.optional(f.spelled(f.zipCode, 'zip-code')), r),
    country: f.on(f.optional(f.country), r),
    ipAddress: f.on(f.optional(f.spelled(f.ipAddress, 'customer-ip')), r),
    orderDesc: f.on(f.optional(f.orderDesc), r),
    serverCallbackUrl: f.optional(f.serverCallbackUrl),
  },
  rules: [
    ruled(r, exactlyOne(['amount'], ['amountFrom', 'amountTo'], ['amountSequence'])),
    ruled(r, notAfter('amountFrom', 'amountTo')),
    ruled(assumed('A27'), together('period', 'interval')),
    ruled(assumed('A28'), notAfter('startDate', 'finishDate')),
    ruled(
      r,
      requiredWhen(
        'recurringCardType',
        ['SRC'],
        ['cardHolder', 'expireMonth', 'expireYear', 'firstName', 'lastName', 'email', 'address1', 'city', 'zipCode', 'country'],
      ),
    ),
    stateRule(r),
  ],
  protection: rsa,
  records: { request: 'RecurringPaymentForCreation', reply: 'CreateRecurringPaymentResponse' },
  effect: 'money',
  opens: true,
  basis: stated,
});

const eligibility = assumed('A30');

export const panEligibilitySend = defineOperation({
  id: 'PAN_ELIGIBILITY_SEND',
  command: 'pan-eligibility send',
  path: '/api/v2/pan-eligibility/send',
  brief: 'Ask whether a card may send a money transfer',
  fields: {
    clientOrderId: f.neededBy(f.clientOrderIdDashed, eligibility),
    sendingCardRefId: f.optional(f.sendingCardRefId),
    sendingCardNumber: f.optional(f.sendingCardNumber),
    cardHolder: f.on(f.optional(f.spelled(f.cardHolder, 'card-printed-name')), eligibility),
    expireMonth: f.on(f.optional(f.expireMonth), eligibility),
    expireYear: f.on(f.optional(f.expireYear), eligibility),
    serverCallbackUrl: f.optional(f.serverCallbackUrl),
  },
  rules: [ruled(eligibility, exactlyOne(['sendingCardRefId'], ['sendingCardNumber', 'cardHolder', 'expireMonth', 'expireYear']))],
  protection: hmac,
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'write',
  opens: true,
  basis: eligibility,
});

import * as f from '../fields.js';
import { assumed, defineOperation, exactlyOne, hmac, needs, onlyWith, rsa, ruled, stated } from '../operation.js';

const destination = {
  cardNumber: f.on(f.optional(f.meaning(f.cardNumber, 'the card that receives the money')), assumed('A39')),
  cardHolder: f.on(f.optional(f.cardHolder), assumed('A39')),
  expireMonth: f.on(f.optional(f.expireMonth), assumed('A39')),
  expireYear: f.on(f.optional(f.expireYear), assumed('A39')),
  destinationCardRefId: f.optional(f.destinationCardRefId),
  accountNumber: f.optional(f.accountNumber),
  bankName: f.optional(f.bankName),
  bankBranch: f.optional(f.bankBranch),
  bankCode: f.optional(f.bankCode),
  bankCity: f.optional(f.bankCity),
  bankProvince: f.optional(f.bankProvince),
  bankArea: f.optional(f.bankArea),
  bankAddress: f.optional(f.bankAddress),
  bankZip: f.optional(f.bankZip),
  accountName: f.optional(f.accountName),
  routingNumber: f.optional(f.routingNumber),
  receiverPhone: f.optional(f.receiverPhone),
  bankId: f.optional(f.bankId),
  walletType: f.optional(f.walletType),
  walletId: f.optional(f.walletId),
};

type DestinationKey = keyof typeof destination;
const isDestination = (key: string): key is DestinationKey => key in destination;
const paidTo = Object.keys(destination).filter(isDestination);

const payoutFields = {
  clientOrderId: f.clientOrderId,
  amount: f.amount,
  currency: f.currency,
  ...destination,
  orderDesc: f.on(f.optional(f.orderDesc), assumed('A39')),
  purpose: f.on(f.optional(f.purpose), assumed('A39')),
  ipAddress: f.on(f.optional(f.meaning(f.ipAddress, "the recipient's IP address")), assumed('A39')),
  firstName: f.on(f.optional(f.meaning(f.firstName, "the recipient's first name")), assumed('A39')),
  lastName: f.on(f.optional(f.meaning(f.lastName, "the recipient's last name")), assumed('A39')),
  email: f.on(f.optional(f.meaning(f.limited(f.email, 128), "the recipient's e-mail")), assumed('A39')),
  phone: f.on(f.optional(f.meaning(f.phone, "the recipient's phone")), assumed('A39')),
  redirectUrl: f.on(f.optional(f.redirectUrl), assumed('A39')),
  serverCallbackUrl: f.optional(f.serverCallbackUrl),
  notifyUrl: f.on(f.optional(f.notifyUrl), assumed('A39')),
  merchantData: f.on(f.optional(f.merchantData), assumed('A39')),
};

const payoutRules = [
  ruled(
    assumed('A39'),
    exactlyOne(
      ['cardNumber'],
      ['destinationCardRefId'],
      ['accountNumber', 'bankName', 'bankBranch'],
      ['receiverPhone', 'bankId'],
      ['walletType', 'walletId'],
    ),
  ),
  ruled(assumed('A39'), onlyWith('cardHolder', 'cardNumber')),
  ruled(assumed('A39'), onlyWith('expireMonth', 'cardNumber')),
  ruled(assumed('A39'), onlyWith('expireYear', 'cardNumber')),
  ruled(assumed('A39'), onlyWith('bankCode', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('bankCity', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('bankProvince', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('bankArea', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('bankAddress', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('bankZip', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('accountName', 'accountNumber')),
  ruled(assumed('A39'), onlyWith('routingNumber', 'accountNumber')),
];

export const payout = defineOperation({
  id: 'PAYOUT',
  command: 'payout send',
  aliases: ['payout'],
  path: '/api/v2/payout',
  brief: 'Send money to a card, bank account, phone or e-wallet in one step',
  examples: [
    'payout --amount 50.00 --currency EUR --card-number 4444333322221111',
    'payout --amount 50.00 --currency EUR --account-number DE02120300000000202051 --bank-name "DKB" --bank-branch Berlin --wait',
  ],
  fields: payoutFields,
  rules: payoutRules,
  protection: hmac,
  records: { request: 'PayoutRequest', reply: 'AsyncResponse' },
  effect: 'money',
  destination: paidTo,
  opens: true,
  namedByStatus: { types: ['payout'] },
  withoutAmount: 'nothing',
  inBatches: true,
  basis: stated,
});

export const payoutCheck = defineOperation({
  id: 'PAYOUT_V4_CHECK',
  command: 'payout check',
  path: '/api/v4/payout-check',
  brief: 'First step of two: validate the recipient and register a payout',
  examples: ['payout check --amount 50.00 --currency EUR --receiver-phone +4930123456 --bank-id 100 --wait'],
  fields: payoutFields,
  rules: payoutRules,
  protection: rsa,
  records: { request: 'PayoutCheckRequest', reply: 'AsyncResponse' },
  effect: 'write',
  destination: paidTo,
  opens: true,
  namedByStatus: { types: ['payout'], stage: 'payout_check' },
  provenBy: ['PAYOUT_V4_PAY'],
  withoutAmount: 'nothing',
  inBatches: true,
  basis: stated,
});

export const payoutPay = defineOperation({
  id: 'PAYOUT_V4_PAY',
  command: 'payout pay',
  path: '/api/v4/payout-pay',
  brief: 'Second step of two: execute a payout that was checked',
  examples: ['payout pay $ORDER --wait'],
  fields: {
    clientOrderId: f.on(f.clientOrderId, assumed('A08')),
    orderId: f.on(f.meaning(f.orderId, 'the order id from payout check'), assumed('A08')),
    login: f.on(f.login, assumed('A08')),
  },
  rules: [],
  protection: rsa,
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'money',
  opens: false,
  namedByStatus: { types: ['payout'], notStage: 'payout_check' },
  withoutAmount: 'whole order',
  inBatches: true,
  basis: assumed('A08'),
});

const rules = assumed('A31');
// The example that the interface signs names every way to pay and to receive at once; how the gateway handles it is
// not specified.
const six = {
  when: { switch: 'transfer-rules', value: 'public' },
  unlessAll: [
    ...(['cardNumber', 'cardHolder', 'expireMonth', 'expireYear', 'cvv', 'cardRecurringId', 'deposit2card'] as const),
    ...(['destinationCardNumber', 'destinationRecurringId'] as const),
  ],
} as const;

export const transfer = defineOperation({
  id: 'TRANSFER_V4',
  command: 'transfer',
  path: '/api/v4/transfer',
  brief: 'Move money between cards and tokens, or from the deposit',
  examples: ['transfer --amount 12.00 --currency USD --deposit2card true --destination-card-number 5555666644441111'],
  fields: {
    clientOrderId: f.neededBy(f.clientOrderId, rules),
    amount: f.neededBy(f.amount, rules),
    currency: f.neededBy(f.currency, rules),
    deposit2card: f.optional(f.deposit2card),
    cardNumber: f.optional(f.meaning(f.transferCardNumber, 'the card that is charged')),
    cardHolder: f.on(f.optional(f.cardHolder), stated),
    expireMonth: f.on(f.optional(f.expireMonth), stated),
    expireYear: f.on(f.optional(f.expireYear), stated),
    cvv: f.on(f.optional(f.cvv), stated),
    cardRecurringId: f.optional(f.cardRecurringId),
    destinationCardNumber: f.optional(f.destinationCardNumber),
    destinationRecurringId: f.optional(f.destinationRecurringId),
    ipAddress: f.neededBy(f.on(f.meaning(f.ipAddress, "the sender's or recipient's IP address"), stated), rules),
    orderDesc: f.on(f.optional(f.orderDesc), stated),
    redirectUrl: f.optional(f.redirectUrl),
  },
  rules: [
    ruled(
      rules,
      exactlyOne(['cardNumber', 'cardHolder', 'expireMonth', 'expireYear'], ['cardRecurringId'], ['deposit2card=true']),
      six,
    ),
    ruled(rules, needs('cardNumber', 'cvv'), six),
    ruled(rules, onlyWith('cvv', 'cardNumber', 'cardRecurringId'), six),
    ruled(rules, exactlyOne(['destinationCardNumber'], ['destinationRecurringId']), six),
  ],
  protection: rsa,
  records: { request: null, reply: 'AsyncResponse' },
  effect: 'money',
  destination: ['destinationCardNumber', 'destinationRecurringId'],
  opens: true,
  namedByStatus: { types: ['transfer'] },
  withoutAmount: 'nothing',
  inBatches: true,
  basis: assumed('A31'),
});

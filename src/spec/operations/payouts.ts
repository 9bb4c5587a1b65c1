import { fields } from '../fields.js';
import { defineOperation, exactlyOne, hmac, needs, onlyWith, rsa } from '../operation.js';

const destination = {
  ...fields('cardNumber?', 'cardHolder?', 'expireMonth?', 'expireYear?', 'destinationCardRefId?', 'accountNumber?'),
  ...fields('bankName?', 'bankBranch?', 'bankCode?', 'bankCity?', 'bankProvince?', 'bankArea?', 'bankAddress?'),
  ...fields('bankZip?', 'accountName?', 'routingNumber?', 'receiverPhone?', 'bankId?', 'walletType?', 'walletId?'),
};

const ofCard = ['cardHolder', 'expireMonth', 'expireYear'] as const;
const ofBank = ['bankCode', 'bankCity', 'bankProvince', 'bankArea', 'bankAddress', 'bankZip'] as const;
const ofAccount = [...ofBank, 'accountName', 'routingNumber'] as const;
const payoutRow = {
  inBatches: true,
  fields: {
    ...fields('clientOrderId', 'amount', 'currency'),
    ...destination,
    ...fields('orderDesc?', 'purpose?', 'ipAddress?', 'firstName?', 'lastName?', 'email?', 'phone?', 'redirectUrl?'),
    ...fields('serverCallbackUrl?', 'notifyUrl?', 'merchantData?'),
  },
  fieldBasis: 'A39',
  except: {
    cardNumber: { meaning: 'the card that receives the money' },
    ipAddress: { meaning: "the recipient's IP address" },
    firstName: { meaning: "the recipient's first name" },
    lastName: { meaning: "the recipient's last name" },
    email: { meaning: "the recipient's e-mail", basis: 'A39' },
    phone: { meaning: "the recipient's phone" },
  },
  destination: Object.keys(destination) as (keyof typeof destination)[],
  rules: [
    exactlyOne(
      ['cardNumber'],
      ['destinationCardRefId'],
      ['accountNumber', 'bankName', 'bankBranch'],
      ['receiverPhone', 'bankId'],
      ['walletType', 'walletId'],
    ),
    ...ofCard.map((field) => onlyWith(field, 'cardNumber')),
    ...ofAccount.map((field) => onlyWith(field, 'accountNumber')),
  ],
} as const;

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
  effect: 'money',
  moves: 'pays out',
  ...payoutRow,
  protection: hmac,
  records: { request: 'PayoutRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['payout'] },
});

export const payoutCheck = defineOperation({
  id: 'PAYOUT_V4_CHECK',
  command: 'payout check',
  path: '/api/v4/payout-check',
  brief: 'First step of two: validate the recipient and register a payout',
  examples: ['payout check --amount 50.00 --currency EUR --receiver-phone +4930123456 --bank-id 100 --wait'],
  effect: 'write',
  ...payoutRow,
  protection: rsa,
  records: { request: 'PayoutCheckRequest', reply: 'AsyncResponse' },
  namedByStatus: { types: ['payout'], stage: 'payout_check' },
});

export const payoutPay = defineOperation({
  id: 'PAYOUT_V4_PAY',
  command: 'payout pay',
  path: '/api/v4/payout-pay',
  brief: 'Second step of two: execute a payout that was checked',
  examples: ['payout pay $ORDER --wait'],
  basis: 'A08',
  effect: 'money',
  moves: 'pays out',
  follows: ['PAYOUT_V4_CHECK'],
  fields: fields('clientOrderId', 'orderId', 'login'),
  except: {
    clientOrderId: { basis: 'A08' },
    orderId: { basis: 'A08', meaning: 'the order id from payout check' },
    login: { basis: 'A08' },
  },
  protection: rsa,
  records: { request: null, reply: 'AsyncResponse' },
  namedByStatus: { types: ['payout'], notStage: 'payout_check' },
  inBatches: true,
});

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
  basis: 'A31',
  effect: 'money',
  moves: 'transfers',
  fields: {
    ...fields('clientOrderId', 'amount', 'currency'),
    ...fields('deposit2card?', 'cardNumber?', 'cardHolder?', 'expireMonth?', 'expireYear?', 'cvv?', 'cardRecurringId?'),
    ...fields('destinationCardNumber?', 'destinationRecurringId?', 'ipAddress', 'orderDesc?', 'redirectUrl?'),
  },
  fieldBasis: 'stated',
  except: {
    cardNumber: { meaning: 'the card that is charged' },
    ipAddress: { meaning: "the sender's or recipient's IP address" },
  },
  destination: ['destinationCardNumber', 'destinationRecurringId'],
  rules: [
    {
      ...exactlyOne(
        ['cardNumber', 'cardHolder', 'expireMonth', 'expireYear'],
        ['cardRecurringId'],
        ['deposit2card=true'],
      ),
      ...six,
    },
    { ...needs('cardNumber', 'cvv'), ...six },
    { ...onlyWith('cvv', 'cardNumber', 'cardRecurringId'), ...six },
    { ...exactlyOne(['destinationCardNumber'], ['destinationRecurringId']), ...six },
  ],
  protection: rsa,
  records: { request: null, reply: 'AsyncResponse' },
  namedByStatus: { types: ['transfer'] },
  inBatches: true,
});

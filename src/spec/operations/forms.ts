import * as f from '../fields.js';
import { stateRule } from '../fields.js';
import { assumed, control, defineOperation, hmac, rsa, stated, switched, unsigned } from '../operation.js';

const a = assumed('A47');
const who = {
  email: f.email,
  phone: f.on(f.optional(f.phone), a),
  firstName: f.on(f.optional(f.firstName), a),
  lastName: f.on(f.optional(f.lastName), a),
  address1: f.on(f.address1, a),
  city: f.on(f.city, a),
  state: f.on(f.optional(f.state), a),
  zipCode: f.on(f.zipCode, a),
  country: f.on(f.country, a),
  ipAddress: f.on(f.ipAddress, a),
};
const rest = {
  ssn: f.on(f.optional(f.ssn), a),
  birthday: f.on(f.optional(f.birthday), a),
  cellPhone: f.on(f.optional(f.cellPhone), a),
  siteUrl: f.on(f.optional(f.siteUrl), a),
  purpose: f.on(f.optional(f.purpose), a),
  merchantData: f.on(f.optional(f.merchantData), a),
  serverCallbackUrl: f.optional(f.serverCallbackUrl),
  notifyUrl: f.on(f.optional(f.notifyUrl), a),
};
const paymentForm = {
  clientOrderId: f.clientOrderId,
  amount: f.amount,
  currency: f.currency,
  orderDesc: f.on(f.orderDesc, a),
  ...who,
  redirectUrl: f.on(f.redirectUrl, a),
  ...rest,
};
const saleRecipe = control('endpointId', 'clientOrderId', 'amount', 'email');
const formProtection = switched('unsigned-forms', { none: unsigned, control: saleRecipe, hmac, rsa });

export const saleForm = defineOperation({
  id: 'SALEFORM',
  command: 'form sale',
  path: '/api/v2/sale-form',
  brief: 'Open a hosted page that charges a card',
  examples: ['form sale --amount 10.42 --currency USD'],
  fields: paymentForm,
  rules: [stateRule(a)],
  protection: saleRecipe,
  records: { request: 'SaleFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  effect: 'write',
  opens: true,
  namedByStatus: { types: ['sale'] },
  provenBy: ['RETURN', 'VOID'],
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const preauthForm = defineOperation({
  id: 'PREAUTHFORM',
  command: 'form preauth',
  path: '/api/v2/preauth-form',
  brief: 'Open a hosted page that holds an amount on a card',
  examples: ['form preauth --amount 25.00 --currency EUR'],
  fields: paymentForm,
  rules: [stateRule(a)],
  protection: saleRecipe,
  records: { request: 'AuthFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  effect: 'write',
  opens: true,
  namedByStatus: { types: ['preauth'] },
  provenBy: ['CAPTURE', 'RETURN', 'VOID'],
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const universalForm = defineOperation({
  id: 'PAYMENTFORM',
  command: 'form payment',
  path: '/api/v2/payment-form',
  brief: 'Open a hosted page for a payment that is neither a sale nor a preauth',
  examples: ['form payment --amount 10.42 --currency USD'],
  fields: paymentForm,
  rules: [stateRule(a)],
  protection: formProtection,
  records: { request: 'PaymentFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  effect: 'write',
  opens: true,
  namedByStatus: { types: ['sale', 'preauth'] },
  provenBy: ['CAPTURE', 'RETURN', 'VOID'],
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const payoutForm = defineOperation({
  id: 'PAYOUTFORM',
  command: 'form payout',
  aliases: ['payout form'],
  path: '/api/v2/payout-form',
  brief: 'Open a hosted page where the recipient enters the destination of a payout',
  examples: ['form payout --amount 50.00 --currency EUR'],
  fields: {
    clientOrderId: f.clientOrderId,
    amount: f.amount,
    currency: f.currency,
    orderDesc: f.on(f.optional(f.orderDesc), a),
    purpose: f.on(f.optional(f.purpose), a),
    email: f.on(f.optional(f.email), a),
    ipAddress: f.on(f.optional(f.meaning(f.ipAddress, "the recipient's IP address")), a),
    redirectUrl: f.on(f.optional(f.redirectUrl), a),
    serverCallbackUrl: f.optional(f.serverCallbackUrl),
    notifyUrl: f.on(f.optional(f.notifyUrl), a),
  },
  rules: [],
  protection: formProtection,
  records: { request: 'PayoutFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  // Whoever has the page can be paid: guarded and counted like the payout it leads to.
  effect: 'money',
  opens: true,
  namedByStatus: { types: ['payout'] },
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

export const accountVerificationForm = defineOperation({
  id: 'ACCOUNT_VERIFICATION_FORM',
  command: 'form account-verification',
  path: '/api/v2/account-verification-form',
  brief: 'Open a hosted page that checks a card without charging it',
  examples: ['form account-verification'],
  fields: {
    clientOrderId: f.clientOrderId,
    orderDesc: f.on(f.orderDesc, a),
    ...who,
    redirectUrl: f.on(f.optional(f.redirectUrl), a),
    ...rest,
  },
  rules: [stateRule(a)],
  protection: control('endpointId', 'clientOrderId', 'email'),
  records: { request: 'AccountVerificationFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  effect: 'write',
  opens: true,
  namedByStatus: { types: ['account_verification'] },
  withoutAmount: 'nothing',
  inBatches: false,
  basis: stated,
});

import { optional, required } from '../fields.js';
import { control, defineOperation, hmac, rsa, stateRule, switched, unsigned } from '../operation.js';

const payer = {
  ...required('email'),
  ...optional('phone', 'firstName', 'lastName'),
  ...required('address1', 'city'),
  ...optional('state'),
  ...required('zipCode', 'country', 'ipAddress'),
};
const extras = {
  ...optional('ssn', 'birthday', 'cellPhone', 'siteUrl', 'purpose', 'merchantData'),
  ...optional('serverCallbackUrl', 'notifyUrl'),
};
const paymentForm = {
  ...required('clientOrderId', 'amount', 'currency', 'orderDesc'),
  ...payer,
  ...required('redirectUrl'),
  ...extras,
};
const saleRecipe = control('endpointId', 'clientOrderId', 'amount', 'email');
const formProtection = switched('unsigned-forms', { none: unsigned, control: saleRecipe, hmac, rsa });

export const saleForm = defineOperation({
  id: 'SALEFORM',
  command: 'form sale',
  path: '/api/v2/sale-form',
  brief: 'Open a hosted page that charges a card',
  examples: ['form sale --amount 10.42 --currency USD'],
  effect: 'write',
  moves: 'charges',
  fields: paymentForm,
  fieldBasis: 'A47',
  rules: [stateRule],
  protection: saleRecipe,
  records: { request: 'SaleFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['sale'] },
});

export const preauthForm = defineOperation({
  id: 'PREAUTHFORM',
  command: 'form preauth',
  path: '/api/v2/preauth-form',
  brief: 'Open a hosted page that holds an amount on a card',
  examples: ['form preauth --amount 25.00 --currency EUR'],
  effect: 'write',
  moves: 'holds',
  fields: paymentForm,
  fieldBasis: 'A47',
  rules: [stateRule],
  protection: saleRecipe,
  records: { request: 'AuthFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['preauth'] },
});

export const universalForm = defineOperation({
  id: 'PAYMENTFORM',
  command: 'form payment',
  path: '/api/v2/payment-form',
  brief: 'Open a hosted page for a payment that is neither a sale nor a preauth',
  examples: ['form payment --amount 10.42 --currency USD'],
  effect: 'write',
  moves: 'charges or holds',
  fields: paymentForm,
  fieldBasis: 'A47',
  rules: [stateRule],
  protection: formProtection,
  records: { request: 'PaymentFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['sale', 'preauth'] },
});

export const payoutForm = defineOperation({
  id: 'PAYOUTFORM',
  command: 'form payout',
  aliases: ['payout form'],
  path: '/api/v2/payout-form',
  brief: 'Open a hosted page where the recipient enters the destination of a payout',
  examples: ['form payout --amount 50.00 --currency EUR'],
  // Whoever has the page can be paid: guarded and counted like the payout it leads to.
  effect: 'money',
  moves: 'pays out',
  fields: {
    ...required('clientOrderId', 'amount', 'currency'),
    ...optional('orderDesc', 'purpose', 'email', 'ipAddress', 'redirectUrl', 'serverCallbackUrl', 'notifyUrl'),
  },
  fieldBasis: 'A47',
  except: { email: { basis: 'A47' }, ipAddress: { meaning: "the recipient's IP address" } },
  protection: formProtection,
  records: { request: 'PayoutFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['payout'] },
});

export const accountVerificationForm = defineOperation({
  id: 'ACCOUNT_VERIFICATION_FORM',
  command: 'form account-verification',
  path: '/api/v2/account-verification-form',
  brief: 'Open a hosted page that checks a card without charging it',
  examples: ['form account-verification'],
  effect: 'write',
  fields: { ...required('clientOrderId', 'orderDesc'), ...payer, ...optional('redirectUrl'), ...extras },
  fieldBasis: 'A47',
  rules: [stateRule],
  protection: control('endpointId', 'clientOrderId', 'email'),
  records: { request: 'AccountVerificationFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['account_verification'] },
});

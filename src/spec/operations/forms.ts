import { fields } from '../fields.js';
import { control, defineOperation, hmac, rsa, stateRule, switched, unsigned } from '../operation.js';

const payer = {
  ...fields('email', 'phone?', 'firstName?', 'lastName?', 'address1', 'city', 'state?'),
  ...fields('zipCode', 'country', 'ipAddress'),
};
const extras = {
  ...fields('ssn?', 'birthday?', 'cellPhone?', 'siteUrl?', 'purpose?', 'merchantData?'),
  ...fields('serverCallbackUrl?', 'notifyUrl?'),
};
const formRow = { effect: 'write', fieldBasis: 'A47', rules: [stateRule] } as const;
const paymentForm = {
  ...formRow,
  fields: {
    ...fields('clientOrderId', 'amount', 'currency', 'orderDesc'),
    ...payer,
    ...fields('redirectUrl'),
    ...extras,
  },
};
const saleRecipe = control('endpointId', 'clientOrderId', 'amount', 'email');
const formProtection = switched('unsigned-forms', { none: unsigned, control: saleRecipe, hmac, rsa });

export const saleForm = defineOperation({
  id: 'SALEFORM',
  command: 'form sale',
  path: '/api/v2/sale-form',
  brief: 'Open a hosted page that charges a card',
  examples: ['form sale --amount 10.42 --currency USD'],
  ...paymentForm,
  moves: 'charges',
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
  ...paymentForm,
  moves: 'holds',
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
  ...paymentForm,
  moves: 'charges or holds',
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
    ...fields('clientOrderId', 'amount', 'currency'),
    ...fields('orderDesc?', 'purpose?', 'email?', 'ipAddress?', 'redirectUrl?', 'serverCallbackUrl?', 'notifyUrl?'),
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
  ...formRow,
  fields: { ...fields('clientOrderId', 'orderDesc'), ...payer, ...fields('redirectUrl?'), ...extras },
  protection: control('endpointId', 'clientOrderId', 'email'),
  records: { request: 'AccountVerificationFormRequest', reply: 'AsyncCheckoutFormRedirect' },
  namedByStatus: { types: ['account_verification'] },
});

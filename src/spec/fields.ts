import type { SwitchName } from './assumptions.js';
import type { KindName } from './kinds.js';
import { assumed, type Basis, type Field, requiredWhen, ruled, stated } from './operation.js';

const field = (wire: string, kind: KindName, meaning: string, basis: Basis, max?: number): Field =>
  max === undefined
    ? { wire, kind, meaning, need: 'required', basis }
    : { wire, kind, meaning, need: 'required', basis, max };

const choice = (wire: string, values: readonly string[], meaning: string, basis: Basis): Field => ({
  wire,
  kind: 'choice',
  meaning,
  need: 'required',
  values,
  basis,
});

/** The same field, which a request may leave out. */
export const optional = (base: Field): Field => ({ ...base, need: 'optional' });
/** The same field under another wire spelling. */
export const spelled = (base: Field, wire: string): Field => ({ ...base, wire });
/** The same field with another meaning for this operation. */
export const meaning = (base: Field, text: string): Field => ({ ...base, meaning: text });
/** The same field with another limit of characters. */
export const limited = (base: Field, max: number): Field => ({ ...base, max });
/** The same field, where another value does not make the request another payment. */
const incidental = (base: Field): Field => ({ ...base, incidental: true });
/** The same field, whose need has another ground than its name. */
export const neededBy = (base: Field, needBasis: Basis): Field => ({ ...base, needBasis });
/** The same field on the ground of another assumption. */
export const on = (base: Field, basis: Basis): Field => ({ ...base, basis });
/** A field that exists only while a switch has this value. */
export const onlyUnder = (name: SwitchName, value: string, base: Field): Field => ({
  ...base,
  when: { switch: name, value },
});

const payment = assumed('A44');
const tds = assumed('A19');
const recurring = assumed('A48');
const payout = assumed('A39');

// Who and which order
export const login = onlyUnder('login-field', 'send', field('login', 'login', 'the merchant login', assumed('A05')));
export const clientOrderId = field('client_orderid', 'clientOrderId', 'your client order id (idempotency key)', stated);
export const clientOrderIdDashed = spelled(clientOrderId, 'client-order-id');
export const orderId = field('orderid', 'gatewayId', 'the gateway order id', stated);
export const orderDesc = incidental(field('order_desc', 'text', 'what the payment is for', payment));
export const comment = incidental(field('comment', 'text', 'a short reason, echoed in callbacks', assumed('A45'), 50));
export const merchantData = incidental(field('merchant_data', 'text', 'your own data, echoed in callbacks', payment));
export const purpose = incidental(field('purpose', 'text', 'the purpose of the payment', payment, 128));
export const bySerial = field(
  'by-request-sn',
  'serial',
  'query one request, by the serial number of its reply',
  assumed('A42'),
);

// Money
export const amount = field('amount', 'amount', 'the amount in major units', stated);
export const currency = field('currency', 'currency', 'the currency of the amount', stated);

// The payer
export const firstName = field('first_name', 'personText', "the payer's first name", payment, 50);
export const lastName = field('last_name', 'personText', "the payer's last name", payment, 50);
export const ssn = field('ssn', 'digits', "digits of the payer's social security number", payment, 32);
export const birthday = field('birthday', 'birthday', "the payer's date of birth", payment);
export const address1 = field('address1', 'personText', "the payer's street address", payment, 256);
export const city = field('city', 'personText', "the payer's city", payment, 50);
export const state = field('state', 'state', 'the state, for US, CA and AU', payment);
export const zipCode = field('zip_code', 'zip', "the payer's postal code", payment);
export const country = field('country', 'country', "the payer's country", payment);
export const phone = field('phone', 'phone', "the payer's phone", payment);
export const cellPhone = field('cell_phone', 'phone', "the payer's mobile phone", payment);
export const email = field('email', 'email', "the payer's e-mail", stated);
export const ipAddress = incidental(field('ipaddress', 'ip', "the payer's IP address", payment));
export const siteUrl = incidental(field('site_url', 'url', 'the site where the payment was made', payment, 128));

// The card
export const cardNumber = field('credit_card_number', 'cardNumber', 'the card number', payment);
export const cardHolder = field('card_printed_name', 'personText', 'the name printed on the card', payment, 128);
export const expireMonth = field('expire_month', 'month', 'the month the card expires', payment);
export const expireYear = field('expire_year', 'year', 'the year the card expires', payment);
export const cvv = field('cvv2', 'cvv', 'the security code of the card', payment);
export const cardRefId = field('cardrefid', 'gatewayId', 'the card reference', stated);

// Addresses
export const redirectUrl = incidental(field('redirect_url', 'url', 'where the payer returns to', stated));
export const redirectSuccessUrl = incidental(
  field('redirect_success_url', 'url', 'where the payer returns to after a success', payment),
);
export const redirectFailUrl = incidental(
  field('redirect_fail_url', 'url', 'where the payer returns to after a failure', payment),
);
export const serverCallbackUrl = incidental(
  field('server_callback_url', 'url', 'where the gateway reports the outcome', stated),
);
export const notifyUrl = incidental(
  field('notify_url', 'url', 'where the gateway reports this and later transactions', payment),
);

// Rebill
export const enumerateAmounts = field(
  'enumerate_amounts',
  'amountList',
  'amounts to try, in this order',
  assumed('A46'),
);
export const recurrentScenario = choice(
  'recurrent_scenario',
  ['REGULAR', 'IRREGULAR'],
  'the kind of repeated charge',
  assumed('A46'),
);

// 3-D Secure results
export const cRes = field('cRes', 'base64', 'the challenge response of the access control server', tds, 4096);
export const paRes = field('paRes', 'base64', 'the payer authentication response', tds, 10_240);
export const tdsServerTransId = field(
  'threeDSServerTransID',
  'uuid',
  'the transaction id of the 3-D Secure server',
  tds,
);
export const tdsCompInd = choice(
  'threeDSCompInd',
  ['Y', 'N', 'U'],
  'Y completed, N not within 10 seconds, U no method URL',
  stated,
);
export const browserAcceptHeader = field('browserAcceptHeader', 'text', "the browser's Accept header", tds, 2048);
export const browserIp = field('browserIP', 'ip', "the browser's IP address", tds);
export const browserJavaEnabled = field('browserJavaEnabled', 'boolean', 'whether the browser runs Java', tds);
export const browserJavascriptEnabled = field(
  'browserJavascriptEnabled',
  'boolean',
  'whether the browser runs JavaScript',
  tds,
);
export const browserLanguage = field('browserLanguage', 'language', "the browser's language", tds);
export const browserColorDepth = choice(
  'browserColorDepth',
  ['1', '4', '8', '15', '16', '24', '32', '48'],
  'bits per pixel',
  tds,
);
export const browserScreenHeight = field('browserScreenHeight', 'digits', 'screen height in pixels', tds, 6);
export const browserScreenWidth = field('browserScreenWidth', 'digits', 'screen width in pixels', tds, 6);
export const browserTimeZone = field(
  'browserTZ',
  'signedInteger',
  "the browser's time zone offset from UTC, in minutes",
  tds,
);
export const browserUserAgent = field('browserUserAgent', 'text', "the browser's User-Agent header", tds, 2048);

// Recurring payments
export const recurringCardType = choice(
  'rp_card_type',
  ['SRC', 'DST'],
  'SRC: the card is charged; DST: it receives money',
  recurring,
);
export const amountFrom = field('amount-from', 'amount', 'the minimum amount of a charge', recurring);
export const amountTo = field('amount-to', 'amount', 'the maximum amount of a charge', recurring);
export const amountSequence = field('amount-sequence', 'amountList', 'the amounts of the charges, in order', recurring);
export const period = choice('period', ['daily', 'weekly', 'monthly'], 'the unit of the schedule', assumed('A27'));
export const interval = field('interval', 'interval', 'the number of periods between charges', assumed('A27'));
export const startDate = field('start-date', 'date', 'the date of the first charge', assumed('A28'));
export const finishDate = field('finish-date', 'date', 'the date the schedule ends', assumed('A28'));

// Payout destinations
export const destinationCardRefId = field(
  'destination-card-ref-id',
  'gatewayId',
  'the card reference that receives the money',
  payout,
);
export const accountNumber = field(
  'account_number',
  'accountText',
  'the bank account that receives the money',
  payout,
  24,
);
export const accountName = field('account_name', 'personText', 'the holder of the bank account', payout, 128);
export const bankName = field('bank_name', 'text', 'the name of the bank', payout, 255);
export const bankBranch = field('bank_branch', 'text', 'the branch of the bank', payout, 255);
export const bankCode = field('bank_code', 'text', 'the code of the bank', payout, 3);
export const bankCity = field('bank_city', 'text', 'the city of the bank', payout, 255);
export const bankProvince = field('bank_province', 'text', 'the province of the bank', payout, 255);
export const bankArea = field('bank_area', 'text', 'the area of the bank', payout, 255);
export const bankAddress = field('bank_address1', 'text', 'the address of the bank', payout, 255);
export const bankZip = field('bank_zip_code', 'text', 'the postal code of the bank', payout, 255);
export const routingNumber = field('routing_number', 'text', 'the routing number of the bank', payout, 16);
export const receiverPhone = field('receiver_phone', 'accountPhone', 'the phone that receives the money', payout);
export const bankId = field('bank_id', 'text', 'the code of the bank linked to the phone', payout, 64);
export const walletType = field('wallet_type', 'text', 'the kind of e-wallet', payout, 64);
export const walletId = field('wallet_id', 'accountText', 'the e-wallet that receives the money', payout, 128);

// Transfer, all names stated
export const transferCardNumber = on(cardNumber, stated);
export const cardRecurringId = field('card_recurring_payment_id', 'gatewayId', 'the token that is charged', stated);
export const destinationCardNumber = field(
  'destination-card-no',
  'cardNumber',
  'the card that receives the money',
  stated,
);
export const destinationRecurringId = field(
  'destination_card_recurring_payment_id',
  'gatewayId',
  'the token that receives the money',
  stated,
);
export const deposit2card = field(
  'deposit2card',
  'boolean',
  "true when the money comes from the merchant's deposit",
  stated,
);

// Eligibility
export const sendingCardRefId = field('sending-card-ref-id', 'gatewayId', 'the card reference to look up', stated);
export const sendingCardNumber = field(
  'sending-card-number',
  'cardNumber',
  'the card number to look up',
  assumed('A30'),
);

/** Countries whose addresses need a state. */
export const stateRule = (basis: Basis) => ruled(basis, requiredWhen('country', ['US', 'CA', 'AU'], ['state']));

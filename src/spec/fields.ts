import type { Basis, SwitchName } from './assumptions.js';
import type { KindName } from './kinds.js';

/** A field or a rule that is in force only while an assumption's switch has this value. */
export interface Condition {
  readonly switch: SwitchName;
  readonly value: string;
}

/** A field of the interface, whatever operation it stands in. */
interface Word {
  /** The name on the wire. Never computed from anything else. */
  readonly wire: string;
  readonly kind: KindName;
  /** What it is, in a few words, for help and prompts. */
  readonly meaning: string;
  /** Most characters; the kind's own limit when left out. */
  readonly max?: number;
  /** The only values, for the kind `choice`. */
  readonly values?: readonly string[];
  readonly when?: Condition;
  /** Does not identify the payment (who pays, who is paid, how much): with another value it is the same payment. */
  readonly incidental?: true;
}

/** A field of one operation. */
export interface Field extends Word {
  readonly need: 'required' | 'optional';
  /** Any text is taken, as of a request that was signed already and is only compared; no row of the table has it. */
  readonly takesAny?: true;
  /** Where its name comes from. */
  readonly basis: Basis;
  /** Where its need comes from, when that is not where the name comes from. */
  readonly needBasis?: Basis;
}

type Entry = Word & { readonly basis?: Basis };
type More = Partial<Omit<Entry, 'wire' | 'kind' | 'meaning'>>;

const field = (wire: string, kind: KindName, meaning: string, more: More = {}) => ({ wire, kind, meaning, ...more });
const choice = (wire: string, meaning: string, values: readonly string[], more: More = {}) =>
  field(wire, 'choice', meaning, { values, ...more });
const stated = { basis: 'stated' } as const;
const incidental = { incidental: true } as const;

/**
 * Every field of the interface, by the name the table uses. An entry with a basis has it in every row; the others rest
 * on what their row rests on.
 */
export const dictionary = {
  // Who and which order
  login: field('login', 'login', 'the merchant login', {
    basis: 'A05',
    when: { switch: 'login-field', value: 'send' },
  }),
  clientOrderId: field('client_orderid', 'clientOrderId', 'your client order id (idempotency key)', stated),
  orderId: field('orderid', 'gatewayId', 'the gateway order id', stated),
  orderDesc: field('order_desc', 'text', 'what the payment is for', incidental),
  comment: field('comment', 'text', 'a short reason, echoed in callbacks', { basis: 'A45', max: 50, ...incidental }),
  merchantData: field('merchant_data', 'text', 'your own data, echoed in callbacks', incidental),
  purpose: field('purpose', 'text', 'the purpose of the payment', { max: 128, ...incidental }),
  bySerial: field('by-request-sn', 'serial', 'query one request, by the serial number of its reply', { basis: 'A42' }),

  // Money
  amount: field('amount', 'amount', 'the amount in major units', stated),
  currency: field('currency', 'currency', 'the currency of the amount', stated),

  // The payer
  firstName: field('first_name', 'personText', "the payer's first name", { max: 50 }),
  lastName: field('last_name', 'personText', "the payer's last name", { max: 50 }),
  ssn: field('ssn', 'digits', "digits of the payer's social security number", { max: 32 }),
  birthday: field('birthday', 'birthday', "the payer's date of birth"),
  address1: field('address1', 'personText', "the payer's street address", { max: 256 }),
  city: field('city', 'personText', "the payer's city", { max: 50 }),
  state: field('state', 'state', 'the state, for US, CA and AU'),
  zipCode: field('zip_code', 'zip', "the payer's postal code"),
  country: field('country', 'country', "the payer's country"),
  phone: field('phone', 'phone', "the payer's phone"),
  cellPhone: field('cell_phone', 'phone', "the payer's mobile phone"),
  email: field('email', 'email', "the payer's e-mail", stated),
  ipAddress: field('ipaddress', 'ip', "the payer's IP address", incidental),
  siteUrl: field('site_url', 'url', 'the site where the payment was made', { max: 128, ...incidental }),

  // The card
  cardNumber: field('credit_card_number', 'cardNumber', 'the card number'),
  cardHolder: field('card_printed_name', 'personText', 'the name printed on the card', { max: 128 }),
  expireMonth: field('expire_month', 'month', 'the month the card expires'),
  expireYear: field('expire_year', 'year', 'the year the card expires'),
  cvv: field('cvv2', 'cvv', 'the security code of the card'),
  cardRefId: field('cardrefid', 'gatewayId', 'the card reference', stated),

  // Addresses
  redirectUrl: field('redirect_url', 'url', 'where the payer returns to', incidental),
  redirectSuccessUrl: field('redirect_success_url', 'url', 'where the payer returns to after a success', incidental),
  redirectFailUrl: field('redirect_fail_url', 'url', 'where the payer returns to after a failure', incidental),
  serverCallbackUrl: field('server_callback_url', 'url', 'where the gateway reports the outcome', {
    ...stated,
    ...incidental,
  }),
  notifyUrl: field('notify_url', 'url', 'where the gateway reports this and later transactions', incidental),

  // Rebill
  enumerateAmounts: field('enumerate_amounts', 'amountList', 'amounts to try, in this order'),
  recurrentScenario: choice('recurrent_scenario', 'the kind of repeated charge', ['REGULAR', 'IRREGULAR']),

  // 3-D Secure results
  cRes: field('cRes', 'base64', 'the challenge response of the access control server', { max: 4096 }),
  paRes: field('paRes', 'base64', 'the payer authentication response', { max: 10_240 }),
  tdsServerTransId: field('threeDSServerTransID', 'uuid', 'the transaction id of the 3-D Secure server'),
  tdsCompInd: choice(
    'threeDSCompInd',
    'Y completed, N not within 10 seconds, U no method URL',
    ['Y', 'N', 'U'],
    stated,
  ),
  browserAcceptHeader: field('browserAcceptHeader', 'text', "the browser's Accept header", { max: 2048 }),
  browserIp: field('browserIP', 'ip', "the browser's IP address"),
  browserJavaEnabled: field('browserJavaEnabled', 'boolean', 'whether the browser runs Java'),
  browserJavascriptEnabled: field('browserJavascriptEnabled', 'boolean', 'whether the browser runs JavaScript'),
  browserLanguage: field('browserLanguage', 'language', "the browser's language"),
  browserColorDepth: choice('browserColorDepth', 'bits per pixel', ['1', '4', '8', '15', '16', '24', '32', '48']),
  browserScreenHeight: field('browserScreenHeight', 'digits', 'screen height in pixels', { max: 6 }),
  browserScreenWidth: field('browserScreenWidth', 'digits', 'screen width in pixels', { max: 6 }),
  browserTimeZone: field('browserTZ', 'signedInteger', "the browser's time zone offset from UTC, in minutes"),
  browserUserAgent: field('browserUserAgent', 'text', "the browser's User-Agent header", { max: 2048 }),

  // Recurring payments
  recurringCardType: choice('rp_card_type', 'SRC: the card is charged; DST: it receives money', ['SRC', 'DST']),
  amountFrom: field('amount-from', 'amount', 'the minimum amount of a charge'),
  amountTo: field('amount-to', 'amount', 'the maximum amount of a charge'),
  amountSequence: field('amount-sequence', 'amountList', 'the amounts of the charges, in order'),
  period: choice('period', 'the unit of the schedule', ['daily', 'weekly', 'monthly'], { basis: 'A27' }),
  interval: field('interval', 'interval', 'the number of periods between charges', { basis: 'A27' }),
  startDate: field('start-date', 'date', 'the date of the first charge', { basis: 'A28' }),
  finishDate: field('finish-date', 'date', 'the date the schedule ends', { basis: 'A28' }),

  // Payout destinations
  destinationCardRefId: field('destination-card-ref-id', 'gatewayId', 'the card reference that receives the money'),
  accountNumber: field('account_number', 'accountText', 'the bank account that receives the money', { max: 24 }),
  accountName: field('account_name', 'personText', 'the holder of the bank account', { max: 128 }),
  bankName: field('bank_name', 'text', 'the name of the bank', { max: 255 }),
  bankBranch: field('bank_branch', 'text', 'the branch of the bank', { max: 255 }),
  bankCode: field('bank_code', 'text', 'the code of the bank', { max: 3 }),
  bankCity: field('bank_city', 'text', 'the city of the bank', { max: 255 }),
  bankProvince: field('bank_province', 'text', 'the province of the bank', { max: 255 }),
  bankArea: field('bank_area', 'text', 'the area of the bank', { max: 255 }),
  bankAddress: field('bank_address1', 'text', 'the address of the bank', { max: 255 }),
  bankZip: field('bank_zip_code', 'text', 'the postal code of the bank', { max: 255 }),
  routingNumber: field('routing_number', 'text', 'the routing number of the bank', { max: 16 }),
  receiverPhone: field('receiver_phone', 'accountPhone', 'the phone that receives the money'),
  bankId: field('bank_id', 'text', 'the code of the bank linked to the phone', { max: 64 }),
  walletType: field('wallet_type', 'text', 'the kind of e-wallet', { max: 64 }),
  walletId: field('wallet_id', 'accountText', 'the e-wallet that receives the money', { max: 128 }),

  // Transfer
  cardRecurringId: field('card_recurring_payment_id', 'gatewayId', 'the token that is charged'),
  destinationCardNumber: field('destination-card-no', 'cardNumber', 'the card that receives the money'),
  destinationRecurringId: field(
    'destination_card_recurring_payment_id',
    'gatewayId',
    'the token that receives the money',
  ),
  deposit2card: field('deposit2card', 'boolean', "true when the money comes from the merchant's deposit"),

  // Eligibility
  sendingCardRefId: field('sending-card-ref-id', 'gatewayId', 'the card reference to look up', stated),
  sendingCardNumber: field('sending-card-number', 'cardNumber', 'the card number to look up'),
} satisfies Record<string, Entry>;

export type FieldName = keyof typeof dictionary;

type Named<Key extends string> = Key extends `${infer Name}?` ? Name : Key;

/** Fields of a row, in the order they are sent. One whose name ends in `?` may be left out. */
export function fields<Key extends FieldName | `${FieldName}?`>(...keys: readonly Key[]) {
  const needs = keys.map((key) => (key.endsWith('?') ? [key.slice(0, -1), 'optional'] : [key, 'required']));
  return Object.fromEntries(needs) as Record<Named<Key>, Field['need']>;
}

/** What differs in one operation from the dictionary. */
export type Exception = Partial<Pick<Field, 'wire' | 'meaning' | 'max' | 'when' | 'basis' | 'needBasis'>>;

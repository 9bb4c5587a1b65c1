/**
 * What the interface description says, typed out by hand from its text and from nothing else. The table is held against
 * this list; a change here is a claim about the description.
 */
export interface Fact {
  readonly id: string;
  readonly path: string;
  /** Null where the description names no record. */
  readonly request: string | null;
  readonly reply: string | null;
  /** `none` where no protection is shown, `not shown` where nothing at all is. */
  readonly protection: 'control' | 'HMAC-SHA1' | 'RSA-SHA256' | 'none' | 'not shown';
  /** Values of the checksum in order, as the wire spells them. */
  readonly signed?: readonly string[];
  /** Names of fields the description gives for this operation, whatever their spelling elsewhere. */
  readonly names: readonly string[];
}

const upload = ['login', 'client-order-id', 'orderid'];
const verification = ['endpointId', 'client_orderid', 'email'];
const payment = ['endpointId', 'client_orderid', 'amount', 'email'];
const settlement = ['login', 'client_orderid', 'orderid', 'amount', 'currency'];
const reference = ['login', 'client_orderid', 'orderid'];

export const transferNames = [
  'amount',
  'card_printed_name',
  'card_recurring_payment_id',
  'client_orderid',
  'credit_card_number',
  'currency',
  'cvv2',
  'deposit2card',
  'destination-card-no',
  'destination_card_recurring_payment_id',
  'expire_month',
  'expire_year',
  'ipaddress',
  'order_desc',
  'redirect_url',
];

export const eligibilityNames = ['client-order-id', 'sending-card-ref-id'];

export const facts: readonly Fact[] = [
  {
    id: 'TDS_UPLOAD_CRES_RESULT',
    path: '/api/3ds/v1/upload-cres-result',
    request: 'TdsCResResultRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: upload,
    names: ['client-order-id', 'orderid'],
  },
  {
    id: 'TDS_UPLOAD_METHOD_URL_RESULT',
    path: '/api/3ds/v1/upload-method-url-result',
    request: 'TdsMethodUrlResultRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: upload,
    names: ['client-order-id', 'orderid', 'threeDSCompInd'],
  },
  {
    id: 'TDS_UPLOAD_PARES_RESULT',
    path: '/api/3ds/v1/upload-pares-result',
    request: 'TdsPaResResultRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: upload,
    names: ['client-order-id', 'orderid'],
  },
  {
    id: 'ACCOUNT_VERIFICATION_FORM',
    path: '/api/v2/account-verification-form',
    request: 'AccountVerificationFormRequest',
    reply: 'AsyncCheckoutFormRedirect',
    protection: 'control',
    signed: verification,
    names: ['client_orderid', 'email'],
  },
  {
    id: 'ACCOUNT_VERIFICATION',
    path: '/api/v2/account-verification',
    request: 'AccountVerificationRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: verification,
    names: ['client_orderid', 'email'],
  },
  {
    id: 'CAPTURE',
    path: '/api/v2/capture',
    request: 'CaptureRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: settlement,
    names: ['client_orderid', 'orderid', 'amount', 'currency'],
  },
  {
    id: 'CARDREF',
    path: '/api/v2/create-card-ref',
    request: 'CreateCardRefRequest',
    reply: 'CardRefAsyncResponse',
    protection: 'control',
    signed: reference,
    names: ['client_orderid', 'orderid'],
  },
  {
    id: 'CARDINFO',
    path: '/api/v2/get-card-info',
    request: 'GetCardInfoRequest',
    reply: 'CardInfoAsyncResponse',
    protection: 'none',
    names: ['cardrefid'],
  },
  {
    id: 'REBILL',
    path: '/api/v2/make-rebill',
    request: 'RebillRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: ['login', 'client_orderid', 'cardrefid', 'amount', 'currency'],
    names: ['client_orderid', 'cardrefid', 'amount', 'currency'],
  },
  {
    id: 'PAYMENTFORM',
    path: '/api/v2/payment-form',
    request: 'PaymentFormRequest',
    reply: 'AsyncCheckoutFormRedirect',
    protection: 'none',
    names: [],
  },
  {
    id: 'PAYOUTFORM',
    path: '/api/v2/payout-form',
    request: 'PayoutFormRequest',
    reply: 'AsyncCheckoutFormRedirect',
    protection: 'none',
    names: [],
  },
  {
    id: 'PAYOUT',
    path: '/api/v2/payout',
    request: 'PayoutRequest',
    reply: 'AsyncResponse',
    protection: 'HMAC-SHA1',
    names: [],
  },
  {
    id: 'PREAUTHFORM',
    path: '/api/v2/preauth-form',
    request: 'AuthFormRequest',
    reply: 'AsyncCheckoutFormRedirect',
    protection: 'control',
    signed: payment,
    names: ['client_orderid', 'amount', 'email'],
  },
  {
    id: 'PREAUTH',
    path: '/api/v2/preauth',
    request: 'AuthRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: payment,
    names: ['client_orderid', 'amount', 'email'],
  },
  {
    id: 'RETURN',
    path: '/api/v2/return',
    request: 'ReturnRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: settlement,
    names: ['client_orderid', 'orderid', 'amount', 'currency'],
  },
  {
    id: 'SALEFORM',
    path: '/api/v2/sale-form',
    request: 'SaleFormRequest',
    reply: 'AsyncCheckoutFormRedirect',
    protection: 'control',
    signed: payment,
    names: ['client_orderid', 'amount', 'email'],
  },
  {
    id: 'SALE',
    path: '/api/v2/sale',
    request: 'SaleRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: payment,
    names: ['client_orderid', 'amount', 'email', 'redirect_url', 'server_callback_url'],
  },
  {
    id: 'STATUS',
    path: '/api/v2/status',
    request: 'StatusRequest',
    reply: 'StatusResponse',
    protection: 'control',
    signed: reference,
    names: ['client_orderid', 'orderid'],
  },
  {
    id: 'VOID',
    path: '/api/v2/void',
    request: 'VoidRequest',
    reply: 'AsyncResponse',
    protection: 'control',
    signed: reference,
    names: ['client_orderid', 'orderid'],
  },
  {
    id: 'CARDREF_V4',
    path: '/api/v4/create-card-ref',
    request: 'CreateCardRefV4Request',
    reply: 'CardRefV4AsyncResponse',
    protection: 'RSA-SHA256',
    names: [],
  },
  {
    id: 'CREATE_RP_V4',
    path: '/api/v4/create-recurring-payment',
    request: 'RecurringPaymentForCreation',
    reply: 'CreateRecurringPaymentResponse',
    protection: 'RSA-SHA256',
    names: ['period', 'interval', 'amount'],
  },
  {
    id: 'PAYOUT_V4_CHECK',
    path: '/api/v4/payout-check',
    request: 'PayoutCheckRequest',
    reply: 'AsyncResponse',
    protection: 'RSA-SHA256',
    names: [],
  },
  // The second step of the two-step payout has no operation name of its own, nor has either path of the signing
  // examples.
  { id: 'PAYOUT_V4_PAY', path: '/api/v4/payout-pay', request: null, reply: null, protection: 'not shown', names: [] },
  {
    id: 'PAN_ELIGIBILITY_SEND',
    path: '/api/v2/pan-eligibility/send',
    request: null,
    reply: null,
    protection: 'HMAC-SHA1',
    names: eligibilityNames,
  },
  {
    id: 'TRANSFER_V4',
    path: '/api/v4/transfer',
    request: null,
    reply: null,
    protection: 'RSA-SHA256',
    names: transferNames,
  },
];

/** Every spelling of a request field that the description shows anywhere. Nothing else may be called stated. */
export const shownNames: ReadonlySet<string> = new Set([
  'login',
  'client_orderid',
  'client-order-id',
  'orderid',
  'cardrefid',
  'card-ref-id',
  'amount',
  'currency',
  'email',
  'redirect_url',
  'server_callback_url',
  'control',
  'threeDSCompInd',
  'period',
  'interval',
  ...transferNames,
  ...eligibilityNames,
]);

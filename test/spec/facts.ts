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
  /** `none` where none is shown. */
  readonly protection: 'control' | 'HMAC-SHA1' | 'RSA-SHA256' | 'none';
  /** Values of the checksum in order, as the wire spells them. */
  readonly signed: readonly string[];
  /** Names of fields the description gives for this operation, whatever their spelling elsewhere. */
  readonly names: readonly string[];
}

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

// One operation a line: id, path, request, reply, protection, signed values, names; - for none. The second step of the
// two-step payout has no operation name of its own and shows no protection (A08); nor have the two paths of the signing
// examples a name.
const table = `
TDS_UPLOAD_CRES_RESULT /api/3ds/v1/upload-cres-result TdsCResResultRequest AsyncResponse control login,client-order-id,orderid client-order-id,orderid
TDS_UPLOAD_METHOD_URL_RESULT /api/3ds/v1/upload-method-url-result TdsMethodUrlResultRequest AsyncResponse control login,client-order-id,orderid client-order-id,orderid,threeDSCompInd
TDS_UPLOAD_PARES_RESULT /api/3ds/v1/upload-pares-result TdsPaResResultRequest AsyncResponse control login,client-order-id,orderid client-order-id,orderid
ACCOUNT_VERIFICATION_FORM /api/v2/account-verification-form AccountVerificationFormRequest AsyncCheckoutFormRedirect control endpointId,client_orderid,email client_orderid,email
ACCOUNT_VERIFICATION /api/v2/account-verification AccountVerificationRequest AsyncResponse control endpointId,client_orderid,email client_orderid,email
CAPTURE /api/v2/capture CaptureRequest AsyncResponse control login,client_orderid,orderid,amount,currency client_orderid,orderid,amount,currency
CARDREF /api/v2/create-card-ref CreateCardRefRequest CardRefAsyncResponse control login,client_orderid,orderid client_orderid,orderid
CARDINFO /api/v2/get-card-info GetCardInfoRequest CardInfoAsyncResponse none - cardrefid
REBILL /api/v2/make-rebill RebillRequest AsyncResponse control login,client_orderid,cardrefid,amount,currency client_orderid,cardrefid,amount,currency
PAYMENTFORM /api/v2/payment-form PaymentFormRequest AsyncCheckoutFormRedirect none - -
PAYOUTFORM /api/v2/payout-form PayoutFormRequest AsyncCheckoutFormRedirect none - -
PAYOUT /api/v2/payout PayoutRequest AsyncResponse HMAC-SHA1 - -
PREAUTHFORM /api/v2/preauth-form AuthFormRequest AsyncCheckoutFormRedirect control endpointId,client_orderid,amount,email client_orderid,amount,email
PREAUTH /api/v2/preauth AuthRequest AsyncResponse control endpointId,client_orderid,amount,email client_orderid,amount,email
RETURN /api/v2/return ReturnRequest AsyncResponse control login,client_orderid,orderid,amount,currency client_orderid,orderid,amount,currency
SALEFORM /api/v2/sale-form SaleFormRequest AsyncCheckoutFormRedirect control endpointId,client_orderid,amount,email client_orderid,amount,email
SALE /api/v2/sale SaleRequest AsyncResponse control endpointId,client_orderid,amount,email client_orderid,amount,email,redirect_url,server_callback_url
STATUS /api/v2/status StatusRequest StatusResponse control login,client_orderid,orderid client_orderid,orderid
VOID /api/v2/void VoidRequest AsyncResponse control login,client_orderid,orderid client_orderid,orderid
CARDREF_V4 /api/v4/create-card-ref CreateCardRefV4Request CardRefV4AsyncResponse RSA-SHA256 - -
CREATE_RP_V4 /api/v4/create-recurring-payment RecurringPaymentForCreation CreateRecurringPaymentResponse RSA-SHA256 - period,interval,amount
PAYOUT_V4_CHECK /api/v4/payout-check PayoutCheckRequest AsyncResponse RSA-SHA256 - -
PAYOUT_V4_PAY /api/v4/payout-pay - - RSA-SHA256 - -
PAN_ELIGIBILITY_SEND /api/v2/pan-eligibility/send - - HMAC-SHA1 - ${eligibilityNames}
TRANSFER_V4 /api/v4/transfer - - RSA-SHA256 - ${transferNames}
`;

const listed = (text = '-') => (text === '-' ? [] : text.split(','));
const record = (name = '-') => (name === '-' ? null : name);

export const facts: readonly Fact[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', path = '', request, reply, protection, signed, names] = line.split(' ');
    const scheme = (['control', 'HMAC-SHA1', 'RSA-SHA256'] as const).find((each) => each === protection) ?? 'none';
    const lists = { signed: listed(signed), names: listed(names) };
    return { id, path, request: record(request), reply: record(reply), protection: scheme, ...lists };
  });

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

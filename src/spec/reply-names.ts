import { replyNames } from './replies.js';

/** Reply fields that public pages name (A15, A18, A50), by group; a gateway may send others. */
const named = [
  'by-request-sn transaction-type order-stage receipt-id merchantdata bank_message amount currency initial-amount \
total-reversal-amount',
  'verified-3d-status verified-rsc-status result-3d tds-method-url-frame-3ds-method-url \
tds-method-url-frame-3ds-server-trans-id',
  'tds-creq-form-acs-url tds-creq-form-creq tds-pareq-form-acs-url tds-pareq-form-pareq tds-pareq-form-md \
tds-pareq-form-term-url',
  'bin last-four-digits masked-card-number card-type card-exp-month card-exp-year expire-month expire-year \
card-printed-name',
  'card-hash-id card-country-alpha-three-code bank-name name cardholder-name unq-card-ref-id email phone first-name \
last-name',
  'processor-tx-id processor-rrn approval-code auth-response-code terminal-id descriptor original-gate-descriptor \
comment',
  'paynet-processing-date acquirer-processing-date gate-partial-reversal gate-partial-capture reason-code',
  'processor-auth-credit-code processor-credit-rrn processor-credit-arn processor-debit-arn',
  'ips-src-payment-product-code ips-src-payment-product-name ips-src-payment-type-code ips-src-payment-type-name',
  'dest-bank-name dest-last-four-digits dest-bin dest-card-type destination-hash-id destination-card-ref-id',
  'loyalty-balance loyalty-message loyalty-bonus loyalty-program',
].flatMap((line) => line.split(' '));

/** Every reply field that paycli knows. */
export const knownReplyNames: readonly string[] = [...new Set([...Object.values(replyNames).flat(), ...named])];

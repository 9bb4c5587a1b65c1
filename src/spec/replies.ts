import type { ReplyRecord } from './operation.js';

/** What tells one reply record from another (A14, A15). */
export interface ReplyFacts {
  /** Words of the field `type`. The first one is written by the sandbox, all are understood. */
  readonly types: readonly [string, ...string[]];
  /** The record's own field, with its other spellings: without a value in one of them it is not that record. */
  readonly requires: readonly [string, ...string[]];
}

/** Names of reply fields, by what they hold; all spellings are understood, the first one is written. */
export const replyNames = {
  type: ['type'],
  serial: ['serial-number'],
  clientOrderId: ['merchant-order-id'],
  orderId: ['paynet-order-id', 'orderid'],
  endpointId: ['end-point-id'],
  status: ['status'],
  redirect: ['redirect-url', 'redirect_url'],
  cardRef: ['card-ref-id'],
  recurring: ['recurring-payment-id'],
  cardData: ['bin', 'last-four-digits'],
  errorMessage: ['error-message'],
  errorCode: ['error-code'],
  threeDSecureStep: ['tds_status'],
  simplifiedStep: ['html', 'redirect-to'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export const replies = {
  // A sale with 3-D Secure may answer with a redirect address besides its order id, so both types fit.
  AsyncResponse: { types: ['async-response', 'async-form-response'], requires: replyNames.orderId },
  AsyncCheckoutFormRedirect: { types: ['async-form-response', 'async-response'], requires: replyNames.redirect },
  // Public pages show both types for a card reference.
  CardRefAsyncResponse: { types: ['create-card-ref-response', 'async-response'], requires: replyNames.cardRef },
  CardRefV4AsyncResponse: { types: ['create-card-ref-response', 'async-response'], requires: replyNames.cardRef },
  CardInfoAsyncResponse: { types: ['get-card-info-response', 'async-response'], requires: replyNames.cardData },
  StatusResponse: { types: ['status-response'], requires: replyNames.status },
  CreateRecurringPaymentResponse: {
    types: ['create-recurring-payment-response', 'async-response'],
    requires: replyNames.recurring,
  },
} as const satisfies Record<ReplyRecord, ReplyFacts>;

/** Types of error records, whatever the request. */
export const errorTypes: readonly string[] = ['validation-error', 'error'];

/** The value of a reply field under any of its spellings; an empty one counts as absent. */
export function replyField(fields: ReadonlyMap<string, string>, name: keyof typeof replyNames): string | undefined {
  return firstOf(fields, replyNames[name]);
}

/** The first of these wire names that has a value. */
export function firstOf(fields: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** One word of the field `status` (A16). A final word can still change after a reconciliation. */
export interface StatusFacts {
  readonly final: boolean;
  readonly success: boolean;
  readonly meaning: string;
}

export const statuses = {
  approved: { final: true, success: true, meaning: 'approved' },
  declined: { final: true, success: false, meaning: 'declined by the bank or the gateway' },
  error: {
    final: true,
    success: false,
    meaning: 'failed at the gateway; contact its support',
  },
  filtered: { final: true, success: false, meaning: 'stopped by a fraud filter' },
  processing: { final: false, success: false, meaning: 'not final yet; check again later' },
  // Some public pages call it final. Taken as final it could hide a payment, so it is not.
  unknown: {
    final: false,
    success: false,
    meaning: 'the gateway itself does not know the outcome; contact its support before retrying anything',
  },
  chain_declined: { final: false, success: false, meaning: 'declined by one bank; trying the next' },
} as const satisfies Record<string, StatusFacts>;

export type StatusWord = keyof typeof statuses;

/** The row of a word; undefined for a word the register does not list, which is never final. */
export function statusOf(word: string): StatusFacts | undefined {
  return Object.entries(statuses).find(([known]) => known === word)?.[1];
}

/** True where a status does not say whether money moved: the gateway's own `unknown`, or an undocumented word. */
export function isUnknownWord(word: string | undefined): boolean {
  return word !== undefined && (word === 'unknown' || statusOf(word) === undefined);
}

export function isFinal(word: string): boolean {
  return statusOf(word)?.final === true;
}

export function isSuccess(word: string): boolean {
  return statusOf(word)?.success === true;
}

/** Reply fields that public pages name (A15, A18, A50), by group; a gateway may send others. */
const named = [
  'by-request-sn transaction-type order-stage receipt-id merchantdata bank_message amount currency initial-amount total-reversal-amount',
  'verified-3d-status verified-rsc-status result-3d tds-method-url-frame-3ds-method-url tds-method-url-frame-3ds-server-trans-id',
  'tds-creq-form-acs-url tds-creq-form-creq tds-pareq-form-acs-url tds-pareq-form-pareq tds-pareq-form-md tds-pareq-form-term-url',
  'bin last-four-digits masked-card-number card-type card-exp-month card-exp-year expire-month expire-year card-printed-name',
  'card-hash-id card-country-alpha-three-code bank-name name cardholder-name unq-card-ref-id email phone first-name last-name',
  'processor-tx-id processor-rrn approval-code auth-response-code terminal-id descriptor original-gate-descriptor comment',
  'paynet-processing-date acquirer-processing-date gate-partial-reversal gate-partial-capture reason-code',
  'processor-auth-credit-code processor-credit-rrn processor-credit-arn processor-debit-arn',
  'ips-src-payment-product-code ips-src-payment-product-name ips-src-payment-type-code ips-src-payment-type-name',
  'dest-bank-name dest-last-four-digits dest-bin dest-card-type destination-hash-id destination-card-ref-id',
  'loyalty-balance loyalty-message loyalty-bonus loyalty-program',
].flatMap((line) => line.split(' '));

/** Every reply field that paycli knows. */
export const knownReplyNames: readonly string[] = [...new Set([...Object.values(replyNames).flat(), ...named])];

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
  filtered: { final: true, success: false, meaning: 'refused by a fraud filter' },
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

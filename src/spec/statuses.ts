/** One word of the field `status` (A16). A final word can still change after a reconciliation. */
export interface StatusFacts {
  readonly final: boolean;
  readonly success: boolean;
  readonly meaning: string;
}

export const statuses = {
  approved: { final: true, success: true, meaning: 'approved' },
  declined: { final: true, success: false, meaning: 'declined by the bank or the gateway' },
  error: { final: true, success: false, meaning: 'failed at the gateway; contact its support' },
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

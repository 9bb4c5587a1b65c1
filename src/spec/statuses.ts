/** One word of the field `status` (A16). A final word can still change after a reconciliation. */
export interface StatusFacts {
  readonly final: boolean;
  readonly success: boolean;
  readonly meaning: string;
}

export const statuses = {
  approved: { final: true, success: true, meaning: 'the gateway carried it out' },
  declined: { final: true, success: false, meaning: 'the bank or the gateway said no' },
  error: { final: true, success: false, meaning: 'refused because something went wrong; ask the support of the gateway why' },
  filtered: { final: true, success: false, meaning: 'refused by a fraud filter' },
  processing: { final: false, success: false, meaning: 'still on its way; ask again later' },
  // Some public pages call it final. Taken as final it could hide a payment, so it is not.
  unknown: {
    final: false,
    success: false,
    meaning: 'the gateway itself does not know the outcome; ask its support before repeating anything',
  },
  chain_declined: { final: false, success: false, meaning: 'one bank of a chain said no and the next one is tried' },
} as const satisfies Record<string, StatusFacts>;

export type StatusWord = keyof typeof statuses;

/** The row of a word; undefined for a word the register does not list, which is never final. */
export function statusOf(word: string): StatusFacts | undefined {
  return Object.entries(statuses).find(([known]) => known === word)?.[1];
}

export function isFinal(word: string): boolean {
  return statusOf(word)?.final === true;
}

export function isSuccess(word: string): boolean {
  return statusOf(word)?.success === true;
}

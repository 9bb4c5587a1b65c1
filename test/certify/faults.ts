/**
 * Clients with one fault each (`clients/shop.py`), and the scenarios that fault is about: they fail in these and in no
 * other. Each stands here for a reason in what its fault does.
 */
export const faults: Readonly<Record<string, readonly string[]>> = {
  'resends on timeout': ['reply-lost', 'hang-recorded', 'late-reply'],
  'believes callbacks': ['callback-forged', 'callback-altered', 'callback-other-order'],
  'takes 500 for a no': ['error-500-recorded', 'error-page-recorded'],
  'new order id at each try': [
    ...['reply-lost', 'error-500-recorded', 'hang-recorded', 'half-reply', 'error-page-recorded', 'late-reply'],
  ],
  'ignores processing': [
    ...['declined', 'filtered', 'error', 'acquirer-unknown', 'processing-then-declined', 'processing-past-patience'],
    ...['callback-forged', 'callback-altered', 'callback-other-order'],
    ...[
      '3ds-challenge',
      '3ds-challenge-failed',
      '3ds-abandoned',
      '3ds-frictionless',
      '3ds-method',
      '3ds-1',
      '3ds-1-failed',
    ],
  ],
  // Wherever the outcome takes longer than half a second, or never comes.
  'polls ten times a second': [
    ...['processing-then-approved', 'processing-then-declined', 'processing-past-patience', 'callback-approved'],
    ...['request-lost', 'error-500', 'hang', 'error-page', 'redirect', 'killed-while-waiting', 'twice-at-once'],
    ...['callback-forged', 'callback-altered', 'callback-other-order', '3ds-abandoned'],
  ],
  // Every operation with an amount in its checksum; in yen there are no decimals to get wrong.
  'decimals in the checksum': [
    ...['approved', 'declined', 'filtered', 'error', 'acquirer-unknown', 'processing-then-approved'],
    ...['processing-then-declined', 'processing-past-patience', 'capture-part', 'return-part', 'return-beyond-rest'],
    ...[
      'rebill-expired-card',
      'reply-lost',
      'request-lost',
      'error-500-recorded',
      'error-500',
      'hang-recorded',
      'hang',
    ],
    ...['half-reply', 'error-page-recorded', 'error-page', 'late-reply', 'redirect', 'connection-refused'],
    ...['away-while-waiting', 'too-many-requests', 'killed-before-reply', 'killed-while-waiting', 'killed-anywhere'],
    ...['twice-at-once', 'same-order-again', 'same-order-other-amount', 'callback-approved', 'callback-before-reply'],
    ...['callback-forged', 'callback-altered', 'callback-other-order', 'callback-twice', 'callback-again'],
    ...[
      'callback-swapped',
      'callback-late',
      'callback-never',
      '3ds-challenge',
      '3ds-challenge-failed',
      '3ds-abandoned',
    ],
    ...['3ds-frictionless', '3ds-method', '3ds-1', '3ds-1-failed', 'dinar', 'text-signs', 'text-utf-8'],
  ],
  'loses state when killed': ['killed-before-reply', 'killed-while-waiting'],
};

/** Where it is chance whether the fault shows: the client is killed at a random moment. */
export const byChance: Readonly<Record<string, readonly string[]>> = {
  'loses state when killed': ['killed-anywhere'],
  'polls ten times a second': ['killed-anywhere'],
};

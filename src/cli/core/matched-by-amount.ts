import { amountText, describeIntent, type Intent } from '../../journal/index.js';
import { wasMatchedByAmount } from '../../payments/evidence.js';
import { commandOf } from '../format/journal-entries.js';

/**
 * The requests whose outcome was only matched by operation and amount, because their reply was lost and no answer names
 * them: an equal request of another machine would look the same.
 */
export function matchedIn(requests: readonly Intent[]): readonly Intent[] {
  return requests.filter(
    ({ state, reason }) => ['accepted', 'done', 'declined'].includes(state) && wasMatchedByAmount(reason),
  );
}

/** Says so of one of them, for people. */
export function matchedText(intent: Intent): string {
  return `${describeIntent(intent)} is ${intent.state} (${intent.reason}); compare with the gateway's list of \
transactions`;
}

/** The same of all of them, for programs. */
export function matchedDocuments(requests: readonly Intent[]) {
  return matchedIn(requests).map((intent) => {
    const { id, state, sum, reason } = intent;
    const amount = sum === undefined ? null : amountText(sum);
    return { entry: id, operation: commandOf(intent), state, amount, currency: sum?.currency ?? null, reason };
  });
}

import {
  cardOf,
  type Intent,
  isOfWhole,
  type Journal,
  type State,
  sumOfWhole,
  sumText,
  type Waiting,
  wasSettledManually,
} from '../../journal/index.js';
import type { Paint } from '../../runtime/ports.js';
import type { EntryOf, journalResult } from '../results.js';
import type { Column, Output, Sheet } from './document.js';
import { oneLine } from './document.js';
import { amountDocument, commandOf, waitingDocument, waitingText } from './meaning.js';
import { profileText } from './profile.js';

/** Of an empty journal: an operator must not read it as "no declines". */
export const nothingSent =
  'nothing was sent from this machine; orders that your shop sent from elsewhere are not listed here: `paycli order ID` queries one at the gateway';

/** Entries as a table, with both ids of the order as far as they are known. */
export function intentSheet(
  intents: readonly Intent[],
  report: Pick<Output, 'paint' | 'time'>,
  journal: JournalFacts,
): Sheet {
  return {
    columns: intentColumns,
    rows: intents.map((intent) => intentRow(intent, report, journal.waiting(intent))),
  };
}

/** What the journal knows of an entry beside it. */
export interface JournalFacts {
  waiting(intent: Intent): ReturnType<Journal['waiting']>;
}

export const intentColumns: readonly Column[] = [
  { head: 'entry', right: true },
  { head: 'created' },
  { head: 'profile', optional: true },
  { head: 'operation' },
  { head: 'order' },
  { head: 'your id', below: true },
  { head: 'amount', right: true },
  { head: 'state' },
  { head: 'reason', below: true },
];

export function intentRow(
  intent: Intent,
  report: Pick<Output, 'paint' | 'time'>,
  waiting: Waiting | undefined,
): readonly string[] {
  const why = waiting === undefined ? reasonOf(intent) : waitingText(waiting);
  return [
    ...[String(intent.id), report.time(intent.madeAt), oneLine(profileText(intent)), commandOf(intent)],
    ...[intent.orderId ?? '', intent.clientOrderId ?? ''].map(oneLine),
    ...[sumOf(intent), stateText(intent.state, report.paint), oneLine(why)],
  ];
}

/** With the bank's reason of a decline, unless a person decided otherwise. */
function reasonOf({ state, reason, outcome }: Intent): string {
  const message = outcome['error-message'];
  return state !== 'declined' || message === undefined || wasSettledManually(reason) ? reason : `${reason}; ${message}`;
}

export function stateText(state: State, paint: Paint): string {
  if (state === 'done') return paint.good(state);
  if (state === 'declined' || state === 'refused') return paint.bad(state);
  return ['unknown', 'sending', 'conflict'].includes(state) ? paint.warn(state) : state;
}

/**
 * Decimal amount and currency; `all` where a request is for all that is left, with what the gateway said that it moved;
 * empty without an amount.
 */
export function sumOf(intent: Intent): string {
  const { sum } = intent;
  const whole = sumOfWhole(intent);
  if (sum !== undefined) return sumText(sum);
  if (!isOfWhole(intent)) return '';
  return whole === undefined ? 'all' : `all (${sumText(whole)})`;
}

/** One entry for programs: ids are texts, times RFC 3339. */
export function intentDocument(intent: Intent, waiting: Waiting | undefined): EntryOf<typeof journalResult> {
  const { id, operation, state, attempts, sum, madeAt, changedAt, reason, outcome, sender, endpointId, profile } =
    intent;
  const lastFour = cardOf(intent);
  return {
    entry: id,
    operation,
    state,
    order: { orderId: intent.orderId ?? null, clientOrderId: intent.clientOrderId ?? null },
    profile,
    class: intent.class,
    login: intent.login,
    endpointId,
    gateway: intent.base,
    sequence: intent.sequence,
    attempts,
    amount: amountDocument(sum),
    card: lastFour === undefined ? null : { lastFour },
    reason,
    waiting: waitingDocument(waiting),
    result: outcome,
    madeAt: new Date(madeAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
    sender,
  };
}

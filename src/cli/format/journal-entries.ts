import { amountText, digitsOfSum, type Intent, type State, sumText, type Waiting } from '../../journal/index.js';
import type { Paint } from '../../runtime/ports.js';
import { operations } from '../../spec/index.js';
import type { Column, Output, Sheet } from './document.js';
import { type WaitingOf, waitingDocument, waitingText } from './meaning.js';
import { profileText } from './profile.js';
import { oneLine } from './table.js';

/** Entries as a table, by the gateway's order id, or the client order id where there is none. */
export function intentSheet(
  intents: readonly Intent[],
  report: Pick<Output, 'paint' | 'time'>,
  waitingOf: WaitingOf,
): Sheet {
  return { columns: intentColumns, rows: intents.map((intent) => intentRow(intent, report, waitingOf(intent))) };
}

export const intentColumns: readonly Column[] = [
  { head: 'entry', right: true },
  { head: 'created' },
  { head: 'profile', optional: true },
  { head: 'operation' },
  { head: 'order', flexible: 'last' },
  { head: 'your id', optional: true },
  { head: 'amount', right: true },
  { head: 'state' },
  { head: 'why', flexible: true },
];

export function intentRow(
  intent: Intent,
  report: Pick<Output, 'paint' | 'time'>,
  waiting: Waiting | undefined,
): readonly string[] {
  const why = waiting === undefined ? intent.reason : waitingText(waiting);
  return [
    ...[String(intent.id), report.time(intent.madeAt), oneLine(profileText(intent)), commandOf(intent)],
    ...[intent.orderId ?? intent.clientOrderId ?? '', intent.clientOrderId ?? ''].map(oneLine),
    ...[sumOf(intent), stateText(intent.state, report.paint), oneLine(why)],
  ];
}

export function stateText(state: State, paint: Paint): string {
  if (state === 'done') return paint.good(state);
  if (state === 'declined' || state === 'refused') return paint.bad(state);
  return ['unknown', 'sending', 'conflict'].includes(state) ? paint.warn(state) : state;
}

/** The command of an entry's operation. */
export function commandOf({ operation }: Intent): string {
  return operations.find(({ id }) => id === operation)?.command ?? operation;
}

/** Decimal amount and currency; empty without one. */
export function sumOf({ sum }: Intent): string {
  return sum === undefined ? '' : sumText(sum);
}

/** One entry for programs: ids are texts, times RFC 3339. */
export function intentDocument(intent: Intent, waiting: Waiting | undefined): Record<string, unknown> {
  const {
    id,
    operation,
    state,
    attempts,
    sum,
    madeAt,
    changedAt,
    reason,
    outcome,
    sender,
    endpointId,
    profile,
    lastFour,
  } = intent;
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
    amount:
      sum === undefined
        ? null
        : {
            minor: sum.minor,
            digits: digitsOfSum(sum),
            currency: sum.currency,
            text: amountText(sum),
          },
    card: lastFour === undefined ? null : { lastFour },
    reason,
    waiting: waitingDocument(waiting),
    result: outcome,
    madeAt: new Date(madeAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
    sender,
  };
}

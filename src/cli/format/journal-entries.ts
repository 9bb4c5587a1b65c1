import type { Request } from '../../journal/port.js';
import { type State, wasMarked } from '../../journal/states.js';
import { resendApproved } from '../../payments/decide.js';
import { noSuchOrder, provesNothing } from '../../payments/settle.js';
import { moneyDocument } from '../../payments/words.js';
import type { Paint } from '../../runtime/ports.js';
import { operations, replyNames } from '../../spec/index.js';
import type { EntryDocument } from '../results.js';
import { type Column, type Output, oneLine, type Sheet } from './document.js';
import { amountText, commandOf, sumOf, waitingDocument, waitingIn, waitingText } from './meaning.js';
import { profileText } from './profile.js';

/** Of an empty journal: an operator must not read it as "no declines". */
export const nothingSent =
  'nothing was sent from this machine; orders that your shop sent from elsewhere are not listed here: `paycli order ID` queries one at the gateway';

const requestColumns: readonly Column[] = [
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

/** Entries as a table, with both ids of the order as far as they are known. */
export function requestSheet(requests: readonly Request[], report: Pick<Output, 'paint' | 'time'>): Sheet {
  const rows = requests.map((request) => {
    const waiting = waitingIn([request]);
    const why = waiting === undefined ? reasonText(request) : waitingText(waiting);
    return [
      ...[String(request.id), report.time(request.createdAt), oneLine(profileText(request)), commandOf(request)],
      ...[request.orderId ?? '', request.clientOrderId ?? ''].map(oneLine),
      ...[sumOf(request), stateText(request.state, report.paint), oneLine(why)],
    ];
  });
  return { columns: requestColumns, rows };
}

/** With the bank's reason of a decline, unless a person decided otherwise. */
export function reasonText(request: Request): string {
  const { state, reason, outcome } = request;
  if (wasMarked(request)) return markWords(request);
  const message = outcome['error-message'];
  return state !== 'declined' || message === undefined ? reasonWords(reason) : `${reason}; ${message}`;
}

export function stateText(state: State, paint: Paint): string {
  if (state === 'done') return paint.good(state);
  if (state === 'declined' || state === 'refused') return paint.bad(state);
  return ['unknown', 'sending', 'conflict'].includes(state) ? paint.warn(state) : state;
}

/** The end of its card number, as it was sent or as a reply names it. */
export function cardEndOf({ card4, outcome }: Pick<Request, 'card4' | 'outcome'>): string | undefined {
  const told = replyNames('lastFour', 'destinationLastFour').map((name) => outcome[name]);
  return card4 ?? told.find((digits) => digits !== undefined && /^\d{4}$/.test(digits));
}

/** One entry for programs: ids are texts, times RFC 3339. */
export function requestDocument(request: Request): EntryDocument {
  const { id, operation, state, attempt, sum, createdAt, changedAt, reason, outcome, endpoint } = request;
  const lastFour = cardEndOf(request);
  return {
    entry: id,
    operation,
    state,
    order: { orderId: request.orderId ?? null, clientOrderId: request.clientOrderId ?? null },
    profile: request.profile,
    class: request.class,
    login: request.login,
    endpointId: endpoint,
    gateway: request.base,
    batch: request.batch ?? null,
    row: request.number ?? null,
    attempts: attempt,
    amount: sum === undefined ? null : moneyDocument(sum),
    card: lastFour === undefined ? null : { lastFour },
    reason,
    elsewhere: request.isElsewhere,
    waiting: waitingDocument(waitingIn([request])),
    result: outcome,
    madeAt: new Date(createdAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
  };
}

/** The same in short, of a request on an order that is shown. */
export function sentDocument(request: Request) {
  const { sum, state, createdAt } = request;
  return {
    operation: commandOf(request),
    amount: sum === undefined ? null : amountText(sum),
    currency: sum?.currency ?? null,
    state,
    madeAt: new Date(createdAt).toISOString(),
  };
}

const reasons: Readonly<Record<string, string>> = {
  [noSuchOrder]: 'the gateway has no such order',
  [provesNothing]: 'its status does not show the outcome',
  [resendApproved]: 'it may be sent once more',
  'process-gone': 'its process ended before it recorded the outcome',
  'late-result': 'a result that came too late changes nothing',
};

/** A reason of the journal for people. */
export function reasonWords(reason: string): string {
  return reasons[reason] ?? reason;
}

/** What a request may have done whose outcome is unknown. */
export function possibleEffect(operation: string): string {
  const row = operations.find(({ id }) => id === operation);
  if (row?.effect === 'write' && row.opens) return 'an order may have been made, which by itself moves no money';
  const reply = row?.records.reply ?? '';
  if (reply.startsWith('CardRef')) return 'a card reference may have been made';
  return reply.startsWith('CreateRecurring') ? 'a recurring payment may have been registered' : 'money may have moved';
}

/** What a person recorded of a request, as a clause: a return that is `paid` was refunded. */
export function markWords({ state }: Pick<Request, 'state'>): string {
  return `marked as ${state === 'done' ? 'paid' : 'not paid'} by hand`;
}

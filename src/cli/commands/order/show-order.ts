import type { Request } from '../../../journal/port.js';
import { inDoubtStates } from '../../../journal/states.js';
import { describe } from '../../../payments/words.js';
import { isUnknownWord, opensForm, replyField, replyNames, statusQuery } from '../../../spec/index.js';
import { maskedEnding } from '../../../wire/mask.js';
import type { OrderIds } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { type CommandOutput, oneLine } from '../../format/document.js';
import { requestSheet, sentDocument } from '../../format/journal-entries.js';
import {
  byOneId,
  commandFor,
  type Fields,
  isCheckedPayout,
  matchedIn,
  matchedText,
  meaningOfStatus,
  orderCommand,
  pendingSince,
  sandboxMark,
  statusCommand,
  type Wait,
  waitingDocument,
  waitingIn,
  waitingText,
  waitsIn,
  whileWaiting,
} from '../../format/meaning.js';
import type { DocumentOf } from '../../results.js';
import type { Session } from '../../session.js';

/** An order as it is shown: what the gateway says of it, and what was sent on it from here. */
export interface ShownOrder {
  readonly ids: OrderIds;
  /** The reply of the gateway; undefined where it was not asked, or did not tell. */
  readonly fields: Fields | undefined;
  /** Why there is none. */
  readonly notAsked?: string;
  /** Those of the journal, oldest first. */
  readonly requests: readonly Request[];
}

/** The screen of `paycli order`: status and amounts as the gateway's reply states them. */
export function orderOutput(shown: ShownOrder, session: Session, report: Reporter): CommandOutput<DocumentOf<'order'>> {
  const { ids, fields, requests, notAsked } = shown;
  const card = cardOf(shown);
  const waits = waitOf(shown);
  const { text: meaning, next } = meaningIn(shown, session);
  const said = (name: string) => fields?.get(name);
  const key = (...keys: Parameters<typeof replyField>[1][]) => (fields && replyField(fields, ...keys)) ?? null;
  return {
    document: {
      schema: 'paycli.order/1',
      ...{ orderId: ids.orderId ?? null, clientOrderId: ids.clientOrderId ?? null },
      ...{ profile: session.name, class: session.class, gateway: session.gatewayBase },
      ...{ status: key('status'), meaning: meaning ?? null, transaction: key('transactionType'), stage: key('stage') },
      ...{ amount: key('amount'), initialAmount: said('initial-amount') ?? null },
      ...{ totalReturned: key('totalReversed'), currency: key('currency') },
      card: card === undefined ? null : { brand: card.brand ?? null, lastFour: card.lastFour },
      waiting: waitingDocument(waits?.for === 'bank' ? undefined : waitingIn(requests)),
      notAsked: notAsked ?? null,
      next: next ?? null,
      requests: requests.map(requestDocument),
    },
    text: () => {
      const rows = factRows(shown, meaning, waits, session);
      const sheet = () => report.sheet(requestSheet(requests, report));
      const sent = requests.length === 0 ? '' : `\n${report.paint.bold('Sent from here')}\n${sheet()}`;
      const last = next === undefined ? '' : `${report.paint.dim('next:')} ${oneLine(next)}\n`;
      return `${headText(ids, session, report)}${report.columns(rows)}${sent}${last}`;
    },
  };
}

function headText({ orderId, clientOrderId }: OrderIds, { name }: Session, { paint }: Reporter): string {
  const first = orderId ?? clientOrderId ?? '';
  const about = orderId === undefined ? 'no gateway order id known' : `client order id ${clientOrderId ?? 'unknown'}`;
  return `${paint.bold(`order ${oneLine(first)}`)}${sandboxMark(name)}  ${oneLine(about)}\n`;
}

function factRows(shown: ShownOrder, meaning: string | undefined, waits: Wait | undefined, session: Session) {
  const { fields = new Map<string, string>(), requests, ids, notAsked } = shown;
  const card = cardOf(shown);
  const unit = replyField(fields, 'currency');
  const money = (text: string | undefined) => text && (unit === undefined ? text : `${text} ${unit}`);
  const inDoubt = doubtIn(shown);
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ['profile', `${session.name} (${session.class})`],
    ['card', card && `${card.brand ?? ''} ${maskedEnding(card.lastFour)}`.trim()],
    ['card reference', replyField(fields, 'cardRef')],
    ['transaction', replyField(fields, 'transactionType')],
    ['amount', money(replyField(fields, 'amount'))],
    ['initial amount', money(fields.get('initial-amount'))],
    ['total returned', money(replyField(fields, 'totalReversed'))],
    ...matchedIn(requests).map((each) => ['concluded', matchedText(each)] as const),
    ['in doubt', inDoubt && `${describe(inDoubt)}: ${inDoubt.reason}`],
    ['waiting', waits && waitingText(waits)],
    ['what to do', waits && whileWaiting(waits.for, { ...ids, flags: session.flags })],
    ['status', meaning ?? (notAsked && `not known: ${notAsked}`)],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[`  ${name}`, oneLine(value)]]));
}

function requestDocument(request: Request) {
  const { id, reason, changedAt } = request;
  return { entry: id, ...sentDocument(request), reason, changedAt: new Date(changedAt).toISOString() };
}

/** The status in words, and the command that a person would type next. */
function meaningIn(shown: ShownOrder, { flags }: Session) {
  const { ids, fields, requests } = shown;
  const order = { ...ids, flags, isRecorded: requests.some(({ kind }) => kind === 'payment') };
  const meaning = fields === undefined ? undefined : meaningOfStatus(statusQuery, fields, order);
  const inDoubt = doubtIn(shown);
  if (inDoubt !== undefined) return { text: meaning?.text, next: commandFor('resolve', inDoubt, flags) };
  if (fields !== undefined && isCheckedPayout(fields))
    return { text: meaning?.text, next: orderCommand('payout pay', byOneId(order)) };
  if (fields === undefined) return { text: undefined, next: statusCommand(order) };
  // The command that was just run is no next step.
  const isThis = meaning?.next?.startsWith('paycli order ') === true;
  return { text: meaning?.text, next: isThis ? undefined : meaning?.next };
}

/** A request whose outcome has to be found out; one that was accepted where the gateway itself does not know it. */
function doubtIn({ fields, requests }: ShownOrder): Request | undefined {
  const isUnknown = fields !== undefined && isUnknownWord(replyField(fields, 'status'));
  return requests.find(({ state }) => inDoubtStates.includes(state) || (isUnknown && state === 'accepted'));
}

/** What the order waits for; undefined where it does not wait, or that is not known. */
function waitOf({ fields, requests }: ShownOrder): Wait | undefined {
  const waiting = waitingIn(requests);
  if (fields === undefined) return waiting;
  const isForm = requests.some((each) => opensForm(each.operation));
  return waitsIn(fields, waiting, isForm, { since: pendingSince(requests) });
}

/** The card as the status names it, else as the journal has it; undefined where neither does. */
function cardOf({ fields = new Map<string, string>(), requests }: ShownOrder) {
  const named = replyNames('lastFour', 'destinationLastFour')
    .map((name) => fields.get(name))
    .find((digits) => digits);
  const lastFour = named ?? requests.find(({ card4 }) => card4 !== undefined)?.card4;
  const replies = [fields, ...requests.map(({ outcome }) => new Map(Object.entries(outcome)))];
  const brand = replies.map((each) => each.get('card-type') ?? each.get('dest-card-type')).find((word) => word);
  return lastFour === undefined ? undefined : { brand, lastFour };
}

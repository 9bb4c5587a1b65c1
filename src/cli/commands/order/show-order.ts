import type { Request } from '../../../journal/port.js';
import { inDoubtStates } from '../../../journal/states.js';
import { describe } from '../../../payments/words.js';
import { isFinal, isUnknownWord, replyField, replyNames, statusQuery } from '../../../spec/index.js';
import { maskedEnding } from '../../../wire/mask.js';
import type { OrderIds } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { type CommandOutput, oneLine } from '../../format/document.js';
import { requestSheet, sentDocument } from '../../format/journal-entries.js';
import {
  commandFor,
  type Fields,
  meaningOf,
  orderCommand,
  sandboxMark,
  waitingDocument,
  waitingIn,
  waitText,
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
  const { ids, fields = new Map<string, string>(), requests, notAsked } = shown;
  const card = cardOf(fields, requests);
  const { meaning, next } = meaningIn(shown, session);
  const told = (key: Parameters<typeof replyField>[1]) => replyField(fields, key) ?? null;
  return {
    document: {
      schema: 'paycli.order/1',
      ...{ orderId: ids.orderId ?? null, clientOrderId: ids.clientOrderId ?? null },
      ...{ profile: session.name, class: session.class, gateway: session.gatewayBase },
      ...{ status: told('status'), meaning: meaning ?? null, transaction: told('transactionType') },
      ...{ stage: told('stage'), amount: told('amount'), initialAmount: fields.get('initial-amount') ?? null },
      ...{ totalReturned: told('totalReversed'), currency: told('currency') },
      card: card === undefined ? null : { brand: card.brand ?? null, lastFour: card.lastFour },
      waiting: waitingDocument(waitingIn(requests)),
      notAsked: notAsked ?? null,
      next: next ?? null,
      requests: requests.map(requestDocument),
    },
    text: () => {
      const rows = factRows(shown, meaning, session);
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

function factRows(shown: ShownOrder, meaning: string | undefined, session: Session) {
  const { fields = new Map<string, string>(), requests, notAsked } = shown;
  const card = cardOf(fields, requests);
  const unit = replyField(fields, 'currency') ?? '';
  const money = (text: string | undefined) => text && `${text} ${unit}`.trim();
  const inDoubt = doubtIn(shown);
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ['profile', `${session.name} (${session.class})`],
    ['card', card && `${card.brand ?? ''} ${maskedEnding(card.lastFour)}`.trim()],
    ['card reference', replyField(fields, 'cardRef')],
    ['transaction', replyField(fields, 'transactionType')],
    ['amount', money(replyField(fields, 'amount'))],
    ['initial amount', money(fields.get('initial-amount'))],
    ['total returned', money(replyField(fields, 'totalReversed'))],
    ['in doubt', inDoubt && `${describe(inDoubt)}: ${inDoubt.reason}`],
    ['waiting', waitText(fields, requests, false)],
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
  const { ids, fields } = shown;
  const order = { ...ids, flags };
  const { text: meaning, next } = fields === undefined ? {} : meaningOf(statusQuery, fields, order);
  const inDoubt = doubtIn(shown);
  if (inDoubt !== undefined) return { meaning, next: commandFor('resolve', inDoubt, flags) };
  if (fields === undefined) return { meaning, next: orderCommand('status', order) };
  // Of a final order this is the command that was just run.
  return { meaning, next: isFinal(replyField(fields, 'status') ?? '') ? undefined : next };
}

/** A request whose outcome has to be found out; one that was accepted where the gateway itself does not know it. */
function doubtIn({ fields, requests }: ShownOrder): Request | undefined {
  const isUnknown = fields !== undefined && isUnknownWord(replyField(fields, 'status'));
  return requests.find(({ state }) => inDoubtStates.includes(state) || (isUnknown && state === 'accepted'));
}

/** The card as the status names it, else as the journal has it; undefined where neither does. */
function cardOf(fields: Fields, requests: readonly Request[]) {
  const named = replyNames('lastFour', 'destinationLastFour').flatMap((name) => fields.get(name) ?? []);
  const lastFour = [...named, ...requests.flatMap(({ card4 }) => card4 ?? [])].find((digits) => digits !== '');
  const replies = [fields, ...requests.map(({ outcome }) => new Map(Object.entries(outcome)))];
  const brand = replies.flatMap((each) => each.get('card-type') ?? each.get('dest-card-type') ?? [])[0];
  return lastFour === undefined ? undefined : { brand, lastFour };
}

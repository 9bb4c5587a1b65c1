import { handlerFault } from '../../../callbacks/stored-callback.js';
import {
  cardOfOrder,
  cardReplyFields,
  describeIntent,
  doubtfulStates,
  type Intent,
  settledWord,
  wasSettledManually,
} from '../../../journal/index.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import type { KnownOrder } from '../../../sandbox/index.js';
import { isUnknownWord, opensForm, replyField, sale } from '../../../spec/index.js';
import { type OrderFacts, stageOf } from '../../../spec/lifecycle.js';
import { failedFollowUpIn, orderUnchanged, statusText, unknownToGateway } from '../../../spec/transaction-words.js';
import { difference, isZero } from '../../../wire/amount.js';
import { maskedEnding } from '../../../wire/mask.js';
import { returnedFromHere } from '../../core/hold-amounts.js';
import { type Amounts, amountsOf, amountsText } from '../../core/order-amounts.js';
import { commandOfKind, inDoubtOf, isOpeningGuessed } from '../../core/order-facts.js';
import type { Reporter } from '../../core/reporter.js';
import { type SettledStatus, settledOpening } from '../../core/settled-status.js';
import { commandFor } from '../../core/storage-fault.js';
import type { CommandOutput } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import {
  type Fields,
  idWord,
  matchedDocuments,
  matchedIn,
  matchedText,
  pendingSince,
  sandboxMark,
  type Wait,
  waitingDocument,
  waitingText,
  waitsIn,
  whileWaiting,
} from '../../format/meaning.js';
import type { Session } from '../../session.js';
import { doubtText, type FollowUp, followUpsOf, followUpsText, refusalNote } from './follow-ups.js';
import { eventDocuments, eventsText } from './timeline.js';
import { requestWords, withoutQuery } from './timeline-events.js';
import type { Timeline } from './timeline-gather.js';

/** An order with everything its screen shows. */
export interface ShownOrder {
  readonly known: KnownOrder;
  /** The reply to a status request; what a person recorded stands for an outcome that the gateway does not know. */
  readonly fields: Fields;
  /** The request that this was recorded of, and the gateway's word for it. */
  readonly settled?: SettledStatus['settled'];
  /** Its requests in the journal, oldest first. */
  readonly requests: readonly Intent[];
  /** Undefined where this machine knows only what the gateway says. */
  readonly timeline: Timeline | undefined;
  /** Why status and amounts are the journal's and not the gateway's; undefined where they are the gateway's. */
  readonly fromJournal?: string;
  /** The gateway has no such order. */
  readonly isMissing?: true | undefined;
}

/** The screen of `paycli order`. */
export function orderOutput(shown: ShownOrder, session: Session, report: Reporter, runtime: Runtime): CommandOutput {
  const { known, fields, requests, timeline, isMissing } = shown;
  const { facts, orderId, clientOrderId } = known;
  const amounts = amountsOf(fields, facts, requests, session.assume);
  const next = [
    ...resolveStep(shown, session),
    ...followUpsOf({ ...known, fields, requests, isMissing }, amounts, session),
  ];
  const events = timeline?.events ?? [];
  const card = cardOfShown(shown);
  const { paint } = report;
  return {
    document: {
      schema: 'paycli.order/1',
      ...{ orderId: orderId === '' ? null : orderId, clientOrderId: clientOrderId === '' ? null : clientOrderId },
      ...{ profile: session.name, class: session.class, gateway: session.gatewayBase },
      // A status of a follow-up that failed is none of the order.
      status:
        failedFollowUp(shown) === undefined
          ? (registeredWord(facts) ?? replyField(fields, 'status') ?? null)
          : facts.status,
      ...{ fromJournal: shown.fromJournal ?? null },
      ...{
        stage: shown.fromJournal === undefined ? stageIn(facts) : null,
        waiting: waitingDocument(timeline?.waiting),
      },
      ...{
        amounts: amounts ?? null,
        matched: matchedDocuments(requests),
        card: card === undefined ? null : { brand: card.brand ?? null, lastFour: card.lastFour },
        facts,
        next,
        events: eventDocuments(events),
      },
    },
    list: 'next',
    text: () =>
      headText(known, session, paint) +
      report.columns(factRows(shown, amounts, session)) +
      (events.length === 0 ? '' : `\n${paint.bold('Timeline')}\n${eventsText(events, runtime.terminal.width, paint)}`) +
      `\n${followUpsText(next, facts, report, facts.status === 'approved' ? refusalNote(shown) : '')}`,
    sheet: () => ({
      columns: [
        { head: 'operation' },
        { head: 'available' },
        { head: 'reason', flexible: true },
        { head: 'command', below: true },
      ],
      rows: next.map(({ operation, legal, reason = '', command = '' }) => [
        ...[operation, legal ? paint.good('yes') : paint.bad('no'), oneLine(reason), oneLine(command)],
      ]),
    }),
  };
}

/** The status of a registration, which charges nothing: an approved order would be a payment. */
function registeredWord({ opened, status }: OrderFacts): string | undefined {
  return opened === 'recurring-registration' && status === 'approved' ? 'registered' : undefined;
}

function stageIn({ opened, status, step }: OrderFacts): string | null {
  return opened === 'recurring-registration' ? null : stageOf(opened, status, step);
}

function headText({ orderId, clientOrderId }: KnownOrder, { name }: Session, paint: Paint): string {
  const [order, client] = [orderId, clientOrderId].map(oneLine);
  const about = order === '' ? 'no gateway order id known' : `client order id ${client}`;
  return `${paint.bold(`order ${order || client}`)}${sandboxMark(name)}  ${about}\n`;
}

/** The command that resolves an unknown outcome, where the journal has a request to resolve. */
function resolveStep({ fields, requests }: ShownOrder, { flags }: Session): readonly FollowUp[] {
  const isUnknown = isUnknownWord(replyField(fields, 'status'));
  const open = requests.find(({ state }) => doubtfulStates.includes(state) || (isUnknown && state === 'accepted'));
  if (open === undefined) return [];
  return [{ operation: 'resolve', legal: true, reason: undefined, command: commandFor('resolve', open, flags) }];
}

/** What the order waits for; undefined where it does not wait, or the journal cannot know. */
export function waitOf({ known, fields, requests, timeline, fromJournal }: ShownOrder): Wait | undefined {
  const isForm = known.facts.step === 'form' || requests.some((each) => opensForm(each.operation));
  const since = pendingSince(requests);
  const waiting = waitsIn(fields, timeline?.waiting, isForm, { since, polls: pollsSince(since, timeline) });
  // Of the payer the journal knows what the last status reply said, and no more.
  return fromJournal !== undefined && waiting?.for === 'bank' ? timeline?.waiting : waiting;
}

function factRows(shown: ShownOrder, amounts: Amounts | undefined, session: Session): string[][] {
  const { known, fields, requests, timeline, fromJournal } = shown;
  const { opened, hold, captured, returned, voided, following, card } = known.facts;
  // A hold that was captured, released or voided in full can no longer expire.
  const isOnce = captured === 'part' && session.assume['captures-per-hold'] === 'one';
  const isUsed = (captured === 'all' || isOnce) && (amounts?.captured == null || !isZero(amounts.captured));
  const isHeld = hold !== 'none' && voided === 'no' && !isUsed && returned !== 'hold';
  const waits = waitOf(shown);
  const failed = failedFollowUp(shown);
  const { word, ofOrder, status } = statusOfOrder(shown, failed);
  const shownCard = cardOfShown(shown);
  const doubt = doubtText(inDoubtOf(requests), session);
  const isRegistration = opened === 'recurring-registration';
  const inWords =
    voided === 'yes'
      ? `voided (the ${commandOfKind(opened)} was ${status})`
      : waits === undefined || ofOrder !== word
        ? (registeredWord(known.facts) ?? unfinishedText(known.facts, fromJournal === undefined) ?? status)
        : waitingText(waits);
  const shownStatus = fromJournal === undefined ? inWords : `${inWords} according to the journal; ${fromJournal}`;
  const isWaiting = waits !== undefined && doubt === undefined;
  const advice = isWaiting ? whileWaiting(waits.for, { ...known, flags: session.flags }) : undefined;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ['status', settledStatusText(shown) ?? shownStatus],
    ['what to do', following === 'none' ? advice : undefined],
    ['operation', isOpeningGuessed(fields, requests) ? undefined : commandOfKind(opened)],
    ['charges', isRegistration ? chargesOfRegistration : undefined],
    ['amounts', amounts === undefined ? undefined : amountsText(amounts, requests, session.assume)],
    ['elsewhere', elsewhereText(amounts, requests)],
    ['hold', isHeld ? holds[hold] : undefined],
    ['settled', settledText(shown)],
    ...matchedIn(requests).map((each) => ['concluded', matchedText(each)] as const),
    [
      'follow-up',
      doubt ??
        (following === 'none' ? undefined : followUpText(shown, waits?.for === 'bank' ? waitingText(waits) : word)),
    ],
    ['last request', failed],
    ['what to do', following === 'none' ? undefined : advice],
    ['payment', opened === 'payout-check' ? payments[known.facts.paid] : undefined],
    ['card', shownCard && `${shownCard.brand ?? ''} ${maskedEnding(shownCard.lastFour)}`.trim()],
    ['card reference', card === 'kept' ? (known.cardRef ?? 'kept') : undefined],
    ['callbacks', callbacksText(timeline, known, session)],
    ['profile', `${session.name} (${session.class})`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, oneLine(value)]]));
}

/** The card as the status names it, else as the journal has it; undefined where neither does. */
function cardOfShown({
  fields,
  requests,
}: ShownOrder): { readonly brand?: string; readonly lastFour: string } | undefined {
  const digitsInReply = cardReplyFields.map((name) => fields.get(name)).find((digits) => digits !== undefined);
  const lastFour = digitsInReply ?? cardOfOrder(requests);
  if (lastFour === undefined) return undefined;
  const brands = [fields, ...requests.map(({ outcome }) => new Map(Object.entries(outcome)))];
  const brand = brands
    .map((each) => each.get('card-type') ?? each.get('dest-card-type'))
    .find((word) => word !== undefined);
  return brand === undefined ? { lastFour } : { brand, lastFour };
}

/** The word of the gateway, which speaks of the newest transaction (A42), and what it means for the order itself. */
function statusOfOrder({ known: { facts }, fields }: ShownOrder, failed: string | undefined) {
  const word = replyField(fields, 'status') ?? 'processing';
  const isOfFollowUp = facts.following === 'processing' || failed !== undefined;
  const ofOrder = isOfFollowUp && facts.status === 'approved' ? 'approved' : word;
  const why = failed === undefined ? (replyField(fields, 'errorMessage') ?? '') : '';
  return { word, ofOrder, status: `${ofOrder}${why === '' ? '' : ` (${why})`}` };
}

/** The follow-up that the status is about, where it was declined or ended with an error: the order stays as it was. */
function failedFollowUp({ fields, fromJournal, settled, requests }: ShownOrder): string | undefined {
  const followUp = failedFollowUpIn(fields);
  if (fromJournal !== undefined || followUp === undefined) return undefined;
  const why = replyField(fields, 'errorMessage') ?? '';
  const own = requests.find(({ id }) => id === settled?.id);
  const status =
    own === undefined ? statusText(replyField(fields, 'status') ?? '') : `settled manually as ${settledWord(own)}`;
  return `${followUp} ${status}${why === '' ? '' : ` (${why})`}; ${orderUnchanged}`;
}

/** The status in words where its word alone would mislead; `isKnown`: the gateway said so. */
function unfinishedText({ opened, status, step, paid }: OrderFacts, isKnown: boolean): string | undefined {
  if (status === 'unknown' && isKnown) return `unknown: ${unknownToGateway}; do not send it again`;
  if (opened !== 'payout-check' || status !== 'processing' || paid !== 'no') return undefined;
  if (step === 'validated') return 'checked: the payout is registered; the check moved no money';
  return step === 'validating' ? 'being checked: the check moves no money' : undefined;
}

/** How often the status was queried since then, where the log of a sandbox counts it. */
function pollsSince(since: number | undefined, timeline: Timeline | undefined): number {
  return (timeline?.events ?? []).filter(({ kind, at }) => kind === 'poll' && at >= (since ?? 0)).length;
}

/** What another machine, or somebody at the gateway, returned or released. */
function elsewhereText(amounts: Amounts | undefined, requests: readonly Intent[]): string | undefined {
  const { returnedElsewhere: part, returned } = amounts ?? {};
  if (part == null || isZero(part)) return undefined;
  const theirs = returned == null ? undefined : difference(returned, returnedFromHere(requests, returned));
  const kinds = [
    ...(theirs === undefined || isZero(difference(part, theirs)) ? [] : [`released ${difference(part, theirs)}`]),
    ...(theirs === undefined || isZero(theirs) ? [] : [`returned ${theirs}`]),
  ];
  const words = kinds.length === 0 ? `returned or released ${part}` : kinds.join(', ');
  return `${words}: shown by the gateway, not in this journal`;
}

/** What callbacks said about the order; without any, where it asked for them, else whether the profile does. */
function callbacksText(timeline: Timeline | undefined, { orderId }: KnownOrder, session: Session): string | undefined {
  const events = (timeline?.events ?? []).filter(({ source }) => source === 'callbacks');
  const received = events.filter(({ kind }) => kind === 'callback');
  const last = received.at(-1);
  if (last !== undefined) {
    const forwarded = events.findLast(({ kind }) => kind === 'forward')?.detail;
    const { status, reason } = forwarded ?? {};
    const answer = { status: status === undefined ? undefined : Number(status), reason };
    const fault = forwarded === undefined ? undefined : handlerFault(answer);
    const text = `${received.length} received; the last: ${last.title.replace(/^callback: /, '')}`;
    return fault === undefined ? text : `${text}; ${fault}`;
  }
  const address = timeline?.callbackTo;
  if (address === '') return 'none received here; the request named no address for them';
  const none = `none received here${address === undefined ? '' : `; the request named ${address}`}`;
  if (session.builtin && orderId === '') return none;
  if (session.builtin)
    return `${none}; \`paycli sandbox callbacks list --order ${idWord(orderId, 'gatewayId', 'ID')}\` shows what was sent`;
  if (address !== undefined) return none;
  const url = session.defaultsFor(sale)['serverCallbackUrl']?.value;
  return url === undefined
    ? `${none}; the profile sets no server-callback-url`
    : `${none}; the profile sends them to ${withoutQuery(url)}`;
}

/**
 * The status that a person recorded, where the gateway does not tell it: no bank declined the order, and none may have
 * seen it.
 */
function settledStatusText({ requests, fromJournal, settled, known }: ShownOrder): string | undefined {
  const opening = settledOpening(requests);
  const isTold = fromJournal === undefined && settled?.id !== opening?.id;
  if (opening === undefined || isTold || known.facts.voided === 'yes') return undefined;
  const status = `${settledWord(opening)} (settled manually)`;
  return fromJournal === undefined ? status : `${status}; ${fromJournal}`;
}

/** A manual settlement; the journal keeps to it, whatever status says. */
function settledText({ requests, settled }: ShownOrder): string | undefined {
  const manual = requests.filter(({ reason, state }) => wasSettledManually(reason) && state !== 'conflict');
  const texts = manual.map((each) => {
    const word = each.id === settled?.id ? `; its status at the gateway is still ${settled.word}` : '';
    return `${describeIntent(each)} as ${settledWord(each)}${word}`;
  });
  return texts.length === 0 ? undefined : `manually: ${texts.join('; ')}`;
}

const chargesOfRegistration =
  'none listed here: each charge is a separate order at the gateway, and paycli cannot list them';

const holds: Readonly<Record<OrderFacts['hold'], string>> = {
  none: 'none',
  live: 'active',
  expired: 'expired',
  'rest-expired': 'rest expired',
};

const payments: Readonly<Record<OrderFacts['paid'], string>> = {
  no: 'none in this journal',
  yes: 'approved',
  processing: 'processing',
  unknown: 'unknown',
  failed: 'declined',
};

/** The follow-up under way, where the journal has it; the word of the gateway is about this one. */
function followUpText({ requests, fromJournal }: ShownOrder, word: string): string {
  const open = requests.findLast(({ kind, state }) => kind === 'follow-up' && state === 'accepted');
  if (open === undefined) return word;
  return `${requestWords(open)}: ${fromJournal === undefined ? word : 'pending according to the journal'}`;
}

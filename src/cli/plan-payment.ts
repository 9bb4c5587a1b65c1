import { fail, isPaycliError, PaycliError, stopError } from '../errors/index.js';
import type { SendLimits } from '../journal/index.js';
import {
  describeIntent,
  doubtfulStates,
  type Intent,
  type Journal,
  leadsToPayment,
  type NewIntent,
  type Plan,
  type PlanOptions,
  type Sender,
  stateClause,
  unsentStates,
} from '../journal/index.js';
import { failureFacts } from '../payments/failure.js';
import { callbackAddress, journalEntryOf } from '../payments/journal-entry.js';
import { type Amount, checkCaps, countedSum, type PaymentValue, paymentValueOf } from '../payments/limits.js';
import { PaymentRecord } from '../payments/payment-record.js';
import { takeApproval } from '../payments/resend.js';
import { isPaymentInStatus, orderWords, showsNoOrder } from '../payments/same-order.js';
import { queryStatus, statusRequest } from '../payments/status-query.js';
import { foundElsewhere, type Sent } from '../payments/submit.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { mayPrompt, saysYes } from './command.js';
import type { Origins } from './core/live/confirmation-text.js';
import { confirmationText } from './core/live/confirmation-text.js';
import { failureOfQuery } from './core/order-query.js';
import { commandFor } from './core/storage-fault.js';
import type { Submission } from './core/submission.js';
import { isRunning, openUserJournal } from './core/user-stores.js';
import { orderCommand } from './format/meaning.js';
import { timeText } from './format/time.js';
import { isUnanswered, statusInJournal, type Tools } from './gateway.js';
import { confirmationLines, confirmByLogin } from './live.js';
import type { Session } from './session.js';

/**
 * Whether the gateway is asked before a payment is sent: before the first one from here with a client order id that was
 * given. Another machine, another state folder or an older copy of this one may have used it.
 */
export function askingFirst(
  row: Operation,
  intent: Intent | undefined,
  origins: Origins,
  session: Session,
): 'asked' | 'not asked' | 'no need' {
  const isFirst =
    origins['clientOrderId'] !== 'generated' && intent !== undefined && unsentStates.includes(intent.state);
  const isPayment = isPaymentInStatus(row) || isOrderByHand(row, intent);
  if (!isPayment || !isFirst || session.askFirst === undefined) return 'no need';
  return session.askFirst === 'on' && session.canAskStatus ? 'asked' : 'not asked';
}

/** A request to a path that is not described may be a payment with the client order id that it gives. */
function isOrderByHand({ id }: Operation, intent: Intent | undefined): boolean {
  return id === 'REQUEST' && intent?.clientOrderId !== undefined && intent.orderId === undefined;
}

/**
 * Asks the gateway about the client order id. Gives what to record of this very payment where it was made elsewhere,
 * and undefined where there is no such order. Throws CONFIRMATION_NEEDED for another order under this id, and NOT_SENT,
 * CERTIFICATE or REFUSED where the gateway does not say.
 */
export async function findMadeElsewhere(submission: Submission): Promise<Sent | undefined> {
  const { unsigned, record, session, connection, watched, stop } = submission;
  const { clientOrderId = '' } = unsigned.values;
  const query = { endpointId: unsigned.endpointId, orderId: undefined, clientOrderId };
  const answer = await queryStatus(connection, query, watched);
  if (stop.signal.aborted) throw stopError(stop.signal);
  const { fields } = answer;
  if (showsNoOrder(answer)) return undefined;
  if (answer.class === 'refused' || answer.class === 'certificate')
    throw failureOfQuery(answer, statusRequest(query, connection.target), session);
  if (answer.class !== 'accepted' || fields === undefined || record === undefined)
    throw fail('NOT_SENT', {
      why: `whether the gateway has order ${clientOrderId} already is not known: ${failureFacts(answer).why}`,
      order: clientOrderId,
    });
  const found = foundElsewhere(record.intent, answer, session);
  if (found !== undefined) return found;
  const see = orderCommand('status', { orderId: undefined, clientOrderId, flags: session.flags });
  throw fail('CONFIRMATION_NEEDED', {
    why: `the gateway already has an order ${clientOrderId}, which is not known to be this payment: ${orderWords(fields)}`,
    how: `nothing was sent; \`${see}\` shows it; only if that is another payment, give this one another --client-order-id`,
    order: clientOrderId,
  });
}

interface PlanFlags {
  /** --again */
  readonly again: boolean;
  /** The client order id was made up. */
  readonly isGenerated: boolean;
  readonly origins: Origins;
  /** The amount of its order, where the gateway told it. */
  readonly ofOrder?: Amount | undefined;
}

export interface Planned {
  readonly record: PaymentRecord;
  readonly do: Plan['do'];
}

/**
 * Records a request in the journal before it is sent, once caps and the user allow it and its key is read; undefined
 * for a read. A request that was sent before, and is now only queried or shown, needs no permission. Throws what
 * `Journal.plan`, `authorizePayment` and `Session.credentials` throw and STORAGE.
 */
export async function planPayment(unsigned: Unsigned, tools: Tools, flags: PlanFlags): Promise<Planned | undefined> {
  const { session, runtime } = tools;
  if (unsigned.row.effect === 'read') return undefined;
  const journal = await openUserJournal(runtime);
  try {
    const wanted = wantedIntent(unsigned, session, journal);
    const { repeatWindowMs } = session;
    const typed = {
      ...flags,
      isAlive: (sender: Sender) => isRunning(sender, runtime),
      repeatSince: repeatWindowMs === undefined ? undefined : runtime.clock.now() - repeatWindowMs,
    };
    await refreshRepeated(wanted, journal, typed, tools);
    const allow = async ({ intent }: Plan) => {
      const context = { journal, tools, except: intent.id, origins: flags.origins, ofOrder: flags.ofOrder };
      const { repeatSince } = options;
      return { ...(await authorizePayment(unsigned, context)), isUnique: isUnique(wanted, options), repeatSince };
    };
    const options = { ...typed, again: await mayRepeat(wanted, journal, typed, tools) };
    // Nothing is recorded yet: a user who declines may correct the request under the same order id.
    const preview = journal.preview(wanted, options);
    const maySend = actionOf(preview, journal, runtime) === 'send';
    if (maySend) {
      warnOfOtherGateway(wanted, journal, tools);
      warnOfEqualPayment(wanted, journal, tools);
    }
    const earlyLimits = maySend ? await allow(preview) : undefined;
    if (maySend) await session.credentials(unsigned.protection);
    const plan = journal.plan(wanted, options);
    const action = actionOf(plan, journal, runtime);
    const allowed = action === 'send' ? (earlyLimits ?? (await allow(plan))) : {};
    const limits = { ...allowed, callbackTo: callbackAddress(unsigned.row, unsigned.values) };
    return { record: new PaymentRecord(journal, plan.intent, session.assume['minor-digits'], limits), do: action };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Whether a repeat of another payment is refused. */
function isUnique(wanted: NewIntent, { again, isGenerated }: PlanOptions): boolean {
  return wanted.kind === 'opening' && !again && (isGenerated || leadsToPayment(wanted));
}

/** A pending payment that this one would repeat may have been decided since: the gateway is asked, if it answers. */
async function refreshRepeated(
  wanted: NewIntent,
  journal: Journal,
  { again, repeatSince }: PlanOptions,
  tools: Tools,
): Promise<void> {
  const first = wanted.kind === 'opening' && !again ? journal.repeatedPayment(wanted, repeatSince) : undefined;
  if (first?.state !== 'accepted' || first.clientOrderId === wanted.clientOrderId || !tools.session.canAskStatus)
    return;
  const { orderId, clientOrderId, endpointId } = first;
  await statusInJournal({ orderId, clientOrderId }, endpointId, tools, journal).catch((error: unknown) => {
    if (!isUnanswered(error)) throw error;
  });
}

/** The same id at another gateway is another payment, but one whose outcome is in doubt there may be meant. */
function warnOfOtherGateway({ kind, base, clientOrderId }: NewIntent, journal: Journal, { report }: Tools): void {
  if (kind !== 'opening' || clientOrderId === undefined) return;
  const there = journal
    .list({ clientOrderId, kind, states: doubtfulStates })
    .filter((each) => gatewayName(each.base) !== gatewayName(base));
  const newest = there.at(-1);
  if (newest === undefined) return;
  const others = there.length === 1 ? '' : `, and ${there.length - 1} more with this id elsewhere`;
  report.warn([
    `${describeIntent(newest)} ${stateClause(newest.state)} at ${newest.base} (profile ${newest.profile})${others}; this request goes to ${base} and may be a second payment`,
  ]);
}

/**
 * Whether a payment may be repeated: by --again, or because the user says so on a terminal. Throws CANCELLED where the
 * answer is no.
 */
async function mayRepeat(wanted: NewIntent, journal: Journal, asked: PlanOptions, tools: Tools): Promise<boolean> {
  const { options, runtime } = tools;
  if (asked.again || !mayPrompt(options, runtime)) return asked.again;
  try {
    journal.preview(wanted, asked);
    return false;
  } catch (error) {
    const first = journal.repeatedPayment(wanted, asked.repeatSince);
    // Only an error that names --again may be answered like this.
    if (!isPaycliError(error) || error.facts['again'] === undefined || first === undefined) throw error;
    const how = error.next;
    const question = `${describeIntent(first)} has ${whatIsEqual}, and its state is ${first.state} since ${timeText(first.changedAt)}. Send this one as a second payment?`;
    await confirmAgain(question, how, tools);
    return true;
  }
}

/** Asks on a terminal whether money is moved once more. Throws CANCELLED where the answer is no. */
export async function confirmAgain(question: string, how: string, { options, runtime, session }: Tools): Promise<void> {
  const message = session.class === 'live' ? `LIVE money: ${question}` : question;
  if (!(await saysYes('again', message, options, runtime))) throw fail('CANCELLED', { why: 'nothing was sent', how });
}

const whatIsEqual = 'the same amount and the same card, account or payer';

/** Another client order id makes it another payment, but a payer whose first payment is not final may pay twice. */
function warnOfEqualPayment(wanted: NewIntent, journal: Journal, { session, report }: Tools): void {
  if (wanted.kind !== 'opening') return;
  const first = journal.repeatedPayment(wanted, Number.MAX_SAFE_INTEGER) ?? journal.equalOfPayer(wanted);
  if (first === undefined || first.clientOrderId === wanted.clientOrderId) return;
  const [outcome, how] =
    first.state === 'accepted'
      ? ['is still pending', `${commandFor('status', first, ` --wait${session.flags}`)}\` waits for its outcome`]
      : [`its state is ${first.state}`, `${commandFor('resolve', first, session.flags)}\` resolves the first`];
  report.warn([
    `${describeIntent(first)} has ${whatIsEqual}, and ${outcome}; this request has another client order id and may be a second payment; \`${how}`,
  ]);
}

/** An approved resend is sent, where the journal alone would only query status. */
function actionOf(plan: Plan, journal: Journal, { clock }: Runtime): Plan['do'] {
  const isResend =
    plan.do === 'ask' && plan.intent.state === 'unknown' && takeApproval(journal, plan.intent, clock.now());
  return isResend ? 'send' : plan.do;
}

function wantedIntent(unsigned: Unsigned, session: Session, journal: Journal): NewIntent {
  const place = { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class };
  const wanted = journalEntryOf(unsigned, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('a read is not recorded');
  return wanted;
}

/** An error whose next step names the order: the command has to name the profile as well. */
export function withProfile(error: unknown, { flags }: Tools['session']): unknown {
  if (!isPaycliError(error)) return error;
  const { resolve, see } = error.facts;
  if (error.code === 'INTENT_DIFFERS') {
    const commands = { ...(resolve && { resolve: `${resolve}${flags}` }), ...(see && { see: `${see}${flags}` }) };
    return new PaycliError(error.code, { ...error.facts, ...commands }, { cause: error });
  }
  const named = ['ORDER_BUSY', 'SAME_CONTENT_OPEN'];
  return named.includes(error.code) ? new PaycliError(error.code, { ...error.facts, flags }, { cause: error }) : error;
}

interface PaymentContext {
  readonly journal: Journal;
  readonly tools: Tools;
  /** The intent this is about, which may count already. */
  readonly except: number;
  readonly origins: Origins;
  readonly ofOrder: Amount | undefined;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given. Throws
 * CAP_EXCEEDED or LIVE_GUARD.
 */
export async function authorizePayment(
  unsigned: Unsigned,
  { journal, tools, except, origins, ofOrder }: PaymentContext,
): Promise<SendLimits> {
  const { session, options, report } = tools;
  const { row } = unsigned;
  const paymentValue = withAmountOfOrder(paymentValueOf(unsigned, session, journal), ofOrder);
  const counts = countedSum(paymentValue);
  const day = checkCaps(row, paymentValue, counts, session);
  if (day !== undefined && counts !== undefined) journal.checkDay(day, counts, except);
  if (row.effect !== 'money') return {};
  const terms: SendLimits = { counts, day };
  if (session.class !== 'live') return terms;
  const statement = confirmationText(unsigned, paymentValue, session, origins, ofOrder);
  await confirmByLogin(statement, tools);
  // As at a question, --quiet does not silence the statement.
  if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement), false);
  return terms;
}

/** Of an order that the journal does not know, status may have told the amount. */
function withAmountOfOrder(value: PaymentValue, ofOrder: Amount | undefined): PaymentValue {
  return value.kind === 'whole' && value.amount === undefined ? { kind: 'whole', amount: ofOrder } : value;
}

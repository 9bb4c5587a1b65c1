import { fail, isPaycliError, PaycliError, stopError } from '../errors/index.js';
import type { Begin, Journal, NewRequest, Sum } from '../journal/port.js';
import { sendableStates } from '../journal/states.js';
import { type Decision, decide, equalTo, leadsToPayment, type SendDecision, type Wishes } from '../payments/decide.js';
import { assertWithinDay, checkCaps, paymentValueOf } from '../payments/limits.js';
import { describeRequest } from '../payments/request.js';
import type { AskFirst } from '../payments/send.js';
import { isPaymentInStatus, onOrder, queryOutcome, recordAnswer } from '../payments/settle.js';
import { describe } from '../payments/words.js';
import type { Unsigned } from '../signing/index.js';
import { type Operation, payoutPay } from '../spec/index.js';
import { mayPrompt, saysYes } from './command.js';
import { failureOfQuery } from './core/order-query.js';
import { journalOf, openUserJournal } from './core/user-stores.js';
import { orderCommand } from './format/meaning.js';
import { timeText } from './format/time.js';
import { isUnanswered, type Tools, withGateway } from './gateway.js';
import { confirmationText, confirmByLogin } from './live.js';
import type { Session } from './session.js';

export interface Planned {
  /** Open; whoever asked for the plan closes it. */
  readonly journal: Journal;
  readonly wanted: NewRequest;
  readonly decision: Decision;
  /** How the gateway is asked before it; undefined where it need not be. */
  readonly first: AskFirst | 'not asked' | undefined;
  readonly limits: Pick<Begin, 'counts' | 'dayCap' | 'equalSince'>;
}

/**
 * What is to be done with a request, once caps and the user allow it and its key is read; undefined for a read. Nothing
 * is recorded yet. A request that was sent before, and is now only queried or shown, needs no permission. `isNewId`: its
 * client order id was made up for it. `ofOrder` is the amount of its order, where the gateway told it. Throws what
 * `decide`, `authorizePayment` and `Session.credentials` throw and STORAGE.
 */
export async function planPayment(
  unsigned: Unsigned,
  tools: Tools,
  isNewId: boolean,
  ofOrder: Sum | undefined,
): Promise<Planned | undefined> {
  const { session, runtime } = tools;
  const again = tools.options.again === true;
  if (unsigned.row.effect === 'read') return undefined;
  const journal = await openUserJournal(runtime, journalOf(session));
  try {
    const wanted = await wantedRequest(unsigned, session, journal);
    const now = runtime.clock.now();
    const equalSince = await askAboutEqual(wanted, journal, again, now, tools);
    const wishes = { again, equalSince, now };
    const [decision, isRepeat] = await decideOrAsk(wanted, journal, wishes, tools);
    if (decision.do !== 'send') return { journal, wanted, decision, first: undefined, limits: {} };
    const allowed = await authorizePayment(unsigned, journal, tools, ofOrder, decision.isResend === true);
    await session.credentials(unsigned.protection);
    // What no operation describes may be a payment, and repeats an equal one whenever that was sent.
    const since = wanted.kind === 'other' ? 0 : leadsToPayment(wanted) ? equalSince : undefined;
    const limits = { ...allowed, equalSince: isRepeat ? undefined : since };
    const first = askingFirst(unsigned.row, wanted, decision, isNewId, session);
    return { journal, wanted, decision, first, limits };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * Since when an approved payment that this one equals makes it a repeat; undefined where no money moves. The gateway is
 * asked about that one, if it answers, while it is pending, as it may have been decided since; and where it counts as old
 * by the clock of this machine, which may have jumped: then the gateway's own time decides.
 */
async function askAboutEqual(
  wanted: NewRequest,
  journal: Journal,
  again: boolean,
  now: number,
  tools: Tools,
): Promise<number | undefined> {
  const { session } = tools;
  const { repeatWindowMs: windowMs, canAskStatus } = session;
  if (windowMs === undefined) return undefined;
  const since = now - windowMs;
  const recent = again ? undefined : await equalTo(journal, wanted, since);
  const first = recent ?? (again ? undefined : await equalTo(journal, wanted, 0));
  const isOpen = first?.state === 'accepted' && first.clientOrderId !== wanted.clientOrderId;
  if (first === undefined || !canAskStatus || !(isOpen || recent === undefined)) return since;
  const at = await withGateway(tools, async ({ connection, watched, stop }) => {
    const answer = await queryOutcome(connection, first, watched);
    if (stop.signal.aborted) throw stopError(stop.signal);
    await recordAnswer(first, answer, journal, session.assume['minor-digits']);
    return answer.at;
  }).catch((error: unknown) => {
    if (!isUnanswered(error)) throw error;
    return undefined;
  });
  const sentAt = (await journal.events({ request: first.id })).findLast(({ facts }) => 'gatewayAt' in facts);
  const isRecent = at !== undefined && at - Number(sentAt?.facts['gatewayAt'] ?? first.changedAt) < windowMs;
  return isRecent ? Math.min(since, first.changedAt) : since;
}

/**
 * How the gateway is asked before a payment is sent with a client order id that was given, unless it is known from here:
 * another machine, another state folder or an older copy of this one may have used it, also since it was refused here.
 */
function askingFirst(
  row: Operation,
  wanted: NewRequest,
  { earlier, isResend }: SendDecision,
  isNewId: boolean,
  session: Session,
): AskFirst | 'not asked' | undefined {
  // Also before an approved second attempt: the first one may have arrived since.
  const isFirst = earlier === undefined || sendableStates.includes(earlier.state) || isResend === true;
  const isGiven = (!isNewId || isResend === true) && wanted.clientOrderId !== undefined;
  // A request to a path that is not described may be a payment with the client order id that it gives.
  const isPayment = isPaymentInStatus(row) || (row.id === 'REQUEST' && wanted.orderId === undefined);
  if (!isPayment || !isFirst || !isGiven || session.askFirst === undefined) return undefined;
  if (session.askFirst === 'off' || !session.canAskStatus) return 'not asked';
  const { flags } = session;
  return {
    failure: (answer, question) => failureOfQuery(answer, question, session),
    statusCommand: (clientOrderId) => orderCommand('status', { orderId: undefined, clientOrderId, flags }),
  };
}

/**
 * The decision, and whether it repeats another payment on purpose: by --again, or because the user says so on a
 * terminal. Throws CANCELLED where the answer is no.
 */
async function decideOrAsk(
  wanted: NewRequest,
  journal: Journal,
  wishes: Wishes,
  tools: Tools,
): Promise<readonly [Decision, boolean]> {
  try {
    return [await decide(journal, wanted, wishes), wishes.again];
  } catch (error) {
    const { equalSince } = wishes;
    // Only an error that names --again may be answered like this.
    if (!isPaycliError(error) || error.facts['again'] === undefined || equalSince === undefined) throw error;
    const first = await equalTo(journal, wanted, equalSince);
    if (first === undefined || !mayPrompt(tools.options, tools.runtime)) throw error;
    const equal = `${describe(first)} has the same amount and the same card or account, and its state is ${first.state}`;
    const question = `${equal} since ${timeText(first.changedAt)}. Send this one as a second payment?`;
    await confirmAgain(question, error.next, tools);
    return [await decide(journal, wanted, { ...wishes, again: true }), true];
  }
}

/** Asks on a terminal whether money is moved once more. Throws CANCELLED where the answer is no. */
export async function confirmAgain(question: string, how: string, { options, runtime, session }: Tools): Promise<void> {
  const message = session.class === 'live' ? `LIVE money: ${question}` : question;
  if (!(await saysYes('again', message, options, runtime))) throw fail('CANCELLED', { why: 'nothing was sent', how });
}

async function wantedRequest(unsigned: Unsigned, session: Session, journal: Journal): Promise<NewRequest> {
  const place = { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class };
  const wanted = describeRequest(unsigned, place, (parts) => journal.hash(parts));
  const { base, orderId } = wanted;
  if (unsigned.row.id !== payoutPay.id || orderId === undefined) return wanted;
  // The second step pays what its check was for.
  const [check] = await onOrder(journal, { base, orderIds: [orderId], kinds: ['payment'] });
  return { ...wanted, payment: check?.payment };
}

const namingOrders: readonly string[] = ['ORDER_ID_USED', 'ORDER_BUSY', 'SAME_CONTENT_OPEN'];

/** An error whose next step names the order: the command has to name the profile as well. */
export function withFlags(error: unknown, { flags }: Session): unknown {
  if (!isPaycliError(error) || !namingOrders.includes(error.code)) return error;
  const { resolve, see } = error.facts;
  const commands = { ...(resolve && { resolve: `${resolve}${flags}` }), ...(see && { see: `${see}${flags}` }) };
  return new PaycliError(error.code, { ...error.facts, ...commands, flags }, { cause: error });
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given. The cap of the
 * day is checked here, before anything is asked, and again when it begins; a resend counts against it already. Throws
 * CAP_EXCEEDED or LIVE_GUARD.
 */
async function authorizePayment(
  unsigned: Unsigned,
  journal: Journal,
  tools: Tools,
  ofOrder: Sum | undefined,
  isResend: boolean,
): Promise<Pick<Begin, 'counts' | 'dayCap'>> {
  const { session, runtime } = tools;
  const { row } = unsigned;
  const paymentValue = await paymentValueOf(unsigned, session, journal, ofOrder);
  const counts = paymentValue.sum;
  const dayCap = checkCaps(row, paymentValue, session);
  if (row.effect !== 'money') return {};
  const merchant = { base: session.gatewayBase, login: session.login, profile: session.name };
  if (!isResend) await assertWithinDay({ counts, dayCap }, merchant, journal, runtime.clock.now());
  if (session.class !== 'live') return { counts, dayCap };
  await confirmByLogin(confirmationText(unsigned, paymentValue, session, ofOrder), tools);
  return { counts, dayCap };
}

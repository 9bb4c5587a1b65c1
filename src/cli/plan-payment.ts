import { fail, isPaycliError, PaycliError, stopError } from '../errors/index.js';
import type { Begin, Journal, NewRequest, Request, Sum } from '../journal/port.js';
import { inDoubtStates, sendableStates, unresolvedStates } from '../journal/states.js';
import { type Decision, decide, equalTo, leadsToPayment, type Wishes } from '../payments/decide.js';
import { assertWithinDay, checkCaps, paymentValueOf } from '../payments/limits.js';
import { describeRequest } from '../payments/request.js';
import type { AskFirst } from '../payments/send.js';
import { isPaymentInStatus, onOrder, queryOutcome, recordAnswer } from '../payments/settle.js';
import { describe, stateClause } from '../payments/words.js';
import type { Unsigned } from '../signing/index.js';
import { type Operation, payoutPay } from '../spec/index.js';
import { gatewayName } from '../wire/address.js';
import { mayPrompt, saysYes } from './command.js';
import { confirmationText, type Origins } from './core/live/confirmation-text.js';
import { failureOfQuery } from './core/order-query.js';
import { commandFor } from './core/storage-fault.js';
import { journalOf, openUserJournal } from './core/user-stores.js';
import { orderCommand } from './format/meaning.js';
import { timeText } from './format/time.js';
import { isUnanswered, type Tools, withGateway } from './gateway.js';
import { confirmationLines, confirmByLogin } from './live.js';
import type { Session } from './session.js';

/**
 * How the gateway is asked before a payment is sent with a client order id that was given, unless it is known from here:
 * another machine, another state folder or an older copy of this one may have used it, also since it was refused here.
 */
export function askingFirst(
  row: Operation,
  { wanted, decision }: Pick<Planned, 'wanted' | 'decision'>,
  origins: Origins,
  session: Session,
): AskFirst | 'not asked' | 'no need' {
  const { earlier } = decision;
  const isFirst = earlier === undefined || sendableStates.includes(earlier.state);
  const isGiven = origins['clientOrderId'] !== 'generated' && wanted.clientOrderId !== undefined;
  // A request to a path that is not described may be a payment with the client order id that it gives.
  const isPayment = isPaymentInStatus(row) || (row.id === 'REQUEST' && wanted.orderId === undefined);
  if (decision.do !== 'send' || !isPayment || !isFirst || !isGiven || session.askFirst === undefined) return 'no need';
  if (session.askFirst !== 'on' || !session.canAskStatus) return 'not asked';
  const { flags } = session;
  return {
    failure: (answer, question) => failureOfQuery(answer, question, session),
    statusCommand: (clientOrderId) => orderCommand('status', { orderId: undefined, clientOrderId, flags }),
  };
}

interface PlanFlags {
  /** --again */
  readonly again: boolean;
  readonly origins: Origins;
  /** The amount of its order, where the gateway told it. */
  readonly ofOrder?: Sum | undefined;
}

export interface Planned {
  /** Open; whoever asked for the plan closes it. */
  readonly journal: Journal;
  readonly wanted: NewRequest;
  readonly decision: Decision;
  readonly limits: Pick<Begin, 'counts' | 'dayCap' | 'equalSince'>;
}

/**
 * What is to be done with a request, once caps and the user allow it and its key is read; undefined for a read. Nothing
 * is recorded yet. A request that was sent before, and is now only queried or shown, needs no permission. Throws what
 * `decide`, `authorizePayment` and `Session.credentials` throw and STORAGE.
 */
export async function planPayment(unsigned: Unsigned, tools: Tools, flags: PlanFlags): Promise<Planned | undefined> {
  const { session, runtime } = tools;
  if (unsigned.row.effect === 'read') return undefined;
  const journal = await openUserJournal(runtime, journalOf(session));
  try {
    const wanted = await wantedRequest(unsigned, session, journal);
    const now = runtime.clock.now();
    const equalSince = await askAboutEqual(wanted, journal, flags.again, now, tools);
    const wishes = { again: flags.again, equalSince, now };
    const [decision, isRepeat] = await decideOrAsk(wanted, journal, wishes, tools);
    if (decision.do !== 'send') return { journal, wanted, decision, limits: {} };
    await warnOfOtherGateway(wanted, journal, tools);
    if (flags.again && equalSince !== undefined) await warnOfEqual(wanted, journal, equalSince, tools);
    const allowed = await authorizePayment(unsigned, { journal, tools, ...flags, isResend: decision.isResend });
    await session.credentials(unsigned.protection);
    const limits = { ...allowed, equalSince: isRepeat ? undefined : sinceWhen(wanted, equalSince) };
    return { journal, wanted, decision, limits };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** What no operation describes may be a payment, and repeats an equal one whenever that was sent. */
function sinceWhen(wanted: NewRequest, equalSince: number | undefined): number | undefined {
  if (wanted.kind === 'other') return 0;
  return leadsToPayment(wanted) ? equalSince : undefined;
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

/** The same id at another gateway is another payment, but one whose outcome is in doubt there may be meant. */
async function warnOfOtherGateway(
  { kind, base, clientOrderId }: NewRequest,
  journal: Journal,
  { report }: Tools,
): Promise<void> {
  if (kind !== 'payment' || clientOrderId === undefined) return;
  const all = await onOrder(journal, { clientOrderIds: [clientOrderId], kinds: [kind], states: inDoubtStates });
  const there = all.filter((each) => gatewayName(each.base) !== gatewayName(base));
  const newest = there.at(-1);
  if (newest === undefined) return;
  const others = there.length === 1 ? '' : `, and ${there.length - 1} more with this id elsewhere`;
  report.warn([
    `${describe(newest)} ${stateClause(newest.state)} at ${newest.base} (profile ${newest.profile})${others}; this request goes to ${base} and may be a second payment`,
  ]);
}

/** What --again repeats on purpose. A script may give it with every payment. */
async function warnOfEqual(wanted: NewRequest, journal: Journal, since: number, tools: Tools): Promise<void> {
  const first = await equalTo(journal, wanted, since);
  if (first === undefined) return;
  const { report, session } = tools;
  const way = unresolvedStates.includes(first.state)
    ? `; \`${commandFor('resolve', first, session.flags)}\` resolves the first`
    : '';
  report.warn([`${equalWords(first)}; this request may be a second payment${way}`]);
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
    await confirmAgain(repeatQuestion(first), error.next, tools);
    return [await decide(journal, wanted, { ...wishes, again: true }), true];
  }
}

function repeatQuestion(first: Request): string {
  return `${equalWords(first)} since ${timeText(first.changedAt)}. Send this one as a second payment?`;
}

function equalWords(first: Request): string {
  return `${describe(first)} has the same amount and the same card or account, and its state is ${first.state}`;
}

/** Asks on a terminal whether money is moved once more. Throws CANCELLED where the answer is no. */
export async function confirmAgain(question: string, how: string, { options, runtime, session }: Tools): Promise<void> {
  const message = session.class === 'live' ? `LIVE money: ${question}` : question;
  if (!(await saysYes('again', message, options, runtime))) throw fail('CANCELLED', { why: 'nothing was sent', how });
}

async function wantedRequest(unsigned: Unsigned, session: Session, journal: Journal): Promise<NewRequest> {
  const place = { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class };
  const wanted = describeRequest(unsigned, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('a read is not recorded');
  const { base, orderId } = wanted;
  if (unsigned.row.id !== payoutPay.id || orderId === undefined) return wanted;
  // The second step pays what its check was for.
  const [check] = await onOrder(journal, { base, orderIds: [orderId], kinds: ['payment'] });
  return { ...wanted, payment: check?.payment };
}

/** An error whose next step names the order: the command has to name the profile as well. */
export function withProfile(error: unknown, { flags }: Tools['session']): unknown {
  if (!isPaycliError(error)) return error;
  const { resolve, see } = error.facts;
  if (error.code === 'ORDER_ID_USED') {
    const commands = { ...(resolve && { resolve: `${resolve}${flags}` }), ...(see && { see: `${see}${flags}` }) };
    return new PaycliError(error.code, { ...error.facts, ...commands }, { cause: error });
  }
  const named = ['ORDER_BUSY', 'SAME_CONTENT_OPEN'];
  return named.includes(error.code) ? new PaycliError(error.code, { ...error.facts, flags }, { cause: error }) : error;
}

interface PaymentContext {
  readonly journal: Journal;
  readonly tools: Tools;
  readonly origins: Origins;
  readonly ofOrder?: Sum | undefined;
  /** It counts against the cap of the day already. */
  readonly isResend?: true | undefined;
}

/**
 * Leave to send one request: within the caps of its profile and, on live, with the merchant login given. The cap of the
 * day is checked here, before anything is asked, and again when it begins. Throws CAP_EXCEEDED or LIVE_GUARD.
 */
export async function authorizePayment(
  unsigned: Unsigned,
  { journal, tools, origins, ofOrder, isResend }: PaymentContext,
): Promise<Pick<Begin, 'counts' | 'dayCap'>> {
  const { session, options, report, runtime } = tools;
  const { row } = unsigned;
  const paymentValue = await paymentValueOf(unsigned, session, journal, ofOrder);
  const counts = paymentValue.sum;
  const dayCap = checkCaps(row, paymentValue, session);
  if (row.effect !== 'money') return {};
  const merchant = { base: session.gatewayBase, login: session.login, profile: session.name };
  if (isResend !== true) await assertWithinDay({ counts, dayCap }, merchant, journal, runtime.clock.now());
  if (session.class !== 'live') return { counts, dayCap };
  const statement = confirmationText(unsigned, paymentValue, session, origins, ofOrder);
  await confirmByLogin(statement, tools);
  // As at a question, --quiet does not silence the statement.
  if (options.confirmLogin !== undefined) report.notes(confirmationLines(statement), false);
  return { counts, dayCap };
}

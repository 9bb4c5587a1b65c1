import { fail } from '../errors/index.js';
import { countAttempts } from '../journal/begin.js';
import type { Journal, NewRequest, Request } from '../journal/port.js';
import { inDoubtStates, reachedStates, sendableStates, spentStates, unsentStates } from '../journal/states.js';
import { operations } from '../spec/index.js';
import { isDecimal, toUnits, unitsOf } from '../wire/amount.js';
import { noSuchOrder, onOrder } from './settle.js';
import { describe, equalPayment, idUsed, nameOf, orderBusy, rowOfBatch, sentElsewhere, stateClause } from './words.js';

/**
 * What to do with a request that the user wants: `send` it, perhaps as a further attempt of an earlier one; only `ask`
 * the gateway for the outcome of that; or `show` the outcome that is recorded.
 */
export type Decision =
  | SendDecision
  | { readonly do: 'ask'; readonly earlier: Request }
  | { readonly do: 'show'; readonly earlier: Request };

export interface SendDecision {
  readonly do: 'send';
  readonly earlier: Request | undefined;
  readonly attemptsOnOrder?: number | undefined;
  /** Its outcome is unknown, and people agreed that it is sent once more. */
  readonly isResend?: true | undefined;
}

export interface Wishes {
  /** The user asked (--again) to send an equal follow-up once more, or a payment equal to another. */
  readonly again: boolean;
  /**
   * An equal payment that is in doubt or pending, or was approved since then (milliseconds since 1970), is a repeat;
   * undefined where no money moves.
   */
  readonly equalSince: number | undefined;
  readonly now: number;
}

/**
 * Decides whether a request may be sent, by what is recorded of equal ones and of its order: money must not move twice.
 * What it allows is checked again in the transaction in which the request begins. Throws ORDER_ID_USED, REQUEST_BUSY
 * (another process is sending it), ORDER_BUSY (an earlier request on its order is in doubt), SAME_CONTENT_OPEN or
 * SAME_CONTENT_SENT (see `equalPayment` and `sentElsewhere`), and CONFIRMATION_NEEDED (a batch will send it).
 */
export async function decide(journal: Journal, wanted: NewRequest, wishes: Wishes): Promise<Decision> {
  await journal.markGone();
  if (wanted.kind === 'payment') return decidePayment(journal, wanted, wishes);
  if (wanted.kind === 'other') return decideOther(journal, wanted, wishes);
  return refusingEqual(await decideFollowUp(journal, wanted, wishes.again), journal, wanted, wishes);
}

/** A client order id stands for one payment of a merchant. */
async function decidePayment(journal: Journal, wanted: NewRequest, wishes: Wishes): Promise<Decision> {
  const earlier = await paymentUnder(journal, wanted);
  if (earlier === undefined) return refusingEqual({ do: 'send', earlier }, journal, wanted, wishes);
  const { state, endpoint } = earlier;
  if (earlier.batch !== undefined && unsentStates.includes(state)) throw rowOfBatch(earlier);
  if (endpoint !== wanted.endpoint && spentStates.includes(state)) throw sentElsewhere(earlier);
  if (!isEqual(earlier, wanted) && !sendableStates.includes(state)) throw idUsed(earlier);
  if (await isResendApproved(journal, earlier, wishes.now)) return { do: 'send', earlier, isResend: true };
  return refusingEqual(decideRepeat(earlier), journal, wanted, wishes);
}

async function paymentUnder(
  journal: Journal,
  { base, login, clientOrderId }: NewRequest,
): Promise<Request | undefined> {
  if (clientOrderId === undefined) return undefined;
  const filter = { base, login, clientOrderIds: [clientOrderId], kinds: ['payment'] } as const;
  return (await onOrder(journal, filter)).findLast(({ state }) => state !== 'cancelled');
}

/** Whether it is the same request, whatever its ids. */
export function isEqual(earlier: Request, wanted: NewRequest): boolean {
  return earlier.operation === wanted.operation && earlier.content === wanted.content;
}

/** What to do where the journal has this very request. */
function decideRepeat(earlier: Request | undefined): Decision {
  if (earlier === undefined || sendableStates.includes(earlier.state)) return { do: 'send', earlier };
  if (earlier.state === 'sending') throw fail('REQUEST_BUSY', { what: describe(earlier) });
  return { do: earlier.state === 'unknown' || earlier.state === 'accepted' ? 'ask' : 'show', earlier };
}

/** The payment that this one would repeat under another client order id; undefined where nothing stands against it. */
export async function equalTo(journal: Journal, wanted: NewRequest, since: number): Promise<Request | undefined> {
  if (wanted.payment === undefined ? wanted.kind !== 'payment' : !leadsToPayment(wanted)) return undefined;
  const [found = []] = await journal.findEqual([wanted], since);
  return found[0];
}

/** The same decision, unless it sends what an equal payment stands against. The second step of a payout is one, too. */
async function refusingEqual(
  decision: Decision,
  journal: Journal,
  wanted: NewRequest,
  { again, equalSince }: Wishes,
): Promise<Decision> {
  const isFree = decision.do !== 'send' || again || equalSince === undefined;
  const equal = isFree ? undefined : await equalTo(journal, wanted, equalSince);
  if (equal !== undefined) throw equalPayment(equal);
  return decision;
}

const payouts: ReadonlySet<string> = new Set(
  operations.filter((row) => row.destination !== undefined || row.moves === 'pays out').map(({ id }) => id),
);

/** Whether it moves money itself, or registers a payout that a second step only confirms. */
export function leadsToPayment({ effect, operation }: Pick<NewRequest, 'effect' | 'operation'>): boolean {
  return effect === 'money' || payouts.has(operation);
}

/**
 * Of a return, capture or void: one at a time on an order. An equal one is asked for or shown, and only --again sends a
 * second one, after the first was answered.
 */
export async function decideFollowUp(journal: Journal, wanted: NewRequest, again: boolean): Promise<Decision> {
  const { base, orderId = '' } = wanted;
  const all = await onOrder(journal, { base, orderIds: [orderId] });
  const followUps = all.filter(({ kind, state }) => kind === 'follow-up' && state !== 'cancelled');
  const equal = followUps.filter((each) => isEqual(each, wanted) || tookAll(each, wanted));
  // One that was refused, or not sent, does not undo an equal one before it that was made.
  const earlier = equal.findLast(({ state }) => reachedStates.includes(state)) ?? equal.at(-1);
  // The equal one itself may be in doubt: it is asked for below, unless a second one is to be sent.
  const busy =
    wanted.effect === 'money' ? followUps.find((each) => each.effect === 'money' && isInDoubt(each)) : undefined;
  if (busy !== undefined && (busy.id !== earlier?.id || again)) throw orderBusy(busy);
  const isAnswered = earlier !== undefined && ['accepted', 'done', 'declined'].includes(earlier.state);
  const decision = decideRepeat(isAnswered && again ? undefined : earlier);
  if (decision.do !== 'send') return decision;
  const payment = all.find(({ kind }) => kind === 'payment') ?? (await paymentUnder(journal, wanted));
  if (payment !== undefined && isInDoubt(payment) && (payment.orderId ?? orderId) === orderId) throw orderBusy(payment);
  return { ...decision, attemptsOnOrder: countAttempts(all, decision.earlier?.id) };
}

/** Whether a request for all that was left is done and took exactly the wanted amount. */
function tookAll({ operation, state, sum, outcome }: Request, wanted: NewRequest): boolean {
  const taken = outcome['amount'] ?? '';
  if (operation !== wanted.operation || state !== 'done' || sum !== undefined || !isDecimal(taken)) return false;
  return wanted.sum !== undefined && unitsOf(taken) === toUnits(wanted.sum);
}

function isInDoubt({ state }: Request): boolean {
  return inDoubtStates.includes(state);
}

/**
 * Of a path that is not described, which may be a payment: one that was sent for the same order is shown, and sent again
 * only on request; while an equal one is in doubt, none is sent.
 */
async function decideOther(journal: Journal, wanted: NewRequest, { again }: Wishes): Promise<Decision> {
  const [equal = []] = await journal.findEqual([wanted], 0);
  const busy = equal.find(isInDoubt);
  if (busy !== undefined) throw orderBusy(busy);
  const [sent] = equal;
  return sent === undefined || again ? { do: 'send', earlier: undefined } : { do: 'show', earlier: sent };
}

const minAnswers = 3;
const minSpanMs = 60 * 60_000;

/**
 * Whether a request may be sent once more: the gateway must have answered at least three times since it was sent, over
 * at least an hour, that it has no such order, and never that it has. Throws RESEND_REFUSED.
 */
export async function checkResend(journal: Journal, request: Request): Promise<void> {
  const order = nameOf(request);
  const refuse = (why: string) => fail('RESEND_REFUSED', { order, why });
  if (request.kind !== 'payment')
    throw refuse('only a request that makes an order can be sent again, under its own id');
  if (request.state !== 'unknown')
    throw refuse(`it ${stateClause(request.state)}, and only a request whose outcome is unknown may be sent again`);
  const events = await journal.events({ request: request.id });
  if (events.some(({ to }) => to === 'accepted'))
    throw refuse('the gateway accepted it before; ask gateway support for its outcome');
  const sinceSent = events.slice(events.findLastIndex(({ to }) => to === 'sending') + 1);
  const answers = sinceSent.filter(({ reason }) => reason === noSuchOrder);
  // By the clock of the gateway, unless it tells none: that of this machine may have jumped.
  const dated = answers.filter(({ facts }) => facts['gatewayAt'] !== undefined);
  const times = dated.length === 0 ? answers.map(({ at }) => at) : dated.map(({ facts }) => Number(facts['gatewayAt']));
  const span = answers.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
  if (answers.length < minAnswers || span < minSpanMs)
    throw refuse(
      `the gateway must answer at least ${minAnswers} times over ${minSpanMs / 60_000} minutes that it has no such order; replies so far: ${answers.length}, over ${Math.floor(span / 60_000)} minutes`,
    );
}

export const approvalMs = 15 * 60_000;
/** What is recorded of an approval. */
export const resendApproved = 'resend-approved';

/** Lets a request be sent once more on the conditions of `checkResend`, as `asked` for. Throws RESEND_REFUSED. */
export async function approveResend(journal: Journal, request: Request, asked: string, now: number): Promise<void> {
  await checkResend(journal, request);
  await journal.record({ request: request.id }, resendApproved, { asked, until: now + approvalMs });
}

/** True for an approval that has not expired and was not used; the attempt it allows uses it up. */
export async function isResendApproved(journal: Journal, { id, state }: Request, now: number): Promise<boolean> {
  if (state !== 'unknown') return false;
  const events = await journal.events({ request: id });
  // Whatever moved it since then is news that the approval did not know.
  const since = events.slice(events.findLastIndex(({ from, to }) => from !== to) + 1);
  return since.some(({ reason, facts }) => reason === resendApproved && Number(facts['until']) > now);
}

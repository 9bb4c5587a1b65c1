import { fail, type PaycliError } from '../../../errors/index.js';
import {
  type Intent,
  leftInJournal,
  movesSameAmount,
  reachedStates,
  unresolvedStates,
} from '../../../journal/index.js';
import type { Unsigned } from '../../../signing/index.js';
import { captureOperation, returnOperation, voidOperation } from '../../../spec/index.js';
import { isRuledOut } from '../../../spec/lifecycle.js';
import { decimalText, difference, isZero } from '../../../wire/amount.js';
import { mayPrompt } from '../../command.js';
import { type Amounts, orderByStatus, remainderOf, whyNotPossible } from '../../core/order-amounts.js';
import { inDoubtOf } from '../../core/order-facts.js';
import { orderInJournal } from '../../core/order-offline.js';
import { type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { byOneId, type Fields, orderCommand } from '../../format/meaning.js';
import { isUnanswered, statusInJournal, type Tools } from '../../gateway.js';
import { confirmAgain } from '../../plan-payment.js';
import type { Session } from '../../session.js';

type CheckedId = typeof captureOperation.id | typeof returnOperation.id | typeof voidOperation.id;

function isChecked(id: string): id is CheckedId {
  return id === voidOperation.id || hasAmount(id);
}

function hasAmount(id: string): id is Exclude<CheckedId, typeof voidOperation.id> {
  return id === captureOperation.id || id === returnOperation.id;
}

/**
 * What the journal is sure that the order does not allow, such as a return of more than remains or a void of a payment
 * that is not approved, is held against a status reply first, as the journal may be out of date: throws CHECK_FAILED
 * where that shows the same. Without a reply it is sent, and the gateway decides; so it does about what rests on an
 * assumption.
 */
export async function assertPossible(unsigned: Unsigned, tools: Tools): Promise<void> {
  const { row, values } = unsigned;
  const { session, options } = tools;
  if (!isChecked(row.id) || !session.canAskStatus) return;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder(ids, row.command, tools);
  // An equal one that was sent is queried or shown, and nothing is sent beside one in doubt.
  if (inDoubtOf(requests) !== undefined || (options.again !== true && wasSent(unsigned, requests))) return;
  if (!isBeyondLeft(unsigned, requests) && !isRuledOutInJournal(row.id, ids, requests, session)) return;
  const reason = await whyByStatus(row.id, unsigned, ids, tools);
  if (reason === undefined) return;
  const shown = orderCommand('order', byOneId({ ...ids, flags: session.flags }));
  throw followUpNotPossible(row.command, reason, shown);
}

/**
 * Brings the journal up to date where a follow-up of the order is pending in it: its outcome decides what is left. The
 * gateway may not answer; then the journal stays as it is. Before a return it is asked in any case: one that this
 * journal does not know may be the one that is to be made now. Throws CONFIRMATION_NEEDED or CANCELLED then.
 */
export async function refreshPending(unsigned: Unsigned, tools: Tools): Promise<void> {
  const { row, values } = unsigned;
  const { session, options } = tools;
  if (!session.canAskStatus) return;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder(ids, row.command, tools);
  const isPending = requests.some(({ kind, state }) => kind === 'follow-up' && state === 'accepted');
  const isAsked = row.moves === 'returns' && session.askFirst === 'on' && options.again !== true;
  // One that was sent before is queried by itself.
  if (!(isPending || isAsked) || (options.again !== true && wasSent(unsigned, requests))) return;
  let fields: Fields;
  try {
    fields = await statusInJournal(ids, unsigned.endpointId, tools);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    if (isAsked && error.code !== 'REFUSED')
      throw fail('NOT_SENT', { why: `what was returned of the order already is not known: ${error.message}` });
    return;
  }
  if (isAsked) await confirmBesideOther(fields, ids, row.command, tools);
}

async function confirmBesideOther(fields: Fields, ids: OrderIds, command: string, tools: Tools): Promise<void> {
  const { options, runtime, session } = tools;
  const { amounts } = await orderByStatus(fields, ids, await requestsOnOrder(ids, command, tools), tools);
  if (amounts?.returnedElsewhere == null || isZero(amounts.returnedElsewhere)) return;
  const returned = `${amounts.returnedElsewhere} ${amounts.currency ?? ''}`.trim();
  const shown = orderCommand('order', byOneId({ ...ids, flags: session.flags }));
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `${returned} of this order was returned from elsewhere: this may be the same return`,
      how: `nothing was sent; \`${shown}\` shows it; --again sends this return as well`,
    });
  const question = `${returned} of this order was returned from elsewhere. Return more?`;
  await confirmAgain(question, `\`${shown}\` shows what was returned`, tools);
}

function wasSent({ row, minor, digits, values }: Unsigned, requests: readonly Intent[]): boolean {
  const sum = minor === undefined ? undefined : { minor, digits, currency: values['currency'] ?? '' };
  const equal = requests.filter((each) => each.operation === row.id && movesSameAmount(each, sum));
  // After a refusal the same request is a new attempt.
  return reachedStates.includes(equal.at(-1)?.state ?? 'refused');
}

/** More than the journal knows to be left of an order that was paid. */
function isBeyondLeft({ row, minor }: Unsigned, requests: readonly Intent[]): boolean {
  const isOpen = requests.some(({ state }) => unresolvedStates.includes(state));
  const isPaid = requests.some(({ kind, state }) => kind === 'opening' && state === 'done');
  if (minor === undefined || isOpen || !isPaid || !hasAmount(row.id)) return false;
  const left = leftInJournal(row.id, requests);
  return left !== undefined && BigInt(minor) > BigInt(left.minor);
}

/** Whether the journal is sure that the state of the order does not allow it. */
function isRuledOutInJournal(id: CheckedId, ids: OrderIds, requests: readonly Intent[], { assume }: Session): boolean {
  const found = orderInJournal({ order: undefined, ...ids }, requests, assume);
  return found !== undefined && isRuledOut(id, found.known.facts);
}

/** Why not, by a new status reply together with the journal; undefined where it is possible or not known. */
async function whyByStatus(
  id: CheckedId,
  unsigned: Unsigned,
  ids: OrderIds,
  tools: Tools,
): Promise<string | undefined> {
  const { row, values, minor, digits } = unsigned;
  const { session } = tools;
  try {
    const fields = await statusInJournal(ids, unsigned.endpointId, tools);
    const requests = await requestsOnOrder(ids, row.command, tools);
    const { facts, amounts } = await orderByStatus(fields, ids, requests, tools);
    if (isRuledOut(id, facts)) return whyNotPossible(id, facts, amounts, session.assume);
    if (!hasAmount(id)) return undefined;
    const left = amounts === undefined ? undefined : remainderOf(id === captureOperation.id, amounts);
    const isSame = amounts?.currency === null || amounts?.currency === values['currency'];
    if (left === undefined || minor === undefined || digits === undefined || !isSame || hasOpen(amounts))
      return undefined;
    const asked = decimalText(BigInt(minor), digits);
    return isZero(difference(asked, left)) ? undefined : `${asked} is more than the remaining ${left}`;
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    throw error;
  }
}

/** What is pending may be declined, and is then left. */
function hasOpen(amounts: Amounts | undefined): boolean {
  return [amounts?.pending, amounts?.capturePending, amounts?.voidPending].some(
    (text) => text != null && !isZero(text),
  );
}

/** What is known of the order rules the follow-up out. */
export function followUpNotPossible(operation: string, reason: string, shown: string): PaycliError {
  return fail('CHECK_FAILED', {
    why: `${operation} is not possible now: ${reason}; nothing was sent`,
    how: `\`${shown}\` lists what is available`,
    operation,
  });
}

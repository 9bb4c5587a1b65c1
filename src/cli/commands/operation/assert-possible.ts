import { fail, isPaycliError } from '../../../errors/index.js';
import { type Intent, leftInJournal, reachedStates, unresolvedStates } from '../../../journal/index.js';
import type { Unsigned } from '../../../signing/index.js';
import type { OperationId } from '../../../spec/index.js';
import { decimalText } from '../../../wire/amount.js';
import { difference, isZero } from '../../../wire/decimal-amount.js';
import type { Tools } from '../../core/gateway-context.js';
import { updateJournal } from '../../core/journal-update.js';
import { type Amounts, orderByStatus, remainderOf, whyNotPossible } from '../../core/order-amounts.js';
import { inDoubtOf } from '../../core/order-facts.js';
import { fetchStatus } from '../../core/order-query.js';
import { type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { orderCommand } from '../../format/meaning.js';

type CheckedId = Extract<OperationId, 'CAPTURE' | 'RETURN'>;

function isChecked(id: string): id is CheckedId {
  return id === 'CAPTURE' || id === 'RETURN';
}

/**
 * A capture or return of more than the journal knows to be left is held against a status reply first, as the journal
 * may be out of date: throws CHECK_FAILED where that shows the same. Without a reply it is sent, and the gateway
 * decides.
 */
export async function assertPossible(unsigned: Unsigned, tools: Tools): Promise<void> {
  const { row, values } = unsigned;
  const { session, options } = tools;
  if (!isChecked(row.id) || !session.canAskStatus) return;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder(ids, row.command, tools);
  // An equal one that was sent is queried or shown, and nothing is sent beside one in doubt.
  if (inDoubtOf(requests) !== undefined || (options.again !== true && wasSent(unsigned, requests))) return;
  if (!isSuspect(unsigned, requests)) return;
  const reason = await whyByStatus(unsigned, ids, tools);
  if (reason === undefined) return;
  const shown = orderCommand('order', { ...ids, flags: session.flags });
  throw fail('followUpNotPossible', { operation: row.command, reason, shown });
}

function wasSent({ row, minor }: Unsigned, requests: readonly Intent[]): boolean {
  return requests.some(
    ({ operation, state, sum }) => operation === row.id && reachedStates.includes(state) && sum?.minor === minor,
  );
}

/** What rests on an assumption is for the gateway to decide. */
function isCertain(why: string | undefined): boolean {
  return why !== undefined && !/\(A\d\d\)/.test(why);
}

/** Whether the journal alone would say no: more than it knows to be left of an order that was paid. */
function isSuspect({ row, minor }: Unsigned, requests: readonly Intent[]): boolean {
  const isOpen = requests.some(({ state }) => unresolvedStates.includes(state));
  const isPaid = requests.some(({ kind, state }) => kind === 'opening' && state === 'done');
  if (minor === undefined || isOpen || !isPaid || !isChecked(row.id)) return false;
  const left = leftInJournal(row.id, requests);
  return left !== undefined && BigInt(minor) > BigInt(left.minor);
}

/** Why not, by a new status reply together with the journal; undefined where it is possible or not known. */
async function whyByStatus(unsigned: Unsigned, ids: OrderIds, tools: Tools): Promise<string | undefined> {
  const { row, values, minor, digits } = unsigned;
  const { session, runtime } = tools;
  try {
    const fields = await fetchStatus(ids, session, runtime);
    await updateJournal(tools, fields, unsigned.endpointId);
    const requests = await requestsOnOrder(ids, row.command, tools);
    const { facts, amounts } = await orderByStatus(fields, ids, requests, tools);
    const why = whyNotPossible(row.id as CheckedId, facts, amounts, session.assume);
    if (isCertain(why)) return why;
    const left = amounts === undefined ? undefined : remainderOf(row.id === 'CAPTURE', amounts);
    const isSame = amounts?.currency === null || amounts?.currency === values['currency'];
    if (left === undefined || minor === undefined || digits === undefined || !isSame || hasOpen(amounts))
      return undefined;
    const asked = decimalText(BigInt(minor), digits);
    const verb = row.id === 'RETURN' ? 'return' : 'capture';
    return isZero(difference(asked, left)) ? undefined : `${asked} is more than the ${left} left to ${verb}`;
  } catch (error) {
    if (isPaycliError(error) && error.code !== 'STORAGE') return undefined;
    throw error;
  }
}

/** What is pending may be declined, and is then left. */
function hasOpen(amounts: Amounts | undefined): boolean {
  return [amounts?.pending, amounts?.capturePending, amounts?.voidPending].some(
    (text) => text != null && !isZero(text),
  );
}

import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import { type Intent, leftInJournal, pendingBeside, sumText, wasSettledManually } from '../../../journal/index.js';
import type { Operation } from '../../../spec/index.js';
import { legality } from '../../../spec/lifecycle.js';
import { isZero } from '../../core/decimal-amounts.js';
import type { Tools } from '../../core/gateway-context.js';
import { inJournal, requestsOn } from '../../core/known-order.js';
import { leftText, type WholeAmount } from '../../core/live/statement.js';
import { amountsOf, remainderOf } from '../../core/order-amounts.js';
import { fetchStatus, knownOrder, type OrderIds } from '../../core/order-query.js';
import { mayPrompt } from '../../core/resolve-fields.js';
import { orderCommand } from '../../format/meaning.js';

type Values = Readonly<Record<string, string>>;

/**
 * A return or capture without an amount takes everything that is left. On a terminal this shows how much and asks; a
 * script must give --all. The request still has no amount. On live the question is merged with the one for the merchant
 * login, so it is returned instead. Throws USAGE, or CANCELLED where the answer is no.
 */
export async function confirmWholeAmount(
  row: Operation,
  values: Values,
  tools: Tools,
): Promise<WholeAmount | undefined> {
  const { options, runtime } = tools;
  if (row.withoutAmount !== 'whole order' || !('amount' in row.fields)) return undefined;
  const { command } = row;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const hasAmount = values['amount'] !== undefined;
  if (hasAmount && options.all === true) throw fail('amountBesideAll', { command });
  await considerPending(row, ids, hasAmount, tools);
  if (hasAmount) return undefined;
  if (row.id === 'RETURN') await assertGatewayKnowsReturns(row, ids, tools);
  if (options.all === true) return undefined;
  if (!mayPrompt(options, runtime)) throw await amountOrAll(row, ids, tools);
  const left = await remainder(row, ids, tools);
  const shown = orderCommand('order', { ...ids, flags: tools.session.flags });
  if (typeof left === 'object' && 'why' in left) throw fail('nothingToMove', { why: left.why, shown, command });
  if (left === 'released') throw fail('restAlreadyReleased', { shown, command });
  if (left !== undefined && isZero(left.amount)) {
    throw fail('nothingLeft', { does: row.id === 'RETURN' ? 'return' : 'capture', shown, command });
  }
  const confirm = () => ask(row, ids, left, tools);
  if (tools.session.class === 'live' && options.confirmLogin === undefined) return { left, confirm };
  await confirm();
  return undefined;
}

/**
 * Notes what is pending on the order beside this request. One without an amount is refused before anybody is asked
 * about it, unless it repeats the pending one.
 */
async function considerPending(
  { id, command }: Operation,
  ids: OrderIds,
  hasAmount: boolean,
  { session, report, runtime }: Tools,
): Promise<void> {
  const requests = await requestsFor(ids, command, session, runtime);
  const beside = pendingBeside(id, requests);
  if (beside === undefined) return;
  const { pending, verb, left } = beside;
  const isRepeat = requests.some(({ operation, state, sum }) => operation === id && state === 'accepted' && !sum);
  const facts = { order: ids.orderId, pending, verb, left: left && sumText(left), flags: session.flags };
  if (!hasAmount && !isRepeat) throw fail('AMOUNT_PENDING', facts);
  const rest = left === undefined ? '' : `; ${sumText(left)} is left to ${verb}`;
  report.notes([`a ${verb} of this order is still pending (${pending})${rest}`]);
}

async function requestsFor(
  { orderId, clientOrderId }: OrderIds,
  command: string,
  session: Tools['session'],
  runtime: Tools['runtime'],
): Promise<readonly Intent[]> {
  const named = { order: orderId, clientOrderId };
  return inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command));
}

/** The error of a script that names neither an amount nor --all, with what is left as far as the journal knows it. */
async function amountOrAll(
  { id, command }: Operation,
  ids: OrderIds,
  { session, runtime }: Tools,
): Promise<PaycliError> {
  const isReturn = id === 'RETURN';
  const requests = await requestsFor(ids, command, session, runtime);
  const left = leftInJournal(isReturn ? 'RETURN' : 'CAPTURE', requests);
  // The rest of a hold of which a part was captured may be released (A34).
  const isCaptured = requests.some(({ operation }) => operation === 'CAPTURE');
  const isKnown = left !== undefined && left.minor !== '0' && (isReturn || !isCaptured);
  return fail('amountOrAll', {
    ...{ command, does: isReturn ? 'returns' : 'captures' },
    left: isKnown ? sumText(left) : undefined,
  });
}

/** The gateway says what is left, so it has to know of every return: throws USAGE after one that a person settled. */
async function assertGatewayKnowsReturns(
  { command }: Operation,
  ids: OrderIds,
  { session, runtime }: Tools,
): Promise<void> {
  const requests = await requestsFor(ids, command, session, runtime);
  const settled = requests.find(
    ({ operation, state, reason }) => operation === 'RETURN' && state === 'done' && wasSettledManually(reason),
  );
  if (settled !== undefined) throw fail('wholeAmountAfterManual', { command, entry: settled.id });
}

async function ask(
  row: Operation,
  ids: OrderIds,
  left: WholeAmount['left'],
  { options, runtime, session }: Tools,
): Promise<void> {
  const prompter = await runtime.prompter(options.color);
  const answer = await prompter.ask({
    name: 'all',
    message: `${session.class === 'live' ? 'LIVE money: ' : ''}${questionText(row, ids, left)}?`,
    choices: ['no', 'yes'],
    initial: 'no',
  });
  if (answer !== 'yes') throw fail('wholeAmountDeclined', { command: row.command });
}

function questionText(row: Operation, { orderId, clientOrderId }: OrderIds, left: WholeAmount['left']): string {
  const order = `order ${orderId ?? clientOrderId ?? ''}`;
  const verb = row.id === 'RETURN' ? 'Return' : 'Capture';
  return left === undefined
    ? `${verb} whatever is left of ${order} (the amount is not known here)`
    : `${verb} ${leftText(left)}, the remaining amount of ${order}`;
}

/**
 * The remaining amount; why the order is not ready for it; `released` where part of a hold was captured and the rest
 * cannot be (A34); undefined where neither status nor the journal knows it.
 */
async function remainder(
  row: Operation,
  ids: OrderIds,
  { session, runtime }: Tools,
): Promise<WholeAmount['left'] | 'released' | { readonly why: string }> {
  if (!session.canAskStatus) return undefined;
  try {
    const fields = await fetchStatus(ids, session, runtime);
    const requests = await requestsFor(ids, row.command, session, runtime);
    const { facts } = await knownOrder(fields, ids, requests, { session, runtime });
    const amounts = amountsOf(fields, facts, requests, session.assume);
    const isReleased = facts.captured === 'part' && session.assume['captures-per-hold'] === 'one';
    if (row.id === 'CAPTURE' && facts.opened === 'preauth' && isReleased) return 'released';
    const why =
      facts.status === 'approved'
        ? undefined
        : legality(row.id === 'CAPTURE' ? 'CAPTURE' : 'RETURN', facts, session.assume);
    if (why !== undefined) return { why };
    const left = amounts === undefined ? undefined : remainderOf(row.id === 'CAPTURE', amounts);
    return left === undefined ? undefined : { amount: left, currency: amounts?.currency ?? null };
  } catch (error) {
    // The amount need not be known to return all of it.
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

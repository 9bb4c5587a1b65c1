import { fail, ifKnown, isPaycliError, type PaycliError } from '../../../errors/index.js';
import {
  amountText,
  type Intent,
  leftInJournal,
  pendingBeside,
  reachedStates,
  type Sum,
  sumText,
  unresolvedStates,
  wasSettledManually,
} from '../../../journal/index.js';
import { captureOperation, movesOf, type Operation, returnOperation } from '../../../spec/index.js';
import { transactionKindIn } from '../../../spec/transaction-words.js';
import { digitsOf, isZero, readAmount } from '../../../wire/amount.js';
import { mayPrompt, saysYes } from '../../command.js';
import { leftText, type WholeAmount } from '../../core/live/confirmation-text.js';
import { amountsOf, orderByStatus, remainderOf, whyNotPossible } from '../../core/order-amounts.js';
import { inDoubtOf, isOpeningGuessed } from '../../core/order-facts.js';
import { orderInJournal } from '../../core/order-offline.js';
import { fetchStatus } from '../../core/order-query.js';
import { type OrderIds, requestsOnOrder } from '../../core/order-requests.js';
import { byOneId, type Fields, orderCommand } from '../../format/meaning.js';
import type { Tools } from '../../gateway.js';
import type { Session } from '../../session.js';
import { followUpNotPossible } from './assert-possible.js';

type Values = Readonly<Record<string, string>>;

/**
 * A return or capture without an amount takes everything that is left: how much that is, where it is known. On a
 * terminal this shows it and asks; a script must give --all. The request still has no amount. On live the question is
 * merged with the one for the merchant login, so it is left to the caller. Throws USAGE, CHECK_FAILED where the order
 * does not allow it, or CANCELLED where the answer is no or the amount changed before it.
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
  if (hasAmount && options.all === true)
    throw fail('USAGE', { why: '--all and an amount cannot be combined; give one of them', command });
  await considerPending(row, ids, hasAmount, tools);
  if (hasAmount) return undefined;
  if (movesOf(row.id) === 'returns') await assertGatewayKnowsReturns(row, ids, tools);
  if (options.all === true) return wholeInScript(row, ids, tools);
  if (!mayPrompt(options, runtime)) throw await amountOrAll(row, ids, tools);
  const { left, ofOrder } = await remainder(row, ids, tools);
  const whole = { left: undefined, from: 'status', ofOrder } as const;
  assertCanMove(row, ids, left, tools.session);
  // The question for the merchant login names it too.
  if (tools.session.class !== 'live' || options.confirmLogin !== undefined) {
    await ask(row, ids, left, tools);
    await assertUnchanged(row, ids, left, tools);
  }
  return { ...whole, left };
}

/** Throws CHECK_FAILED where nothing can be moved. */
function assertCanMove(
  { command }: Operation,
  ids: OrderIds,
  left: Remainder['left'],
  { flags }: Session,
): asserts left is WholeAmount['left'] {
  if (left === undefined || !('why' in left)) return;
  const shown = orderCommand('order', byOneId({ ...ids, flags }));
  throw followUpNotPossible(command, left.why, shown);
}

/**
 * What --all takes, to be said before it is sent: according to the journal, or to status where that does not know the
 * order. Undefined where nothing is sent: for a request that was sent before, and beside one in doubt.
 */
async function wholeInScript(row: Operation, ids: OrderIds, tools: Tools): Promise<WholeAmount | undefined> {
  const { options, session, runtime } = tools;
  const requests = await requestsOnOrder(ids, row.command, { session, runtime });
  const isRepeat = requests.some(
    ({ operation, state, sum }) => operation === row.id && sum === undefined && reachedStates.includes(state),
  );
  const isBusy = inDoubtOf(requests) !== undefined;
  if (isBusy || (isRepeat && options.again !== true)) return undefined;
  if (requests.some(({ kind }) => kind === 'opening')) {
    const sum = leftKnown(row, requests);
    const left = sum === undefined ? undefined : { amount: amountText(sum), currency: sum.currency, isMost: true };
    const isCaptured = movesOf(row.id) === 'captures' && requests.some(isCaptureThere);
    const note = isCaptured ? partlyCapturedText(ids) : noteText(row, ids, left, 'the journal');
    return { left, from: 'journal', note };
  }
  // Without a confirmation it is refused.
  if (session.class === 'live' && options.confirmLogin === undefined && !mayPrompt(options, runtime)) return undefined;
  const { left, ofOrder } = await remainder(row, ids, tools);
  assertCanMove(row, ids, left, session);
  return { left, from: 'status', ofOrder, note: noteText(row, ids, left, 'the gateway') };
}

/** What a request without an amount would take, by the journal alone; undefined for one that names an amount. */
export async function wholeAmountNote(
  row: Operation,
  values: Values,
  { session, runtime }: Pick<Tools, 'session' | 'runtime'>,
): Promise<string | undefined> {
  if (!('amount' in row.fields) || values['amount'] !== undefined) return undefined;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder(ids, row.command, { session, runtime });
  const isOpen = requests.some(({ state }) => unresolvedStates.includes(state));
  const left = isOpen ? undefined : leftKnown(row, requests);
  const how = left === undefined ? 'the amount is not known here; a status query shows it' : `at most ${sumText(left)}`;
  const from = left === undefined ? '' : ' according to the journal';
  return `without an amount, this request is for the full remaining amount: ${how}${from}`;
}

function noteText(
  { command }: Operation,
  ids: OrderIds,
  left: WholeAmount['left'],
  who: 'the journal' | 'the gateway',
): string {
  const order = `order ${ids.orderId ?? ids.clientOrderId ?? ''}`;
  return left === undefined
    ? `${command} of the full remaining amount of ${order}; the amount is not known here`
    : `${command} of ${leftText(left)}: the full remaining amount of ${order} according to ${who}`;
}

function isCaptureThere({ operation, state }: Intent): boolean {
  return movesOf(operation) === 'captures' && reachedStates.includes(state) && state !== 'declined';
}

function partlyCapturedText({ orderId, clientOrderId }: OrderIds): string {
  return `capture of what remains of order ${orderId ?? clientOrderId ?? ''}: a part was captured before, so the rest may already have been released (A34)`;
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
  const requests = await requestsOnOrder(ids, command, { session, runtime });
  const beside = pendingBeside(id, requests);
  if (beside === undefined) return;
  const { pending, verb, left } = beside;
  const isRepeat = requests.some(({ operation, state, sum }) => operation === id && state === 'accepted' && !sum);
  const facts = { order: ids.orderId, pending, verb, left: left && sumText(left), flags: session.flags };
  if (!hasAmount && !isRepeat) throw fail('AMOUNT_PENDING', facts);
  const rest = left === undefined ? '' : `; ${sumText(left)} remains`;
  report.notes([`a ${verb} of this order is still pending (${pending})${rest}`]);
}

/**
 * The error of a script that names neither an amount nor --all: why nothing can be moved, where the journal is sure of
 * it, else with what is left as far as the journal knows it.
 */
async function amountOrAll(row: Operation, ids: OrderIds, { session, runtime }: Tools): Promise<PaycliError> {
  const { command } = row;
  const requests = await requestsOnOrder(ids, command, { session, runtime });
  const order = byOneId({ ...ids, flags: session.flags });
  // Commands that are harmless when pasted, unlike --all.
  const shown = orderCommand('order', order);
  const reason = whyImpossible(row, ids, requests, session);
  if (reason !== undefined) return followUpNotPossible(command, reason, shown);
  const left = leftKnown(row, requests);
  return fail('AMOUNT_MISSING', {
    why: `no amount is given: give --amount for a part, or --all, which ${movesOf(row.id) === 'returns' ? 'returns' : 'captures'} the full remaining amount${ifKnown(left && sumText(left), (left) => ` (at most ${left} according to the journal)`)}; \`${shown}\` shows the amounts`,
    named: orderCommand(command, order, ['--amount AMOUNT']),
    left: left && sumText(left),
  });
}

/** By the journal, where every request on the order that reached the gateway has its final outcome. */
function whyImpossible(
  { id }: Operation,
  ids: OrderIds,
  requests: readonly Intent[],
  { assume }: Session,
): string | undefined {
  if (requests.some(({ state }) => unresolvedStates.includes(state))) return undefined;
  const found = orderInJournal({ order: undefined, ...ids }, requests, assume);
  if (found === undefined) return undefined;
  const { fields, known } = found;
  const amounts = amountsOf(fields, known.facts, requests, assume);
  return whyNotPossible(
    movesOf(id) === 'captures' ? captureOperation.id : returnOperation.id,
    known.facts,
    amounts,
    assume,
  );
}

/** Undefined where the journal does not know it, or that nothing is left. */
function leftKnown({ id }: Operation, requests: readonly Intent[]): Sum | undefined {
  const isReturn = movesOf(id) === 'returns';
  const left = leftInJournal(id, requests);
  // The rest of a hold of which a part was captured may be released (A34).
  const isCaptured = requests.some(isCaptureThere);
  return left !== undefined && left.minor !== '0' && (isReturn || !isCaptured) ? left : undefined;
}

/** The gateway says what is left, so it has to know of every return: throws USAGE after one that a person settled. */
async function assertGatewayKnowsReturns(
  { command }: Operation,
  ids: OrderIds,
  { session, runtime }: Tools,
): Promise<void> {
  const requests = await requestsOnOrder(ids, command, { session, runtime });
  const settled = requests.find(
    ({ operation, state, reason }) =>
      movesOf(operation) === 'returns' && state === 'done' && wasSettledManually(reason),
  );
  if (settled !== undefined)
    throw fail('USAGE', {
      why: `a return of this order was settled manually (entry ${settled.id}), and the gateway may not count it: give --amount`,
      command,
      entry: settled.id,
    });
}

async function ask(
  row: Operation,
  ids: OrderIds,
  left: WholeAmount['left'],
  { options, runtime, session }: Tools,
): Promise<void> {
  const message = `${session.class === 'live' ? 'LIVE money: ' : ''}${questionText(row, ids, left)}?`;
  if (!(await saysYes('all', message, options, runtime)))
    throw fail('CANCELLED', {
      why: 'nothing was sent',
      how: 'for a part of the amount, run it again with --amount',
      command: row.command,
    });
}

/** The amount as it is after the answer: another terminal or machine may have moved a part of it meanwhile. */
async function assertUnchanged(row: Operation, ids: OrderIds, shown: WholeAmount['left'], tools: Tools): Promise<void> {
  if (shown === undefined) return;
  const { left } = await remainder(row, ids, tools);
  if (left === undefined || ('amount' in left && left.amount === shown.amount)) return;
  const order = orderCommand('order', byOneId({ ...ids, flags: tools.session.flags }));
  throw fail('CANCELLED', {
    why: `the remaining amount was ${leftText(shown)} when you were asked; now ${'why' in left ? left.why : `${leftText(left)} remains`}; nothing was sent`,
    how: `\`${order}\` shows what happened; run it again to be asked about what remains now`,
    command: row.command,
    order,
  });
}

function questionText(row: Operation, { orderId, clientOrderId }: OrderIds, left: WholeAmount['left']): string {
  const [first, ...own] = [orderId, clientOrderId].filter((id) => id !== undefined);
  const order = `order ${first ?? ''}${own.map((id) => ` (client order id ${id})`).join('')}`;
  const verb = movesOf(row.id) === 'returns' ? 'Return' : 'Capture';
  return left === undefined
    ? `${verb} the full remaining amount of ${order} (which is not known here)`
    : `${verb} ${leftText(left)}, the ${left.isMost === true ? 'full ' : ''}remaining amount of ${order}`;
}

interface Remainder {
  /** The remaining amount, or why nothing can be moved; undefined where neither status nor the journal knows it. */
  readonly left: WholeAmount['left'] | { readonly why: string };
  /** The amount of the order, where status shows it. */
  readonly ofOrder?: WholeAmount['ofOrder'];
}

async function remainder(row: Operation, ids: OrderIds, { session, runtime }: Tools): Promise<Remainder> {
  if (!session.canAskStatus) return { left: undefined };
  try {
    const fields = await fetchStatus(ids, session, runtime);
    const requests = await requestsOnOrder(ids, row.command, { session, runtime });
    const { facts, amounts } = await orderByStatus(fields, ids, requests, { session, runtime });
    const ofOrder = amountOfOrder(row, fields, session);
    const isCapture = movesOf(row.id) === 'captures';
    // Beside a pending one the gateway decides.
    const settled = { ...facts, following: 'none' } as const;
    const why = isOpeningGuessed(fields, requests)
      ? undefined
      : whyNotPossible(isCapture ? captureOperation.id : returnOperation.id, settled, amounts, session.assume);
    if (why !== undefined) return { left: { why }, ofOrder };
    const left = amounts === undefined ? undefined : remainderOf(isCapture, amounts);
    const amount = left ?? (isCapture ? undefined : (amounts?.leftAtMost ?? undefined));
    if (amount === undefined) return { left: undefined, ofOrder };
    if (isZero(amount)) return { left: { why: `no remaining amount to ${row.command}` }, ofOrder };
    return { left: { amount, currency: amounts?.currency ?? null, isMost: left === undefined }, ofOrder };
  } catch (error) {
    // The amount need not be known to return all of it.
    if (isPaycliError(error)) return { left: undefined };
    throw error;
  }
}

/** What a status reply says of the whole order; the amount of a later transaction may be a part of it. */
function amountOfOrder(row: Operation, fields: Fields, { assume, endpointFor }: Session): WholeAmount['ofOrder'] {
  const isOpening = ['sale', 'preauth'].includes(transactionKindIn(fields)) && fields.has('transaction-type');
  const text = fields.get('initial-amount') ?? (isOpening ? fields.get('amount') : undefined);
  const currency = fields.get('currency') ?? '';
  const digits = digitsOf(currency, assume['minor-digits'], endpointFor(row, currency));
  const reading = text === undefined || digits === undefined ? undefined : readAmount(text, currency, digits);
  return reading?.ok === true && digits !== undefined ? { minor: reading.minor, digits, currency } : undefined;
}

import { fail, ifKnown } from '../../../errors/index.js';
import type { Request, Sum } from '../../../journal/port.js';
import { markedPaid, reachedStates, spentStates } from '../../../journal/states.js';
import { amountsIn, isMadeElsewhere, unitsOf } from '../../../payments/evidence.js';
import type { Unsigned } from '../../../signing/index.js';
import { movesOf, operations, replyField, statusOf } from '../../../spec/index.js';
import { isRuledOut, legality } from '../../../spec/lifecycle.js';
import { namedKindIn } from '../../../spec/transaction-words.js';
import { toUnits } from '../../../wire/amount.js';
import { mayPrompt, saysYes } from '../../command.js';
import { amountOfOrder, factsInStatus } from '../../core/order-facts.js';
import { inDoubtOf, requestsOnOrder } from '../../core/order-requests.js';
import { type Fields, orderCommand } from '../../format/meaning.js';
import { isUnanswered, statusInJournal, type Tools, updateJournal } from '../../gateway.js';
import { confirmAgain } from '../../plan-payment.js';

interface FollowUp {
  readonly unsigned: Unsigned;
  /** The status of the order, where it was asked for already. */
  readonly status: Fields | undefined;
  /** Fields written by hand get no question about a missing amount. */
  readonly isByHand: boolean;
}

/**
 * Checks a request that moves money of an order before it is sent: that it says how much, that what the gateway says of
 * the order does not rule it out, and that none is made a second time which somebody else made. Gives the amount of
 * the order where the gateway told it. Throws USAGE, AMOUNT_MISSING, NOT_POSSIBLE, CONFIRMATION_NEEDED, CANCELLED, or
 * NOT_SENT where the gateway does not answer before it.
 */
export async function checkFollowUp(followUp: FollowUp, tools: Tools): Promise<Sum | undefined> {
  const { unsigned, isByHand } = followUp;
  const { row } = unsigned;
  const isWhole = isOfWhole(unsigned);
  if (!isByHand) assertSaysHowMuch(unsigned, tools);
  const { orderId, clientOrderId } = idsIn(unsigned);
  // Beside the id of the gateway, a follow-up may have a client order id of its own (A41).
  const named = { order: undefined, orderId, clientOrderId: orderId === undefined ? clientOrderId : undefined };
  const readRequests = () => requestsOnOrder(named, tools.session, tools.runtime);
  const requests = await readRequests();
  // An equal one that was sent is queried or shown, and nothing is sent beside one in doubt.
  if (inDoubtOf(requests) !== undefined || (tools.options.again !== true && wasSent(unsigned, requests)))
    return undefined;
  if (isWhole && row.moves === 'returns') assertGatewayKnowsReturns(unsigned, requests);
  const status = await statusBefore(followUp, requests, tools);
  if (status !== undefined) {
    assertPossible(unsigned, status, tools);
    const confirm = row.moves === 'returns' ? confirmBesideOther : confirmBesideSame;
    // Read again, as the status may have settled some.
    if (asksFirst(unsigned, tools)) await confirm(unsigned, status, await readRequests(), tools);
  }
  if (isWhole && !isByHand && row.moves === 'returns') await confirmWhole(unsigned, tools);
  if (status === undefined || row.withoutAmount !== 'whole order') return undefined;
  return amountOfOrder(status, tools.session, unsigned.endpointId);
}

/** Another machine may have made it, or what is lost of this journal. */
function asksFirst({ row }: Unsigned, { session, options }: Tools): boolean {
  return row.effect === 'money' && row.follows !== undefined && session.askFirst === 'on' && options.again !== true;
}

/** Whether it is for all that is left, by its lack of an amount. */
function isOfWhole({ row, values }: Unsigned): boolean {
  return row.withoutAmount === 'whole order' && 'amount' in row.fields && values['amount'] === undefined;
}

function idsIn({ values }: Unsigned) {
  return { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
}

/** The command that shows the order. */
function orderShown(unsigned: Unsigned, { session: { flags } }: Tools): string {
  return orderCommand('order', { ...idsIn(unsigned), flags });
}

/** A capture without an amount is of the whole hold; a return of everything has to be meant. */
function assertSaysHowMuch(unsigned: Unsigned, { options, session, runtime }: Tools): void {
  const { row, values } = unsigned;
  const { command } = row;
  const hasAmount = values['amount'] !== undefined;
  if (hasAmount && options.all === true)
    throw fail('USAGE', { why: '--all and an amount cannot be combined; give one of them' });
  const isAsked = row.moves === 'returns' && isOfWhole(unsigned) && options.all !== true;
  if (!isAsked || mayPrompt(options, runtime)) return;
  throw fail('AMOUNT_MISSING', {
    why: 'no amount is given: give --amount for a part, or --all, which returns everything that is left',
    named: orderCommand(command, { ...idsIn(unsigned), flags: session.flags }, ['--amount AMOUNT']),
  });
}

function wasSent({ row, minor, digits, values }: Unsigned, requests: readonly Request[]): boolean {
  const { currency = '' } = values;
  const units = minor === undefined || digits === undefined ? undefined : toUnits({ minor, digits, currency });
  const equal = requests.filter(
    (each) => each.operation === row.id && unitsOf(each) === units && (each.sum?.currency ?? currency) === currency,
  );
  // After a refusal the same request is a new attempt; one that was refused later does not undo one that was made.
  return equal.some(({ state }) => reachedStates.includes(state));
}

/** The gateway says what is left, so it has to know of every return. */
function assertGatewayKnowsReturns({ row: { command } }: Unsigned, requests: readonly Request[]): void {
  const marked = requests.find(({ operation, reason }) => movesOf(operation) === 'returns' && reason === markedPaid);
  if (marked !== undefined)
    throw fail('USAGE', {
      why: `a return of this order was marked as paid by hand (entry ${marked.id}), and the gateway may not count it: give --amount`,
      ...{ command, entry: marked.id },
    });
}

/**
 * The status of the order, recorded in the journal: before money moves, and where caps need an amount that nothing else
 * tells.
 */
async function statusBefore(
  { unsigned, status }: FollowUp,
  requests: readonly Request[],
  tools: Tools,
): Promise<Fields | undefined> {
  const { endpointId } = unsigned;
  const { session } = tools;
  if (status !== undefined) {
    await updateJournal(tools, status, endpointId);
    return status;
  }
  const isAsked = asksFirst(unsigned, tools);
  const hasCaps = session.caps.maxAmount.length + session.caps.maxTotalPerDay.length > 0;
  const isNeeded =
    isOfWhole(unsigned) && hasCaps && !requests.some(({ kind, sum }) => kind === 'payment' && sum !== undefined);
  if (!session.canAskStatus || !(isAsked || isNeeded)) return undefined;
  try {
    return await statusInJournal(idsIn(unsigned), endpointId, tools);
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    if (isAsked && error.code !== 'REFUSED')
      throw fail('NOT_SENT', { why: `what was made on the order already is not known: ${error.message}` });
    return undefined;
  }
}

/** What rests on an assumption is for the gateway to decide. */
function assertPossible(unsigned: Unsigned, status: Fields, tools: Tools): void {
  const id = operations.find((row) => row.id === unsigned.row.id)?.id;
  const facts = factsInStatus(status);
  const { assume } = tools.session;
  if (id === undefined || !isRuledOut(id, facts)) return;
  const { command } = unsigned.row;
  throw fail('NOT_POSSIBLE', {
    why: `${command} is not possible now${ifKnown(legality(id, facts, assume), (why) => `: ${why}`)}; nothing was sent`,
    how: `\`${orderShown(unsigned, tools)}\` shows the order`,
    operation: command,
  });
}

/**
 * A total returned there that the returns of this journal do not explain may hold the very return that is to be made:
 * a terminal is asked, a script refused. Every one that may have arrived explains its amount, and one without an amount
 * everything.
 */
async function confirmBesideOther(
  unsigned: Unsigned,
  status: Fields,
  requests: readonly Request[],
  tools: Tools,
): Promise<void> {
  const about = { sum: undefined, endpoint: unsigned.endpointId };
  const { returned } = amountsIn(status, about, tools.session.assume['minor-digits']);
  const written = replyField(status, 'totalReversed');
  const own = requests.filter(({ operation, state }) => {
    return ['returns', 'releases'].includes(movesOf(operation) ?? '') && spentStates.includes(state);
  });
  const explained = own.reduce((total, each) => total + (unitsOf(each) ?? returned ?? 0n), 0n);
  const facts = statusOf(replyField(status, 'status') ?? '');
  const isDeclined = facts?.final === true && !facts.success;
  const namesReturn = !isDeclined && ['cancel', 'reversal'].includes(namedKindIn(status) ?? '');
  // A total that cannot be read explains nothing; neither does its absence where the newest transaction is a return.
  const isExplained =
    returned === undefined ? written === undefined && (!namesReturn || own.length > 0) : returned <= explained;
  if (isExplained) return;
  const shown = written === undefined ? 'a part' : `${written} ${replyField(status, 'currency') ?? ''}`.trim();
  await confirmBeside(unsigned, `${shown} of this order was returned already, not all of it from here`, tools);
}

/** The same of a capture, a void or a payout that was checked, which no total explains. */
async function confirmBesideSame(
  unsigned: Unsigned,
  status: Fields,
  requests: readonly Request[],
  tools: Tools,
): Promise<void> {
  const { row, endpointId: endpoint, minor, digits, values } = unsigned;
  const sum =
    minor === undefined || digits === undefined ? undefined : { minor, digits, currency: values['currency'] ?? '' };
  const wanted = { operation: row.id, endpoint, sum };
  if (!isMadeElsewhere(wanted, status, requests, tools.session.assume['minor-digits'])) return;
  await confirmBeside(unsigned, `the gateway shows a ${row.command} of this order that was not made from here`, tools);
}

/** Asks on a terminal whether another one is sent; a script needs --again. Throws CONFIRMATION_NEEDED or CANCELLED. */
async function confirmBeside(unsigned: Unsigned, what: string, tools: Tools): Promise<void> {
  const shown = `\`${orderShown(unsigned, tools)}\` shows it`;
  if (mayPrompt(tools.options, tools.runtime))
    return confirmAgain(`${what}. Send this ${unsigned.row.command} as well?`, shown, tools);
  throw fail('CONFIRMATION_NEEDED', {
    why: `${what}: this may be the same ${unsigned.row.command}`,
    how: `nothing was sent; ${shown}; --again sends this one as well`,
  });
}

/** On live the question for the merchant login is the same question. */
async function confirmWhole({ values }: Unsigned, { options, runtime, session }: Tools): Promise<void> {
  const isMerged = session.class === 'live' && options.confirmLogin === undefined;
  if (options.all === true || isMerged || !mayPrompt(options, runtime)) return;
  const live = session.class === 'live' ? 'LIVE money: ' : '';
  const what = `all that is left of order ${values['clientOrderId'] ?? values['orderId']}, profile ${session.name}`;
  if (await saysYes('all', `${live}Return ${what}? The gateway has the last word`, options, runtime)) return;
  const how = 'for a part of the amount, run it again with --amount';
  throw fail('CANCELLED', { why: 'nothing was sent', how });
}

import { isPaycliError } from '../../errors/index.js';
import { type Intent, sumText } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import {
  captureOperation,
  movesOf,
  type Operation,
  operations,
  type PayerStep,
  returnOperation,
  voidOperation,
} from '../../spec/index.js';
import type { OrderFacts } from '../../spec/lifecycle.js';
import { isZero } from '../../wire/amount.js';
import { fieldsInForce } from '../../wire/check.js';
import type { CollectedFields } from '../fields/collect.js';
import { commandWith } from '../flags.js';
import type { Session } from '../session.js';
import { askOrderId, askWhichOrder, idOf, maxOffered, maxRead, newestOfEach, offerText } from './ask-order.js';
import { type Amounts, amountsOf, orderByStatus, remainderOf, whyNotPossible } from './order-amounts.js';
import { commandOfKind, inDoubtOf, ordersInSandbox } from './order-facts.js';
import { type JournalOrder, orderInJournal } from './order-offline.js';
import { fetchStatus } from './order-query.js';
import { inJournal } from './order-requests.js';

const verbs: readonly string[] = [captureOperation.id, returnOperation.id, voidOperation.id];

/**
 * Asks on a terminal which order a follow-up is about when none was given: offers the newest orders in the journal that
 * allow it, or takes a typed id. Where none does, the question says so. Where status may be queried and shows that the
 * chosen order does not allow it, such as after a return from another machine, it says so and asks again.
 */
export async function chooseOrder(
  row: Operation,
  collected: CollectedFields,
  mayQuery: boolean,
  session: Session,
  runtime: Runtime,
): Promise<void> {
  const { orderId, clientOrderId } = collected.values;
  const takesOrder = fieldsInForce(row, session.assume).some(([key]) => key === 'orderId');
  if (row.opens || !takesOrder || orderId !== undefined || clientOrderId !== undefined) return;
  const prompter = await runtime.prompter();
  let offered = await offeredOrders(row, session, runtime);
  let before = '';
  while (offered.length > 0) {
    const which = `${before}which order ${verbs.includes(row.id) ? 'to' : 'for'} ${row.command}`;
    const shown = offered.map((each) => ({ intent: each.intent, meaning: describeOrder(each, runtime.clock.now()) }));
    const chosen = await askWhichOrder(which, shown, prompter);
    if (chosen === undefined) break;
    const why = mayQuery ? await whyNotNow(row, chosen, session, runtime) : undefined;
    if (why === undefined) {
      collected.add('clientOrderId', chosen.clientOrderId, 'prompt');
      collected.add('orderId', chosen.orderId, 'prompt');
      return;
    }
    before = `${idOf(chosen)}: ${why}; `;
    offered = offered.filter(({ intent }) => intent !== chosen);
  }
  const list = commandWith('orders', session.flags);
  const none = `no order in the journal allows ${row.command} now (\`${list}\` lists them); `;
  const typed = await askOrderId(offered.length === 0 ? before + none : '', prompter);
  // A typed id may be either id, like the argument.
  collected.add('orderId', typed, 'argument');
}

/**
 * Why an operation is not possible on an order according to its status now. Undefined when it is, and where the gateway
 * does not answer: it decides then. What the built-in sandbox knows was offered already.
 */
async function whyNotNow(
  row: Operation,
  intent: Intent,
  session: Session,
  runtime: Runtime,
): Promise<string | undefined> {
  const known = operations.find(({ id }) => id === row.id);
  if (known === undefined || row.effect === 'read' || session.builtin || !session.canAskStatus) return undefined;
  const { base, orderId, clientOrderId } = intent;
  const ids = { orderId, clientOrderId };
  try {
    const fields = await fetchStatus(ids, session, runtime);
    const requests = await inJournal(runtime, [], (journal) => journal.list({ base, order: orderId }));
    const { facts, amounts } = await orderByStatus(fields, ids, requests, { session, runtime });
    const why = whyNotPossible(known.id, facts, amounts, session.assume);
    return why ?? (isNothing(leftFor(row, amounts)) ? `no remaining amount to ${row.command}` : undefined);
  } catch (error) {
    if (isPaycliError(error)) return undefined;
    throw error;
  }
}

function isNothing(left: string | undefined): boolean {
  return left !== undefined && isZero(left);
}

/** What a return or capture without an amount would move; undefined where that is unknown, and for others. */
function leftFor(row: Operation, amounts: Amounts | undefined): string | undefined {
  const movesWhole = row.withoutAmount === 'whole order' && 'amount' in row.fields;
  return movesWhole && amounts !== undefined ? remainderOf(movesOf(row.id) === 'captures', amounts) : undefined;
}

/** An order of the journal, as far as it is known without a query to the gateway. */
interface Candidate {
  readonly intent: Intent;
  readonly facts: OrderFacts;
  /** For people. */
  readonly status: string;
  readonly amounts: Amounts | undefined;
  /** What a return or capture without an amount would move; undefined where that is unknown. */
  readonly left: string | undefined;
}

/** Amount and what is left of it, status, age and the gateway order id. */
function describeOrder({ intent, facts, status, left, amounts }: Candidate, now: number): string {
  const isPart = left !== undefined && amounts !== undefined && left !== amounts.amount;
  const sum = intent.sum === undefined ? undefined : sumText(intent.sum);
  const money = sum !== undefined && isPart ? `${left} of ${sum} remaining` : sum;
  return offerText(intent, money, `${commandOfKind(facts.opened)} ${status}`, now);
}

/** Newest first; each id once. */
async function offeredOrders(row: Operation, session: Session, runtime: Runtime): Promise<Candidate[]> {
  const all = await candidates(row, session, runtime);
  const known = operations.find(({ id }) => id === row.id);
  const isPossible = ({ facts, amounts, left }: Candidate) =>
    known === undefined || (whyNotPossible(known.id, facts, amounts, session.assume) === undefined && !isNothing(left));
  const allowed = row.effect === 'read' ? all : all.filter(isPossible);
  const newest = new Set(newestOfEach(allowed.map(({ intent }) => intent)));
  return allowed
    .filter(({ intent }) => newest.has(intent))
    .toReversed()
    .slice(0, maxOffered);
}

async function candidates(row: Operation, session: Session, runtime: Runtime): Promise<Candidate[]> {
  const { name, gatewayBase, login, assume } = session;
  const found = await inJournal(runtime, [], (journal) =>
    journal
      .newest({ kind: 'opening', base: gatewayBase, profile: name, states: ['done', 'accepted'] }, maxRead)
      .filter((intent) => intent.login === login && intent.orderId !== undefined)
      .flatMap((intent) => {
        const { base, orderId } = intent;
        const requests = journal.list({ base, order: orderId });
        const order = orderInJournal({ order: orderId, clientOrderId: intent.clientOrderId }, requests, assume);
        return order === undefined ? [] : [{ intent, requests, order, waitsFor: journal.waiting(intent)?.for }];
      }),
  );
  const facts = session.builtin ? await sandboxFacts(found, session, runtime) : found.map((each) => factsOf(each));
  return found.flatMap(({ intent, requests, order }, at) => {
    const own = facts[at];
    if (own === undefined) return [];
    const amounts = amountsOf(order.fields, own, requests, assume);
    const left = leftFor(row, amounts);
    const status = intent.state === 'accepted' && !session.builtin ? 'pending' : own.status;
    return [{ intent, facts: own, status, amounts, left }];
  });
}

interface Found {
  readonly intent: Intent;
  readonly requests: readonly Intent[];
  readonly order: JournalOrder;
  readonly waitsFor: PayerStep | undefined;
}

/**
 * A pending order counts as approved unless it waits for its payer: the journal has no status of it that is final, and
 * it may have been approved since.
 */
function factsOf({ intent, order, waitsFor }: Found): OrderFacts {
  const { facts } = order.known;
  if (intent.state !== 'accepted' || facts.opened === 'payout-check') return facts;
  if (waitsFor !== undefined) return { ...facts, step: waitsFor === 'three-d-secure' ? 'simplified' : waitsFor };
  return { ...facts, status: 'approved', hold: facts.opened === 'preauth' ? 'live' : facts.hold };
}

/** Undefined for an order that a reset removed. */
async function sandboxFacts(
  found: readonly Found[],
  session: Session,
  runtime: Runtime,
): Promise<(OrderFacts | undefined)[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ intent: { orderId, clientOrderId } }) => ({ orderId, clientOrderId }));
  const known = await ordersInSandbox(ids, session, runtime);
  return known.map((order, at) => {
    const isInDoubt = inDoubtOf(found[at]?.requests ?? []) !== undefined;
    return order === undefined || !isInDoubt ? order?.facts : { ...order.facts, following: 'processing' };
  });
}

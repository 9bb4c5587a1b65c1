import { digitsOfSum, type Intent, type Journal, leftToReturn, movedIn, sumText } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, operations } from '../../spec/index.js';
import { legality, type OrderFacts, transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { fieldsInForce } from '../../wire/check-request.js';
import { commandOf } from '../format/journal-entries.js';
import type { CollectedFields } from './field-flags.js';
import { inJournal } from './known-order.js';
import { factsFromStatus } from './order-facts.js';
import type { Session } from './session.js';

const maxOffered = 9;
// Search at most this many of the newest orders for ones that allow the operation.
const maxRead = 200;
const otherOrder = 'another order';

/**
 * Asks on a terminal which order a follow-up is about when none was given: offers the newest orders in the journal that
 * allow it, or takes a typed id.
 */
export async function chooseOrder(
  row: Operation,
  collected: CollectedFields,
  session: Session,
  runtime: Runtime,
): Promise<void> {
  const { orderId, clientOrderId } = collected.values;
  const takesOrder = fieldsInForce(row, session.assume).some(([key]) => key === 'orderId');
  if (row.opens || !takesOrder || orderId !== undefined || clientOrderId !== undefined) return;
  const open = await openOrders(row, session, runtime);
  const prompter = await runtime.prompter();
  const chosen =
    open.length === 0
      ? otherOrder
      : await prompter.ask({
          name: 'order',
          message: `which order to ${row.command}`,
          choices: [...open.map(({ intent }) => idOf(intent)), otherOrder],
          meanings: Object.fromEntries(open.map((each) => [idOf(each.intent), describeOrder(each)])),
        });
  const named = open.find(({ intent }) => idOf(intent) === chosen)?.intent;
  collected.add('clientOrderId', named?.clientOrderId, 'prompt');
  const typed = async () =>
    prompter.ask({
      name: 'order-id',
      message: 'the order: its gateway order id or your client order id',
      check: (text) => (text.trim() === '' ? 'is empty; type the id of the order' : undefined),
    });
  // A typed id may be either id, like the argument.
  if (named === undefined) collected.add('orderId', (await typed()).trim(), 'argument');
  else collected.add('orderId', named.orderId, 'prompt');
}

function idOf({ clientOrderId, orderId }: Intent): string {
  return clientOrderId ?? orderId ?? '';
}

/** An order of the journal, with the requests on it. */
interface Candidate {
  readonly intent: Intent;
  readonly requests: readonly Intent[];
}

function describeOrder({ intent, requests }: Candidate): string {
  const left = leftOf(requests);
  const isPart = left !== undefined && intent.sum !== undefined && left !== BigInt(intent.sum.minor);
  const rest = isPart ? [`left ${decimalText(left, digitsOfSum(intent.sum))}`] : [];
  const made = `${new Date(intent.madeAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const money = intent.sum === undefined ? [] : [sumText(intent.sum)];
  return [commandOf(intent), ...money, ...rest, intent.outcome['status'] ?? intent.state, made].join(', ');
}

/** Newest first; each id once. */
async function openOrders(
  { id, effect }: Operation,
  { name, place, login, assume }: Session,
  runtime: Runtime,
): Promise<Candidate[]> {
  const newest = await inJournal(runtime, [], (journal) =>
    journal
      .newest({ kind: 'opening', base: place, profile: name, states: ['done', 'accepted'] }, maxRead)
      .filter((intent) => intent.login === login && intent.orderId !== undefined)
      .map((intent) => ({ intent, requests: requestsBeside(journal, intent) })),
  );
  const row = operations.find((each) => each.id === id);
  const mayFollow = (each: Candidate) =>
    effect === 'read' || row === undefined || legality(row.id, factsOf(each), assume) === undefined;
  const allowed = newest.filter((each) => mayFollow(each) && !(id === 'RETURN' && leftOf(each.requests) === 0n));
  const byId = new Map(allowed.toReversed().map((each) => [idOf(each.intent), each]));
  return [...byId.values()].slice(0, maxOffered);
}

/** All requests on an order. With the endpoint the journal finds them by its indexes. */
function requestsBeside(journal: Journal, { base, endpointId, orderId }: Intent): Intent[] {
  return journal.list({ base, endpointId, order: orderId });
}

/** From the last status in the journal; an order whose status was never queried counts as approved. */
function factsOf({ intent, requests }: Candidate): OrderFacts {
  const known = new Map(Object.entries(intent.outcome));
  if (known.has('transaction-type')) return factsFromStatus(known, requests);
  const kind = Object.entries(transactionKinds).find(([word]) => word === commandOf(intent).replace(' ', '-'))?.[1];
  const fields = new Map([...known, ['status', 'approved'], ['transaction-type', kind?.type ?? 'sale']]);
  return factsFromStatus(fields, requests);
}

/** What a return could still give back, as the journal has it: of what was captured, else of the hold. */
function leftOf(requests: readonly Intent[]): bigint | undefined {
  const moved = movedIn(requests);
  return moved === undefined ? undefined : leftToReturn(moved);
}

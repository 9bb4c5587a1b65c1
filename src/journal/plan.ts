import { fail, type PaycliError, shellWord } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { fitsKind, operations } from '../spec/index.js';
import { equalInDoubt, isEqual, sentToAnotherEndpoint } from './equal-payments.js';
import { type Intent, intentFrom, intentsWithChainState, keyOf, type NewIntent, type Sender } from './intent.js';
import { isOfWhole, movesSameAmount, refuseBeyondPending } from './order-amounts.js';
import { endpointsSql, openingsUnder } from './query.js';
import { sumText } from './spending.js';
import { doubtfulStates, stateClause } from './states.js';

/** `send` it; only `ask` for the outcome of an earlier attempt; or `show` the outcome that is known already. */
export interface Plan {
  readonly do: 'send' | 'ask' | 'show';
  readonly intent: Intent;
}

export interface PlanOptions {
  /** The user asked to send an equal follow-up once more, or a payment equal to one in doubt. */
  readonly again: boolean;
  /** A row of a plan: planning it reported what it repeats. */
  readonly isBatchRow?: true;
  /** The client order id was generated for this command, so it does not protect from a second payment. */
  readonly isGenerated: boolean;
  /** Whether the process that sends this entry still runs. */
  readonly isAlive: (sender: Sender, id: number) => boolean;
}

/** How a new or corrected intent is recorded. */
interface Writer {
  add(intent: NewIntent, sequence: number): Intent;
  /** A corrected content under the key of a refused one. */
  correct(earlier: Intent, intent: NewIntent): Intent;
}

/**
 * What may be done with a request, in a transaction of the caller. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY,
 * SAME_CONTENT_OPEN or SAME_CONTENT_SENT.
 */
export function planIntent(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  switch (wanted.kind) {
    case 'opening':
      return planOpening(database, wanted, options, writer);
    case 'follow-up':
      return planFollowUp(database, wanted, options, writer);
    case 'other':
      return planOther(database, wanted, writer);
  }
}

function planOpening(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  const [earlier] = openingsUnder(database, wanted);
  if (earlier === undefined) {
    if (!options.isGenerated) refuseAtAnotherEndpoint(database, wanted);
    refuseSameContent(database, wanted, options);
    return { do: 'send', intent: writer.add(wanted, 1) };
  }
  if (isEqual(earlier, wanted)) {
    const repeated = planRepeat(earlier, options);
    if (repeated.do === 'send') refuseSameContent(database, wanted, options);
    return repeated;
  }
  if (earlier.state === 'refused') {
    refuseSameContent(database, wanted, options);
    return { do: 'send', intent: writer.correct(earlier, wanted) };
  }
  throw fail('INTENT_DIFFERS', {
    order: wanted.clientOrderId ?? '',
    what: `${describeIntent(earlier)}, ${earlier.state}`,
    ...wayOutOf(earlier),
  });
}

/**
 * What INTENT_DIFFERS advises. Another id would let the same payment through a second time, so none is offered before
 * the first one is final.
 */
export function wayOutOf(earlier: Intent): Readonly<Record<string, string>> {
  const name = shellWord(intentName(earlier));
  if (doubtfulStates.includes(earlier.state)) return { resolve: `paycli resolve ${name}` };
  return earlier.state === 'accepted' ? { see: `paycli order ${name}` } : { flag: '--client-order-id' };
}

/**
 * Another id would let the same payment through a second time while the first one is in doubt. A generated id is
 * refused whatever the user asked for: nobody could recognize the second payment when the command is repeated.
 */
function refuseSameContent(database: Database, wanted: NewIntent, options: PlanOptions): void {
  const { again, isGenerated, isBatchRow } = options;
  if (!isGenerated && (again || isBatchRow === true || wanted.effect !== 'money')) return;
  refuseEqualInDoubt(database, wanted, { mayRepeat: !isGenerated });
}

function refuseEqualInDoubt(database: Database, wanted: NewIntent, { mayRepeat }: { mayRepeat: boolean }): void {
  const equal = equalInDoubt(database, wanted);
  if (equal === undefined) return;
  const { state } = equal;
  throw fail('SAME_CONTENT_OPEN', { order: intentName(equal), state, ...(mayRepeat && { again: '--again' }) });
}

/** Throws SAME_CONTENT_OPEN or SAME_CONTENT_SENT. */
function refuseAtAnotherEndpoint(database: Database, wanted: NewIntent): void {
  const equal = sentToAnotherEndpoint(database, wanted);
  if (equal === undefined) return;
  const state = `${equal.state} at endpoint ${equal.endpointId}`;
  throw fail(doubtfulStates.includes(equal.state) ? 'SAME_CONTENT_OPEN' : 'SAME_CONTENT_SENT', {
    order: intentName(equal),
    state,
  });
}

function planFollowUp(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  const onOrder = followUpsOn(database, wanted);
  const earlier = onOrder.findLast((each) => isEqualFollowUp(each, wanted));
  const busy = onOrder.find((each) => doubtfulStates.includes(each.state));
  if (busy !== undefined && (busy.id !== earlier?.id || options.again)) throw orderBusy(busy);
  const isAnswered = earlier !== undefined && ['accepted', 'done', 'declined'].includes(earlier.state);
  const isNew = earlier === undefined || (isAnswered && options.again);
  const repeated = isNew ? undefined : planRepeat(earlier, options);
  if (repeated !== undefined && repeated.do !== 'send') return repeated;
  refuseBesideOpening(database, wanted);
  refuseBeyondPending(wanted, requestsOn(database, wanted));
  return repeated ?? { do: 'send', intent: writer.add(wanted, nextSequence(onOrder, wanted)) };
}

/** Nothing is known to follow on while it is in doubt whether the order was made. Throws ORDER_BUSY. */
function refuseBesideOpening(database: Database, wanted: NewIntent): void {
  const { orderId, clientOrderId } = wanted;
  const byId = clientOrderId === undefined ? [] : openingsUnder(database, { ...wanted, kind: 'opening' });
  const opening = [...byId, ...requestsOn(database, wanted)].find(
    (each) =>
      each.kind === 'opening' &&
      doubtfulStates.includes(each.state) &&
      (each.orderId === undefined || each.orderId === orderId),
  );
  if (opening !== undefined) throw orderBusy(opening);
}

/** The error for a follow-up beside a request whose outcome is in doubt. */
export function orderBusy(request: Intent): PaycliError {
  return fail('ORDER_BUSY', {
    order: intentName(request),
    what: describeIntent(request),
    clause: stateClause(request.state),
  });
}

/** Whether a follow-up was sent before: a return of all that was left equals one of the amount that it took. */
function isEqualFollowUp(earlier: Intent, wanted: NewIntent): boolean {
  if (isEqual(earlier, wanted)) return true;
  return (
    earlier.operation === wanted.operation &&
    isOfWhole(earlier) &&
    earlier.state === 'done' &&
    wanted.sum !== undefined &&
    movesSameAmount(earlier, wanted.sum)
  );
}

/**
 * For requests planned at the same moment: a second follow-up of an order has to wait for the first, and of the same
 * payment at two endpoints only the first is sent, and so it is of equal payments where `isUnique`. Throws ORDER_BUSY,
 * AMOUNT_PENDING, SAME_CONTENT_OPEN or SAME_CONTENT_SENT.
 */
export function refuseConcurrent(database: Database, intent: Intent, isUnique = false): void {
  if (intent.kind === 'opening') refuseAtAnotherEndpoint(database, intent);
  if (intent.kind === 'opening' && isUnique) refuseEqualInDoubt(database, intent, { mayRepeat: false });
  if (intent.kind !== 'follow-up') return;
  const busy = followUpsOn(database, intent).find(
    (each) => each.id !== intent.id && doubtfulStates.includes(each.state),
  );
  if (busy !== undefined) throw orderBusy(busy);
  refuseBeyondPending(
    intent,
    requestsOn(database, intent).filter(({ id }) => id !== intent.id),
  );
}

/**
 * The request that made an order, and all on it, oldest first, at whatever endpoint: a follow-up may be sent to another
 * one than the order was made at, and the gateway gives an order id once.
 */
export function requestsOn(database: Database, { base, orderId }: Pick<NewIntent, 'base' | 'orderId'>): Intent[] {
  const sql = `${intentsWithChainState} WHERE base = ?1 AND endpoint_id IN ${endpointsSql('?1')} AND order_id = ?2
  ORDER BY id`;
  return database.all(sql, base, orderId ?? null).map(intentFrom);
}

function followUpsOn(database: Database, wanted: NewIntent): Intent[] {
  return requestsOn(database, wanted).filter(({ kind }) => kind === 'follow-up');
}

/** The newest intent with the key and the content of this one; undefined when there is none. */
export function earlierEqual(database: Database, wanted: NewIntent): Intent | undefined {
  if (wanted.kind === 'follow-up')
    return followUpsOn(database, wanted).findLast((each) => isEqualFollowUp(each, wanted));
  const under =
    wanted.kind === 'opening'
      ? openingsUnder(database, wanted)
      : database.all(`${intentsWithChainState} WHERE key = ?`, keyOf(wanted, 1)).map(intentFrom);
  return under.find((each) => isEqual(each, wanted));
}

/**
 * The fields of an undescribed path mean nothing to paycli, so only an equal request whose outcome is open blocks it.
 */
function planOther(database: Database, wanted: NewIntent, writer: Writer): Plan {
  const open = equalInDoubt(database, wanted);
  if (open !== undefined) throw orderBusy(open);
  let sequence = 1;
  while (database.get('SELECT id FROM intents WHERE key = ?', keyOf(wanted, sequence)) !== undefined) sequence += 1;
  return { do: 'send', intent: writer.add(wanted, sequence) };
}

function planRepeat(earlier: Intent, { isAlive }: PlanOptions): Plan {
  if (earlier.state === 'sending' && isAlive(earlier.sender, earlier.id))
    throw fail('INTENT_BUSY', { what: describeIntent(earlier), pid: earlier.sender.pid });
  switch (earlier.state) {
    case 'planned':
    case 'not_sent':
    case 'refused':
      return { do: 'send', intent: earlier };
    case 'sending':
    case 'unknown':
    case 'accepted':
      return { do: 'ask', intent: earlier };
    case 'done':
    case 'declined':
    case 'withdrawn':
    case 'conflict':
      return { do: 'show', intent: earlier };
  }
}

function nextSequence(onOrder: readonly Intent[], { operation }: NewIntent): number {
  return Math.max(0, ...onOrder.filter((each) => each.operation === operation).map(({ sequence }) => sequence)) + 1;
}

/** An intent in words, for a message. */
export function describeIntent({ id, operation, sum, orderId, clientOrderId }: Intent): string {
  const command = operations.find((row) => row.id === operation)?.command ?? operation;
  const of = sum === undefined ? '' : ` of ${sumText(sum)}`;
  const name = orderId ?? clientOrderId;
  return `${command}${of} ${name === undefined ? `without an order id (journal entry ${id})` : `on order ${name}`}`;
}

/** The id to give to `resolve`; a request by hand may have no order id at all. */
export function intentName({ id, orderId, clientOrderId }: Intent): string {
  const ofGateway = orderId !== undefined && fitsKind('gatewayId', orderId) ? orderId : undefined;
  return ofGateway ?? clientOrderId ?? String(id);
}

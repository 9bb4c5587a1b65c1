import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { equalInDoubt, isEqual, leadsToPayment, repeatedPayment, sentToAnotherEndpoint } from './equal-payments.js';
import { type Intent, intentFrom, intentsWithChainState, keyOf, type NewIntent, type Sender } from './intent.js';
import { describeIntent, intentName, orderBusy, wayOutOf } from './intent-text.js';
import { endpointsSql, openingsUnder } from './query.js';
import { isOfWhole, movesSameAmount } from './spending.js';
import { doubtfulStates, reachedStates, spentStates } from './states.js';

/**
 * What to do with a request that the user wants: `send` it; only `ask` the gateway for the outcome of an earlier
 * attempt (an equal request in the journal); or `show` the outcome that the journal has already.
 */
export interface Plan {
  readonly do: 'send' | 'ask' | 'show';
  /** The entry of the journal: a new one, or that of the earlier attempt. */
  readonly intent: Intent;
}

export interface PlanOptions {
  /** The user asked (--again) to send an equal follow-up once more, or a payment equal to one in doubt. */
  readonly again: boolean;
  /** A row of a batch: `batch plan` has reported already which payments of the journal its rows repeat. */
  readonly isBatchRow?: true;
  /** The client order id was generated for this command, so it does not protect from a second payment. */
  readonly isGenerated: boolean;
  /**
   * An equal payment that is pending, or was approved since then (milliseconds since 1970), is a repeat as well; left
   * out, only one in doubt is.
   */
  readonly repeatSince?: number | undefined;
  /** Whether the process that is sending the entry with this id still runs. */
  readonly isAlive: (sender: Sender, id: number) => boolean;
}

/** How a new or corrected intent is recorded; a preview records nothing. */
interface Writer {
  /** A new entry; `sequence` counts equal requests from 1. */
  add(intent: NewIntent, sequence: number): Intent;
  /** Replaces the content of an entry that the gateway refused. */
  correct(earlier: Intent, intent: NewIntent): Intent;
}

/**
 * Decides whether a request may be sent, by what the journal knows of equal ones and of its order: money must not move
 * twice. `Journal.plan` calls it in the transaction that records the request, `Journal.preview` without recording. A
 * request is in doubt in the states sending, unknown and conflict: money may have moved. Throws
 * - INTENT_DIFFERS: another payment has this client order id;
 * - INTENT_BUSY: another process is sending it;
 * - ORDER_BUSY: an earlier request on its order is in doubt;
 * - SAME_CONTENT_OPEN: the same payment is in doubt, under another id or at another endpoint;
 * - SAME_CONTENT_SENT: the same payment was made at another endpoint, or just now under another id.
 */
export function planIntent(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  switch (wanted.kind) {
    case 'opening':
      return planOpening(database, wanted, options, writer);
    case 'follow-up':
      return planFollowUp(database, wanted, options, writer);
    case 'other':
      return planOther(database, wanted, options, writer);
  }
}

/** Of a request that makes an order: a client order id stands for one payment at an endpoint. */
function planOpening(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  const [earlier] = openingsUnder(database, wanted);
  if (earlier === undefined) {
    // An id generated just now is at no other endpoint.
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
 * Throws SAME_CONTENT_OPEN or SAME_CONTENT_SENT where the same payment was just made under another client order id, or
 * may have been, as that id would let it through a second time; not with --again, nor for a row of a batch.
 */
function refuseSameContent(database: Database, wanted: NewIntent, options: PlanOptions): void {
  const { again, isGenerated, isBatchRow, repeatSince } = options;
  if (again || isBatchRow === true || (!isGenerated && !leadsToPayment(wanted))) return;
  refuseRepeat(database, wanted, repeatSince);
}

function refuseRepeat(database: Database, wanted: NewIntent, since: number | undefined): void {
  const equal = repeatedPayment(database, wanted, since);
  if (equal === undefined) return;
  const { state } = equal;
  const facts = { order: intentName(equal), state, again: '--again', how: '--again sends it' };
  throw fail(state === 'done' ? 'SAME_CONTENT_SENT' : 'SAME_CONTENT_OPEN', facts);
}

/** Throws SAME_CONTENT_OPEN while what was sent to another endpoint is in doubt, SAME_CONTENT_SENT once it was made. */
function refuseAtAnotherEndpoint(database: Database, wanted: NewIntent): void {
  const equal = sentToAnotherEndpoint(database, wanted);
  if (equal === undefined) return;
  const state = `${equal.state} at endpoint ${equal.endpointId}`;
  throw fail(doubtfulStates.includes(equal.state) ? 'SAME_CONTENT_OPEN' : 'SAME_CONTENT_SENT', {
    order: intentName(equal),
    state,
  });
}

/**
 * Of a return, capture or void: one at a time on an order. An equal one is asked for or shown, and only --again sends a
 * second one, after the first was answered.
 */
function planFollowUp(database: Database, wanted: NewIntent, options: PlanOptions, writer: Writer): Plan {
  const onOrder = followUpsOn(database, wanted);
  const earlier = newestEqual(onOrder, wanted);
  // The equal one itself may be in doubt: it is asked for below, unless a second one is to be sent.
  const busy = onOrder.find((each) => doubtfulStates.includes(each.state));
  if (busy !== undefined && (busy.id !== earlier?.id || options.again)) throw orderBusy(busy);
  const isAnswered = earlier !== undefined && ['accepted', 'done', 'declined'].includes(earlier.state);
  const isNew = earlier === undefined || (isAnswered && options.again);
  const repeated = isNew ? undefined : planRepeat(earlier, options);
  if (repeated !== undefined && repeated.do !== 'send') return repeated;
  refuseWhileOrderInDoubt(database, wanted);
  return repeated ?? { do: 'send', intent: writer.add(wanted, nextSequence(onOrder, wanted)) };
}

/** One that was refused, or not sent, does not undo an equal one before it that was made. */
function newestEqual(onOrder: readonly Intent[], wanted: NewIntent): Intent | undefined {
  const equal = onOrder.filter((each) => isEqualFollowUp(each, wanted));
  return equal.findLast(({ state }) => reachedStates.includes(state)) ?? equal.at(-1);
}

/** Throws ORDER_BUSY while it is in doubt whether the order of a follow-up was made at all. */
function refuseWhileOrderInDoubt(database: Database, wanted: NewIntent): void {
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

/**
 * Whether an earlier follow-up is the wanted one. A return without an amount takes all that is left: once done, it also
 * equals a return of the amount that it took.
 */
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

/** The next number of a follow-up, counted from 1 for each operation on an order. */
function nextSequence(onOrder: readonly Intent[], { operation }: NewIntent): number {
  return Math.max(0, ...onOrder.filter((each) => each.operation === operation).map(({ sequence }) => sequence)) + 1;
}

/**
 * Of a request to a path that paycli has no description of, which may be a payment. One that was sent is shown, and
 * only --again sends an equal one. Throws ORDER_BUSY while an equal one is in doubt.
 */
function planOther(database: Database, wanted: NewIntent, { again }: PlanOptions, writer: Writer): Plan {
  const open = equalInDoubt(database, wanted);
  if (open !== undefined) throw orderBusy(open);
  const earlier: Intent[] = [];
  for (;;) {
    const key = keyOf(wanted, earlier.length + 1);
    const row = database.get(`${intentsWithChainState} WHERE key = ?`, key);
    if (row === undefined) break;
    earlier.push(intentFrom(row));
  }
  const sent = earlier.findLast((each) => isEqual(each, wanted) && spentStates.includes(each.state));
  if (sent !== undefined && !again) return { do: 'show', intent: sent };
  return { do: 'send', intent: writer.add(wanted, earlier.length + 1) };
}

/** What to do where the journal has an equal request. Throws INTENT_BUSY while another process is sending it. */
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
    case 'cancelled':
    case 'conflict':
      return { do: 'show', intent: earlier };
  }
}

/**
 * Repeats the checks of `planIntent` right before an intent is sent, since another process may have begun to send since
 * it was planned: one follow-up of an order at a time, the same payment at one endpoint only, and with `isUnique` no
 * repeat under another client order id. Throws ORDER_BUSY, SAME_CONTENT_OPEN or SAME_CONTENT_SENT.
 */
export function refuseConcurrent(
  database: Database,
  intent: Intent,
  { isUnique, repeatSince }: { readonly isUnique: boolean; readonly repeatSince: number | undefined },
): void {
  if (intent.kind === 'opening') {
    refuseAtAnotherEndpoint(database, intent);
    if (isUnique) refuseRepeat(database, intent, repeatSince);
  }
  if (intent.kind !== 'follow-up') return;
  const busy = followUpsOn(database, intent).find(
    (each) => each.id !== intent.id && doubtfulStates.includes(each.state),
  );
  if (busy !== undefined) throw orderBusy(busy);
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
  if (wanted.kind === 'follow-up') return newestEqual(followUpsOn(database, wanted), wanted);
  const under =
    wanted.kind === 'opening'
      ? openingsUnder(database, wanted)
      : database.all(`${intentsWithChainState} WHERE key = ?`, keyOf(wanted, 1)).map(intentFrom);
  return under.find((each) => isEqual(each, wanted));
}

import type { SqlRow } from '../../runtime/ports.js';
import { operationById, replyFields, threeDSecureFlows } from '../../spec/index.js';
import { decodeForm, encodeForm, type Pair } from '../../wire/form.js';
import type { AcceptedRequest, CheckedRequest, RequestContext } from '../checks/request.js';
import { type Effect, effects } from '../effects/index.js';
import { recordEvent } from '../ledger/events.js';
import {
  nextQueuedOutcome,
  outcomeFromHolderName,
  outcomes,
  type QueuedOutcome,
  removeQueuedOutcome,
} from '../ledger/outcomes.js';
import { Refusal } from '../ledger/refusal.js';
import { faultNamed, faults, RequestedFault } from '../ledger/reply-faults.js';
import { type Store, text } from '../ledger/store.js';
import { openingOperation } from '../ledger/transactions.js';

/** Runs the effect of a request, once per order id (A20), and returns the fields of its reply. */
export function executeOperation(checked: CheckedRequest, context: RequestContext, store: Store): readonly Pair[] {
  const { route, values } = checked;
  const clientOrderId = values['clientOrderId'] ?? '';
  const repeated = route.row.opens ? duplicateReply(checked, store, clientOrderId) : undefined;
  if (repeated !== undefined) return repeated;
  const effect = effects[route.id];
  const queued = route.row.effect === 'read' ? undefined : requestedOutcome(checked, store, effect);
  const fields = runAtomically(checked, context, store, effect, queued?.name);
  if (queued !== undefined) consumeOutcome(queued, checked, store, fields);
  const fault = queued === undefined ? undefined : faultNamed(queued.name);
  if (fault !== undefined && !fault.isDone) throw new RequestedFault(fault, fields);
  if (route.row.opens) recordOpening(checked, store, fields);
  if (fault !== undefined) throw new RequestedFault(fault, fields);
  return fields;
}

/** Removes an outcome from the queue and logs which order used it. */
function consumeOutcome(
  queued: QueuedOutcome,
  { route, merchant }: CheckedRequest,
  store: Store,
  fields: readonly Pair[],
): void {
  removeQueuedOutcome(store, queued);
  if (queued.id === undefined) return;
  const made = fields.find(([name]) => name === replyFields.orderId.wire)?.[1];
  // An undone effect has left no order.
  const orderId = faultNamed(queued.name)?.isDone === false ? undefined : made;
  recordEvent(store, {
    kind: 'queue',
    login: merchant.login,
    orderId,
    title: `the queued outcome ${queued.name} was applied to ${operationById(route.id).command}`,
  });
}

/**
 * The outcome requested for this request: queued beforehand, or given as the cardholder name. Throws a Refusal for an
 * unknown name.
 */
function requestedOutcome(
  { merchant, values }: CheckedRequest,
  store: Store,
  effect: Effect,
): QueuedOutcome | undefined {
  const allowed = () => allowedOutcomes(effect);
  const { clientOrderId = '', orderId = '' } = values;
  const queued = nextQueuedOutcome(store, { login: merchant.login, clientOrderId, orderId, allowed });
  if (queued !== undefined) return queued;
  const name = outcomeFromHolderName(values['cardHolder'] ?? '');
  if (name === undefined || allowed().includes(name)) return name === undefined ? undefined : { id: undefined, name };
  throw new Refusal(
    'invalid',
    `the cardholder name requests an outcome that this operation does not support; supported: ${allowed().join(', ')}`,
  );
}

/** A20: records an opening request that made no order; an order shows itself that its id was used. */
function recordOpening(
  { route, merchant, settings, values }: CheckedRequest,
  { database }: Store,
  reply: readonly Pair[],
): void {
  const isOrder = reply.some(([name]) => name === replyFields.orderId.wire);
  if (isOrder && settings.assume['duplicate-order-id'] !== 'replay') return;
  const insert = 'INSERT OR IGNORE INTO openings (login, client_order_id, operation, reply) VALUES (?, ?, ?, ?)';
  database.run(insert, merchant.login, values['clientOrderId'] ?? '', route.id, encodeForm(reply));
}

function recordedOpening({ database }: Store, login: string, clientOrderId: string): SqlRow | undefined {
  return database.get('SELECT * FROM openings WHERE login = ? AND client_order_id = ?', login, clientOrderId);
}

/** A20: the reply to a second request with a used client order id; undefined when it is executed like the first. */
function duplicateReply(
  { route, merchant, settings }: CheckedRequest,
  store: Store,
  clientOrderId: string,
): readonly Pair[] | undefined {
  const rule = settings.assume['duplicate-order-id'];
  if (rule === 'pay') return undefined;
  const { login } = merchant;
  const noted = recordedOpening(store, login, clientOrderId);
  const earlier = noted === undefined ? openingOperation(store, login, clientOrderId) : text(noted, 'operation');
  if (earlier === undefined) return undefined;
  if (rule === 'replay' && noted !== undefined && earlier === route.id) return decodeForm(text(noted, 'reply'));
  // A recurring payment is not an order, so its status cannot be queried.
  const isOrder =
    noted === undefined || decodeForm(text(noted, 'reply')).some(([name]) => name === replyFields.orderId.wire);
  const advice = isOrder ? 'query its status, or choose another' : 'choose another';
  throw new Refusal('used-order-id', `client_orderid was used before, by ${earlier}; ${advice} (A20)`);
}

/** Only card payments go through 3-D Secure; a fault may happen to any request. */
function allowedOutcomes({ addsTransaction, authenticates }: Effect): readonly string[] {
  return [
    ...(addsTransaction ? Object.keys(outcomes) : []),
    ...(authenticates ? Object.keys(threeDSecureFlows) : []),
    ...Object.keys(faults),
  ];
}

/** Runs an effect entirely or not at all: a refusal, or a fault that does nothing, leaves the state unchanged. */
function runAtomically(
  checked: CheckedRequest,
  context: RequestContext,
  store: Store,
  effect: Effect,
  outcome: string | undefined,
): readonly Pair[] {
  const fault = outcome === undefined ? undefined : faultNamed(outcome);
  const accepted = acceptedRequest(
    checked,
    context,
    fault === undefined ? outcome : effect.addsTransaction ? 'approved' : undefined,
  );
  return withSavepoint(store, () => effect.run(accepted, store), fault === undefined || fault.isDone);
}

// Copied one by one: spreading this many properties is slow.
function acceptedRequest(
  checked: CheckedRequest,
  { serial, now, pagesOrigin }: RequestContext,
  queued: string | undefined,
): AcceptedRequest {
  const { route, settings, merchant, protection, pairs, values, amount, digits } = checked;
  return { route, settings, merchant, protection, pairs, values, amount, digits, serial, now, pagesOrigin, queued };
}

function withSavepoint<T>({ database }: Store, work: () => T, keep: boolean): T {
  database.run('SAVEPOINT effect');
  let isKept = false;
  try {
    const result = work();
    isKept = keep;
    return result;
  } finally {
    if (!isKept) database.run('ROLLBACK TO effect');
    database.run('RELEASE effect');
  }
}

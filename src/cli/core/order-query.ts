import { fail, isPaycliError } from '../../errors/index.js';
import type { Intent } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { compose } from '../../payments/compose.js';
import { defaultLimits, exchange } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { KnownOrder } from '../../sandbox/index.js';
import type { Unsigned } from '../../signing/index.js';
import { type OperationId, operationById, replyField } from '../../spec/index.js';
import { hostOf } from '../../wire/address.js';
import type { Fields } from '../format/meaning.js';
import { openLocalSandbox } from './local-sandbox.js';
import { factsFromStatus, inDoubtOf } from './order-facts.js';
import { adviceAfterRefusal } from './refusal-advice.js';
import type { Session } from './session.js';

/** One order, by either id or both. */
export interface OrderIds {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** A request about an order, ready to be sent. Values left out are not sent. */
export function composeForOrder(
  id: OperationId,
  values: Readonly<Record<string, string | undefined>>,
  { endpointFor, target }: Session,
): Unsigned {
  const row = operationById(id);
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(row, Object.fromEntries(given), [], target(endpointFor(row, undefined)));
}

/** The status fields of an order, without showing them. Throws REFUSED or READ_FAILED. */
export async function fetchStatus(
  { orderId, clientOrderId }: OrderIds,
  session: Session,
  runtime: Runtime,
): Promise<Fields> {
  return sendSilently(composeForOrder('STATUS', { orderId, clientOrderId }, session), session, runtime);
}

/**
 * The same for an order known by one id of either kind: tried as client order id, then as gateway order id, which may
 * be text too.
 */
export async function fetchStatusOf(ids: OrderIds, session: Session, runtime: Runtime): Promise<Fields> {
  const { orderId, clientOrderId } = ids;
  try {
    return await fetchStatus(ids, session, runtime);
  } catch (error) {
    if (orderId !== undefined || !isPaycliError(error) || error.code !== 'REFUSED') throw error;
    return fetchStatus({ orderId: clientOrderId, clientOrderId: undefined }, session, runtime).catch(
      (other: unknown) => {
        throw isPaycliError(other) && other.code === 'REFUSED' ? error : other;
      },
    );
  }
}

/** Sends a request and returns the accepted reply. Throws REFUSED, READ_FAILED or OUTCOME_UNKNOWN. */
export async function sendSilently(unsigned: Unsigned, session: Session, runtime: Runtime): Promise<Fields> {
  const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
  const credentials = await session.credentials(unsigned.protection);
  const classified = await exchange(unsigned, credentials, ports, { assume: session.assume, limits: defaultLimits });
  if (classified.class === 'accepted' && classified.fields !== undefined) return classified.fields;
  throw failureOfQuery(classified, unsigned, session);
}

/** The error for an answer that is no reply about the order. */
export function failureOfQuery(classified: Classified, unsigned: Unsigned, session: Session): Error {
  const { class: kind, reason } = classified;
  const facts = failureFacts(classified);
  if (kind === 'certificate') return fail('CERTIFICATE', { host: hostOf(unsigned.url), why: reason });
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, unsigned, session) });
  if (kind === 'not-sent') return fail('NOT_SENT', { why: reason });
  if (unsigned.row.effect === 'read') return fail('READ_FAILED', { ...facts });
  return fail('OUTCOME_UNKNOWN', { ...facts, why: reason, how: 'paycli status' });
}

/**
 * The state of an order: exact for the built-in sandbox, elsewhere from this status reply and the journal's requests on
 * it, oldest first.
 */
export async function knownOrder(
  fields: Fields,
  ids: OrderIds,
  requests: readonly Intent[],
  { session, runtime }: { readonly session: Session; readonly runtime: Runtime },
): Promise<KnownOrder> {
  if (session.builtin) {
    const [known] = await ordersInSandbox([ids], session, runtime);
    if (known === undefined) throw fail('orderNotInSandbox');
    const isBoth = ids.orderId !== undefined && ids.clientOrderId !== undefined;
    if (isBoth && ids.clientOrderId !== known.clientOrderId) throw fail('idsOfTwoOrders');
    return inDoubtOf(requests) === undefined ? known : { ...known, facts: { ...known.facts, following: 'processing' } };
  }
  return {
    orderId: replyField(fields, 'orderId') ?? ids.orderId ?? '',
    clientOrderId: replyField(fields, 'clientOrderId') ?? ids.clientOrderId ?? '',
    facts: factsFromStatus(fields, requests),
    cardRef: replyField(fields, 'cardRef'),
  };
}

/** The state of each of these orders in the built-in sandbox; undefined for one that it does not have. */
export async function ordersInSandbox(
  orders: readonly OrderIds[],
  { login }: Session,
  runtime: Runtime,
): Promise<readonly (KnownOrder | undefined)[]> {
  const sandbox = await openLocalSandbox(runtime);
  try {
    const { orderFacts } = await import('../../sandbox/index.js');
    return orders.map((ids) => orderFacts(sandbox.store, login, ids));
  } finally {
    sandbox.close();
  }
}

import { fail, isPaycliError, type PaycliError, shellWord } from '../../errors/index.js';
import { type Intent, type State, settledWord } from '../../journal/index.js';
import { type Classified, saysUnknownOrder } from '../../payments/classify.js';
import { compose } from '../../payments/compose.js';
import { possibleEffect } from '../../payments/evidence.js';
import { defaultLimits, exchange } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import { type OperationId, operationById, replyField, statusQuery } from '../../spec/index.js';
import { hostOf } from '../../wire/address.js';
import { type Fields, orderCommand } from '../format/meaning.js';
import type { Session } from '../session.js';
import { idOfTwoOrders, type OrderIds } from './order-requests.js';
import { ofOtherProfile } from './other-profiles.js';
import { adviceAfterRefusal } from './refusal-advice.js';
import { noSuchOrder, settledOpening } from './settled-status.js';

/** A request about an order, ready to be sent, to an endpoint or that of the profile. Values left out are not sent. */
export function composeForOrder(
  id: OperationId,
  values: Readonly<Record<string, string | undefined>>,
  { endpointFor, target }: Session,
  endpointId?: string,
): Unsigned {
  const row = operationById(id);
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return compose(row, Object.fromEntries(given), [], target(endpointId ?? endpointFor(row, undefined)));
}

/**
 * The status fields of an order, without showing them, from an endpoint or that of the profile. Throws REFUSED or
 * READ_FAILED.
 */
export async function fetchStatus(
  { orderId, clientOrderId }: OrderIds,
  session: Session,
  runtime: Runtime,
  endpointId?: string,
): Promise<Fields> {
  return sendSilently(
    composeForOrder(statusQuery.id, { orderId, clientOrderId }, session, endpointId),
    session,
    runtime,
  );
}

/**
 * The same for an order known by one id of either kind. Text is tried as client order id, then as gateway order id;
 * digits the other way round, and only where the gateway says that it has no such order.
 */
export async function fetchStatusOf(ids: OrderIds, session: Session, runtime: Runtime): Promise<Fields> {
  const { orderId, clientOrderId } = ids;
  try {
    return await fetchStatus(ids, session, runtime);
  } catch (error) {
    const isText = orderId === undefined;
    const mayBeOther = isText ? isRefused(error) : clientOrderId === undefined && hasNoSuchOrder(error);
    if (!mayBeOther) throw error;
    return fetchStatus({ orderId: clientOrderId, clientOrderId: orderId }, session, runtime).catch((other: unknown) => {
      throw isText && isRefused(other) ? error : other;
    });
  }
}

/** The ids of an order by its status, else those it was queried by. */
export function idsInStatus(fields: Fields, { orderId, clientOrderId }: OrderIds): OrderIds {
  return {
    orderId: replyField(fields, 'orderId') ?? orderId,
    clientOrderId: replyField(fields, 'clientOrderId') ?? clientOrderId,
  };
}

function isRefused(error: unknown): boolean {
  return isPaycliError(error) && error.code === 'REFUSED';
}

/**
 * Digits may be the gateway's id of one order and the client order id of another. Asks whether the gateway has another
 * order than `known` by the other kind of id. Throws USAGE where it has, and where it cannot be queried; REFUSED or
 * READ_FAILED where it does not say.
 */
export async function assertNoOtherOrder(
  digits: string,
  asked: keyof OrderIds,
  known: OrderIds,
  command: string,
  { session, runtime }: { readonly session: Session; readonly runtime: Runtime },
): Promise<void> {
  const facts = { name: digits, command };
  if (!session.canAskStatus)
    throw fail('USAGE', {
      ...facts,
      why: `${facts.name} is a client order id here, and without a status query it is not known whether another order has it as gateway order id; use --client-order-id ${facts.name}`,
    });
  const ids: OrderIds = { orderId: undefined, clientOrderId: undefined, [asked]: digits };
  const found = await fetchStatus(ids, session, runtime).catch((error: unknown) => {
    if (hasNoSuchOrder(error)) return undefined;
    if (!isPaycliError(error) || error.code !== 'REFUSED') throw error;
    const flag = asked === 'orderId' ? '--client-order-id' : '--order-id';
    const how = `${error.facts['how'] ?? ''}; with ${flag} ${digits} this query is not needed`;
    throw fail('REFUSED', { ...error.facts, how }, { cause: error });
  });
  const other = found === undefined ? undefined : (replyField(found, 'orderId') ?? '');
  if (other === undefined || (other !== '' && other === known.orderId)) return;
  const ofClient = asked === 'orderId' ? known.orderId : other;
  throw idOfTwoOrders(facts.name, ofClient ?? 'one that has no gateway order id', facts.command);
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
  if (kind === 'certificate') return fail('CERTIFICATE', { host: hostOf(unsigned.url), ...facts });
  if (kind === 'refused') return fail('REFUSED', { ...facts, how: adviceAfterRefusal(classified, unsigned, session) });
  if (kind === 'not-sent') return fail('NOT_SENT', { why: reason });
  if (unsigned.row.effect === 'read') return fail('READ_FAILED', { ...facts });
  return fail('OUTCOME_UNKNOWN', { ...facts, may: possibleEffect(unsigned.row.id), why: reason, how: 'paycli status' });
}

const inDoubt: readonly State[] = ['sending', 'unknown'];

/**
 * Explains a failed status query. An order whose opening request is in doubt here may still reach the gateway, so that
 * the gateway does not know it proves nothing. Of one that was settled manually the id is right. One that only another
 * profile sent is found under that. Without an answer, the error points to what the journal has of the order, unless
 * that is shown already. Any other error is returned as it is.
 */
export async function unknownAtGateway<T>(
  error: T,
  { ids, requests, command, given, isShown = false }: AskedOrder,
  { session, runtime }: { readonly session: Session; readonly runtime: Runtime },
): Promise<T | PaycliError> {
  const opening = requests.find(({ kind, state }) => kind === 'opening' && inDoubt.includes(state));
  const isUnknown = isPaycliError(error) && error.code === 'REFUSED' && saysUnknownOrder(error.message);
  if (!isUnknown) return isShown ? error : withOfflineHint(error, requests, session.flags);
  if (opening !== undefined) {
    const name = opening.clientOrderId ?? '';
    return fail(
      'OUTCOME_UNKNOWN',
      {
        may: 'money may have moved',
        why: `the gateway does not have order ${name}`,
        how: `paycli resolve ${shellWord(name, 'NAME')}${session.flags}`,
        name,
      },
      { cause: error },
    );
  }
  const settled = hasNoSuchOrder(error) ? settledOpening(requests) : undefined;
  if (settled !== undefined) {
    const advice = settled.state === 'done' ? 'ask gateway support' : 'nothing is left to resolve';
    const how = `the order was settled manually as ${settledWord(settled)}, and ${noSuchOrder}: ${advice}`;
    return fail('REFUSED', { ...error.facts, how }, { cause: error });
  }
  const other = requests.length > 0 ? undefined : await ofOtherProfile(ids, command, session, runtime, given);
  if (other === undefined) return error;
  const how = `order ${other.name} ${other.clause}: ${other.how}`;
  return fail('REFUSED', { ...error.facts, how }, { cause: error });
}

/** An order that the gateway was asked about. */
interface AskedOrder {
  readonly ids: OrderIds;
  /** What the journal has of it under this profile. */
  readonly requests: readonly Intent[];
  /** The command to repeat with another profile. */
  readonly command: string;
  /** Its flags that have to be repeated, too. */
  readonly given?: readonly string[];
  /** What the journal has of it is shown already. */
  readonly isShown?: boolean;
}

/** A query that did not get through ends as any read without an answer: nothing depends on whether it was sent. */
export function asFailedRead<T>(error: T): T | PaycliError {
  if (!isPaycliError(error) || error.code !== 'NOT_SENT') return error;
  return fail('READ_FAILED', { ...error.facts, check: 'check the address and the network' }, { cause: error });
}

function withOfflineHint<T>(error: T, requests: readonly Intent[], flags: string): T | PaycliError {
  const known = requests.find(({ orderId, clientOrderId }) => (orderId ?? clientOrderId) !== undefined);
  if (known === undefined || !isPaycliError(error) || !['READ_FAILED', 'NOT_SENT'].includes(error.code)) return error;
  const { orderId, clientOrderId } = known;
  const offlineCommand = orderCommand('order', { orderId, clientOrderId, flags }, ['--offline']);
  return fail(error.code, { ...error.facts, offlineCommand }, { cause: error });
}

/** Whether the gateway answered that it has no such order; as in `isOrderUnknown`, not under another HTTP status. */
export function hasNoSuchOrder(error: unknown): boolean {
  if (!isPaycliError(error) || error.code !== 'REFUSED' || !saysUnknownOrder(error.message)) return false;
  const { httpStatus } = error.facts;
  return httpStatus === undefined || httpStatus === 200 || httpStatus === 400;
}

/** Why the status of an order is the journal's; undefined for an error that says nothing about the query. */
export function whyFromJournal(error: unknown): string | undefined {
  if (!isPaycliError(error)) return undefined;
  if (error.code === 'REFUSED' && saysUnknownOrder(error.message)) return noSuchOrder;
  const { why } = error.facts;
  const reason = typeof why === 'string' && why !== '' ? why : error.message;
  return ['REFUSED', 'READ_FAILED', 'NOT_SENT'].includes(error.code)
    ? `the gateway could not be queried: ${reason}`
    : undefined;
}

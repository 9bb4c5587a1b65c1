import { fail, isPaycliError, type PaycliError, shellWord } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import { type Classified, saysUnknownOrder } from '../../payments/classify.js';
import { defaultLimits, exchange, statusRequest } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField, statusQuery } from '../../spec/index.js';
import { hostOf } from '../../wire/address.js';
import { possibleEffect } from '../format/journal-entries.js';
import type { Fields } from '../format/meaning.js';
import type { Session } from '../session.js';
import type { OrderIds } from './order-requests.js';
import { adviceAfterRefusal } from './refusal-advice.js';

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
  const ports = { transport: await session.transport(), clock: runtime.clock, random: runtime.random };
  const { assume, target, credentials } = session;
  const query = { orderId, clientOrderId, endpointId: endpointId ?? session.endpointFor(statusQuery, undefined) };
  const question = statusRequest(query, target);
  const connection = { assume, limits: defaultLimits, ports, target, credentials };
  const classified = await exchange(question, connection, { signal: new AbortController().signal });
  if (classified.class === 'accepted' && classified.fields !== undefined) return classified.fields;
  throw failureOfQuery(classified, question, session);
}

/** The ids of an order by its status, else those it was queried by. */
export function idsInStatus(fields: Fields, { orderId, clientOrderId }: OrderIds): OrderIds {
  return {
    orderId: replyField(fields, 'orderId') ?? orderId,
    clientOrderId: replyField(fields, 'clientOrderId') ?? clientOrderId,
  };
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

/**
 * Explains that the gateway does not have an order: one whose payment is in doubt here may still reach it, so that
 * proves nothing. Any other error is returned as it is.
 */
export function unknownAtGateway<T>(error: T, requests: readonly Request[], { flags }: Session): T | PaycliError {
  if (!isPaycliError(error) || error.code !== 'REFUSED' || !saysUnknownOrder(error.message)) return error;
  const payment = requests.find(({ kind, state }) => kind === 'payment' && ['sending', 'unknown'].includes(state));
  if (payment === undefined) return error;
  const name = payment.clientOrderId ?? '';
  const why = `the gateway does not have order ${name}`;
  const how = `paycli resolve ${shellWord(name, 'NAME')}${flags}`;
  return fail('OUTCOME_UNKNOWN', { may: 'money may have moved', why, how, name }, { cause: error });
}

/** The error for an answer to a read, whether it got through or not; `before` is what was read earlier. */
export function failureOfRead(classified: Classified, unsigned: Unsigned, session: Session, before = ''): Error {
  const error = asFailedRead(failureOfQuery(classified, unsigned, session));
  if (before === '' || !isPaycliError(error) || error.code !== 'READ_FAILED') return error;
  return fail('READ_FAILED', { ...error.facts, why: `${error.facts['why']}; ${before}` });
}

/** A query that did not get through ends as any read without an answer: nothing depends on whether it was sent. */
export function asFailedRead<T>(error: T): T | PaycliError {
  if (!isPaycliError(error) || error.code !== 'NOT_SENT') return error;
  return fail('READ_FAILED', { ...error.facts, check: 'check the address and the network' }, { cause: error });
}

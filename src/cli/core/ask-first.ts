import { fail, stopError } from '../../errors/index.js';
import { type Intent, unsentStates } from '../../journal/index.js';
import { failureFacts } from '../../payments/failure.js';
import { isPaymentInStatus, orderWords, showsNoOrder } from '../../payments/same-order.js';
import { queryStatus, statusRequest } from '../../payments/status-query.js';
import { foundElsewhere, type Sent } from '../../payments/submit.js';
import type { Operation } from '../../spec/index.js';
import { orderCommand } from '../format/meaning.js';
import type { Origins } from './live/confirmation-text.js';
import { failureOfQuery } from './order-query.js';
import type { Session } from './session.js';
import type { Submission } from './submission.js';

/**
 * Whether the gateway is asked before a payment is sent: before the first one from here with a client order id that was
 * given. Another machine, another state folder or an older copy of this one may have used it.
 */
export function askingFirst(
  row: Operation,
  intent: Intent | undefined,
  origins: Origins,
  session: Session,
): 'asked' | 'not asked' | 'no need' {
  const isFirst =
    origins['clientOrderId'] !== 'generated' && intent !== undefined && unsentStates.includes(intent.state);
  const isPayment = isPaymentInStatus(row) || isOrderByHand(row, intent);
  if (!isPayment || !isFirst || session.askFirst === undefined) return 'no need';
  return session.askFirst === 'on' && session.canAskStatus ? 'asked' : 'not asked';
}

/** A request to a path that is not described may be a payment with the client order id that it gives. */
function isOrderByHand({ id }: Operation, intent: Intent | undefined): boolean {
  return id === 'REQUEST' && intent?.clientOrderId !== undefined && intent.orderId === undefined;
}

/**
 * Asks the gateway about the client order id. Gives what to record of this very payment where it was made elsewhere,
 * and undefined where there is no such order. Throws CONFIRMATION_NEEDED for another order under this id, and NOT_SENT,
 * CERTIFICATE or REFUSED where the gateway does not say.
 */
export async function findMadeElsewhere(submission: Submission): Promise<Sent | undefined> {
  const { unsigned, record, session, connection, watched, stop } = submission;
  const { clientOrderId = '' } = unsigned.values;
  const query = { endpointId: unsigned.endpointId, orderId: undefined, clientOrderId };
  const answer = await queryStatus(connection, query, watched);
  if (stop.signal.aborted) throw stopError(stop.signal);
  const { fields } = answer;
  if (showsNoOrder(answer)) return undefined;
  if (answer.class === 'refused' || answer.class === 'certificate')
    throw failureOfQuery(answer, statusRequest(query, connection.target), session);
  if (answer.class !== 'accepted' || fields === undefined || record === undefined)
    throw fail('elsewhereNotAnswered', { order: clientOrderId, message: failureFacts(answer).why });
  const found = foundElsewhere(record.intent, answer, session);
  if (found !== undefined) return found;
  throw fail('otherOrderOfThatId', {
    order: clientOrderId,
    other: orderWords(fields),
    see: orderCommand('status', { orderId: undefined, clientOrderId, flags: session.flags }),
  });
}

import { isPaycliError } from '../errors/index.js';
import { describeIntent, type Intent } from '../journal/index.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import type { Classified } from './classify.js';
import type { Evidence } from './evidence.js';
import { isLastingFailure, refusalCause } from './failure.js';
import type { GatewayConnection, Watched } from './gateway-connection.js';
import { compareOrder, orderWords, showsNoOrder } from './same-order.js';
import { queryStatus } from './status-query.js';
import { evidenceOf, madeElsewhere, type Transition, transitionByStatus } from './transitions.js';

/** What status showed in place of a refusal. */
export interface AfterRefusal {
  readonly classified: Classified;
  readonly transition: Transition;
  /** Where it is this very payment, made elsewhere. */
  readonly evidence?: Evidence;
}

/** Whether an operation makes a payment that status finds by its client order id. */
export function isPaymentInStatus({ opens, effect, namedByStatus }: Operation): boolean {
  return opens && effect === 'money' && namedByStatus !== undefined;
}

/**
 * Asks once about a payment that the gateway refused, for the words of a refusal may mean that its id was used already.
 * Undefined where the refusal stands.
 */
export async function askAfterRefusal(
  refusal: Classified,
  { row, endpointId, values }: Unsigned,
  intent: Intent,
  connection: GatewayConnection,
  watched: Watched,
): Promise<AfterRefusal | undefined> {
  const cause = refusalCause(refusal);
  if (refusal.class !== 'refused' || !isPaymentInStatus(row) || cause === 'signature' || cause === 'endpoint')
    return undefined;
  const query = { endpointId, orderId: undefined, clientOrderId: values['clientOrderId'] };
  // Without a key it cannot be signed.
  const answer = await queryStatus(connection, query, watched).catch((error: unknown) => {
    if (isPaycliError(error)) return undefined;
    throw error;
  });
  if (answer === undefined || showsNoOrder(answer) || isLastingFailure(answer))
    return cause === 'used-id' ? inDoubt(refusal, 'its id was used already') : undefined;
  const { fields } = answer;
  if (answer.class !== 'accepted' || fields === undefined)
    return inDoubt(refusal, `whether the gateway has its order is not known: ${answer.reason}`);
  const minorDigits = connection.assume['minor-digits'];
  const evidence = evidenceOf(intent, fields, [], minorDigits);
  const transition = transitionByStatus(intent, evidence, fields);
  if (transition !== undefined && compareOrder(intent, fields, minorDigits) === 'same')
    return { classified: answer, transition: madeElsewhere(transition), evidence };
  return inDoubt(
    refusal,
    `the gateway has an order with this id that is not known to be this ${describeIntent(intent)}: ${orderWords(fields)}`,
  );
}

function inDoubt({ reason, ...refusal }: Classified, why: string): AfterRefusal {
  const classified: Classified = { ...refusal, class: 'unknown', reason: `${reason}; ${why}` };
  return { classified, transition: { to: 'unknown', result: { reason: classified.reason } } };
}

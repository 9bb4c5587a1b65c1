import { type FoundElsewhere, ofElsewhere } from '../journal/index.js';
import { isOrderUnknown } from '../payments/classify.js';
import { failureFacts } from '../payments/failure.js';
import { queryStatus, type StatusQuery } from '../payments/status-query.js';
import type { Unsigned } from '../signing/index.js';
import { operationById, replyField } from '../spec/index.js';
import { printable } from '../wire/redact.js';
import { type Tools, withGateway } from './talk.js';

/**
 * A request under an order that another engine may send, or has sent, is never sent from here: the gateway is asked what it knows,
 * and the error says so. Gives ORDER_ELSEWHERE.
 */
export async function refusalElsewhere({ values, endpointId }: Unsigned, found: FoundElsewhere, tools: Tools): Promise<Error> {
  const { orderId, clientOrderId } = values;
  const said = tools.session.canAskStatus ? await answered({ endpointId, orderId, clientOrderId }, tools) : 'it was not sent from here';
  return ofElsewhere({ orderId, clientOrderId }, found, said);
}

async function answered(query: StatusQuery, tools: Tools): Promise<string> {
  const classified = await withGateway(operationById('STATUS'), tools, ({ connection, watched }) =>
    queryStatus(connection, query, watched),
  );
  const word = classified.fields === undefined ? undefined : replyField(classified.fields, 'status');
  if (classified.class === 'accepted') return `the gateway has the order, with status ${printable(word ?? 'unknown')}`;
  if (isOrderUnknown(classified)) return `the gateway does not have the order yet (${classified.reason})`;
  return `the gateway could not be asked about it: ${failureFacts(classified).why}`;
}

import { exits, fail, type PaycliError } from '../../errors/index.js';
import type { Classified } from '../../payments/classify.js';
import { statusRequest } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import { onOrder } from '../../payments/settle.js';
import { statusQuery } from '../../spec/index.js';
import { possibleEffect } from '../format/journal-entries.js';
import { type OrderName, orderCommand, statusCommand } from '../format/meaning.js';
import { type Ending, hasReply, printFields } from '../print-reply.js';
import { unknownAtGateway } from './order-query.js';
import { requestsOnOrder } from './order-requests.js';
import { adviceAfterFailedQuery, adviceAfterRefusal } from './refusal-advice.js';
import { nameOf, type Submission } from './submission.js';

/** Why the outcome is not known, with what to check. */
export function unanswered(submission: Submission, order: OrderName, last: Classified): string {
  const advice = adviceAfterQuery(submission, order, last);
  return `querying the outcome failed: ${failureFacts(last).why}${advice === undefined ? '' : `; ${advice}`}`;
}

/** What to check after a failed status query, which may be signed in another way than the request itself. */
function adviceAfterQuery({ unsigned, connection, session }: Submission, order: OrderName, last: Classified) {
  const question = statusRequest({ endpointId: unsigned.endpointId, ...order }, connection.target);
  return adviceAfterFailedQuery(last, question, session);
}

/** The gateway refused it: printed, or thrown where its answer has no fields. */
export async function refused(submission: Submission, classified: Classified): Promise<number> {
  const { session, unsigned, record } = submission;
  const order = unsigned.values['orderId'];
  const filter = { base: session.gatewayBase, order };
  const requests = order === undefined || record === undefined ? [] : await onOrder(record.journal, filter);
  const how = adviceAfterRefusal(classified, unsigned, session, requests);
  const refusal = fail('REFUSED', { ...failureFacts(classified), how });
  const error = unsigned.row.id === statusQuery.id ? await refusalOfStatus(refusal, submission) : refusal;
  if (!hasReply(classified)) throw error;
  // A refused query says nothing about the payment that it is about.
  const text =
    unsigned.row.effect === 'read' ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  const ending: Ending = { ok: false, exit: error.exit, text, tone: 'bad', next: how, error };
  return printFields(submission, classified.fields, ending, { more: { httpStatus: classified.status } });
}

/** The gateway may not have an order yet whose outcome is unknown here. */
async function refusalOfStatus(
  refusal: PaycliError,
  { unsigned: { values }, ...tools }: Submission,
): Promise<PaycliError> {
  const { session, runtime } = tools;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder({ order: undefined, ...ids }, 'status', session, runtime);
  return unknownAtGateway(refusal, { ids, requests }, tools);
}

/** `failure` is the answer to the status query that showed no outcome. */
export async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const name = nameOf(submission, classified.fields ?? new Map());
  // `resolve` takes one id, or the number of an entry that has none.
  const isNameless = name.orderId === undefined && name.clientOrderId === undefined;
  const orderId = isNameless && submission.record !== undefined ? String(submission.record.request.id) : name.orderId;
  const one = orderId === undefined ? name : { ...name, orderId, clientOrderId: undefined };
  const how = submission.record === undefined ? statusCommand(name) : orderCommand('resolve', one);
  const check = failure === undefined ? undefined : adviceAfterQuery(submission, name, failure);
  // The HTTP status and the rest are those of the request itself; of a repeated one there was only the query.
  const about = submission.isRepeat === true ? (failure ?? classified) : classified;
  submission.report.noteStatus(about.status);
  const facts = { ...failureFacts(about), may: possibleEffect(submission.unsigned.row.id) };
  const error = fail('OUTCOME_UNKNOWN', { ...facts, ...(check && { check }), why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  const text = 'the outcome is unknown; do not send it again';
  const ending: Ending = { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error };
  return printFields(submission, classified.fields, ending, { more: { httpStatus: classified.status } });
}

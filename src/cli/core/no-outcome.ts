import { exits, fail } from '../../errors/index.js';
import type { Classified } from '../../payments/classify.js';
import { statusRequest } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import { onOrder } from '../../payments/settle.js';
import { statusQuery } from '../../spec/index.js';
import { possibleEffect } from '../format/journal-entries.js';
import { commandFor, type Fields, statusCommand } from '../format/meaning.js';
import { type Ending, hasReply, printFields } from '../print-reply.js';
import { unknownAtGateway } from './order-query.js';
import { requestsOnOrder } from './order-requests.js';
import { adviceAfterFailedQuery, adviceAfterRefusal } from './refusal-advice.js';
import { nameOf, type Submission } from './submission.js';

/** What to check after a failed status query, which may be signed in another way than the request itself. */
export function adviceAfterQuery(submission: Submission, fields: Fields, last: Classified): string | undefined {
  const { unsigned, connection, session } = submission;
  const question = { endpointId: unsigned.endpointId, ...nameOf(submission, fields) };
  return adviceAfterFailedQuery(last, statusRequest(question, connection.target), session);
}

/** The gateway refused it: printed, or thrown where its answer has no fields. */
export async function refused(submission: Submission, classified: Classified): Promise<number> {
  const { session, unsigned, record, runtime } = submission;
  const { row, values } = unsigned;
  const { orderId, clientOrderId } = values;
  const filter = { base: session.gatewayBase, order: orderId };
  const isKnown = orderId !== undefined && record !== undefined && record.fault === undefined;
  const onSame = isKnown ? await onOrder(record.journal, filter) : [];
  const how = adviceAfterRefusal(classified, unsigned, session, onSame);
  const refusal = fail('REFUSED', { ...failureFacts(classified), how });
  // The gateway may not have an order yet whose outcome is unknown here.
  const requests =
    row.id === statusQuery.id
      ? await requestsOnOrder({ order: undefined, orderId, clientOrderId }, row.command, session, runtime)
      : [];
  const error = unknownAtGateway(refusal, requests, session);
  if (!hasReply(classified)) throw error;
  // A refused query says nothing about the payment that it is about.
  const text = row.effect === 'read' ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  const ending: Ending = { ok: false, exit: error.exit, text, tone: 'bad', next: how, error };
  return printFields(submission, classified.fields, ending, { more: { httpStatus: classified.status } });
}

/** `failure` is the answer to the status query that showed no outcome. */
export async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const { record, session, unsigned, report, isRepeat } = submission;
  const fields = classified.fields ?? new Map<string, string>();
  const how =
    record === undefined
      ? statusCommand(nameOf(submission, fields))
      : commandFor('resolve', record.request, session.flags);
  const check = failure === undefined ? undefined : adviceAfterQuery(submission, fields, failure);
  // The HTTP status and the rest are those of the request itself; of a repeated one there was only the query.
  const about = isRepeat === true ? (failure ?? classified) : classified;
  report.noteStatus(about.status);
  const facts = { ...failureFacts(about), may: possibleEffect(unsigned.row.id) };
  const error = fail('OUTCOME_UNKNOWN', { ...facts, ...(check && { check }), why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  const text = 'the outcome is unknown; do not send it again';
  const ending: Ending = { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error };
  return printFields(submission, classified.fields, ending, { more: { httpStatus: classified.status } });
}

import { exits, fail } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import type { Classified } from '../../payments/classify.js';
import { statusRequest } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import { possibleEffect } from '../format/journal-entries.js';
import { commandFor, type Fields, orderCommand } from '../format/meaning.js';
import { type Ending, hasReply, printFields } from '../print-reply.js';
import { unknownAtGateway } from './order-query.js';
import { adviceAfterFailedQuery, adviceAfterRefusal } from './refusal-advice.js';
import { nameOf, type Submission } from './submission.js';

/** What to check after a failed status query, which may be signed in another way than the request itself. */
export function adviceAfterQuery(submission: Submission, fields: Fields, last: Classified): string | undefined {
  const { unsigned, connection, session } = submission;
  const question = { endpointId: unsigned.endpointId, ...nameOf(submission, fields) };
  return adviceAfterFailedQuery(last, statusRequest(question, connection.target), session);
}

/**
 * The gateway refused it: printed, or thrown where its answer has no fields. `known` are the requests on the order of a
 * status query.
 */
export async function refused(
  submission: Submission,
  classified: Classified,
  known: readonly Request[] = [],
): Promise<number> {
  const { session, unsigned } = submission;
  const how = adviceAfterRefusal(classified, unsigned, session);
  const error = unknownAtGateway(fail('REFUSED', { ...failureFacts(classified), how }), known, session);
  if (!hasReply(classified)) throw error;
  // A refused query says nothing about the payment that it is about.
  const isQuery = unsigned.row.effect === 'read';
  const text = isQuery ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  const ending: Ending = { ok: false, exit: error.exit, text, tone: 'bad', next: how, error };
  return printFields(submission, classified.fields, ending, { more: { httpStatus: classified.status } });
}

/** `failure` is the answer to the status query that showed no outcome. */
export async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const { record, session, unsigned, report, isRepeat } = submission;
  const fields = classified.fields ?? new Map<string, string>();
  const how =
    record === undefined
      ? orderCommand('status', nameOf(submission, fields))
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

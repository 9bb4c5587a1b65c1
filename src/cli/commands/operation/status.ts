import { exits, isPaycliError, stopError } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import type { Classified } from '../../../payments/classify.js';
import { queryStatus, statusRequest } from '../../../payments/exchange.js';
import type { Unsigned } from '../../../signing/index.js';
import { replyField } from '../../../spec/index.js';
import { failureOfRead, unknownAtGateway } from '../../core/order-query.js';
import { requestsOnOrder } from '../../core/order-requests.js';
import { type Fields, isCheckedPayout, waitingDocument, waitingIn } from '../../format/meaning.js';
import { type Tools, updateJournal, withGateway } from '../../gateway.js';
import { exitOfStatus, print, refused, type Submission } from '../../print-reply.js';
import { endOfWait, exitOfWait, waitEnd, waitForOrder } from '../../wait.js';

/**
 * `status`: queries an order at the endpoint that it was sent to, with --wait until its outcome is known. Sends only
 * status requests. Throws REFUSED, READ_FAILED or CERTIFICATE.
 */
export async function runStatus({ values, endpointId: usual }: Unsigned, tools: Tools): Promise<number> {
  const { options, session, runtime } = tools;
  const { orderId, clientOrderId, bySerial } = values;
  const named = { order: undefined, orderId, clientOrderId };
  const known = await requestsOnOrder(named, session, runtime).catch((error: unknown) => {
    // A query needs no readable journal.
    if (isPaycliError(error) && error.code === 'STORAGE') return [];
    throw error;
  });
  const sentTo = options.endpointId === undefined ? known.at(-1)?.endpoint : undefined;
  const query = { endpointId: sentTo ?? usual, orderId, clientOrderId, bySerial };
  return withGateway(tools, async (gateway) => {
    const { connection, watched } = gateway;
    const submission = { ...gateway, unsigned: statusRequest(query, connection.target) };
    if (options.wait === true) return waitForStatus(query, submission, known);
    const answer = await queryStatus(connection, query, watched);
    const { fields } = answer;
    if (answer.class !== 'accepted' || fields === undefined) return unanswered(submission, answer, known);
    if (options.expect !== undefined) return show(submission, fields, exitOfStatus(fields, options.expect));
    return show(submission, fields, exits.ok, exitOfStatus(fields, undefined) !== exits.declined);
  });
}

async function waitForStatus(
  query: Parameters<typeof waitForOrder>[0],
  submission: Submission,
  known: readonly Request[],
): Promise<number> {
  const { options, session, report, stop } = submission;
  const wait = {
    ...{ end: waitEnd(submission), pauses: session.pauses, waitsForPayer: true },
    until: options.expect === undefined ? isCheckedPayout : undefined,
  };
  const waited = await waitForOrder(query, wait, submission);
  const { fields } = waited;
  if (waited.kind === 'read-failed') return unanswered(submission, waited.last, known, fields);
  if (fields === undefined) throw stopError(stop.signal);
  const isStopped = waited.kind === 'stopped';
  const exit = await show(
    submission,
    fields,
    isStopped ? stopError(stop.signal).exit : exitOfWait(waited, options.expect),
  );
  if (waited.kind === 'timeout') report.notes([endOfWait(fields, submission)]);
  if (isStopped) report.warn(['interrupted; only status requests were sent, so the order is as it was at the gateway']);
  return exit;
}

/** Records what the answer says, and prints it. */
async function show(submission: Submission, fields: Fields, exit: number, ok?: boolean): Promise<number> {
  const requests = await updateJournal(submission, fields, submission.unsigned.endpointId);
  const more = { waiting: waitingDocument(waitingIn(requests)) };
  return print(submission, fields, exit, { requests, more, ...(ok === undefined ? {} : { ok }) });
}

/** The gateway did not tell the status; `before` is what it said earlier. */
function unanswered(
  submission: Submission,
  answer: Classified,
  known: readonly Request[],
  before?: Fields,
): Promise<number> {
  const { stop, unsigned, session } = submission;
  if (stop.signal.aborted) throw stopError(stop.signal);
  if (answer.class === 'refused' && before === undefined) return refused(submission, answer, known);
  const said = before && `the last reply before that was ${replyField(before, 'status') ?? ''}`;
  throw unknownAtGateway(failureOfRead(answer, unsigned, session, said), known, session);
}

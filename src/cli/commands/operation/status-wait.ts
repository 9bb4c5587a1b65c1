import { stopError } from '../../../errors/index.js';
import { type StatusQuery, statusRequest } from '../../../payments/exchange.js';
import { opensForm, replyField, statusQuery } from '../../../spec/index.js';
import { watchCallbacks } from '../../callback-watch.js';
import { failureOfRead, unknownAtGateway } from '../../core/order-query.js';
import { idsOf, requestsOnOrder } from '../../core/order-requests.js';
import { conflictIn } from '../../core/submission.js';
import { isCheckedPayout, waitingDocument, waitingIn } from '../../format/meaning.js';
import { type Tools, updateJournal, withGateway } from '../../gateway.js';
import { exitOfDoubt, print } from '../../print-reply.js';
import { endOfWait, exitOfWait, waitForOrder } from '../../wait.js';

/**
 * `status --wait`: waits for the outcome of an order by callbacks and polling, whichever is first, at the endpoint that
 * the order was sent to. Sends only status requests. Throws REFUSED, READ_FAILED or CERTIFICATE.
 */
export async function waitForStatus(
  { orderId, clientOrderId, bySerial }: Omit<StatusQuery, 'endpointId'>,
  tools: Tools,
): Promise<number> {
  const { options, session, runtime, report } = tools;
  const named = { order: undefined, orderId, clientOrderId };
  const known = await requestsOnOrder(named, 'status', session, runtime);
  const sentTo = options.endpointId === undefined ? known.at(-1)?.endpoint : undefined;
  const endpointId = sentTo ?? session.endpointFor(statusQuery, undefined);
  const about = { endpointId, ...idsOf(known, named), bySerial };
  const timeoutMs = options.waitTimeout ?? session.waitMs;
  return withGateway(tools, async (gateway) => {
    const { stop, connection } = gateway;
    const question = statusRequest(about, connection.target);
    const waited = await waitForOrder(
      about,
      {
        ...{ end: runtime.clock.monotonic() + timeoutMs, pauses: session.pauses, waitsForPayer: true },
        watcher: await watchCallbacks(gateway, about),
        isForm: known.some(({ operation }) => opensForm(operation)),
        until: options.expect === undefined ? isCheckedPayout : undefined,
      },
      gateway,
    );
    const { fields } = waited;
    if (waited.kind === 'read-failed') {
      const before = fields && `the last reply before that was ${replyField(fields, 'status') ?? ''}`;
      throw unknownAtGateway(failureOfRead(waited.last, question, session, before), known, session);
    }
    if (fields === undefined) throw stopError(stop.signal);
    const requests = await updateJournal(gateway, fields, endpointId);
    const conflict = conflictIn(requests);
    const isStopped = waited.kind === 'stopped';
    const ended = isStopped ? stopError(stop.signal).exit : exitOfWait(waited, options.expect);
    const exit = conflict === undefined || isStopped ? ended : exitOfDoubt(conflict, session);
    const submission = { ...gateway, unsigned: question, record: undefined, waitEnd: () => 0 };
    const more = { waiting: waitingDocument(waitingIn(requests)) };
    await print(submission, fields, exit, { requests, more });
    if (waited.kind === 'timeout') report.notes([endOfWait(fields, timeoutMs)]);
    if (isStopped)
      report.warn(['interrupted; only status requests were sent, so the order is as it was at the gateway']);
    return exit;
  });
}

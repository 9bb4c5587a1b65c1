import { exits, fail, type PaycliError, stopError } from '../../../errors/index.js';
import { statusRequest } from '../../../payments/exchange.js';
import { payerStepIn, replyField, statusOf, statusQuery } from '../../../spec/index.js';
import { failureOfRead } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { type Fields, isCheckedPayout, statusCommand, waitingText, whileWaiting } from '../../format/meaning.js';
import { timeText } from '../../format/time.js';
import { type GatewayContext, type Tools, withGateway } from '../../gateway.js';
import { waitForOrder } from '../../wait.js';
import { orderOutput, type ShownOrder, waitOf } from './show-order.js';

const usualWaitMs = 300_000;

/**
 * `order --watch`: shows the order, and again whenever its status changes, until it is final. Sends only status
 * requests. Exit 0 then, or 7 on timeout. Throws REFUSED, READ_FAILED, CERTIFICATE, INTERRUPTED or
 * TERMINATED.
 */
export function watchOrder(first: Fields, read: (reply: Fields) => Promise<ShownOrder>, tools: Tools): Promise<number> {
  const { options, session, report, runtime } = tools;
  // Not the wait time of the profile: a user watches while acting elsewhere.
  const end = runtime.clock.monotonic() + (options.waitTimeout ?? usualWaitMs);
  return withGateway(tools, async (gateway) => {
    let fields = first;
    for (let count = 0; ; count += 1) {
      const shown = await read(fields);
      const { document, text } = orderOutput(shown, session, report);
      const head = count === 0 ? '' : `\n${report.paint.dim(timeText(runtime.clock.now()))}\n`;
      await report.event(document, `${head}${text?.() ?? ''}`);
      if (isFinal(fields)) return exits.ok;
      const changed = await nextChange(shown.ids, fields, end, gateway);
      if (changed === undefined) {
        report.because(pendingError(shown, session.flags));
        return exits.pending;
      }
      fields = changed;
    }
  });
}

/** Says whom the order waits for, and what to do meanwhile. */
function pendingError(shown: ShownOrder, flags: string): PaycliError {
  const order = { ...shown.ids, flags };
  const waits = waitOf(shown);
  if (waits === undefined)
    return fail('PENDING', { why: 'timed out', how: `\`${statusCommand(order, ['--wait'])}\` waits for the outcome` });
  return fail('PENDING', { why: waitingText(waits), how: whileWaiting(waits.for, order) });
}

function isFinal(fields: Fields): boolean {
  return statusOf(replyField(fields, 'status') ?? '')?.final === true || isCheckedPayout(fields);
}

/** What counts as a change: the status, its transaction, and what the payer has to do. */
function stateOf(fields: Fields): string {
  const about = (['transactionType', 'stage', 'amount'] as const).map((key) => replyField(fields, key));
  return JSON.stringify([replyField(fields, 'status'), ...about, payerStepIn(fields, false)]);
}

/** The first reply with another state; undefined on timeout. */
async function nextChange(
  { orderId, clientOrderId }: OrderIds,
  fields: Fields,
  end: number,
  gateway: GatewayContext,
): Promise<Fields | undefined> {
  const { runtime, session, connection, stop } = gateway;
  if (end <= runtime.clock.monotonic()) return undefined;
  const query = { endpointId: session.endpointFor(statusQuery, undefined), orderId, clientOrderId };
  const isAbout = (reply: Fields) => stateOf(reply) !== stateOf(fields);
  // The shown reply has just arrived.
  const wait = { end, pauses: session.pauses, hasJustAsked: true, isAbout, until: () => true };
  const waited = await waitForOrder(query, wait, gateway);
  if (waited.kind === 'stopped') throw stopError(stop.signal);
  if (waited.kind === 'read-failed') throw failureOfRead(waited.last, statusRequest(query, connection.target), session);
  return waited.kind === 'final' ? waited.fields : undefined;
}

import { exits, fail, type PaycliError, stopError } from '../../../errors/index.js';
import { queryStatus, type StatusQuery, statusRequest } from '../../../payments/exchange.js';
import { aborted } from '../../../payments/sleep.js';
import { type Waited, waitForOutcome } from '../../../payments/wait.js';
import { payerStepIn, replyField, statusOf, statusQuery } from '../../../spec/index.js';
import { asFailedRead, failureOfQuery } from '../../core/order-query.js';
import type { OrderIds } from '../../core/order-requests.js';
import { maxWaitSeconds, seconds } from '../../flags.js';
import { type Fields, isCheckedPayout, statusCommand, waitingText, whileWaiting } from '../../format/meaning.js';
import { timeText } from '../../format/time.js';
import { type GatewayContext, type Tools, withGateway } from '../../gateway.js';
import { clockWithProgress, showWaitProgress } from '../../wait.js';
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
  const end =
    runtime.clock.monotonic() + (seconds('--wait-timeout', options.waitTimeout, maxWaitSeconds) ?? usualWaitMs);
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
  const { runtime, session } = gateway;
  const { clock, random } = runtime;
  const timeoutMs = end - clock.monotonic();
  if (timeoutMs <= 0) return undefined;
  const query = { endpointId: session.endpointFor(statusQuery, undefined), orderId, clientOrderId };
  const progress = showWaitProgress(query, end, gateway);
  try {
    const waiting = waitForOutcome({
      ask: async (until) => progress.asked(await queryStatus(gateway.connection, query, { ...gateway.watched, until })),
      ...{ clock: clockWithProgress(clock, progress), random, timeoutMs, pauses: session.pauses },
      // The shown reply has just arrived.
      hasJustAsked: true,
      isAbout: (reply) => stateOf(reply) !== stateOf(fields),
      until: () => true,
    });
    const waited = await Promise.race([waiting, aborted(gateway.watched.signal)]);
    if (waited === 'stopped') throw stopError(gateway.stop.signal);
    return changeIn(waited, query, gateway);
  } finally {
    progress.end();
  }
}

function changeIn(waited: Waited, query: StatusQuery, { session, connection }: GatewayContext): Fields | undefined {
  if (waited.kind === 'read-failed')
    throw asFailedRead(failureOfQuery(waited.last, statusRequest(query, connection.target), session));
  return waited.kind === 'final' ? waited.fields : undefined;
}

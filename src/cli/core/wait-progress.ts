import type { Classified } from '../../payments/classify.js';
import type { PaymentRecord } from '../../payments/payment-record.js';
import { type PollResult, pollUntilResolved } from '../../payments/status-polling.js';
import { pausesForUnknown } from '../../payments/wait.js';
import type { Clock } from '../../runtime/ports.js';
import { payerStepIn, payerSteps, replyField } from '../../spec/index.js';
import { printable } from '../../wire/redact.js';
import type { Fields } from '../format/meaning.js';
import { durationText } from '../format/time.js';
import type { GatewayContext } from './gateway-context.js';
import type { OrderIds } from './order-requests.js';

interface WaitProgress {
  /** Counts a status query and keeps its answer. */
  asked(answer: Classified): Classified;
  /** Starts the pause before the next query. */
  pausing(ms: number): void;
  /** How many status queries it counted. */
  polls(): number;
  /** Removes the line. */
  end(): void;
}

/**
 * A progress line on a terminal while waiting for an order: how long it still waits, what the gateway answered last,
 * and when the next query is due. `end` is by the monotonic clock; `isForm` as in `payerStepIn`.
 */
export function showWaitProgress(
  order: OrderIds,
  end: number | undefined,
  { report, runtime }: Pick<GatewayContext, 'report' | 'runtime'>,
  isForm = false,
): WaitProgress {
  const { clock } = runtime;
  const name = order.orderId ?? order.clientOrderId ?? '';
  let last: string | undefined;
  let count = 0;
  let next = 0;
  const text = () => {
    const now = clock.monotonic();
    const remaining = next - now;
    const left = end === undefined || end <= now ? '' : ` (${durationText(end - now + 999)} left)`;
    const facts = [
      ...(last === undefined ? [] : [last]),
      ...(count === 0 ? [] : [`polled ${count === 1 ? 'once' : `${count} times`}`]),
      remaining > 0 ? `next in ${durationText(remaining + 999)}` : 'polling',
    ];
    return `waiting for order ${name}${left}: ${facts.join(', ')}`;
  };
  report.progress(text);
  return {
    asked(answer) {
      count += 1;
      last = answerWords(answer, isForm);
      return answer;
    },
    pausing(ms) {
      next = clock.monotonic() + ms;
      report.progress(text);
    },
    polls: () => count,
    end: () => report.progress(undefined),
  };
}

/** The status and the stage, and what the payer has to do if the order waits for the payer; else why there is none. */
function answerWords({ fields = new Map(), reason }: Classified, isForm: boolean): string {
  const word = replyField(fields, 'status') ?? replyField(fields, 'errorMessage') ?? reason;
  const step = payerStepIn(fields, isForm);
  const details = [
    replyField(fields, 'stage'),
    step === undefined || step === 'nothing' ? undefined : payerSteps[step],
  ];
  const known = details.filter((detail) => detail !== undefined);
  return known.length === 0 ? word : `${word} (${known.join('; ')})`;
}

/** A clock whose sleeps are shown. */
export function clockWithProgress(clock: Clock, line: WaitProgress): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep(ms) {
      line.pausing(ms);
      return clock.sleep(ms);
    },
  };
}

/**
 * Polls the outcome of a request on the schedule, or once, with a progress line; `until` as in `pollUntilResolved`.
 */
export function pollWithProgress(
  record: PaymentRecord,
  isOnce: boolean,
  context: GatewayContext,
  until?: number,
): Promise<PollResult> {
  const { connection, watched, session } = context;
  const longest = pausesForUnknown(session.class).reduce((sum, pause) => sum + pause);
  const end = until ?? (isOnce ? undefined : connection.ports.clock.monotonic() + longest);
  const progress = showWaitProgress(record.intent, end, context);
  const how = { connection, watched, profileClass: session.class, isOnce, until, progress };
  return pollUntilResolved(record, how).finally(() => progress.end());
}

/** What to say where a wait gave up before the order was final. */
export function endOfWait(fields: Fields, waitedMs: number): string {
  const status = replyField(fields, 'status') ?? 'none';
  const seconds = Math.round(waitedMs / 1000);
  return `the wait ended after ${seconds} s; --wait-timeout makes it longer; the last status was ${printable(status)}`;
}

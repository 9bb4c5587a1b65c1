import type { CallbackStore } from '../callbacks/store.js';
import { isPaycliError } from '../errors/index.js';
import type { Classified } from '../payments/classify.js';
import { isBeyondStatus } from '../payments/evidence.js';
import { queryStatus, type StatusQuery } from '../payments/exchange.js';
import { proveOnOrder } from '../payments/settle.js';
import {
  aborted,
  type PollResult,
  pausesForUnknown,
  pollUntilSettled,
  type Waited,
  type WaitOptions,
  waitForOutcome,
} from '../payments/wait.js';
import { payerStepIn, payerSteps, payoutCheck, replyField } from '../spec/index.js';
import { printable } from '../wire/redact.js';
import type { OrderIds } from './core/order-requests.js';
import { nameOf, type Recorded, type Submission } from './core/submission.js';
import { callbacksPath, openCallbackHistory } from './core/user-stores.js';
import { type Fields, isCheckedPayout } from './format/meaning.js';
import { durationText } from './format/time.js';
import type { GatewayContext } from './gateway.js';

/** How a wait ended, and after how many queries; `stopped` by the user, with the last answer about what is waited for. */
export type WaitEnd = (Waited | { readonly kind: 'stopped'; readonly fields: Fields | undefined }) & {
  readonly polls: number;
};

interface OrderWait extends Omit<WaitOptions, 'ask' | 'clock' | 'random' | 'timeoutMs'> {
  /** When it gives up, by the monotonic clock. */
  readonly end: number;
  /** A callback ends a pause. */
  readonly watcher?: CallbackWatcher | undefined;
  /** See `payerStepIn`. */
  readonly isForm?: boolean;
  readonly asked?: (answer: Classified) => void;
}

/** Polls the status of an order, with a progress line, until something ends the wait, the time is up or the user stops. */
export async function waitForOrder(query: StatusQuery, wait: OrderWait, gateway: GatewayContext): Promise<WaitEnd> {
  const { connection, watched, runtime } = gateway;
  const { clock, random } = runtime;
  const { end, watcher, isAbout = () => true } = wait;
  const line = showWaitProgress(query, end, gateway, wait.isForm);
  let last: Fields | undefined;
  const waiting = waitForOutcome({
    ...{ ...wait, random, timeoutMs: end - clock.monotonic() },
    clock: {
      monotonic: () => clock.monotonic(),
      sleep(ms) {
        line.pausing(ms);
        return (watcher ?? clock).sleep(ms);
      },
    },
    async ask(until) {
      const answer = await queryStatus(connection, query, { ...watched, until });
      line.asked(answer);
      wait.asked?.(answer);
      return answer;
    },
    async isAbout(answer) {
      const isMatch = await isAbout(answer);
      if (isMatch) last = answer;
      return isMatch;
    },
  });
  const ended = await Promise.race([waiting, aborted(watched.signal)]).finally(() => {
    line.end();
    watcher?.close();
  });
  return { ...(ended === 'stopped' ? { kind: ended, fields: last } : ended), polls: line.polls() };
}

/** The same for a request that was sent; a follow-up is asked about by the serial number of its reply (A42). */
export async function waitForSubmission(submission: Submission, fields: Fields): Promise<WaitEnd> {
  const { session, unsigned, record } = submission;
  const { row, endpointId } = unsigned;
  const { orderId, clientOrderId } = nameOf(submission, fields);
  const bySerial = row.opens || row.effect !== 'money' ? undefined : record?.request.outcome['serial-number'];
  let isProven = false;
  const isAbout = async (answer: Fields) => {
    if (record === undefined || !isResolvedByStatus(submission)) return true;
    const minorDigits = session.assume['minor-digits'];
    const { proves, isOfLater } = await proveOnOrder(record.request, answer, record.journal, minorDigits);
    isProven = proves === 'done';
    return proves !== 'nothing' && (isProven || isOfLater !== true);
  };
  const wait = {
    ...{ end: submission.waitEnd(), pauses: session.pauses, isAbout },
    watcher: await watchCallbacks(submission, { orderId, clientOrderId }),
    until: (answer: Fields) => isProven || (row.id === payoutCheck.id && isCheckedPayout(answer)),
  };
  return waitForOrder({ endpointId, orderId, clientOrderId, bySerial }, wait, submission);
}

/** True for a request whose own outcome status shows; an upload only lets the order continue. */
export function isResolvedByStatus({ record }: Submission): boolean {
  return record !== undefined && !isBeyondStatus(record.request.operation);
}

interface WaitProgress {
  /** Counts a status query and keeps its answer. */
  asked(answer: Classified): void;
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
function showWaitProgress(
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

/**
 * Polls the outcome of a request on the schedule, or once, with a progress line; `until` as in `pollUntilSettled`.
 */
export async function pollWithProgress(
  record: Recorded,
  isOnce: boolean,
  context: GatewayContext,
  until?: number,
): Promise<PollResult> {
  const { connection, watched, session } = context;
  const { orderId, clientOrderId } = record.request;
  const pauses = isOnce ? [0] : pausesForUnknown(session.class);
  const longest = pauses.reduce((sum, pause) => sum + pause);
  const end = until ?? (isOnce ? undefined : connection.ports.clock.monotonic() + longest);
  const progress = showWaitProgress({ orderId, clientOrderId }, end, context);
  const how = { connection, watched, pauses, until, progress };
  const polled = await pollUntilSettled(record.request, record.journal, how).finally(() => progress.end());
  record.request = polled.request;
  return polled;
}

/** What to say where a wait gave up before the order was final. */
export function endOfWait(fields: Fields, waitedMs: number): string {
  const status = replyField(fields, 'status') ?? 'none';
  const seconds = Math.round(waitedMs / 1000);
  return `the wait ended after ${seconds} s; --wait-timeout makes it longer; the last status was ${printable(status)}`;
}

export interface CallbackWatcher {
  /** Ends early when a callback about the order is stored. */
  sleep(ms: number): Promise<void>;
  /** What ended the last sleep. */
  wokenBy(): 'callback' | 'poll';
  close(): void;
}

const checkEveryMs = 250;

/**
 * Lets a callback end the pause between two status queries. Callbacks stored before the call do not count: the first
 * query comes after them.
 */
export async function watchCallbacks(gateway: GatewayContext, order: OrderIds): Promise<CallbackWatcher> {
  const { clock } = gateway.runtime;
  const feed = new CallbackFeed(gateway, order);
  await feed.hasNew();
  let by: 'callback' | 'poll' = 'poll';
  return {
    async sleep(ms) {
      const end = clock.monotonic() + ms;
      for (;;) {
        // The wait has been aborted: never resolve, so that no further query is sent.
        if (gateway.stop.signal.aborted) return new Promise(() => undefined);
        by = (await feed.hasNew()) ? 'callback' : 'poll';
        const remaining = end - clock.monotonic();
        if (by === 'callback' || remaining <= 0) return;
        await clock.sleep(Math.min(remaining, checkEveryMs));
      }
    },
    wokenBy: () => by,
    close: () => feed.close(),
  };
}

/** Callbacks about an order stored since the last check. A listener may start, and create the file, at any time. */
class CallbackFeed {
  readonly #gateway: GatewayContext;
  readonly #ids: readonly string[];
  #history: CallbackStore | undefined;
  #lastId = 0;
  #isOver = false;

  constructor(gateway: GatewayContext, { orderId, clientOrderId }: OrderIds) {
    this.#gateway = gateway;
    this.#ids = [orderId, clientOrderId].filter((id) => id !== undefined);
  }

  /** True when there is a new one. Never fails: without callbacks, status is polled at its usual pace. */
  async hasNew(): Promise<boolean> {
    const { runtime, session, report } = this.#gateway;
    if (this.#isOver || (this.#history === undefined && !runtime.files.exists(callbacksPath(runtime)))) return false;
    try {
      this.#history ??= await openCallbackHistory(runtime);
      const history = this.#history;
      const found = this.#ids.flatMap((order) =>
        history.list({ order, place: session.gatewayBase, after: this.#lastId }),
      );
      this.#lastId = Math.max(this.#lastId, ...found.map(({ id }) => id));
      // Anyone can send a callback with a wrong checksum.
      return found.some(({ verified }) => verified !== 'wrong');
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.#isOver = true;
      report.warn([`callbacks cannot end this wait early: ${error.message}`]);
      return false;
    }
  }

  close(): void {
    this.#isOver = true;
    this.#history?.close();
    this.#history = undefined;
  }
}

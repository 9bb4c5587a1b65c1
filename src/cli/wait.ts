import { exits } from '../errors/index.js';
import type { Classified } from '../payments/classify.js';
import { isBeyondStatus } from '../payments/evidence.js';
import { queryStatus, type StatusQuery } from '../payments/exchange.js';
import { isLastingFailure } from '../payments/failure.js';
import { proveOnOrder } from '../payments/settle.js';
import { type PollResult, pausesForUnknown, pollUntilSettled, sleepOrAbort } from '../payments/wait.js';
import type { Clock, Random } from '../runtime/ports.js';
import { isUnknownWord, payoutCheck, replyField, statusOf, threeDSecureStepIn } from '../spec/index.js';
import { printable } from '../wire/redact.js';
import { type Fields, isCheckedPayout } from './format/meaning.js';
import { durationText } from './format/time.js';
import type { GatewayContext } from './gateway.js';
import { exitOfStatus, nameOf, type Recorded, type Submission } from './print-reply.js';

interface OrderWait {
  /** When it gives up, by the monotonic clock; after an hour in any case. */
  readonly end: number;
  /** Milliseconds between the queries instead of the usual ones, the last of them repeated; for the sandbox. */
  readonly pauses?: readonly number[] | undefined;
  /** Whether an answer is about the request that is waited for, not about an older transaction of its order. */
  readonly isAbout?: ((fields: Fields) => boolean | Promise<boolean>) | undefined;
  /** A further end of the wait, for an operation whose goal is no final status. */
  readonly until?: ((fields: Fields) => boolean) | undefined;
  /** Waits while the payer has to do something, for who only watches the order and cannot take the step. */
  readonly waitsForPayer?: boolean;
}

interface WaitOptions extends OrderWait {
  /** Queries status once; the query is given up at this time, by the monotonic clock. */
  readonly ask: (until: number) => Promise<Classified>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'below'>;
  /** Aborted when the user stops it. */
  readonly signal: AbortSignal;
}

/**
 * `final`: the status is final, or `until` is true. `step`: the payer has to do something first. Still not final are
 * `timeout`, `unknown-word` (the word is `unknown` or undocumented, so money may have moved) and `unrelated` (the last
 * answer was about another transaction). `read-failed`: three queries in a row had no answer, or the first one had none
 * and waiting does not change that; `fields` are those of the last one that had any. `stopped` by the user, with the
 * last answer about what is waited for.
 */
export type Waited =
  | { readonly kind: 'final' | 'step' | 'timeout' | 'unrelated' | 'unknown-word'; readonly fields: Fields }
  | { readonly kind: 'read-failed'; readonly fields?: Fields; readonly last: Classified }
  | { readonly kind: 'stopped'; readonly fields: Fields | undefined };

const minute = 60_000;
const hour = 60 * minute;
const maxFailures = 3;

/** Queries status until something ends the wait, the time is up or the user stops. */
export async function waitForOutcome(options: WaitOptions): Promise<Waited> {
  const { ask, clock, random, signal, pauses = [], isAbout = () => true } = options;
  const start = clock.monotonic();
  const end = Math.min(options.end, start + hour);
  let fields: Fields | undefined;
  let related: Fields | undefined;
  let failures = 0;
  for (let queries = 0; ; queries += 1) {
    if (queries > 0) {
      const ms = pauses[queries - 1] ?? pauses.at(-1) ?? usualPause(failures, clock.monotonic() - start, random);
      const left = Math.max(0, end - clock.monotonic());
      if (await sleepOrAbort(clock, Math.min(left, ms), signal)) return { kind: 'stopped', fields: related };
    }
    const answer = await ask(end).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (answer === undefined) return { kind: 'stopped', fields: related };
    if (answer.class === 'accepted' && answer.fields !== undefined) {
      [fields, failures] = [answer.fields, 0];
      if (await isAbout(fields)) related = fields;
      const kind = related === fields ? endOf(fields, options) : undefined;
      if (kind !== undefined) return { kind, fields };
    } else failures += 1;
    if (signal.aborted) return { kind: 'stopped', fields: related };
    const isOver = clock.monotonic() >= end;
    if (failures === maxFailures || (fields === undefined && (isOver || isLastingFailure(answer))))
      return { kind: 'read-failed', last: answer, ...(fields && { fields }) };
    if (!isOver || fields === undefined) continue;
    if (related !== fields) return { kind: 'unrelated', fields };
    return { kind: isUnknownWord(replyField(fields, 'status') ?? '') ? 'unknown-word' : 'timeout', fields };
  }
}

function endOf(fields: Fields, { until, waitsForPayer }: OrderWait): 'final' | 'step' | undefined {
  if (until?.(fields) === true || statusOf(replyField(fields, 'status') ?? '')?.final === true) return 'final';
  const step = threeDSecureStepIn(fields) ?? replyField(fields, 'html', 'redirectTo', 'redirect');
  return waitsForPayer === true || step === undefined ? undefined : 'step';
}

/**
 * Every few seconds, after five minutes every few minutes; jittered, so that many waiting at once do not query at once.
 * A failed query is repeated soon.
 */
function usualPause(failures: number, elapsedMs: number, random: Pick<Random, 'below'>): number {
  if (failures > 0) return 1000 * 2 ** (failures - 1) + random.below(1000);
  return elapsedMs < 5 * minute ? 3000 + random.below(2001) : 5 * minute + random.below(5 * minute + 1);
}

/** The exit code at the end of a wait. An accepted order whose status queries failed is pending, not lost. */
export function exitOfWait(waited: Exclude<Waited, { readonly kind: 'stopped' }>, expect: string | undefined): number {
  if (waited.kind === 'read-failed' || waited.kind === 'step' || waited.kind === 'unrelated') return exits.pending;
  return exitOfStatus(waited.fields, expect);
}

/** The same for an order, with a progress line. */
export function waitForOrder(query: StatusQuery, wait: OrderWait, gateway: GatewayContext): Promise<Waited> {
  const { connection, watched, runtime, report } = gateway;
  const told = showProgress(query, wait.end, gateway);
  const ask = async (until: number) => {
    const answer = await queryStatus(connection, query, { ...watched, until });
    told(answer);
    return answer;
  };
  const { clock, random } = runtime;
  return waitForOutcome({ ...wait, ask, clock, random, signal: watched.signal }).finally(() =>
    report.progress(undefined),
  );
}

/** The same for a request that was sent; a follow-up is asked about by the serial number of its reply (A42). */
export async function waitForSubmission(submission: Submission, fields: Fields): Promise<Waited> {
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
  const until = (answer: Fields) => isProven || (row.id === payoutCheck.id && isCheckedPayout(answer));
  const wait = { end: waitEnd(submission), pauses: session.pauses, isAbout, until };
  return waitForOrder({ endpointId, orderId, clientOrderId, bySerial }, wait, submission);
}

/** True for a request whose own outcome status shows; an upload only lets the order continue. */
export function isResolvedByStatus({ record }: Submission): boolean {
  return record !== undefined && !isBeyondStatus(record.request.operation);
}

/**
 * A progress line on a terminal while waiting for an order: how long it still waits, and what the gateway answered
 * last, which the function that it returns is told. `end` is by the monotonic clock.
 */
function showProgress(
  { orderId, clientOrderId }: Partial<StatusQuery>,
  end: number,
  { report, runtime }: Pick<GatewayContext, 'report' | 'runtime'>,
): (answer: Classified) => void {
  let last = '';
  const text = () => {
    const left = end - runtime.clock.monotonic();
    return `waiting for order ${orderId ?? clientOrderId}${left <= 0 ? '' : ` (${durationText(left + 999)} left)`}${last}`;
  };
  report.progress(text);
  return ({ fields = new Map(), reason }) => {
    const word = replyField(fields, 'status') ?? replyField(fields, 'errorMessage') ?? reason;
    const stage = replyField(fields, 'stage');
    last = `: ${word}${stage === undefined ? '' : ` (${stage})`}`;
    report.progress(text);
  };
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
  const { connection, watched, session, report } = context;
  const pauses = isOnce ? [0] : pausesForUnknown(session.class);
  const longest = pauses.reduce((sum, pause) => sum + pause);
  const asked = showProgress(record.request, until ?? connection.ports.clock.monotonic() + longest, context);
  const how = { connection, watched, pauses, until, asked };
  const polled = await pollUntilSettled(record.request, record.journal, how).finally(() => report.progress(undefined));
  record.request = polled.request;
  return polled;
}

/** When --wait gives up, by the monotonic clock: the time begins with the first call, once there is a reply or none. */
export function waitEnd(submission: Submission): number {
  const { options, session, runtime } = submission;
  submission.end ??= runtime.clock.monotonic() + (options.waitTimeout ?? session.waitMs);
  return submission.end;
}

/** What to say where a wait gave up before the order was final. */
export function endOfWait(fields: Fields, { options, session }: Submission): string {
  const status = replyField(fields, 'status') ?? 'none';
  const seconds = Math.round((options.waitTimeout ?? session.waitMs) / 1000);
  return `the wait ended after ${seconds} s; --wait-timeout makes it longer; the last status was ${printable(status)}`;
}

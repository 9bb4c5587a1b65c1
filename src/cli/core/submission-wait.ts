import { isBeyondStatus } from '../../payments/evidence.js';
import { aborted } from '../../payments/sleep.js';
import { queryStatus, type StatusQuery } from '../../payments/status-query.js';
import { type Waited, waitForOutcome } from '../../payments/wait.js';
import { payoutCheck } from '../../spec/index.js';
import { type Fields, isCheckedPayout } from '../format/meaning.js';
import { watchCallbacks } from './callback-watcher.js';
import { nameOf, type Submission } from './submission.js';
import { clockWithProgress, showWaitProgress } from './wait-progress.js';

/** Polls status until the outcome is final, a step is due, the time is up or the user stops. */
export async function waitForSubmission(
  submission: Submission,
  fields: Fields,
): Promise<(Waited & { readonly polls: number }) | { readonly kind: 'stopped'; readonly fields: Fields | undefined }> {
  const { session, runtime, unsigned, record, connection, watched } = submission;
  const bySerial = serialOf(submission);
  const watcher = await watchCallbacks(submission, nameOf(submission, fields));
  const line = showWaitProgress(nameOf(submission, fields), submission.waitEnd(), submission);
  let isProven = false;
  const isAbout = async (answer: Fields) => {
    if (!isResolvedByStatus(submission)) return true;
    const evidence = await record?.evidence(answer);
    isProven = evidence?.proves === 'done';
    return evidence?.proves !== 'nothing' && (isProven || evidence?.isOfLater !== true);
  };
  // The last answer, for an interrupted wait.
  let last: Fields | undefined;
  const waiting = waitForOutcome({
    ask: async (until) =>
      line.asked(await queryStatus(connection, { ...statusOf(submission, fields), bySerial }, { ...watched, until })),
    clock: clockWithProgress(watcher.clock, line),
    random: runtime.random,
    timeoutMs: submission.waitEnd() - runtime.clock.monotonic(),
    pauses: session.pauses,
    isAbout: async (answer) => {
      const isMatch = await isAbout(answer);
      if (isMatch) last = answer;
      return isMatch;
    },
    until: (answer) => isProven || (unsigned.row.id === payoutCheck.id && isCheckedPayout(answer)),
  });
  const ended = await Promise.race([waiting, aborted(watched.signal)]).finally(() => {
    line.end();
    watcher.close();
  });
  return ended === 'stopped' ? { kind: ended, fields: last } : { ...ended, polls: line.polls() };
}

/** True for a request whose own outcome status shows; an upload only lets the order continue. */
export function isResolvedByStatus({ record }: Submission): boolean {
  return record !== undefined && !isBeyondStatus(record.intent.operation);
}

/**
 * A follow-up is queried by the serial number in its reply: otherwise status describes the newest transaction (A42).
 */
function serialOf({ unsigned, record }: Submission): string | undefined {
  return unsigned.row.opens || unsigned.row.effect !== 'money' ? undefined : record?.intent.outcome['serial-number'];
}

function statusOf(submission: Submission, fields: Fields): StatusQuery {
  const { orderId, clientOrderId } = nameOf(submission, fields);
  return { endpointId: submission.unsigned.endpointId, orderId, clientOrderId };
}

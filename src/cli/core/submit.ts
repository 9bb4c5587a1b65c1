import { exits, isPaycliError, stopError } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import { wasMarked } from '../../journal/states.js';
import type { Classified } from '../../payments/classify.js';
import { rowOf } from '../../payments/evidence.js';
import { exchange } from '../../payments/exchange.js';
import { send } from '../../payments/send.js';
import { settleByStatus } from '../../payments/settle.js';
import type { PollResult } from '../../payments/wait.js';
import type { Unsigned } from '../../signing/index.js';
import { isSuccess, isUnknownWord, replyField, replyNames, statusQuery } from '../../spec/index.js';
import { statusText } from '../../spec/transaction-words.js';
import { markWords } from '../format/journal-entries.js';
import { type Fields, isCheckedPayout } from '../format/meaning.js';
import { timeText } from '../format/time.js';
import { type GatewayContext, type Tools, updateJournal, withGateway } from '../gateway.js';
import { askingFirst, type Planned, planPayment, withProfile } from '../plan-payment.js';
import { exitOfDoubt, exitOfStatus, openPage, print, printFields } from '../print-reply.js';
import { endOfWait, exitOfWait, isResolvedByStatus, pollWithProgress, waitForSubmission } from '../wait.js';
import { refused, unanswered, unknown } from './no-outcome.js';
import { failureOfQuery, failureOfRead } from './order-query.js';
import { commandFor, storageFaultAfter } from './storage-fault.js';
import { conflictIn, nameOf, type Recorded, type SendContext, type Submission, warnSentBefore } from './submission.js';

type Keep = (request: Request, failed?: Pick<Recorded, 'fault' | 'unrecorded'>) => Recorded;

/**
 * Sends a request, waits for its outcome with --wait, prints it, and returns the exit code. A request that was sent
 * before is not sent again.
 */
export async function sendOperation(
  unsigned: Unsigned,
  tools: Tools,
  { origins, ofOrder, announce }: SendContext,
): Promise<number> {
  const { options, session } = tools;
  const waitMs = waitMsIn(tools);
  // Before stop signals are handled: any of them may end a prompt.
  const flags = { again: options.again === true, origins, ofOrder };
  const planned = await planPayment(unsigned, tools, flags).catch((error: unknown) => {
    throw withProfile(error, session);
  });
  if (planned === undefined || planned.decision.do === 'send') announce();
  const first = planned === undefined ? 'no need' : askingFirst(unsigned.row, planned, origins, session);
  let end: number | undefined;
  const waitEnd = () => {
    end ??= tools.runtime.clock.monotonic() + waitMs;
    return end;
  };
  const submission = (gateway: GatewayContext): Submission => {
    const watched = { ...gateway.watched, earlier: unsigned };
    return { ...gateway, watched, unsigned, record: undefined, waitEnd };
  };
  // A read is not recorded.
  if (planned === undefined)
    return withGateway(tools, async (gateway) => {
      const reading = submission(gateway);
      return conclude(reading, await exchange(unsigned, gateway.connection, reading.watched));
    });
  // Known once it is recorded.
  let record: Recorded | undefined;
  const keep: Keep = (request, failed = {}) => {
    record = { journal: planned.journal, request, ...failed };
    return record;
  };
  const work = () => withGateway(tools, (gateway) => submitPlanned(submission(gateway), planned, first, keep));
  const [exit, error] = await work().then(
    (code) => [code, undefined] as const,
    (thrown: unknown) => [undefined, thrown] as const,
  );
  const closing = await planned.journal.close().catch((thrown: unknown) => thrown);
  const fault = record?.fault ?? (isPaycliError(closing) ? closing : undefined);
  const shown = fault === undefined || record === undefined ? undefined : storageFaultAfter(fault, record, tools);
  if (exit === undefined) {
    if (isPaycliError(error) && error.code !== 'STORAGE' && shown !== undefined) error.beside ??= shown;
    throw withProfile(error, tools.session);
  }
  if (shown !== undefined) tools.report.error(shown, exit);
  else if (first === 'not asked' && exit === exits.ok)
    tools.report.notes(['the gateway was not asked whether it had an order with this id already (ask-first)'], false);
  return exit;
}

async function submitPlanned(
  submission: Submission,
  { journal, decision, wanted, limits }: Planned,
  asking: ReturnType<typeof askingFirst>,
  keep: Keep,
): Promise<number> {
  const { unsigned, connection, watched, stop, runtime } = submission;
  if (decision.do !== 'send') {
    const known = { ...submission, record: keep(decision.earlier), isRepeat: true } as const;
    return decision.do === 'show' ? showStored(known) : askAgain(known);
  }
  const first = typeof asking === 'string' ? undefined : asking;
  const sent = await send({ unsigned, wanted, decision, first, limits }, journal, connection, {
    ...watched,
    begun() {
      // From here on no signal ends this process before it has said what became of the request.
      runtime.processes.onStop(() => undefined);
    },
  }).catch((error: unknown) => {
    throw stop.signal.aborted && !isPaycliError(error) ? stopError(stop.signal) : error;
  });
  const { classified, elsewhere, wasSent } = sent;
  const recorded = {
    ...submission,
    record: keep(sent.request, sent.fault && { fault: sent.fault, unrecorded: classified.class }),
  };
  if (elsewhere === undefined) return conclude(recorded, classified);
  const shown: Submission = wasSent ? recorded : { ...recorded, isRepeat: true };
  const what = wasSent ? 'although it refused this request' : 'made elsewhere; nothing is sent';
  warnSentBefore(shown, (which) => `the gateway has ${which}, ${what}`);
  const polled = {
    request: sent.request,
    proof: elsewhere,
    isStopped: false,
    ...(classified.fields && { fields: classified.fields }),
  };
  return afterAsking(shown, polled, { class: 'unknown', reason: elsewhere.reason });
}

/** The same request was sent before and its outcome is known. */
async function showStored(submission: Submission): Promise<number> {
  const { record } = submission;
  const { state = 'done', outcome = {}, changedAt = 0, reason = '' } = record?.request ?? {};
  const when = timeText(changedAt);
  if (state !== 'conflict' && wasMarked({ reason })) return showManual(submission, state === 'done', when);
  // The reply to an upload, or to a request by hand, says that it was accepted, and nothing about the order.
  const isOnlyAccepted = (state === 'done' || state === 'accepted') && !isResolvedByStatus(submission);
  const isOfLater = record !== undefined && state === 'done' && !isOnlyAccepted && !saysApproved(record.request);
  const fields = isOfLater ? ownFields(record.request) : new Map(Object.entries(outcome));
  const word = replyField(fields, 'status');
  const outcomeWord = isOnlyAccepted ? 'accepted' : (word ?? (state === 'done' ? 'approved' : state));
  const since =
    state === 'conflict'
      ? `it has been in conflict since ${when}`
      : `it has been ${statusText(outcomeWord)} since ${when}`;
  warnSentBefore(submission, (which) => `${which} was already sent; ${since}, and nothing is sent again`);
  if (isOnlyAccepted) return accepted(submission, fields);
  if (word !== undefined) return print(submission, fields, exitOfStatus(fields, submission.options.expect));
  return print(submission, fields, state === 'done' ? exits.ok : exits.declined);
}

const ownNames = replyNames('type', 'serial', 'clientOrderId', 'orderId', 'endpointId');

/** False where the last answer was about a later transaction of the order, as a return of it that was declined. */
function saysApproved({ operation, outcome }: Request): boolean {
  const fields = new Map(Object.entries(outcome));
  const type = outcome['transaction-type']?.toLowerCase();
  const isOwn = type === undefined || rowOf(operation)?.namedByStatus?.types.includes(type) === true;
  return isCheckedPayout(fields) || (isOwn && isSuccess(replyField(fields, 'status') ?? ''));
}

/**
 * The fields of a request whose order has a later transaction, which is what a status shows: its ids, and that it was
 * approved where that is proven.
 */
function ownFields({ outcome, state }: Request): Fields {
  const own = Object.entries(outcome).filter(([name]) => ownNames.includes(name));
  return new Map([...own, ...(state === 'done' ? [['status', 'approved'] as const] : [])]);
}

/** Shows a manual settlement in place of the gateway's last answer, which is older. */
function showManual(submission: Submission, isPaid: boolean, when: string): Promise<number> {
  const { record, options, unsigned } = submission;
  const order =
    record === undefined ? 'paycli journal' : commandFor('journal', record.request, submission.session.flags);
  const text = `${record === undefined ? 'marked as paid by hand' : markWords(record.request)} at ${when}`;
  const exit = options.expect === undefined ? (isPaid ? exits.ok : exits.declined) : exits.checkFailed;
  return printFields(submission, new Map(), {
    ok: exit === exits.ok,
    exit,
    text,
    tone: isPaid ? 'good' : 'bad',
    next: `${isPaid || unsigned.row.opens ? '' : '--again sends it again; '}\`${order}\` shows the evidence`,
  });
}

/** The same request was sent before and its outcome is open: only queried, never sent. */
async function askAgain(submission: Submission): Promise<number> {
  const { record, options } = submission;
  if (record === undefined) throw new Error('only requests in the journal can be queried');
  const { state, changedAt } = record.request;
  const since = timeText(changedAt);
  warnSentBefore(
    submission,
    (which) => `${which} was already sent (${state} since ${since}): its status is queried, and nothing is sent again`,
  );
  if (options.wait === true && state === 'accepted')
    return accepted(submission, new Map(Object.entries(record.request.outcome)));
  const polled = await poll(submission, record);
  return afterAsking(submission, polled, { class: 'unknown', reason: polled.proof.reason });
}

function poll(submission: Submission, record: Recorded): Promise<PollResult> {
  const isOnce = submission.options.wait !== true;
  return pollWithProgress(record, isOnce, submission, isOnce ? undefined : submission.waitEnd());
}

/** Continues with the result of polling an unknown outcome. */
async function afterAsking(
  submission: Submission,
  { proof, fields: answer, failure, isStopped }: PollResult,
  before: Classified,
): Promise<number> {
  const { record } = submission;
  const fields = proof.isOfLater === true && record !== undefined ? ownFields(record.request) : answer;
  if (proof.proves === 'nothing' || fields === undefined) {
    // What happened to the request itself comes first.
    const reasons = new Set([before.reason, isStopped ? 'stopped while querying' : proof.reason]);
    return unknown(submission, { ...before, reason: [...reasons].join('; ') }, isStopped ? undefined : failure);
  }
  if (proof.proves !== 'pending') return print(submission, fields, exitOfStatus(fields, submission.options.expect));
  if (submission.options.wait === true) return accepted(submission, fields);
  return print(submission, fields, proof.unknownStatus === undefined ? exits.ok : exits.unknown);
}

async function conclude(submission: Submission, classified: Classified): Promise<number> {
  switch (classified.class) {
    case 'accepted':
      return accepted(submission, classified.fields ?? new Map());
    case 'ask-status':
    case 'unknown':
      return resolveUnknown(submission, classified);
    case 'refused':
      return refused(submission, classified);
    case 'not-sent':
      if (submission.stop.signal.aborted) throw stopError(submission.stop.signal);
  }
  const { unsigned, session } = submission;
  // Of a read it does not matter whether it was sent: it changes nothing.
  throw (unsigned.row.effect === 'read' ? failureOfRead : failureOfQuery)(classified, unsigned, session);
}

async function accepted(submission: Submission, fields: Fields): Promise<number> {
  const { options, unsigned, record } = submission;
  if (options.open === true) await openPage(fields, submission.report, submission.runtime);
  if (unsigned.row.id === statusQuery.id) return acceptedStatus(submission, fields);
  if (options.wait !== true && options.expect === undefined) {
    const isDeclined = exitOfStatus(fields, undefined) === exits.declined;
    return print(submission, fields, isDeclined ? exits.declined : exits.ok);
  }
  const waited = await waitForSubmission(submission, fields);
  if (waited.kind === 'stopped') return stoppedWaiting(submission, waited.fields ?? fields);
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'read-failed')
    return pendingAfter(submission, shown, unanswered(submission, nameOf(submission, fields), waited.last));
  const isOfLater = await settleByAnswer(submission, waited.fields);
  const own = isOfLater && record !== undefined ? ownFields(record.request) : undefined;
  const exit = own === undefined ? exitOfWait(waited, options.expect) : exitOfStatus(own, options.expect);
  const code = await print(submission, own ?? shown, exit, { polls: waited.polls });
  if (waited.kind === 'timeout') submission.report.notes([endOfWait(shown, waitMsIn(submission))]);
  return code;
}

/** A status query without --expect only shows the status. */
async function acceptedStatus(submission: Submission, fields: Fields): Promise<number> {
  const { options, unsigned, session } = submission;
  const requests = await updateJournal(submission, fields, unsigned.endpointId);
  const conflict = conflictIn(requests);
  // The journal contradicts this status, so a person has to decide.
  if (conflict !== undefined) return print(submission, fields, exitOfDoubt(conflict, session), { requests, ok: false });
  const exit = exitOfStatus(fields, options.expect);
  if (options.expect !== undefined) return print(submission, fields, exit, { requests });
  return print(submission, fields, exits.ok, { requests, ok: exit !== exits.declined });
}

/**
 * Records what a status proves about the request that was sent, then about the others on its order; whether it describes
 * a later transaction. A disk that fails does not hide the outcome.
 */
async function settleByAnswer(submission: Submission, fields: Fields): Promise<boolean> {
  const { record, session, unsigned } = submission;
  let isOfLater = false;
  if (record !== undefined && isResolvedByStatus(submission)) {
    try {
      const settled = await settleByStatus(record.request, fields, record.journal, session.assume['minor-digits']);
      record.request = settled.request;
      isOfLater = settled.proof.isOfLater === true;
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      record.fault ??= error;
    }
  }
  await updateJournal(submission, fields, unsigned.endpointId, record);
  return isOfLater;
}

/** How long --wait waits. */
function waitMsIn({ options, session }: Pick<Tools, 'options' | 'session'>): number {
  return options.waitTimeout ?? session.waitMs;
}

/** The request was accepted and its outcome is not known yet: exit 7. */
async function pendingAfter(submission: Submission, fields: Fields, why: string): Promise<number> {
  const code = await print(submission, fields, exits.pending);
  submission.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

/** Records the last status, since the user saw it. */
async function stoppedWaiting(submission: Submission, fields: Fields): Promise<number> {
  await settleByAnswer(submission, fields);
  if (isUnknownWord(replyField(fields, 'status'))) return print(submission, fields, exits.unknown);
  return pendingAfter(submission, fields, 'interrupted while waiting');
}

/** Money may have moved: polls status on its schedule with --wait, and once when a refusal names an order. */
async function resolveUnknown(submission: Submission, classified: Classified): Promise<number> {
  const { record, options } = submission;
  const mayAsk = options.wait === true || classified.class === 'ask-status';
  if (record === undefined || !mayAsk || submission.stop.signal.aborted) return unknown(submission, classified);
  if (classified.class !== 'ask-status')
    submission.report.notes([`the outcome is unknown (${classified.reason}); querying the gateway`]);
  return afterAsking(submission, await poll(submission, record), classified);
}

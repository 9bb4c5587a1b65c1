import { exits, fail, isPaycliError, type PaycliError, stopError } from '../errors/index.js';
import type { Journal, Request, Sum } from '../journal/port.js';
import { reachedStates, wasMarked } from '../journal/states.js';
import type { Classified } from '../payments/classify.js';
import { rowOf } from '../payments/evidence.js';
import { exchange } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import { send } from '../payments/send.js';
import { settleByStatus } from '../payments/settle.js';
import type { PollResult } from '../payments/wait.js';
import type { Runtime } from '../runtime/ports.js';
import { isSuccess, isUnknownWord, type Operation, replyField, replyNames, statusQuery } from '../spec/index.js';
import { statusText } from '../spec/transaction-words.js';
import type { Typed } from './core/common-options.js';
import { failureOfQuery, failureOfRead } from './core/order-query.js';
import type { Reporter } from './core/reporter.js';
import { announce, type Composed, composeRequest } from './fields/resolve.js';
import { markWords, possibleEffect } from './format/journal-entries.js';
import { commandFor, type Fields, isCheckedPayout } from './format/meaning.js';
import { timeText } from './format/time.js';
import { assertTestedEngine, type Tools, updateJournal, withGateway } from './gateway.js';
import { type Planned, planPayment, withFlags } from './plan-payment.js';
import {
  adviceAfterQuery,
  exitOfStatus,
  faultAfterSending,
  print,
  printFields,
  type Recorded,
  refused,
  type Submission,
  unknown,
  warnSentBefore,
} from './print-reply.js';
import { checkLive, withSession } from './session.js';
import { endOfWait, exitOfWait, isResolvedByStatus, pollWithProgress, waitEnd, waitForSubmission } from './wait.js';

/**
 * One operation from typed flags to exit code: sent, or shown by --dry-run. Fields written `by hand` get no question
 * about a missing amount.
 */
export async function runOperation(
  row: Operation,
  typed: Typed,
  mode: 'from flags' | 'by hand',
  runtime: Runtime,
): Promise<number> {
  const { options } = typed;
  return withSession(options, runtime, async (session, report) => {
    const { unsigned, resolved } = await composeRequest(row, typed, session, runtime, options.dryRun !== true);
    if (options.dryRun === true) {
      announce(resolved, report);
      const { showSignature } = await import('./commands/sign/show.js');
      const request = { unsigned, resolved, session, mode: 'send', explain: options.explain === true } as const;
      return showSignature(request, report, runtime);
    }
    if (row.effect === 'money') assertTestedEngine(runtime.processes);
    checkLive(row, options, session);
    if (row.effect === 'money' && !session.canAskStatus && session.askFirst !== 'off')
      throw fail('STATUS_UNSIGNABLE', { name: session.name });
    const tools = { options, session, report, runtime };
    const followUp = { unsigned, status: resolved.status, isByHand: mode === 'by hand' };
    const ofOrder =
      row.opens || row.effect !== 'money'
        ? undefined
        : await (await import('./commands/operation/follow-up.js')).checkFollowUp(followUp, tools);
    if (row.id === statusQuery.id) return (await import('./commands/operation/status.js')).runStatus(unsigned, tools);
    return sendOperation({ unsigned, resolved }, ofOrder, tools);
  });
}

/**
 * Sends a request, waits for its outcome with --wait, prints it, and returns the exit code. A request that was sent
 * before is not sent again. `ofOrder` is the amount of its order, where the gateway told it.
 */
export async function sendOperation(
  { unsigned, resolved }: Composed,
  ofOrder: Sum | undefined,
  tools: Tools,
): Promise<number> {
  const { session, report } = tools;
  const isNewId = resolved.origins['clientOrderId'] === 'generated';
  // Before stop signals are handled: any of them may end a prompt.
  const planned = await planPayment(unsigned, tools, isNewId, ofOrder).catch((error: unknown) => {
    throw withFlags(error, session);
  });
  if (planned === undefined || planned.decision.do === 'send') announce(resolved, report);
  return withGateway(tools, async (gateway) => {
    const submission: Submission = { ...gateway, watched: { ...gateway.watched, earlier: unsigned }, unsigned };
    // A read is not recorded.
    if (planned === undefined)
      return conclude(submission, await underWay(exchange(unsigned, gateway.connection, submission.watched), report));
    return submitAndClose(submission, planned);
  });
}

function underWay<T>(work: Promise<T>, report: Reporter): Promise<T> {
  report.progress('waiting for the reply of the gateway');
  return work.finally(() => report.progress(undefined));
}

/** Closes the journal at the end. What fails of it once the request was sent does not hide the outcome. */
async function submitAndClose(submission: Submission, planned: Planned): Promise<number> {
  const { report, session } = submission;
  let exit: number;
  try {
    exit = await submitPlanned(submission, planned);
  } catch (error) {
    const fault = await faultOfJournal(submission, planned.journal);
    if (!isPaycliError(error)) throw error;
    const failed = error.code === 'STORAGE' ? storageAfterSending(submission, error) : error;
    if (fault !== undefined && failed !== fault) failed.beside ??= fault;
    throw withFlags(failed, session);
  }
  const fault = await faultOfJournal(submission, planned.journal);
  if (fault !== undefined) report.error(fault, exit);
  return exit;
}

/** Closes the journal; what failed of it since the request was sent. */
async function faultOfJournal({ record, session }: Submission, journal: Journal): Promise<PaycliError | undefined> {
  const closing = await journal.close().catch((thrown: unknown) => thrown);
  const fault = record?.fault ?? (isPaycliError(closing) ? closing : undefined);
  return fault && record && faultAfterSending(fault, record.request, session);
}

/** Storage that fails while an outcome is waited for: the request was sent, whatever became of it. */
function storageAfterSending({ record, unsigned, session, isRepeat }: Submission, error: PaycliError): PaycliError {
  if (record === undefined || isRepeat === true || !reachedStates.includes(record.request.state)) return error;
  const why = 'the journal failed while the outcome was waited for';
  const how = commandFor('resolve', record.request, session.flags);
  return fail('OUTCOME_UNKNOWN', { may: possibleEffect(unsigned.row.id), why, how }, { cause: error });
}

async function submitPlanned(
  submission: Submission,
  { journal, decision, wanted, first: asking, limits }: Planned,
): Promise<number> {
  const { unsigned, connection, watched, runtime } = submission;
  if (decision.do !== 'send') {
    const record = { journal, request: decision.earlier };
    Object.assign(submission, { record, isRepeat: true });
    return decision.do === 'show' ? showStored(submission, decision.earlier) : askAgain(submission, record);
  }
  const first = asking === 'not asked' ? undefined : asking;
  const attempt = send({ unsigned, wanted, decision, first, limits }, journal, connection, {
    ...watched,
    begun() {
      // From here on no signal ends this process before it has said what became of the request.
      runtime.processes.onStop(() => undefined);
    },
  });
  const { request, fault, classified, elsewhere, wasSent } = await underWay(attempt, submission.report);
  submission.record = { journal, request, fault };
  // A journal that failed must not hide what the gateway said: no further step needs it.
  if (fault !== undefined)
    Object.assign(submission, { options: { ...submission.options, wait: false, expect: undefined } });
  if (asking === 'not asked' && classified.class === 'accepted')
    submission.report.warn(['the gateway was not asked whether it had an order with this id already (ask-first)']);
  if (elsewhere === undefined) return conclude(submission, classified);
  submission.isRepeat = !wasSent;
  const what = wasSent ? 'although it refused this request' : 'made elsewhere; nothing is sent';
  warnSentBefore(submission, request, `is at the gateway, ${what}`);
  const polled = { request, proof: elsewhere, isStopped: false, fields: classified.fields };
  return afterAsking(submission, polled, { class: 'unknown', reason: elsewhere.reason });
}

/** The same request was sent before and its outcome is known. */
async function showStored(submission: Submission, request: Request): Promise<number> {
  const { state, outcome, changedAt } = request;
  const when = timeText(changedAt);
  if (state !== 'conflict' && wasMarked(request)) return showManual(submission, request, when);
  // The reply to an upload, or to a request by hand, says that it was accepted, and nothing about the order.
  const isOnlyAccepted = (state === 'done' || state === 'accepted') && !isResolvedByStatus(submission);
  const isOfLater = state === 'done' && !isOnlyAccepted && !saysApproved(request);
  const fields = isOfLater ? ownFields(request) : new Map(Object.entries(outcome));
  const word = replyField(fields, 'status');
  const usual = statusText(isOnlyAccepted ? 'accepted' : (word ?? (state === 'done' ? 'approved' : state)));
  const now = state === 'conflict' ? 'in conflict' : usual;
  warnSentBefore(submission, request, `was already sent; it has been ${now} since ${when}, and nothing is sent again`);
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
function showManual(submission: Submission, request: Request, when: string): Promise<number> {
  const { options, unsigned, session } = submission;
  const isPaid = request.state === 'done';
  const exit = options.expect === undefined ? (isPaid ? exits.ok : exits.declined) : exits.checkFailed;
  const again = isPaid || unsigned.row.opens ? '' : '--again sends it again; ';
  return printFields(submission, new Map(), {
    ok: exit === exits.ok,
    exit,
    text: `${markWords(request)} at ${when}`,
    tone: isPaid ? 'good' : 'bad',
    next: `${again}\`${commandFor('journal', request, session.flags)}\` shows the evidence`,
  });
}

/** The same request was sent before and its outcome is open: only queried, never sent. */
async function askAgain(submission: Submission, record: Recorded): Promise<number> {
  const { request } = record;
  const { state, changedAt, outcome } = request;
  const clause = `was already sent (${state} since ${timeText(changedAt)}): its status is queried, and nothing is sent again`;
  warnSentBefore(submission, request, clause);
  if (submission.options.wait === true && state === 'accepted')
    return accepted(submission, new Map(Object.entries(outcome)));
  const polled = await poll(record, submission);
  return afterAsking(submission, polled, { class: 'unknown', reason: polled.proof.reason });
}

function poll(record: Recorded, submission: Submission): Promise<PollResult> {
  const isOnce = submission.options.wait !== true;
  return pollWithProgress(record, isOnce, submission, isOnce ? undefined : waitEnd(submission));
}

/** Continues with the result of polling an unknown outcome. */
async function afterAsking(
  submission: Submission,
  { proof, fields: answer, failure, isStopped }: Omit<PollResult, 'fields'> & { readonly fields?: Fields | undefined },
  before: Classified,
): Promise<number> {
  const { record, options } = submission;
  const fields = proof.isOfLater === true && record !== undefined ? ownFields(record.request) : answer;
  if (proof.proves === 'nothing' || fields === undefined) {
    // What happened to the request itself comes first.
    const reasons = new Set([before.reason, isStopped ? 'stopped while querying' : proof.reason]);
    return unknown(submission, { ...before, reason: [...reasons].join('; ') }, isStopped ? undefined : failure);
  }
  if (proof.proves !== 'pending') return print(submission, fields, exitOfStatus(fields, options.expect));
  if (options.wait === true) return accepted(submission, fields);
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
  const { options, record } = submission;
  if (options.wait !== true && options.expect === undefined) {
    const isDeclined = exitOfStatus(fields, undefined) === exits.declined;
    return print(submission, fields, isDeclined ? exits.declined : exits.ok);
  }
  const waited = await waitForSubmission(submission, fields);
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'stopped') {
    // The user saw this status.
    await settleByAnswer(submission, shown);
    if (isUnknownWord(replyField(shown, 'status'))) return print(submission, shown, exits.unknown);
    return pendingAfter(submission, shown, 'interrupted while waiting');
  }
  if (waited.kind === 'read-failed') {
    const check = adviceAfterQuery(submission, shown, waited.last);
    const why = `querying the outcome failed: ${failureFacts(waited.last).why}`;
    return pendingAfter(submission, shown, check === undefined ? why : `${why}; ${check}`);
  }
  const isOfLater = await settleByAnswer(submission, waited.fields);
  const own = isOfLater && record !== undefined ? ownFields(record.request) : undefined;
  const exit = own === undefined ? exitOfWait(waited, options.expect) : exitOfStatus(own, options.expect);
  const code = await print(submission, own ?? shown, exit);
  if (waited.kind === 'timeout') submission.report.notes([endOfWait(shown, submission)]);
  return code;
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

/** The request was accepted and its outcome is not known yet: exit 7. */
async function pendingAfter(submission: Submission, fields: Fields, why: string): Promise<number> {
  const code = await print(submission, fields, exits.pending);
  submission.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

/** Money may have moved: polls status on its schedule with --wait, and once when a refusal names an order. */
async function resolveUnknown(submission: Submission, classified: Classified): Promise<number> {
  const { record, options, stop, report } = submission;
  const mayAsk = options.wait === true || classified.class === 'ask-status';
  if (record === undefined || record.fault !== undefined || !mayAsk || stop.signal.aborted)
    return unknown(submission, classified);
  if (classified.class !== 'ask-status')
    report.notes([`the outcome is unknown (${classified.reason}); querying the gateway`]);
  return afterAsking(submission, await poll(record, submission), classified);
}

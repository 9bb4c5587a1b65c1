import { exits, fail, isPaycliError, type PaycliError, stopError } from '../../errors/index.js';
import { wasMarked } from '../../journal/states.js';
import type { Classified } from '../../payments/classify.js';
import { exchange, statusRequest } from '../../payments/exchange.js';
import { failureFacts } from '../../payments/failure.js';
import { send } from '../../payments/send.js';
import { onOrder } from '../../payments/settle.js';
import type { PollResult } from '../../payments/wait.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField, statusQuery } from '../../spec/index.js';
import { statusText } from '../../spec/transaction-words.js';
import { hostOf } from '../../wire/address.js';
import { markWords, possibleEffect } from '../format/journal-entries.js';
import { type Fields, type OrderName, orderCommand, statusCommand } from '../format/meaning.js';
import { timeText } from '../format/time.js';
import { type GatewayContext, type Tools, updateJournal, withGateway } from '../gateway.js';
import { askingFirst, type Planned, planPayment, withProfile } from '../plan-payment.js';
import { type Ending, exitOfDoubt, exitOfStatus, hasReply, openPage } from '../print-reply.js';
import { endOfWait, exitOfWait, isResolvedByStatus, pollWithProgress, waitForSubmission } from '../wait.js';
import { asFailedRead, unknownAtGateway } from './order-query.js';
import { requestsOnOrder } from './order-requests.js';
import { adviceAfterFailedQuery, adviceAfterRefusal } from './refusal-advice.js';
import { commandFor, storageFaultAfter } from './storage-fault.js';
import {
  againHint,
  applyStatus,
  checkTimes,
  conflictIn,
  type Keep,
  nameOf,
  ownFields,
  pendingAfter,
  print,
  printExpected,
  printFields,
  type Recorded,
  type SendContext,
  type Submission,
  saysApproved,
  stoppedWaiting,
  waitEndFor,
  waitMsOf,
  warnSentBefore,
  whichRequest,
} from './submission.js';

/**
 * Sends a request, waits for its outcome with --wait, prints it, and returns the exit code. A request that was sent
 * before is not sent again.
 */
export async function sendOperation(
  unsigned: Unsigned,
  tools: Tools,
  { origins, ofOrder, announce }: SendContext,
): Promise<number> {
  checkTimes(tools.options);
  // Before stop signals are handled: any of them may end a prompt.
  const flags = { again: tools.options.again === true, origins, ofOrder };
  const planned = await planPayment(unsigned, tools, flags).catch((error: unknown) => {
    throw withProfile(error, tools.session);
  });
  if (planned === undefined || planned.decision.do === 'send') announce();
  const first = planned === undefined ? 'no need' : askingFirst(unsigned.row, planned, origins, tools.session);
  const context = (gateway: GatewayContext) => {
    const watched = { ...gateway.watched, earlier: unsigned };
    return { ...gateway, watched, unsigned, record: undefined, waitEnd: waitEndFor(tools) };
  };
  if (planned === undefined) return withGateway(tools, (gateway) => submitRead(context(gateway)));
  // Known once it is recorded.
  let record: Recorded | undefined;
  const keep: Keep = (request, failed = {}) => {
    record = { journal: planned.journal, request, ...failed };
    return record;
  };
  const work = () => withGateway(tools, (gateway) => submitPlanned(context(gateway), planned, first, keep));
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

/** A read is not recorded. */
async function submitRead(submission: Submission): Promise<number> {
  const { unsigned, connection, watched } = submission;
  return conclude(submission, await exchange(unsigned, connection, watched));
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
  const what = wasSent ? 'it refused this one' : 'nothing is sent';
  warnSentBefore(shown, [`the gateway already has ${whichRequest(shown)}, made elsewhere; ${what}${againHint(shown)}`]);
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
  warnSentBefore(submission, [
    `${whichRequest(submission)} was already sent; ${since}, and nothing is sent again${againHint(submission)}`,
  ]);
  if (isOnlyAccepted) return accepted(submission, fields);
  if (word !== undefined) return printExpected(submission, fields, exitOfStatus(fields, submission.options.expect));
  const isDone = state === 'done';
  return print(submission, fields, { ok: isDone, exit: isDone ? exits.ok : exits.declined });
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
  warnSentBefore(submission, [
    `${whichRequest(submission)} was already sent (${state} since ${since}): its status is queried, and nothing is sent again${againHint(submission)}`,
  ]);
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
  if (proof.proves !== 'pending')
    return printExpected(submission, fields, exitOfStatus(fields, submission.options.expect));
  if (submission.options.wait === true) return accepted(submission, fields);
  if (proof.unknownStatus !== undefined) return printExpected(submission, fields, exits.unknown);
  return print(submission, fields, { ok: true, exit: exits.ok });
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
    case 'read-retry':
      throw fail('READ_FAILED', { ...failureFacts(classified) });
    case 'certificate':
      throw fail('CERTIFICATE', { host: hostOf(submission.unsigned.url), ...failureFacts(classified) });
    case 'not-sent': {
      if (submission.stop.signal.aborted) throw stopError(submission.stop.signal);
      const error = fail('NOT_SENT', { why: classified.reason });
      // Of a read it does not matter whether it was sent: it changes nothing.
      throw submission.unsigned.row.effect === 'read' ? asFailedRead(error) : error;
    }
  }
}

async function accepted(submission: Submission, fields: Fields): Promise<number> {
  const { options, unsigned } = submission;
  if (options.open === true) await openPage(fields, submission.report, submission.runtime);
  const isStatus = unsigned.row.id === statusQuery.id;
  const requests = isStatus ? await updateJournal(submission, fields, unsigned.endpointId) : [];
  const conflict = conflictIn(requests);
  // The journal contradicts this status, so a person has to decide.
  if (conflict !== undefined)
    return print(submission, fields, { ok: false, exit: exitOfDoubt(conflict, submission.session) }, requests);
  const wants = options.wait === true || options.expect !== undefined;
  if (!wants) {
    const ok = exitOfStatus(fields, undefined) !== exits.declined;
    // A status query without --wait only shows the status.
    return print(submission, fields, { ok, exit: ok || isStatus ? exits.ok : exits.declined }, requests);
  }
  if (isStatus) return printExpected(submission, fields, exitOfStatus(fields, options.expect), requests);
  const waited = await waitForSubmission(submission, fields);
  if (waited.kind === 'stopped') return stoppedWaiting(submission, waited.fields ?? fields);
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'read-failed')
    return pendingAfter(submission, shown, unanswered(submission, nameOf(submission, fields), waited.last));
  const { record } = submission;
  const proof = isResolvedByStatus(submission) ? await applyStatus(record, waited.fields, submission) : undefined;
  await updateJournal(submission, waited.fields, unsigned.endpointId, record?.journal);
  const own = proof?.isOfLater === true && record !== undefined ? ownFields(record.request) : undefined;
  const exit = own === undefined ? exitOfWait(waited, options.expect) : exitOfStatus(own, options.expect);
  const code = await printExpected(submission, own ?? shown, exit, [], waited.polls);
  if (waited.kind === 'timeout') submission.report.notes([endOfWait(shown, waitMsOf(submission))]);
  return code;
}

/** Why the outcome is not known, with what to check. */
function unanswered(submission: Submission, order: OrderName, last: Classified): string {
  const advice = adviceAfterQuery(submission, order, last);
  return `querying the outcome failed: ${failureFacts(last).why}${advice === undefined ? '' : `; ${advice}`}`;
}

/** What to check after a failed status query, which may be signed in another way than the request itself. */
function adviceAfterQuery({ unsigned, connection, session }: Submission, order: OrderName, last: Classified) {
  const question = statusRequest({ endpointId: unsigned.endpointId, ...order }, connection.target);
  return adviceAfterFailedQuery(last, question, session);
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

async function refused(submission: Submission, classified: Classified): Promise<number> {
  const { session, unsigned, record } = submission;
  const order = unsigned.values['orderId'];
  const filter = { base: session.gatewayBase, order };
  const requests = order === undefined || record === undefined ? [] : await onOrder(record.journal, filter);
  const how = adviceAfterRefusal(classified, unsigned, session, requests);
  const refusal = fail('REFUSED', { ...failureFacts(classified), how });
  const error = unsigned.row.id === statusQuery.id ? await refusalOfStatus(refusal, submission) : refusal;
  if (!hasReply(classified)) throw error;
  // A refused query says nothing about the payment that it is about.
  const text =
    unsigned.row.effect === 'read' ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  const ending: Ending = { ok: false, exit: error.exit, text, tone: 'bad', next: how, error };
  return printFields(submission, classified.fields, ending, { httpStatus: classified.status });
}

/** The gateway may not have an order yet whose outcome is unknown here. */
async function refusalOfStatus(
  refusal: PaycliError,
  { unsigned: { values }, ...tools }: Submission,
): Promise<PaycliError> {
  const { session, runtime } = tools;
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  const requests = await requestsOnOrder({ order: undefined, ...ids }, 'status', session, runtime);
  return unknownAtGateway(refusal, { ids, requests }, tools);
}

/** `failure` is the answer to the status query that showed no outcome. */
async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const name = nameOf(submission, classified.fields ?? new Map());
  // `resolve` takes one id, or the number of an entry that has none.
  const isNameless = name.orderId === undefined && name.clientOrderId === undefined;
  const orderId = isNameless && submission.record !== undefined ? String(submission.record.request.id) : name.orderId;
  const one = orderId === undefined ? name : { ...name, orderId, clientOrderId: undefined };
  const how = submission.record === undefined ? statusCommand(name) : orderCommand('resolve', one);
  const check = failure === undefined ? undefined : adviceAfterQuery(submission, name, failure);
  // The HTTP status and the rest are those of the request itself; of a repeated one there was only the query.
  const about = submission.isRepeat === true ? (failure ?? classified) : classified;
  submission.report.noteStatus(about.status);
  const facts = { ...failureFacts(about), may: possibleEffect(submission.unsigned.row.id) };
  const error = fail('OUTCOME_UNKNOWN', { ...facts, ...(check && { check }), why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  const text = 'the outcome is unknown; do not send it again';
  const ending: Ending = { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error };
  return printFields(submission, classified.fields, ending, { httpStatus: classified.status });
}

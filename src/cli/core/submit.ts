import { exits, fail, isPaycliError, type PaycliError, stopError } from '../../errors/index.js';
import { type Intent, settledWord, wasSettledManually } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { possibleEffect } from '../../payments/evidence.js';
import { failureFacts } from '../../payments/failure.js';
import { noUpdate } from '../../payments/journal-sync.js';
import { assertRandomSource } from '../../payments/nonce.js';
import type { PaymentRecord } from '../../payments/payment-record.js';
import type { PollResult } from '../../payments/status-polling.js';
import { statusRequest } from '../../payments/status-query.js';
import { submit } from '../../payments/submit.js';
import type { Unsigned } from '../../signing/index.js';
import { replyField, statusQuery } from '../../spec/index.js';
import { statusText } from '../../spec/transaction-words.js';
import { hostOf } from '../../wire/address.js';
import { type Fields, type OrderName, orderCommand, statusCommand } from '../format/meaning.js';
import { timeText } from '../format/time.js';
import { type Tools, updateJournal, withGateway } from '../gateway.js';
import { askingFirst, findMadeElsewhere, type Planned, planPayment, withProfile } from '../plan-payment.js';
import { type Ending, exitOfDoubt, exitOfStatus, exitOfWait, hasReply, openPage } from '../print-reply.js';
import { endOfWait, isResolvedByStatus, pollWithProgress, waitForSubmission } from '../wait.js';
import { asFailedRead, unknownAtGateway } from './order-query.js';
import { inJournal, requestsOn } from './order-requests.js';
import { adviceAfterFailedQuery, adviceAfterRefusal } from './refusal-advice.js';
import { repeatedOptions } from './repeated-flags.js';
import { commandFor, storageFaultAfter } from './storage-fault.js';
import {
  againHint,
  checkTimes,
  nameOf,
  ownFields,
  pendingAfter,
  print,
  printExpected,
  printFields,
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
  assertRandomSource(tools.runtime.random);
  checkTimes(tools.options);
  // Before stop signals are handled: any of them may end a prompt.
  const isGenerated = origins['clientOrderId'] === 'generated';
  const flags = { again: tools.options.again === true, isGenerated, origins, ofOrder };
  const planned = await planPayment(unsigned, tools, flags).catch((error: unknown) => {
    throw withProfile(error, tools.session);
  });
  const record = planned?.record;
  const action = planned?.do ?? 'send';
  const first = action === 'send' ? askingFirst(unsigned.row, record?.intent, origins, tools.session) : 'no need';
  const send = async () => {
    if (action === 'send') announce();
    return withGateway(tools, ({ watched, ...context }) =>
      submitPlanned(
        {
          ...context,
          watched: { ...watched, earlier: unsigned },
          unsigned,
          record,
          asksFirst: first === 'asked',
          waitEnd: waitEndFor(tools),
        },
        action,
      ),
    );
  };
  if (record === undefined) return send();
  const exit = await send().catch((first: unknown) => {
    record.close();
    if (isPaycliError(first) && first.code !== 'STORAGE' && record.fault !== undefined)
      first.beside ??= storageFaultAfter(record.fault, record, tools);
    throw withProfile(first, tools.session);
  });
  record.close();
  if (record.fault !== undefined) tools.report.error(storageFaultAfter(record.fault, record, tools), exit);
  else if (first === 'not asked' && exit === exits.ok)
    tools.report.notes(['the gateway was not asked whether it had an order with this id already (ask-first)'], false);
  return exit;
}

async function submitPlanned(submission: Submission, plan: Planned['do']): Promise<number> {
  if (plan === 'show') return showStored({ ...submission, isRepeat: true });
  if (plan === 'ask') return askAgain({ ...submission, isRepeat: true });
  const { unsigned, record, connection, watched } = submission;
  const found = submission.asksFirst ? await findMadeElsewhere(submission) : undefined;
  const begin = () => {
    if (submission.stop.signal.aborted) throw stopError(submission.stop.signal);
    const earlierAttempt = record?.intent.mayHaveArrived === true || record?.intent.state === 'unknown';
    record?.begin();
    // From here on no signal ends this process before it has said what became of the request.
    if (record !== undefined) submission.runtime.processes.onStop(() => undefined);
    return { maySend: true, earlierAttempt, intent: record?.intent };
  };
  const { sent } = found === undefined ? await submit(unsigned, connection, begin, watched) : { sent: found };
  if (sent === undefined) throw new Error('a permitted request was not sent');
  record?.recordResult(sent.transition, sent.classified, unsigned.row);
  const { classified, evidence } = sent;
  if (evidence === undefined) return conclude(submission, classified);
  const shown: Submission = found === undefined ? submission : { ...submission, isRepeat: true };
  const what = found === undefined ? 'it refused this one' : 'nothing is sent';
  warnSentBefore(shown, [
    `the gateway already has ${whichRequest(submission)}, made elsewhere; ${what}${againHint(submission)}`,
  ]);
  const polled = { evidence, fields: classified.fields, stopped: false };
  return afterAsking(shown, polled, { class: 'unknown', reason: evidence.reason });
}

/** The same request was sent before and its outcome is known. */
async function showStored(submission: Submission): Promise<number> {
  const { record } = submission;
  const { state = 'done', outcome = {}, changedAt = 0, reason = '' } = record?.intent ?? {};
  const when = timeText(changedAt);
  if (state !== 'conflict' && wasSettledManually(reason)) return showManual(submission, state === 'done', when);
  // The reply to an upload, or to a request by hand, says that it was accepted, and nothing about the order.
  const isOnlyAccepted = (state === 'done' || state === 'accepted') && !isResolvedByStatus(submission);
  const isOfLater = record !== undefined && state === 'done' && !isOnlyAccepted && !saysApproved(record.intent);
  const fields = isOfLater ? ownFields(record.intent) : new Map(Object.entries(outcome));
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
  const order = record === undefined ? 'paycli journal' : commandFor('journal', record.intent, '');
  const word = record === undefined ? 'paid' : settledWord(record.intent);
  const text = `settled manually as ${word} at ${when}`;
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
  const { state, changedAt } = record.intent;
  record.markAbandoned();
  const since = timeText(changedAt);
  warnSentBefore(submission, [
    `${whichRequest(submission)} was already sent (${state} since ${since}): its status is queried, and nothing is sent again${againHint(submission)}`,
  ]);
  if (options.wait === true && state === 'accepted')
    return accepted(submission, new Map(Object.entries(record.intent.outcome)));
  const polled = await poll(submission, record);
  return afterAsking(submission, polled, { class: 'unknown', reason: polled.evidence.reason });
}

function poll(submission: Submission, record: PaymentRecord): Promise<PollResult> {
  const isOnce = submission.options.wait !== true;
  return pollWithProgress(record, isOnce, submission, isOnce ? undefined : submission.waitEnd());
}

/** Continues with the result of polling an unknown outcome. */
async function afterAsking(
  submission: Submission,
  { evidence, fields: answer, failure, stopped }: PollResult,
  before: Classified,
): Promise<number> {
  const { record } = submission;
  const fields = evidence.isOfLater === true && record !== undefined ? ownFields(record.intent) : answer;
  if (evidence.proves === 'nothing' || fields === undefined) {
    // What happened to the request itself comes first.
    const reasons = new Set([before.reason, stopped ? 'stopped while querying' : evidence.reason]);
    return unknown(submission, { ...before, reason: [...reasons].join('; ') }, stopped ? undefined : failure);
  }
  if (evidence.proves !== 'open')
    return printExpected(submission, fields, exitOfStatus(fields, submission.options.expect));
  if (submission.options.wait === true) return accepted(submission, fields);
  if (evidence.unknownStatus !== undefined) return printExpected(submission, fields, exits.unknown);
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
    case 'not-sent':
      if (submission.stop.signal.aborted) throw stopError(submission.stop.signal);
      throw failureOfUnsent(submission, classified);
  }
}

/** Of a read it does not matter whether it was sent: it changes nothing. */
function failureOfUnsent({ unsigned }: Submission, { reason: why }: Classified): Error {
  const error = fail('NOT_SENT', { why });
  return unsigned.row.effect === 'read' ? asFailedRead(error) : error;
}

async function accepted(submission: Submission, fields: Fields): Promise<number> {
  const { options, unsigned } = submission;
  if (options.open === true) await openPage(fields, submission.report, submission.runtime);
  const isStatus = unsigned.row.id === statusQuery.id;
  const update = isStatus ? await updateJournal(submission, fields, unsigned.endpointId) : noUpdate;
  // The journal contradicts this status, so a person has to decide.
  if (update.conflicts.length > 0)
    return print(submission, fields, { ok: false, exit: exitOfDoubt(update.conflicts[0], submission.session) }, update);
  const wants = options.wait === true || options.expect !== undefined;
  if (!wants) {
    const isDeclined = exitOfStatus(fields, undefined) === exits.declined;
    // A status query without --wait only shows the status.
    return print(
      submission,
      fields,
      { ok: !isDeclined, exit: isDeclined && !isStatus ? exits.declined : exits.ok },
      update,
    );
  }
  if (isStatus) return printExpected(submission, fields, exitOfStatus(fields, options.expect), update);
  const waited = await waitForSubmission(submission, fields);
  if (waited.kind === 'stopped') return stoppedWaiting(submission, waited.fields ?? fields);
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'read-failed')
    return pendingAfter(submission, shown, unanswered(submission, nameOf(submission, fields), waited.last));
  const { record } = submission;
  const evidence = isResolvedByStatus(submission) ? await record?.applyStatus(waited.fields) : undefined;
  await updateJournal(submission, waited.fields, unsigned.endpointId, record?.journal);
  const own = evidence?.isOfLater === true && record !== undefined ? ownFields(record.intent) : undefined;
  const exit = own === undefined ? exitOfWait(waited, options.expect) : exitOfStatus(own, options.expect);
  const code = await printExpected(submission, own ?? shown, exit, noUpdate, waited.polls);
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
  const known = unsigned.row.id === statusQuery.id ? await requestsOfStatus(submission) : [];
  const order = unsigned.values['orderId'];
  const requests = order === undefined ? [] : (record?.journal.list({ base: session.gatewayBase, order }) ?? []);
  const how = adviceAfterRefusal(classified, unsigned, session, requests);
  const refusal = fail('REFUSED', { ...failureFacts(classified), how });
  const error = unsigned.row.id === statusQuery.id ? await refusalOfStatus(refusal, known, submission) : refusal;
  if (!hasReply(classified)) throw error;
  // A refused query says nothing about the payment that it is about.
  const text =
    unsigned.row.effect === 'read' ? 'the gateway refused this query' : 'refused by the gateway; nothing took effect';
  const ending: Ending = { ok: false, exit: error.exit, text, tone: 'bad', next: how, error };
  return printFields(submission, classified.fields, ending, { httpStatus: classified.status });
}

/** The gateway may not have an order yet whose outcome is unknown here. */
function refusalOfStatus(
  refusal: PaycliError,
  requests: readonly Intent[],
  { unsigned: { values }, options, ...tools }: Submission,
): Promise<PaycliError> {
  const ids = { orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  return unknownAtGateway(refusal, { ids, requests, command: 'status', given: repeatedOptions(options) }, tools);
}

/** What the journal has of the order that a status query is about. */
function requestsOfStatus({ unsigned: { values }, session, runtime }: Submission): Promise<readonly Intent[]> {
  const named = { order: undefined, orderId: values['orderId'], clientOrderId: values['clientOrderId'] };
  return inJournal(runtime, [], (journal) => requestsOn(journal, session, named, 'status'));
}

/** `failure` is the answer to the status query that showed no outcome. */
async function unknown(submission: Submission, classified: Classified, failure?: Classified): Promise<number> {
  const name = nameOf(submission, classified.fields ?? new Map());
  // `resolve` takes one id, or the number of an entry that has none.
  const isNameless = name.orderId === undefined && name.clientOrderId === undefined;
  const orderId = isNameless && submission.record !== undefined ? String(submission.record.intent.id) : name.orderId;
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

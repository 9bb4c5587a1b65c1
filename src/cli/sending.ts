import { fail, isPaycliError } from '../errors/index.js';
import { wasSettledManually } from '../journal/index.js';
import type { Classified } from '../payments/classify.js';
import { isBeyondStatus } from '../payments/evidence.js';
import { assertRandomSource } from '../payments/exchange.js';
import { failureFacts } from '../payments/failure.js';
import { noUpdate } from '../payments/journal-sync.js';
import type { PaymentRecord } from '../payments/payment-record.js';
import { aborted } from '../payments/sleep.js';
import { type PollResult, pollUntilSettled } from '../payments/status-polling.js';
import { queryStatus, type StatusQuery, statusRequest } from '../payments/status-query.js';
import { submit } from '../payments/submit.js';
import { type Waited, waitForOutcome } from '../payments/wait.js';
import type { Unsigned } from '../signing/index.js';
import { replyField } from '../spec/index.js';
import { hostOf } from '../wire/address.js';
import { updateJournal } from './learning.js';
import type { Origins } from './live/statement.js';
import { openPage } from './open-page.js';
import { exitOfStatus, exitOfWait, exits, hasReply } from './outcome.js';
import { type Fields, isCheckedPayout, type OrderName, orderCommand } from './present/meaning.js';
import { adviceAfterRefusal } from './present/refusal.js';
import { type Ending, printError } from './printing.js';
import { type Planned, planPayment } from './recording.js';
import { seconds } from './seconds.js';
import { nameOf, pendingAfter, print, printExpected, printFields, type Submission } from './sent-request.js';
import { commandFor, storageFaultAfter } from './storage-fault.js';
import { type Tools, warnOfClock, withGateway } from './talk.js';
import { clockWithProgress, showWaitProgress } from './waiting.js';
import { watchCallbacks } from './waking.js';

/**
 * Sends a request, waits for its outcome where that was asked, prints it, and gives the exit code. What was sent before is not
 * sent again; `origins` says where each value came from.
 */
export async function sendOperation(unsigned: Unsigned, tools: Tools, origins: Origins = {}): Promise<number> {
  assertRandomSource(tools.runtime.random);
  checkTimes(tools.options);
  if (unsigned.row.effect !== 'read') warnOfClock(tools);
  // Before signals are listened for: a question about it can be left by any of them.
  const isGenerated = origins['clientOrderId'] === 'generated';
  const planned = await planPayment(unsigned, tools, { again: tools.options.again === true, isGenerated, origins });
  const record = planned?.record;
  const send = () =>
    withGateway(unsigned.row, tools, ({ watched, ...context }) =>
      submitPlanned({ ...context, watched: { ...watched, earlier: unsigned }, unsigned, record }, planned?.do ?? 'send'),
    );
  if (record === undefined) return send();
  const exit = await send().catch((first: unknown) => {
    record.close();
    if (isPaycliError(first) && first.code !== 'STORAGE' && record.fault !== undefined)
      first.beside ??= storageFaultAfter(record.fault, record, tools);
    throw first;
  });
  record.close();
  if (record.fault !== undefined) printError(storageFaultAfter(record.fault, record, tools), tools.report, exit);
  return exit;
}

/** Before anything is written down: it would be in the way of the corrected command. */
function checkTimes({ timeout, waitTimeout }: Tools['options']): void {
  seconds('--timeout', timeout, 300);
  seconds('--wait-timeout', waitTimeout, 3600);
}

async function submitPlanned(job: Submission, plan: Planned['do']): Promise<number> {
  if (plan === 'show') return showStored(job);
  if (plan === 'ask') return askAgain(job);
  const { unsigned, record, connection, watched } = job;
  const begin = () => {
    if (job.stop.signal.aborted) throw stoppedBefore(job);
    const earlierAttempt = record?.intent.mayHaveArrived === true || record?.intent.state === 'unknown';
    record?.begin();
    return { maySend: true, earlierAttempt };
  };
  const { sent } = await submit(unsigned, connection, begin, watched);
  if (sent === undefined) throw new Error('it had leave to be sent');
  record?.recordResult(sent.transition, sent.classified, unsigned.row);
  return conclude(job, sent.classified);
}

function stoppedBefore({ stop }: Submission): Error {
  return fail(stop.signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
}

/** The same request was sent before and its outcome is known. */
async function showStored(job: Submission): Promise<number> {
  const { record, report } = job;
  const { state = 'done', outcome = {}, changedAt = 0, reason = '' } = record?.intent ?? {};
  const when = new Date(changedAt).toISOString();
  if (state !== 'conflict' && wasSettledManually(reason)) return showManual(job, state === 'done', when);
  report.notes([`this request was sent before; its outcome is known since ${when}, so nothing is sent again${againHint(job)}`]);
  const fields = new Map(Object.entries(outcome));
  const word = replyField(fields, 'status');
  if (word !== undefined) return printExpected(job, fields, exitOfStatus(fields, job.options.expect));
  const isDone = state === 'done';
  return print(job, fields, { ok: isDone, exit: isDone ? exits.ok : exits.declined });
}

/** What the gateway said last is not what a person found out since. */
function showManual(job: Submission, isPaid: boolean, when: string): Promise<number> {
  const { record, options } = job;
  const order = record === undefined ? 'paycli journal list' : commandFor('journal show', record.intent, '');
  const text = `settled manually as ${isPaid ? 'paid' : 'not paid'} at ${when}; nothing is sent again${againHint(job)}`;
  const exit = options.expect === undefined ? (isPaid ? exits.ok : exits.declined) : exits.otherThanExpected;
  return printFields(job, new Map(), {
    ok: exit === exits.ok,
    exit,
    text,
    tone: isPaid ? 'good' : 'bad',
    next: `\`${order}\` shows the evidence`,
  });
}

function againHint({ unsigned }: Submission): string {
  return unsigned.row.opens ? '' : '; --again sends it once more on purpose';
}

/** The same request was sent before and its outcome is open: only asked about, never sent. */
async function askAgain(job: Submission): Promise<number> {
  const { record, report, options } = job;
  if (record === undefined) throw new Error('only what is written down can be asked about');
  const { state, changedAt } = record.intent;
  record.markAbandoned();
  const since = new Date(changedAt).toISOString();
  report.notes([
    `this request was sent before and is ${state} since ${since}: the gateway is asked, nothing is sent again${againHint(job)}`,
  ]);
  if (options.wait === true && state === 'accepted') return accepted(job, new Map(Object.entries(record.intent.outcome)));
  const settled = await poll(job, record);
  return afterAsking(job, settled, { class: 'unknown', reason: settled.evidence.reason });
}

async function poll({ connection, watched, session, options, ...job }: Submission, record: PaymentRecord): Promise<PollResult> {
  const progress = showWaitProgress(record.intent, job);
  const how = { connection, watched, profileClass: session.class, isOnce: options.wait !== true, progress };
  return pollUntilSettled(record, how).finally(() => progress.end());
}

/** Goes on with what asking about an unknown outcome came to. */
async function afterAsking(job: Submission, { evidence, fields, stopped }: PollResult, before: Classified): Promise<number> {
  if (evidence.proves === 'nothing' || fields === undefined)
    return unknown(job, { ...before, reason: stopped ? `${before.reason}; stopped while asking` : evidence.reason });
  if (evidence.proves !== 'open') return printExpected(job, fields, exitOfStatus(fields, job.options.expect));
  if (job.options.wait === true) return accepted(job, fields);
  return print(job, fields, { ok: true, exit: exits.ok });
}

async function conclude(job: Submission, classified: Classified): Promise<number> {
  switch (classified.class) {
    case 'accepted':
      return accepted(job, classified.fields ?? new Map());
    case 'ask-status':
    case 'unknown':
      return settleUnknown(job, classified);
    case 'refused':
      return refused(job, classified);
    case 'read-retry':
      throw fail('READ_FAILED', { ...failureFacts(classified) });
    case 'certificate':
      throw fail('CERTIFICATE', { host: hostOf(job.unsigned.url), why: classified.reason });
    case 'not-sent':
      if (job.stop.signal.aborted) throw stoppedBefore(job);
      throw fail('NOT_SENT', { why: classified.reason });
  }
}

async function accepted(job: Submission, fields: Fields): Promise<number> {
  const { options, unsigned } = job;
  if (options.open === true) await openPage(fields, job.report, job.runtime);
  const isStatus = unsigned.row.id === 'STATUS';
  const { waiting, conflicts } = isStatus ? await updateJournal(job, fields, unsigned.endpointId) : noUpdate;
  // Whatever the order's status is now, the journal says the opposite, and a person has to decide.
  if (conflicts.length > 0) return print(job, fields, { ok: false, exit: exits.unknown }, waiting);
  const wants = options.wait === true || options.expect !== undefined;
  if (!wants) return print(job, fields, { ok: !isStatus || exitOfStatus(fields, undefined) !== exits.declined, exit: exits.ok }, waiting);
  if (isStatus && options.wait !== true) return printExpected(job, fields, exitOfStatus(fields, options.expect), waiting);
  const waited = await wait(job, fields);
  if (waited === 'stopped') return pendingAfter(job, fields, 'interrupted while waiting');
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'read-failed') return pendingAfter(job, shown, unanswered(job, nameOf(job, fields), waited.last));
  if (isSettledByStatus(job)) await job.record?.applyStatus(waited.fields);
  const { waiting: waits } = await updateJournal(job, waited.fields, unsigned.endpointId, job.record?.journal);
  return printExpected(job, shown, exitOfWait(waited, options.expect), isStatus ? waits : undefined);
}

/** Why nobody knows the outcome. Status may be signed otherwise than the request was, so a refusal of it says how. */
function unanswered(job: Submission, order: OrderName, last: Classified): string {
  const question = statusRequest({ endpointId: job.unsigned.endpointId, ...order }, job.connection.target);
  const hint = last.class === 'refused' ? `; ${adviceAfterRefusal(last, question, job.session)}` : '';
  return `asking for the outcome failed: ${failureFacts(last).why}${hint}`;
}

/** Polls status until the outcome is final, a step is due, the time is up or the user stops. */
async function wait(job: Submission, fields: Fields): Promise<Waited | 'stopped'> {
  const { session, runtime, options, unsigned, record, connection, watched } = job;
  const bySerial = serialOf(job);
  const waking = await watchCallbacks(job, nameOf(job, fields));
  const line = showWaitProgress(nameOf(job, fields), job);
  const waiting = waitForOutcome({
    ask: async () => line.asked(await queryStatus(connection, { ...statusOf(job, fields), bySerial }, watched)),
    clock: clockWithProgress(waking.clock, line),
    random: runtime.random,
    timeoutMs: seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs,
    pauses: session.pauses,
    isAbout: isSettledByStatus(job) ? async (answer) => (await record?.evidence(answer))?.proves !== 'nothing' : undefined,
    until: unsigned.row.id === 'PAYOUT_V4_CHECK' || unsigned.row.id === 'STATUS' ? isCheckedPayout : undefined,
  });
  return Promise.race([waiting, aborted(watched.signal)]).finally(() => {
    line.end();
    waking.close();
  });
}

/** True for a request whose own outcome a status answer tells; an upload only lets the order go on. */
function isSettledByStatus({ record }: Submission): boolean {
  return record !== undefined && !isBeyondStatus(record.intent.operation);
}

/** A follow-up is asked about by the serial number of its own reply: status speaks of the newest transaction otherwise (A42). */
function serialOf({ unsigned, record }: Submission): string | undefined {
  return unsigned.row.opens || unsigned.row.effect !== 'money' ? undefined : record?.intent.outcome['serial-number'];
}

function statusOf(job: Submission, fields: Fields): StatusQuery {
  const { orderId, clientOrderId } = nameOf(job, fields);
  return { endpointId: job.unsigned.endpointId, orderId, clientOrderId };
}

/** Money may have moved: status is asked on its schedule while the user waits, and once where a no names an order. */
async function settleUnknown(job: Submission, classified: Classified): Promise<number> {
  const { record, options } = job;
  const mayAsk = options.wait === true || classified.class === 'ask-status';
  if (record === undefined || !mayAsk || job.stop.signal.aborted) return unknown(job, classified);
  if (classified.class !== 'ask-status') job.report.notes([`the outcome is unknown (${classified.reason}); asking the gateway`]);
  return afterAsking(job, await poll(job, record), classified);
}

async function refused(job: Submission, classified: Classified): Promise<number> {
  const { session, unsigned } = job;
  const how = adviceAfterRefusal(classified, unsigned, session);
  const error = fail('REFUSED', { ...failureFacts(classified), how });
  if (!hasReply(classified)) throw error;
  const ending: Ending = {
    ok: false,
    exit: exits.refused,
    text: 'refused by the gateway; nothing was done',
    tone: 'bad',
    next: how,
    error,
  };
  return printFields(job, classified.fields, ending, classified.status);
}

async function unknown(job: Submission, classified: Classified): Promise<number> {
  const name = nameOf(job, classified.fields ?? new Map());
  // `resolve` takes one id, or the number of an entry that has none.
  const isNameless = name.orderId === undefined && name.clientOrderId === undefined;
  const orderId = isNameless && job.record !== undefined ? String(job.record.intent.id) : name.orderId;
  const one = orderId === undefined ? name : { ...name, orderId, clientOrderId: undefined };
  const how = job.record === undefined ? orderCommand('status', name) : orderCommand('resolve', one);
  const error = fail('OUTCOME_UNKNOWN', { ...failureFacts(classified), why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  const text = 'the outcome is unknown; do not send it again';
  const ending: Ending = { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error };
  return printFields(job, classified.fields, ending, classified.status);
}

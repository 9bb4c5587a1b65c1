import { fail, isPaycliError } from '../errors/index.js';
import type { Classified } from '../gateway/classify.js';
import { isBeyondStatus } from '../gateway/evidence.js';
import { checkChance, exchange } from '../gateway/exchange.js';
import { failureFacts } from '../gateway/failure.js';
import { type Waited, waitForOutcome } from '../gateway/wait.js';
import { wasSettledManually } from '../journal/index.js';
import type { Unsigned } from '../signing/index.js';
import { replyField } from '../spec/index.js';
import { hostOf } from '../wire/address.js';
import { checkClock } from './clock-skew.js';
import { learnOfOrder, nothingLearned } from './learning.js';
import type { Origins } from './live/statement.js';
import { openPage } from './open-page.js';
import { exitOfStatus, exitOfWait, exits, hasReply } from './outcome.js';
import { type Fields, isCheckedPayout, type OrderName, orderCommand } from './present/meaning.js';
import { adviceAfterRefusal } from './present/refusal.js';
import { type Ending, tellError } from './printing.js';
import { type Planned, planSending } from './recording.js';
import { seconds } from './seconds.js';
import { type Job, nameOf, pendingAfter, print, printExpected, printFields } from './sent-request.js';
import { type Settled, settleByAsking } from './settling.js';
import { commandFor, faultAfter } from './storage-fault.js';
import { askStatus, type StatusOf, statusQuestion, stopped, type Tools, withTalk } from './talk.js';
import { shownClock, showWaiting } from './waiting.js';
import { wakeByCallbacks } from './waking.js';

/**
 * Sends a request, waits for its outcome where that was asked, prints it, and gives the exit code. What was sent before is not
 * sent again; `origins` says where each value came from.
 */
export async function sendOperation(unsigned: Unsigned, tools: Tools, origins: Origins = {}): Promise<number> {
  checkChance(tools.runtime.random);
  checkTimes(tools.options);
  if (unsigned.row.effect !== 'read') checkClock(tools.session.place, tools.report, tools.runtime);
  // Before signals are listened for: a question about it can be left by any of them.
  const isGenerated = origins['clientOrderId'] === 'generated';
  const planned = await planSending(unsigned, tools, { again: tools.options.again === true, isGenerated, origins });
  const recording = planned?.recording;
  const send = () =>
    withTalk(unsigned.row, tools, ({ exchange, ...talk }) =>
      carryOut({ ...talk, exchange: { ...exchange, earlier: unsigned }, unsigned, recording }, planned?.do ?? 'send'),
    );
  if (recording === undefined) return send();
  const exit = await send().catch((first: unknown) => {
    recording.close();
    if (isPaycliError(first) && first.code !== 'STORAGE' && recording.fault !== undefined)
      first.beside ??= faultAfter(recording.fault, recording, tools);
    throw first;
  });
  recording.close();
  if (recording.fault !== undefined) tellError(faultAfter(recording.fault, recording, tools), tools.report, exit);
  return exit;
}

/** Before anything is written down: it would be in the way of the corrected command. */
function checkTimes({ timeout, waitTimeout }: Tools['options']): void {
  seconds('--timeout', timeout, 300);
  seconds('--wait-timeout', waitTimeout, 3600);
}

async function carryOut(job: Job, plan: Planned['do']): Promise<number> {
  if (plan === 'show') return showStored(job);
  if (plan === 'ask') return askAgain(job);
  const { unsigned, session, recording } = job;
  // Whatever can fail before the request may leave does so before the journal says that it may.
  const credentials = await session.credentials(unsigned.protection);
  if (job.stop.signal.aborted) throw stoppedBefore(job);
  const earlierAttempt = recording?.intent.mayHaveArrived === true || recording?.intent.state === 'unknown';
  recording?.begin();
  const classified = await exchange(unsigned, credentials, job.ports, { ...job.exchange, earlierAttempt });
  recording?.came(classified, unsigned.row);
  return conclude(job, classified);
}

function stoppedBefore({ stop }: Job): Error {
  return fail(stop.signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
}

/** The same request was sent before and its outcome is known. */
async function showStored(job: Job): Promise<number> {
  const { recording, report } = job;
  const { state = 'done', outcome = {}, changedAt = 0, reason = '' } = recording?.intent ?? {};
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
function showManual(job: Job, isPaid: boolean, when: string): Promise<number> {
  const { recording, options } = job;
  const order = recording === undefined ? 'paycli journal list' : commandFor('journal show', recording.intent, '');
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

function againHint({ unsigned }: Job): string {
  return unsigned.row.opens ? '' : '; --again sends it once more on purpose';
}

/** The same request was sent before and its outcome is open: only asked about, never sent. */
async function askAgain(job: Job): Promise<number> {
  const { recording, report, options } = job;
  if (recording === undefined) throw new Error('only what is written down can be asked about');
  const { state, changedAt } = recording.intent;
  if (state === 'sending') recording.abandon();
  const since = new Date(changedAt).toISOString();
  report.notes([
    `this request was sent before and is ${state} since ${since}: the gateway is asked, nothing is sent again${againHint(job)}`,
  ]);
  if (options.wait === true && state === 'accepted') return accepted(job, new Map(Object.entries(recording.intent.outcome)));
  const settled = await settleByAsking(job, recording, options.wait !== true);
  return afterAsking(job, settled, { class: 'unknown', reason: settled.evidence.reason });
}

/** Goes on with what asking about an unknown outcome came to. */
async function afterAsking(job: Job, { evidence, fields, stopped }: Settled, before: Classified): Promise<number> {
  if (evidence.proves === 'nothing' || fields === undefined)
    return unknown(job, { ...before, reason: stopped ? `${before.reason}; stopped while asking` : evidence.reason });
  if (evidence.proves !== 'open') return printExpected(job, fields, exitOfStatus(fields, job.options.expect));
  if (job.options.wait === true) return accepted(job, fields);
  return print(job, fields, { ok: true, exit: exits.ok });
}

async function conclude(job: Job, classified: Classified): Promise<number> {
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

async function accepted(job: Job, fields: Fields): Promise<number> {
  const { options, unsigned } = job;
  if (options.open === true) await openPage(fields, job.report, job.runtime);
  const isStatus = unsigned.row.id === 'STATUS';
  const { waiting, isInConflict } = isStatus ? await learnOfOrder(job, fields, unsigned.endpointId) : nothingLearned;
  // Whatever the order's status is now, the journal says the opposite, and a person has to decide.
  if (isInConflict) return print(job, fields, { ok: false, exit: exits.unknown }, waiting);
  const wants = options.wait === true || options.expect !== undefined;
  if (!wants) return print(job, fields, { ok: !isStatus || exitOfStatus(fields, undefined) !== exits.declined, exit: exits.ok }, waiting);
  if (isStatus && options.wait !== true) return printExpected(job, fields, exitOfStatus(fields, options.expect), waiting);
  const waited = await wait(job, fields);
  if (waited === 'stopped') return pendingAfter(job, fields, 'interrupted while waiting');
  const shown = waited.kind === 'unrelated' ? fields : (waited.fields ?? fields);
  if (waited.kind === 'read-failed') return pendingAfter(job, shown, unanswered(job, nameOf(job, fields), waited.last));
  if (isSettledByStatus(job)) job.recording?.learn(waited.fields);
  const learned = await learnOfOrder(job, waited.fields, unsigned.endpointId, job.recording?.journal);
  return printExpected(job, shown, exitOfWait(waited, options.expect), isStatus ? learned.waiting : undefined);
}

/** Why nobody knows the outcome. Status may be signed otherwise than the request was, so a refusal of it says how. */
function unanswered(job: Job, order: OrderName, last: Classified): string {
  const question = statusQuestion(job, { endpointId: job.unsigned.endpointId, ...order });
  const hint = last.class === 'refused' ? `; ${adviceAfterRefusal(last, question, job.session)}` : '';
  return `asking for the outcome failed: ${failureFacts(last).why}${hint}`;
}

/** Polls status until the outcome is final, a step is due, the time is up or the user stops. */
async function wait(job: Job, fields: Fields): Promise<Waited | 'stopped'> {
  const { session, runtime, options, unsigned, recording } = job;
  const bySerial = serialOf(job);
  const waking = await wakeByCallbacks(job, nameOf(job, fields));
  const line = showWaiting(nameOf(job, fields), job);
  const waiting = waitForOutcome({
    ask: async () => line.asked(await askStatus(job, { ...statusOf(job, fields), bySerial })),
    clock: shownClock(waking.clock, line),
    random: runtime.random,
    timeoutMs: seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs,
    pauses: session.pauses,
    isAbout: isSettledByStatus(job) ? (answer) => recording?.evidence(answer).proves !== 'nothing' : undefined,
    until: unsigned.row.id === 'PAYOUT_V4_CHECK' || unsigned.row.id === 'STATUS' ? isCheckedPayout : undefined,
  });
  return Promise.race([waiting, stopped(job)]).finally(() => {
    line.end();
    waking.close();
  });
}

/** True for a request whose own outcome a status answer tells; an upload only lets the order go on. */
function isSettledByStatus({ recording }: Job): boolean {
  return recording !== undefined && !isBeyondStatus(recording.intent.operation);
}

/** A follow-up is asked about by the serial number of its own reply: status speaks of the newest transaction otherwise (A42). */
function serialOf({ unsigned, recording }: Job): string | undefined {
  return unsigned.row.opens || unsigned.row.effect !== 'money' ? undefined : recording?.intent.outcome['serial-number'];
}

function statusOf(job: Job, fields: Fields): StatusOf {
  const { orderId, clientOrderId } = nameOf(job, fields);
  return { endpointId: job.unsigned.endpointId, orderId, clientOrderId };
}

/** Money may have moved: status is asked on its schedule while the user waits, and once where a no names an order. */
async function settleUnknown(job: Job, classified: Classified): Promise<number> {
  const { recording, options } = job;
  const mayAsk = options.wait === true || classified.class === 'ask-status';
  if (recording === undefined || !mayAsk || job.stop.signal.aborted) return unknown(job, classified);
  if (classified.class !== 'ask-status') job.report.notes([`the outcome is unknown (${classified.reason}); asking the gateway`]);
  return afterAsking(job, await settleByAsking(job, recording, options.wait !== true), classified);
}

async function refused(job: Job, classified: Classified): Promise<number> {
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

async function unknown(job: Job, classified: Classified): Promise<number> {
  const name = nameOf(job, classified.fields ?? new Map());
  // `resolve` takes one id, or the number of an entry that has none.
  const isNameless = name.orderId === undefined && name.clientOrderId === undefined;
  const orderId = isNameless && job.recording !== undefined ? String(job.recording.intent.id) : name.orderId;
  const one = orderId === undefined ? name : { ...name, orderId, clientOrderId: undefined };
  const how = job.recording === undefined ? orderCommand('status', name) : orderCommand('resolve', one);
  const error = fail('OUTCOME_UNKNOWN', { ...failureFacts(classified), why: classified.reason, how });
  if (!hasReply(classified)) throw error;
  const text = 'the outcome is unknown; do not send it again';
  const ending: Ending = { ok: false, exit: exits.unknown, text, tone: 'warn', next: how, error };
  return printFields(job, classified.fields, ending, classified.status);
}

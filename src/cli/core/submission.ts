import { exits } from '../../errors/index.js';
import { describeIntent, type Intent, unresolvedStates } from '../../journal/index.js';
import { isOfType } from '../../payments/evidence.js';
import { type JournalUpdate, noUpdate } from '../../payments/journal-sync.js';
import type { Amount } from '../../payments/limits.js';
import type { PaymentRecord } from '../../payments/payment-record.js';
import type { Unsigned } from '../../signing/index.js';
import { isSuccess, isUnknownWord, opensForm, replyField, replyNames, statusQuery } from '../../spec/index.js';
import { maxTimeoutSeconds, maxWaitSeconds, seconds } from '../flags.js';
import type { Document } from '../format/document.js';
import {
  type Fields,
  isCheckedPayout,
  matchedDocuments,
  matchedIn,
  matchedText,
  meaningOf,
  meaningOfStatus,
  type OrderName,
  pendingSince,
  waitingText,
  waitsIn,
} from '../format/meaning.js';
import { type GatewayContext, howToClose, type Tools, updateJournal, warnOfConflict } from '../gateway.js';
import { type Ending, exitOfDoubt, printReply, printUnexpected } from '../print-reply.js';
import type { Origins } from './live/confirmation-text.js';
import { commandFor, faultOfOutput } from './storage-fault.js';

/** What is known about a request besides its fields. */
export interface SendContext {
  /** Where each value came from. */
  readonly origins: Origins;
  /** The amount of its order, where the gateway told it. */
  readonly ofOrder: Amount | undefined;
  /** Called once the request may be sent, before it is; not for one that was sent before. */
  readonly announce: () => void;
}

/** One request being sent. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** Its journal entry; undefined for a read. */
  readonly record: PaymentRecord | undefined;
  /** Whether the gateway is asked before it is sent. */
  readonly asksFirst: boolean;
  /** It was sent before, and nothing is sent now. */
  readonly isRepeat?: true;
  /**
   * When --wait gives up, by the monotonic clock: the time begins with the first call, once there is a reply or none.
   */
  readonly waitEnd: () => number;
}

/** How long --wait waits. */
export function waitMsOf({ options, session }: Pick<Tools, 'options' | 'session'>): number {
  return seconds('--wait-timeout', options.waitTimeout, maxWaitSeconds) ?? session.waitMs;
}

/** When --wait gives up; for `Submission.waitEnd`. */
export function waitEndFor(tools: Tools): Submission['waitEnd'] {
  const { clock } = tools.runtime;
  const ms = waitMsOf(tools);
  let end: number | undefined;
  return () => {
    end ??= clock.monotonic() + ms;
    return end;
  };
}

/** Checked before anything is recorded: the entry would block the corrected command. */
export function checkTimes({ timeout, waitTimeout }: Tools['options']): void {
  seconds('--timeout', timeout, maxTimeoutSeconds);
  seconds('--wait-timeout', waitTimeout, maxWaitSeconds);
}

/** The ids of its order, as far as they are known. */
export function nameOf({ unsigned, session, record }: Submission, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? record?.intent.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    isRecorded: record !== undefined,
    flags: session.flags,
  };
}

/**
 * `update` is what the journal knows of the order: a status reply does not distinguish an unfilled form from a payment
 * in progress. `polls` is how often a wait queried the status.
 */
export function print(
  submission: Submission,
  fields: Fields,
  end: Pick<Ending, 'ok' | 'exit'>,
  update: JournalUpdate = noUpdate,
  polls?: number,
  more: Document = {},
): Promise<number> {
  const { row } = submission.unsigned;
  const named = nameOf(submission, fields);
  const isRecorded = named.isRecorded === true || update.requests.some(({ kind }) => kind === 'opening');
  const order = { ...named, isRecorded };
  const isAsking = row.id === statusQuery.id;
  const { text, tone, next: usual, isStep = false } = (isAsking ? meaningOfStatus : meaningOf)(row, fields, order);
  const { waiting, requests } = update;
  const inDoubt =
    end.exit === exits.unknown || update.conflicts.length > 0 ? toResolve(submission, requests) : undefined;
  const next = inDoubt === undefined ? usual : commandFor('resolve', inDoubt, order.flags);
  const since = pendingSince(submission.record === undefined ? requests : [submission.record.intent]);
  const waits = waitsIn(fields, waiting, opensForm(row.id) || waiting?.for === 'form', { since, polls });
  // In other replies the text of the step says it, if the reply has its data.
  const showsWaiting = waits !== undefined && (isAsking || waits.for === 'bank' || (row.opens && !isStep));
  const usualText = showsWaiting ? [waitingText(waits), ...(isStep ? [text] : [])].join('; ') : text;
  const conflict = update.conflicts[0];
  const words = conflict === undefined ? usualText : `in conflict: ${conflict.reason}`;
  return printFields(
    submission,
    fields,
    { ...end, text: words, tone: conflict === undefined ? tone : 'warn', next },
    { requests, more },
  );
}

/** What to do where the user means another request like one that was sent before. */
export function againHint({ unsigned }: Submission): string {
  if (unsigned.row.opens) return '; another payment needs an order id of its own';
  return unsigned.values['amount'] === undefined
    ? '; --again sends it again on purpose'
    : '; for a second one of the same amount, use --again';
}

/** A second refund may be meant, so --quiet must not hide this; a payment under the same id is meant as a repeat. */
export function warnSentBefore({ unsigned, report }: Submission, lines: readonly string[]): void {
  if (unsigned.row.opens) report.notes(lines.map((line) => `warning: ${line}`));
  else report.warn(lines);
}

const ownNames = replyNames('type', 'serial', 'clientOrderId', 'orderId', 'endpointId');

/** False where the last answer was about a later transaction of the order, as a return of it that was declined. */
export function saysApproved({ operation, outcome }: Intent): boolean {
  const fields = new Map(Object.entries(outcome));
  const type = outcome['transaction-type']?.toLowerCase();
  const isOwn = type === undefined || isOfType(operation, type);
  return isCheckedPayout(fields) || (isOwn && isSuccess(replyField(fields, 'status') ?? ''));
}

/**
 * The fields of a request whose order has a later transaction, which is what a status shows: its ids, and that it was
 * approved where that is proven.
 */
export function ownFields({ outcome, state }: Intent): Fields {
  const own = Object.entries(outcome).filter(([name]) => ownNames.includes(name));
  return new Map([...own, ...(state === 'done' ? [['status', 'approved'] as const] : [])]);
}

/** Such as `an equal return of 5.00 EUR on order 17`: the user may mean a second one. */
export function whichRequest({ record, unsigned }: Submission): string {
  if (record === undefined) return 'this request';
  return `${unsigned.row.opens ? 'this' : 'an equal'} ${describeIntent(record.intent)}`;
}

/** The request whose outcome `resolve` finds out. */
function toResolve({ record }: Submission, requests: readonly Intent[]): Intent | undefined {
  const all = record === undefined ? requests : [record.intent];
  return all.find(({ state }) => unresolvedStates.includes(state));
}

interface Beside {
  /** Given where the reply is no success, for programs to see it in the result. */
  readonly httpStatus?: number | undefined;
  /** Of the order, in the journal. */
  readonly requests?: readonly Intent[];
  /** Further fields for programs. */
  readonly more?: Document;
}

export async function printFields(
  submission: Submission,
  fields: Fields,
  ending: Ending,
  { httpStatus, requests = [], more: further = {} }: Beside = {},
): Promise<number> {
  const { unsigned, session, report, record, isRepeat } = submission;
  const { row, endpointId, values } = unsigned;
  const printing = { row, endpointId, clientOrderId: values['clientOrderId'], session, report };
  const matched = matchedIn(record === undefined ? requests : [record.intent]);
  const more = {
    ...further,
    ...(isRepeat === true ? { sent: false } : {}),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(matched.length === 0 ? {} : { matched: matchedDocuments(matched) }),
  };
  const isConflict = record?.intent.state === 'conflict';
  const ended = isConflict ? `in conflict: ${record.intent.reason}` : ending.text;
  const text = isRepeat === true ? `${ended.replace(/^approved/, 'already approved')}; nothing was sent now` : ended;
  // A check mark would look like a second payment.
  const tone = isRepeat === true && ending.tone === 'good' ? 'warn' : ending.tone;
  // This reply contradicts what was sent, or is known of it.
  const exit = exitOfDoubt(record?.intent, session);
  const shown: Ending = isConflict
    ? { ...ending, text, tone: 'warn', ok: false, exit, next: howToClose(record.intent, session) }
    : { ...ending, text, tone };
  try {
    await printReply(printing, fields, shown, more);
  } catch (error) {
    if (record === undefined) throw error;
    report.error(faultOfOutput(error, record.intent, shown.text), shown.exit);
  }
  report.notes(matched.map(matchedText));
  if (isConflict) warnOfConflict(record.intent, submission);
  return shown.exit;
}

/** The same, with an error where another outcome was expected. */
export async function printExpected(
  submission: Submission,
  fields: Fields,
  exit: number,
  update?: JournalUpdate,
  polls?: number,
): Promise<number> {
  const code = await print(submission, fields, { ok: exit === exits.ok, exit }, update, polls);
  if (exit === exits.checkFailed) {
    const { options, report } = submission;
    printUnexpected(fields, options.expect, nameOf(submission, fields), report);
  }
  return code;
}

/** The request was accepted and its outcome is not known yet: exit 7. */
export async function pendingAfter(submission: Submission, fields: Fields, why: string): Promise<number> {
  const code = await print(submission, fields, { ok: false, exit: exits.pending });
  submission.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

/** Records the last status, since the user saw it. */
export async function stoppedWaiting(submission: Submission, fields: Fields): Promise<number> {
  await updateJournal(submission, fields, submission.unsigned.endpointId, submission.record?.journal);
  if (!isUnknownWord(replyField(fields, 'status')))
    return pendingAfter(submission, fields, 'interrupted while waiting');
  return printExpected(submission, fields, exits.unknown);
}

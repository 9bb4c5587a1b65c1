import { exits, isPaycliError, type PaycliError } from '../../errors/index.js';
import type { Journal, Request, Sum } from '../../journal/port.js';
import { unresolvedStates } from '../../journal/states.js';
import type { Classified } from '../../payments/classify.js';
import { type Proof, rowOf } from '../../payments/evidence.js';
import { settleByStatus } from '../../payments/settle.js';
import { describe } from '../../payments/words.js';
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
  waitingIn,
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
  readonly ofOrder: Sum | undefined;
  /** Called once the request may be sent, before it is; not for one that was sent before. */
  readonly announce: () => void;
}

/** A request in its open journal, as it is known now. */
export interface Recorded {
  readonly journal: Journal;
  request: Request;
  /** Storage that failed after something was sent: reported at the end, as the outcome must still be shown. */
  fault?: PaycliError;
  /** How its attempt ended, where that could not be recorded. */
  readonly unrecorded?: Classified['class'];
}

/** Keeps a request once it is recorded. */
export type Keep = (request: Request, failed?: Pick<Recorded, 'fault' | 'unrecorded'>) => Recorded;

/** One request being sent. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** Its journal entry; undefined for a read. */
  readonly record: Recorded | undefined;
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
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? record?.request.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    isRecorded: record !== undefined,
    flags: session.flags,
  };
}

/**
 * `requests` are what the journal knows of the order: a status reply does not distinguish an unfilled form from a payment
 * in progress. `polls` is how often a wait queried the status.
 */
export function print(
  submission: Submission,
  fields: Fields,
  end: Pick<Ending, 'ok' | 'exit'>,
  requests: readonly Request[] = [],
  polls?: number,
  more: Document = {},
): Promise<number> {
  const { row } = submission.unsigned;
  const named = nameOf(submission, fields);
  const isRecorded = named.isRecorded === true || requests.some(({ kind }) => kind === 'payment');
  const order = { ...named, isRecorded };
  const isAsking = row.id === statusQuery.id;
  const { text, tone, next: usual, isStep = false } = (isAsking ? meaningOfStatus : meaningOf)(row, fields, order);
  const waiting = waitingIn(requests);
  const conflict = conflictIn(requests);
  const inDoubt = end.exit === exits.unknown || conflict !== undefined ? toResolve(submission, requests) : undefined;
  const next = inDoubt === undefined ? usual : commandFor('resolve', inDoubt, order.flags);
  const since = pendingSince(submission.record === undefined ? requests : [submission.record.request]);
  const waits = waitsIn(fields, waiting, opensForm(row.id) || waiting?.for === 'form', { since, polls });
  // In other replies the text of the step says it, if the reply has its data.
  const showsWaiting = waits !== undefined && (isAsking || waits.for === 'bank' || (row.opens && !isStep));
  const usualText = showsWaiting ? [waitingText(waits), ...(isStep ? [text] : [])].join('; ') : text;
  const words = conflict === undefined ? usualText : `in conflict: ${conflict.reason}`;
  return printFields(
    submission,
    fields,
    { ...end, text: words, tone: conflict === undefined ? tone : 'warn', next },
    { requests, more },
  );
}

/** The request in conflict: a person has to decide. */
export function conflictIn(requests: readonly Request[]): Request | undefined {
  return requests.find(({ state }) => state === 'conflict');
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
export function saysApproved({ operation, outcome }: Request): boolean {
  const fields = new Map(Object.entries(outcome));
  const type = outcome['transaction-type']?.toLowerCase();
  const isOwn = type === undefined || rowOf(operation)?.namedByStatus?.types.includes(type) === true;
  return isCheckedPayout(fields) || (isOwn && isSuccess(replyField(fields, 'status') ?? ''));
}

/**
 * The fields of a request whose order has a later transaction, which is what a status shows: its ids, and that it was
 * approved where that is proven.
 */
export function ownFields({ outcome, state }: Request): Fields {
  const own = Object.entries(outcome).filter(([name]) => ownNames.includes(name));
  return new Map([...own, ...(state === 'done' ? [['status', 'approved'] as const] : [])]);
}

/** Such as `an equal return of 5.00 EUR on order 17`: the user may mean a second one. */
export function whichRequest({ record, unsigned }: Submission): string {
  if (record === undefined) return 'this request';
  return `${unsigned.row.opens ? 'this' : 'an equal'} ${describe(record.request)}`;
}

/** The request whose outcome `resolve` finds out. */
function toResolve({ record }: Submission, requests: readonly Request[]): Request | undefined {
  const all = record === undefined ? requests : [record.request];
  return all.find(({ state }) => unresolvedStates.includes(state));
}

interface Beside {
  /** Given where the reply is no success, for programs to see it in the result. */
  readonly httpStatus?: number | undefined;
  /** Of the order, in the journal. */
  readonly requests?: readonly Request[];
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
  const matched = matchedIn(record === undefined ? requests : [record.request]);
  const more = {
    ...further,
    ...(isRepeat === true ? { sent: false } : {}),
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(matched.length === 0 ? {} : { matched: matchedDocuments(matched) }),
  };
  const isConflict = record?.request.state === 'conflict';
  const ended = isConflict ? `in conflict: ${record.request.reason}` : ending.text;
  const text = isRepeat === true ? `${ended.replace(/^approved/, 'already approved')}; nothing was sent now` : ended;
  // A check mark would look like a second payment.
  const tone = isRepeat === true && ending.tone === 'good' ? 'warn' : ending.tone;
  // This reply contradicts what was sent, or is known of it.
  const exit = exitOfDoubt(record?.request, session);
  const shown: Ending = isConflict
    ? { ...ending, text, tone: 'warn', ok: false, exit, next: howToClose(record.request, session) }
    : { ...ending, text, tone };
  try {
    await printReply(printing, fields, shown, more);
  } catch (error) {
    if (record === undefined) throw error;
    report.error(faultOfOutput(error, record.request, shown.text, session), shown.exit);
  }
  report.notes(matched.map(matchedText));
  if (isConflict) warnOfConflict(record.request, submission);
  return shown.exit;
}

/** The same, with an error where another outcome was expected. */
export async function printExpected(
  submission: Submission,
  fields: Fields,
  exit: number,
  requests?: readonly Request[],
  polls?: number,
): Promise<number> {
  const code = await print(submission, fields, { ok: exit === exits.ok, exit }, requests, polls);
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

/** Records what a status proves about the request that was sent. A disk that fails does not hide the outcome. */
export async function applyStatus(
  record: Recorded | undefined,
  fields: Fields,
  { session }: Submission,
): Promise<Proof | undefined> {
  if (record === undefined) return undefined;
  try {
    const settled = await settleByStatus(record.request, fields, record.journal, session.assume['minor-digits']);
    record.request = settled.request;
    return settled.proof;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    record.fault ??= error;
    return undefined;
  }
}

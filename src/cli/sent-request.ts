import type { Waiting } from '../journal/index.js';
import type { Unsigned } from '../signing/index.js';
import { opensForm, replyField } from '../spec/index.js';
import { howToClose, warnOfConflict } from './learning.js';
import { exits } from './outcome.js';
import { type Fields, meaningOf, type OrderName, stepOf } from './present/meaning.js';
import { waitingText, waitsIn } from './present/waiting.js';
import { type Ending, printReply, tellError, tellUnexpected } from './printing.js';
import type { Recording } from './recording.js';
import { faultOfOutput } from './storage-fault.js';
import type { Talk } from './talk.js';

/** One request on its way. */
export interface Job extends Talk {
  readonly unsigned: Unsigned;
  /** The journal's part; undefined for a read. */
  readonly recording: Recording | undefined;
}

/** The ids of its order, as far as they are known. */
export function nameOf({ unsigned, session, recording }: Job, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? recording?.intent.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
}

/** `waiting` is what the journal knows of the order: a status reply does not tell a form that nobody filled in from a payment under way. */
export function print(job: Job, fields: Fields, end: Pick<Ending, 'ok' | 'exit'>, waiting?: Waiting): Promise<number> {
  const { row } = job.unsigned;
  const order = nameOf(job, fields);
  const step = stepOf(fields, order);
  const { text, tone, next } = step ?? meaningOf(row, fields, order);
  const isAsking = row.id === 'STATUS';
  const waits = isAsking || row.opens ? waitsIn(fields, waiting, opensForm(row.id) || waiting?.for === 'form') : undefined;
  // Elsewhere the step itself says it, where the reply holds more of one than that it is there.
  const isTold = waits !== undefined && (isAsking || step === undefined);
  const words = isTold ? [waitingText(waits), ...(step === undefined ? [] : [text])].join('; ') : text;
  return printFields(job, fields, { ...end, text: words, tone, next });
}

/** With the HTTP status, where the reply is no success: programs see it in the result. */
export async function printFields(job: Job, fields: Fields, ending: Ending, httpStatus?: number): Promise<number> {
  const { unsigned, session, report, recording } = job;
  const { row, endpointId, values } = unsigned;
  const printing = { row, endpointId, clientOrderId: values['clientOrderId'], session, report };
  const more = httpStatus === undefined ? {} : { httpStatus };
  const isConflict = recording?.intent.state === 'conflict';
  // Whatever this reply says, somebody wrote down the opposite.
  const told: Ending = isConflict ? { ...ending, ok: false, exit: exits.unknown, next: howToClose(recording.intent, session) } : ending;
  try {
    await printReply(printing, fields, told, more);
  } catch (error) {
    if (recording === undefined) throw error;
    tellError(faultOfOutput(error, recording.intent, told.text), report, told.exit);
  }
  if (isConflict) warnOfConflict(recording.intent, job);
  return told.exit;
}

/** The same, and what is wrong where another outcome was wanted. */
export async function printExpected(job: Job, fields: Fields, exit: number, waiting?: Waiting): Promise<number> {
  const code = await print(job, fields, { ok: exit === exits.ok, exit }, waiting);
  if (exit === exits.otherThanExpected) tellUnexpected(fields, job.options.expect, job.report);
  return code;
}

/** The request was accepted, and nobody knows its outcome yet: exit 7. */
export async function pendingAfter(job: Job, fields: Fields, why: string): Promise<number> {
  const code = await print(job, fields, { ok: false, exit: exits.pending });
  job.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

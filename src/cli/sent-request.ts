import type { Waiting } from '../journal/index.js';
import type { PaymentRecord } from '../payments/payment-record.js';
import type { Unsigned } from '../signing/index.js';
import { opensForm, replyField } from '../spec/index.js';
import { howToClose, warnOfConflict } from './learning.js';
import { exits } from './outcome.js';
import { type Fields, meaningOf, type OrderName, stepOf } from './present/meaning.js';
import { waitingText, waitsIn } from './present/waiting.js';
import { type Ending, printError, printReply, printUnexpected } from './printing.js';
import { faultOfOutput } from './storage-fault.js';
import type { GatewayContext } from './talk.js';

/** One request on its way. */
export interface Submission extends GatewayContext {
  readonly unsigned: Unsigned;
  /** The journal's part; undefined for a read. */
  readonly record: PaymentRecord | undefined;
}

/** The ids of its order, as far as they are known. */
export function nameOf({ unsigned, session, record }: Submission, fields: Fields): OrderName {
  return {
    orderId: replyField(fields, 'orderId') ?? unsigned.values['orderId'] ?? record?.intent.orderId,
    clientOrderId: unsigned.values['clientOrderId'] ?? replyField(fields, 'clientOrderId'),
    flags: session.flags,
  };
}

/** `waiting` is what the journal knows of the order: a status reply does not tell a form that nobody filled in from a payment under way. */
export function print(job: Submission, fields: Fields, end: Pick<Ending, 'ok' | 'exit'>, waiting?: Waiting): Promise<number> {
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
export async function printFields(job: Submission, fields: Fields, ending: Ending, httpStatus?: number): Promise<number> {
  const { unsigned, session, report, record } = job;
  const { row, endpointId, values } = unsigned;
  const printing = { row, endpointId, clientOrderId: values['clientOrderId'], session, report };
  const more = httpStatus === undefined ? {} : { httpStatus };
  const isConflict = record?.intent.state === 'conflict';
  // Whatever this reply says, somebody wrote down the opposite.
  const told: Ending = isConflict ? { ...ending, ok: false, exit: exits.unknown, next: howToClose(record.intent, session) } : ending;
  try {
    await printReply(printing, fields, told, more);
  } catch (error) {
    if (record === undefined) throw error;
    printError(faultOfOutput(error, record.intent, told.text), report, told.exit);
  }
  if (isConflict) warnOfConflict(record.intent, job);
  return told.exit;
}

/** The same, and what is wrong where another outcome was wanted. */
export async function printExpected(job: Submission, fields: Fields, exit: number, waiting?: Waiting): Promise<number> {
  const code = await print(job, fields, { ok: exit === exits.ok, exit }, waiting);
  if (exit === exits.otherThanExpected) printUnexpected(fields, job.options.expect, job.report);
  return code;
}

/** The request was accepted, and nobody knows its outcome yet: exit 7. */
export async function pendingAfter(job: Submission, fields: Fields, why: string): Promise<number> {
  const code = await print(job, fields, { ok: false, exit: exits.pending });
  job.report.warn([`${why}; the request itself was accepted`]);
  return code;
}

import { fail, type PaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, replyField, statusOf } from '../../spec/index.js';
import { webAddress } from '../../wire/address.js';
import type { Document } from '../format/document.js';
import { byOneId, type Fields, type OrderName, orderCommand } from '../format/meaning.js';
import { presentText, type Result, resultDocument } from '../format/reply.js';
import type { Reporter } from './reporter.js';
import type { Session } from './session.js';

/** Whose reply is printed, and where. */
interface ReplyContext {
  readonly row: Operation;
  readonly endpointId: string;
  readonly clientOrderId: string | undefined;
  readonly session: Session;
  readonly report: Reporter;
}

/** How a reply ends the command. */
export interface Ending {
  readonly ok: boolean;
  readonly exit: number;
  readonly text: string;
  readonly tone: Result['tone'];
  readonly next: string | undefined;
  /** Why it is not a success, printed on standard error. It names the next step, so the text of the reply omits it. */
  readonly error?: PaycliError;
}

/** Prints a reply, with `more` fields for programs, and returns the exit code. */
export async function printReply(
  { row, endpointId, clientOrderId, session, report }: ReplyContext,
  fields: Fields,
  { text: meaning, error, ...ending }: Ending,
  more: Document = {},
): Promise<number> {
  const result: Result = {
    ...{ row, profile: session.name, clientOrderId, fields, meaning, ...ending },
    ...{ minorDigits: session.assume['minor-digits'], endpointId },
  };
  const text = () => presentText(error === undefined ? result : { ...result, next: undefined }, report.paint);
  await report.show({ document: { ...resultDocument(result), ...more }, text });
  report.notes(unservedPage(fields, session));
  if (error !== undefined) report.error(error);
  return ending.exit;
}

/** Where nobody serves the page that the payer has to open: what serves it, and what does without a browser. */
function unservedPage(fields: Fields, { unservedPages, flags }: Session): string[] {
  const isOver = statusOf(replyField(fields, 'status') ?? '')?.final === true;
  if (unservedPages === undefined || isOver || ![...fields.values()].some((text) => text.includes(unservedPages)))
    return [];
  const order = { orderId: replyField(fields, 'orderId'), clientOrderId: undefined, flags };
  const without =
    replyField(fields, 'redirect') === undefined || replyField(fields, 'redirectTo') !== undefined
      ? `\`${orderCommand('3ds run', order, ['--path', 'challenge'])}\` performs the payer's steps`
      : '`paycli form fill ADDRESS --test-card approved` fills it in';
  const served = 'so nothing serves that page: `paycli sandbox start` does';
  return [`no sandbox is listening, ${served}; without a browser, ${without}`];
}

/** Reports that the outcome is not the expected one. */
export function printUnexpected(
  fields: Fields,
  expected: string | undefined,
  order: OrderName,
  report: Reporter,
): void {
  const got = replyField(fields, 'status') ?? 'no status';
  report.error(fail('otherOutcome', { expected: expected ?? '', got, next: orderCommand('order', byOneId(order)) }));
}

/** Shows the hosted page of a reply in the user's browser, or says why the user has to. */
export async function openPage(fields: Fields, report: Reporter, runtime: Runtime): Promise<void> {
  const address = replyField(fields, 'redirect');
  if (address === undefined || webAddress(address) === undefined) {
    report.warn(['the reply contains no page to open']);
    return;
  }
  const isOpen = await runtime.processes.browse(address);
  if (isOpen) report.notes([`opened in the browser: ${address}`]);
  else report.warn([`no browser could be started; open this yourself: ${address}`]);
}

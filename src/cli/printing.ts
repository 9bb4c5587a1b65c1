import { fail, type PaycliError, renderError, renderErrorJson } from '../errors/index.js';
import { type Operation, replyField } from '../spec/index.js';
import type { Fields } from './present/meaning.js';
import { presentText, type Result, resultDocument } from './present/reply.js';
import type { Document } from './present/shown.js';
import type { Reporter } from './reporter.js';
import type { Session } from './session.js';

/** Whose reply is printed, and where. */
export interface Printing {
  readonly row: Operation;
  readonly endpointId: string;
  readonly clientOrderId: string | undefined;
  readonly session: Session;
  readonly report: Reporter;
}

/** What a reply came to. */
export interface Ending {
  readonly ok: boolean;
  readonly exit: number;
  readonly text: string;
  readonly tone: Result['tone'];
  readonly next: string | undefined;
  /** Why it is no success, for people on standard error: it says what to do next, so the text of the reply leaves that out. */
  readonly error?: PaycliError;
}

/** Prints a reply, for programs with further facts, and gives the exit code. */
export async function printReply(
  { row, endpointId, clientOrderId, session, report }: Printing,
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
  if (error !== undefined) printErrorAlongside(error, report);
  return ending.exit;
}

/** The outcome is another than was wanted. Programs see that by the exit code within the result. */
export function printUnexpected(fields: Fields, expected: string | undefined, report: Reporter): void {
  printErrorAlongside(fail('CHECK_FAILED', { expected: expected ?? '', got: replyField(fields, 'status') ?? 'no status' }), report);
}

/** An error beside a reply that is printed; programs read all of it in the reply. */
function printErrorAlongside(error: PaycliError, report: Reporter): void {
  if (!report.isForPrograms) report.err(renderError(error, report.errPaint));
}

/** An error that no reply tells of, and with what code the command ends all the same. */
export function printError(error: PaycliError, report: Pick<Reporter, 'isForPrograms' | 'err' | 'errPaint'>, exit: number): void {
  const { code, message, next, topic, facts } = error;
  const shown = { code, message, next, topic, facts, exit, ok: exit === 0 };
  report.err(report.isForPrograms ? renderErrorJson(shown) : renderError(shown, report.errPaint));
}

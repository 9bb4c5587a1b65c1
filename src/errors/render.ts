import type { PaycliError } from './error.js';
import { printable, printableJson } from './message-text.js';

/** The painters an error needs; the same shape as the terminal's. */
export interface ErrorPaint {
  bad(text: string): string;
  dim(text: string): string;
}

/** What people and programs see of an error. */
export type ShownError = Pick<PaycliError, 'code' | 'message' | 'next' | 'topic' | 'exit' | 'facts'> & {
  readonly beside?: PaycliError | undefined;
  /** Whether the command succeeded all the same; left out where the error ended it. */
  readonly ok?: boolean;
  /** HTTP status of the last reply of the gateway, where there was one. */
  readonly http?: number | undefined;
};

/** A plain copy of an error, so that parts of it can be replaced. */
export function shownError({ code, message, next, topic, exit, facts, beside }: PaycliError): ShownError {
  return { code, message, next, topic, exit, facts, beside };
}

/** An error for people: what happened, what to do next, and the help topic that explains it. */
export function renderError(error: ShownError, paint: ErrorPaint): string {
  // Answering no is not an error.
  const label = error.code === 'CANCELLED' ? '' : `${paint.bad('error:')} `;
  const lines = [`${label}${shownText(error.message)}`];
  if (error.next !== '') lines.push(nextLine(error, paint));
  if (error.topic !== undefined) lines.push(`${paint.dim('help:')}  paycli help ${error.topic}`);
  if (error.beside !== undefined)
    lines.push(`${paint.bad('also:')}  ${shownText(`${error.beside.message}; ${error.beside.next}`)}`);
  return `${lines.join('\n')}\n`;
}

/** What to do next, by itself: for an error that the result on the terminal explains already. */
export function nextLine({ next }: ShownError, paint: ErrorPaint): string {
  return `${paint.dim('next:')}  ${shownText(next)}`;
}

/** Lines after the first are indented, so that untrusted text cannot pass for a line of paycli. */
function shownText(text: string): string {
  return printable(text).replace(/\n(?! {2})/g, '\n  ');
}

// The other facts are words for a sentence, which `message` and `next` have already.
const valueNames: ReadonlySet<string> = new Set([
  ...['order', 'orders', 'orderId', 'clientOrderId', 'entry', 'state', 'status', 'expected', 'got', 'operation'],
  ...['profile', 'class', 'login', 'cap', 'limit', 'asked', 'spent', 'currency', 'pending', 'left', 'resetsAt'],
  ...['httpStatus', 'gatewayMessage', 'gatewayCode', 'serialNumber', 'host', 'url', 'port', 'endpoint'],
  ...['plan', 'batch', 'row', 'engine', 'count', 'errorsFile', 'file', 'folder', 'path', 'line', 'fingerprint'],
  ...['flag', 'field', 'name', 'setting', 'variable', 'command', 'offlineCommand', 'pid', 'stage', 'seconds', 'most'],
]);

/** Values that programs can use. */
function valuesIn(facts: PaycliError['facts']): PaycliError['facts'] {
  // Missing flags are a value; the flags of a command to repeat begin with a blank.
  const isValue = (name: string, fact: string | number) =>
    name === 'flags' ? String(fact).startsWith('--') : valueNames.has(name) && fact !== '';
  return Object.fromEntries(Object.entries(facts).filter(([name, fact]) => fact !== undefined && isValue(name, fact)));
}

/** An error for programs: one JSON document. */
export function renderErrorJson(error: ShownError): string {
  const { code, message, next, topic, exit, facts, beside, ok, http = null } = error;
  // What is undefined is left out: JSON has none.
  const also =
    beside === undefined ? undefined : { code: beside.code, message: beside.message, next: sentence(beside.next) };
  return printableJson(
    `${JSON.stringify({
      ...{ schema: 'paycli.error/1', ok, code, message, next: sentence(next), topic, exit, http },
      ...{ facts: valuesIn(facts), also },
    })}\n`,
  );
}

/** A command that stands alone gets the backquotes that commands within a sentence have. */
function sentence(next: string): string {
  return next.startsWith('paycli ') ? `\`${next}\`` : next;
}

import type { PaycliError } from './error.js';
import { printable, printableJson } from './printable.js';

/** The painters an error needs; the same shape as the terminal's. */
export interface ErrorPaint {
  bad(text: string): string;
  dim(text: string): string;
}

/** What people and programs see of an error. */
export type ShownError = Pick<PaycliError, 'code' | 'message' | 'next' | 'topic' | 'exit' | 'facts'>;

/** An error for people: what happened, what to do next, and the help topic that explains it. */
export function renderError(error: ShownError, paint: ErrorPaint): string {
  const lines = [`${paint.bad('error:')} ${shownText(error.message)}`];
  if (error.next !== '') lines.push(`${paint.dim('next:')}  ${shownText(error.next)}`);
  if (error.topic !== undefined) lines.push(`${paint.dim('help:')}  paycli help ${error.topic}`);
  return `${lines.join('\n')}\n`;
}

/** Lines after the first are indented, so that foreign text cannot pass for a line of ours. */
function shownText(text: string): string {
  return printable(text).replace(/\n(?! {2})/g, '\n  ');
}

/** An error for programs: one JSON document. */
export function renderErrorJson(error: ShownError): string {
  const { code, message, next, topic, exit, facts } = error;
  return printableJson(`${JSON.stringify({ schema: 'paycli.error/1', code, message, next, topic, exit, facts })}\n`);
}

import type { PaycliError } from './error.js';

/** The painters an error needs; the same shape as the terminal's. */
export interface ErrorPaint {
  bad(text: string): string;
  dim(text: string): string;
}

/** An error for people: what happened, then what to do next. */
export function renderError(error: PaycliError, paint: ErrorPaint): string {
  const lines = [`${paint.bad('error:')} ${error.message}`];
  if (error.next !== '') lines.push(`${paint.dim('next:')}  ${error.next}`);
  return `${lines.join('\n')}\n`;
}

/** An error for programs: one JSON document. */
export function renderErrorJson(error: PaycliError): string {
  const { code, message, next, exit, facts } = error;
  return `${JSON.stringify({ schema: 'paycli.error/1', code, message, next, exit, facts })}\n`;
}

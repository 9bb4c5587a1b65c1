import type { Forwarded } from '../../../callbacks/store.js';
import { exits, fail } from '../../../errors/index.js';
import type { Reporter } from '../../core/reporter.js';
import { forwardDocument, forwardLine } from './format.js';

/** The paragraph on exit codes in the help of commands that forward a callback. */
export const handlerAnswerText =
  "The handler's answer is shown: exit 0 for 200, 11 for any other status, 6 when there was none.";

/**
 * Shows what a handler answered; the exit code says whether a gateway would count it as received. Throws NOT_SENT
 * without an answer.
 */
export async function reportForwarded(forwarded: Forwarded, schema: string, report: Reporter): Promise<number> {
  const { status, reason } = forwarded;
  if (status === undefined) throw fail('NOT_SENT', { why: reason ?? 'no answer' });
  const exit = status === 200 && reason === undefined ? exits.ok : exits.checkFailed;
  await report.show({
    document: { schema, ok: exit === exits.ok, forwarded: forwardDocument(forwarded), exit },
    text: () => `${forwardLine(forwarded)}\n`,
  });
  if (exit !== exits.ok)
    report.becauseOfCheck(
      `the handler answered ${status}${reason === undefined ? '' : `: ${reason}`}`,
      'correct the handler so that it answers 200, then forward the callback again',
    );
  return exit;
}

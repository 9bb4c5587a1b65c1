import { exits, fail, type PaycliError, type ShownError, shownError } from '../../errors/index.js';
import type { Printed } from '../../runtime/ports.js';

/** In place of a meaning, where the result has none in words. */
const meaningUnsaid = 'see the result';

/** The error for each exit code of a command that printed a result. */
const errorOf: Readonly<Record<number, (meaning: string) => PaycliError>> = {
  [exits.refused]: (meaning) =>
    fail('REFUSED', { why: meaning, how: 'correct what was refused, then run the command again' }),
  [exits.declined]: (meaning) =>
    fail('DECLINED', {
      why: meaning,
      how: 'do not repeat it unchanged; another attempt at a payment needs a new client order id',
    }),
  [exits.notSent]: (meaning) => fail('NOT_SENT', { why: meaning }),
  [exits.pending]: (meaning) => fail('PENDING', { why: meaning, how: '`paycli status ORDER --wait` polls again' }),
  [exits.unknown]: (meaning) =>
    fail('OUTCOME_UNKNOWN', { may: 'money may have moved', why: meaning, how: 'paycli resolve' }),
  [exits.readFailed]: (meaning) => fail('READ_FAILED', { why: meaning }),
  [exits.checkFailed]: (meaning) =>
    fail('CHECK_FAILED', { why: `a check failed: ${meaning}`, how: 'correct what the result reports' }),
  [exits.batchLeft]: (meaning) =>
    fail('BATCH_LEFT', { why: meaning, how: '`paycli batch resume PLAN` continues with them' }),
  [exits.interrupted]: () => fail('INTERRUPTED'),
  [exits.terminated]: () => fail('TERMINATED'),
};

/**
 * The one error of a run that ended with a non-zero code and threw none: the one that its command named, else one made
 * of the exit code and of what the result says.
 */
export function endError(exit: number, printed: Printed): ShownError {
  if (printed.error !== undefined) return { ...shownError(printed.error), exit };
  const made = shownError(errorForExit(exit, printed));
  return { ...made, next: printed.next ?? made.next, exit, facts: {} };
}

function errorForExit(exit: number, { meaning = meaningUnsaid, isOfProgram }: Printed): PaycliError {
  if (isOfProgram === true) return fail('PROGRAM_FAILED', { exit });
  return (
    errorOf[exit]?.(meaning) ??
    fail('INTERNAL', {
      why: `paycli ended with exit code ${exit} and gave no reason`,
      how: 'read the result',
      sent: '`paycli journal` shows what was sent',
    })
  );
}

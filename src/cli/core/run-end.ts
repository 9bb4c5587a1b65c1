import { exits, fail, meaningUnsaid, type PaycliError, type ShownError, shownError } from '../../errors/index.js';
import type { Printed } from '../../runtime/ports.js';

/** The error for each exit code of a command that printed a result. */
const errorOf: Readonly<Record<number, (meaning: string) => PaycliError>> = {
  [exits.refused]: (meaning) => fail('endedRefused', { meaning }),
  [exits.declined]: (meaning) => fail('endedDeclined', { meaning }),
  [exits.notSent]: (meaning) => fail('endedNotSent', { meaning }),
  [exits.pending]: (meaning) => fail('endedPending', { meaning }),
  [exits.unknown]: (meaning) => fail('endedUnknown', { meaning }),
  [exits.readFailed]: (meaning) => fail('endedUnanswered', { meaning }),
  [exits.checkFailed]: (meaning) => fail('endedUnfit', { meaning }),
  [exits.batchLeft]: (meaning) => fail('endedWithRowsLeft', { meaning }),
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
  return errorOf[exit]?.(meaning) ?? fail('endedWithoutReason', { exit });
}

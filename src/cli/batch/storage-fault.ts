import { fail, isPaycliError } from '../../errors/index.js';
import { printError } from '../printing.js';
import type { Reporter } from '../reporter.js';

/** What a run of a batch has done that a later fault of the storage must not hide. */
export interface RunProgress {
  /** A row may have left. */
  hasSent: boolean;
  /** The exit code of the result that was shown, once it was. */
  exit: number | undefined;
}

export const nothingSent = (): RunProgress => ({ hasSent: false, exit: undefined });

/**
 * Gives the exit code of a run. Storage that fails once rows may have left does not end it with 13, which says that nothing was sent: what
 * became of them is unknown until `resume` (a command) has asked; after a result was shown, that one stands and the fault is told beside it.
 */
export async function keepOutcome(
  progress: RunProgress,
  resume: string,
  report: Pick<Reporter, 'isForPrograms' | 'err' | 'errPaint'>,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!progress.hasSent || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
    if (progress.exit !== undefined) {
      printError(error, report, progress.exit);
      return progress.exit;
    }
    const unknown = fail('OUTCOME_UNKNOWN', { why: 'the storage failed while rows of the batch were on their way', how: resume });
    unknown.beside = error;
    throw unknown;
  }
}

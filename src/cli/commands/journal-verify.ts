import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { journalPath, withJournalAsIs } from '../journal.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { Reporter } from '../reporter.js';

export interface JournalVerifyOptions extends CommonOptions {
  readonly accept?: boolean;
  readonly evidence?: string;
}

/** Reads every line and every link. Exit 11 when something is wrong. */
export async function runJournalVerify(options: JournalVerifyOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  if (options.accept === true && (options.evidence ?? '').trim() === '')
    throw fail('USAGE', { why: '--accept needs --evidence with the reason', command: 'journal verify' });
  return withJournalAsIs(runtime, async (journal) => {
    const flaws = journal.flaws();
    const lines = journal.lines();
    if (flaws.length > 0 && options.accept === true) journal.acceptEnd(options.evidence ?? '');
    const isWhole = flaws.length === 0;
    const { good, bad } = report.paint;
    await report.show({
      document: { schema: 'paycli.journal-check/1', ok: isWhole, lines, flaws, accepted: options.accept === true && !isWhole },
      text: () =>
        isWhole
          ? `${good('✓')} whole: ${lines} lines, each as it was written (${journalPath(runtime)})\n`
          : flaws.map(({ what }) => `${bad('✗')} ${what}\n`).join(''),
    });
    if (isWhole) return exits.ok;
    if (options.accept === true) {
      report.notes(['taken as whole from here on; every order that may be missing is only known to the gateway']);
      return exits.ok;
    }
    return exits.otherThanExpected;
  });
}

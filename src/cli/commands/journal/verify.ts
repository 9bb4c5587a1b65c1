import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { journalPath, withUnverifiedJournal } from '../../core/user-stores.js';
import type { JournalDocument } from '../../results.js';

const acceptAdvice =
  '`paycli journal --accept-restored` queries the gateway about every order that is still known, and then continues with it';

/** Verifies every line and its hash link. Exit 11 when something is wrong. */
export async function verifyJournal(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter<JournalDocument>(options, undefined, runtime);
  return withUnverifiedJournal(runtime, async (journal) => {
    const flaws = journal.flaws();
    const lines = journal.lineCount();
    const end = flaws.some(({ what }) => what.startsWith('file: ')) ? undefined : journal.end().flaw;
    const isIntact = flaws.length === 0;
    const { good, bad } = report.paint;
    await report.show({
      document: {
        schema: 'paycli.journal/1',
        ok: isIntact,
        lines,
        flaws,
      },
      text: () =>
        isIntact
          ? `${good('✓')} intact: ${lines} lines, none changed (${journalPath(runtime)})\n`
          : flaws.map(({ what }) => `${bad('✗')} ${what}\n`).join(''),
    });
    if (isIntact) return exits.ok;
    if (end !== undefined) report.notes([acceptAdvice]);
    const [first = { what: '' }] = flaws;
    report.becauseOfCheck(first.what, end === undefined ? undefined : acceptAdvice);
    return exits.checkFailed;
  });
}

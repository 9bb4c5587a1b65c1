import type { Runtime } from '../../runtime/ports.js';
import { openUserJournal } from '../journal.js';
import { type FilterFlags, isFiltered, readFilter } from '../journal-filter.js';
import type { CommonOptions } from '../options.js';
import { intentDocument, intentSheet } from '../present/intents.js';
import { Reporter } from '../reporter.js';

export type JournalListOptions = CommonOptions & FilterFlags;

/** The entries that pass the filters. */
export async function runJournalList(options: JournalListOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const filter = readFilter(options, 'journal list', runtime.clock.now());
  const journal = await openUserJournal(runtime);
  try {
    const intents = journal.list(filter);
    await report.show({
      document: { schema: 'paycli.journal/1', entries: intents.map(intentDocument) },
      list: 'entries',
      sheet: () => intentSheet(intents, report),
      empty: isFiltered(options)
        ? 'no entry passes these filters; `paycli journal list` shows all'
        : 'no orders yet; try `paycli sale --amount 10.42 --currency USD --test-card approved`',
    });
    return 0;
  } finally {
    journal.close();
  }
}

import type { Runtime } from '../../runtime/ports.js';
import { printableJson } from '../../wire/redact.js';
import { openUserJournal } from '../journal.js';
import { type FilterFlags, readFilter } from '../journal-filter.js';
import type { CommonOptions } from '../options.js';
import { intentDocument, intentTable } from '../present/intents.js';
import { Reporter } from '../reporter.js';

export interface JournalListOptions extends CommonOptions, FilterFlags {
  readonly ndjson?: boolean;
}

/** The entries that pass the filters: a table for people, JSON or NDJSON for programs. */
export async function runJournalList(options: JournalListOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const filter = readFilter(options, 'journal list', runtime.clock.now());
  const journal = await openUserJournal(runtime);
  try {
    const intents = journal.list(filter);
    if (options.ndjson === true) for (const intent of intents) report.out(`${printableJson(JSON.stringify(intentDocument(intent)))}\n`);
    else if (report.json) report.document({ schema: 'paycli.journal/1', entries: intents.map(intentDocument) });
    else if (intents.length > 0) report.out(intentTable(intents, report.paint));
    else report.notes(['the journal has no such entry']);
    return 0;
  } finally {
    journal.close();
  }
}

import { isPaycliError } from '../../errors/index.js';
import type { Intent, Journal } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { csvCell } from '../../wire/csv-cell.js';
import { printableJson } from '../../wire/redact.js';
import { openUserJournalAsIs } from '../journal.js';
import { type FilterFlags, readFilter } from '../journal-filter.js';
import type { CommonOptions } from '../options.js';
import { intentDocument } from '../present/intents.js';
import { Reporter } from '../reporter.js';
import { moveDocument } from './journal-show.js';

export interface JournalExportOptions extends CommonOptions, FilterFlags {
  readonly format?: 'ndjson' | 'csv';
  readonly moves?: boolean;
}

/** All that can be read, to standard output. */
export async function runJournalExport(options: JournalExportOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const filter = readFilter(options, 'journal export', runtime.clock.now());
  const journal = await openUserJournalAsIs(runtime);
  try {
    if (options.moves === true) for (const move of journal.chain()) report.out(`${printableJson(JSON.stringify(moveDocument(move)))}\n`);
    else writeEntries(journal.list(filter), options.format ?? 'ndjson', report);
    tellFlaws(journal, report);
    return 0;
  } finally {
    journal.close();
  }
}

function writeEntries(intents: readonly Intent[], format: 'ndjson' | 'csv', report: Reporter): void {
  if (format === 'csv') report.out(csvLine(csvColumns.map(([name]) => name)));
  for (const intent of intents)
    report.out(
      format === 'csv' ? csvLine(csvColumns.map(([, of]) => of(intent))) : `${printableJson(JSON.stringify(intentDocument(intent)))}\n`,
    );
}

function tellFlaws(journal: Journal, report: Reporter): void {
  try {
    if (journal.flaws().length > 0) report.warn(['this journal is damaged: `paycli journal verify` says where']);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`this journal is damaged: ${error.message}`]);
  }
}

const csvColumns: readonly (readonly [name: string, of: (intent: Intent) => string])[] = [
  ['entry', ({ id }) => String(id)],
  ['made_at', ({ madeAt }) => new Date(madeAt).toISOString()],
  ['changed_at', ({ changedAt }) => new Date(changedAt).toISOString()],
  ['operation', ({ operation }) => operation],
  ['state', ({ state }) => state],
  ['order_id', ({ orderId }) => orderId ?? ''],
  ['client_order_id', ({ clientOrderId }) => clientOrderId ?? ''],
  ['minor', ({ sum }) => sum?.minor ?? ''],
  ['currency', ({ sum }) => sum?.currency ?? ''],
  ['profile', ({ profile }) => profile],
  ['class', (intent) => intent.class],
  ['endpoint_id', ({ endpointId }) => endpointId],
  ['attempts', ({ attempts }) => String(attempts)],
  ['status', ({ outcome }) => outcome['status'] ?? ''],
  ['reason', ({ reason }) => reason],
];

/** RFC 4180. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${csvCell(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

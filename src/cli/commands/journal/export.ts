import { fail, isPaycliError } from '../../../errors/index.js';
import { amountText, digitsOfSum, type Intent, type Journal, type Waiting } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { printableJson } from '../../../wire/redact.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { type FilterFlags, filterFlags, readFilter } from '../../core/journal-filter.js';
import { type CommonOptions, checkFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { withUnverifiedJournal } from '../../core/user-stores.js';
import type { Document } from '../../format/document.js';
import { intentDocument } from '../../format/journal-entries.js';
import { csvLine } from '../../format/list-output.js';
import { moveDocument } from './show.js';

interface JournalExportOptions extends CommonOptions, FilterFlags {
  readonly format?: 'ndjson' | 'csv';
  readonly moves?: boolean;
}

export const journalExport = defineCommand<JournalExportOptions>({
  name: 'journal export',
  summary: 'Write the whole journal as NDJSON or CSV',
  help: 'Write the whole journal as NDJSON or CSV; a damaged journal is exported as far as it is readable',
  options: [
    ['--format <format>', 'ndjson or csv', { choices: ['ndjson', 'csv'] }],
    ['--moves', 'the hash-linked lines instead of the entries'],
    ...filterFlags,
  ],
  examples: ['journal export', 'journal export --format csv --since 30d', 'journal export --moves'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['journal-line'],
  run: ({ options, runtime }) => runJournalExport(options, runtime),
});

/** Exports everything readable to standard output. */
async function runJournalExport(options: JournalExportOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const isCsv = options.moves !== true && (options.format ?? report.form) === 'csv';
  if (isCsv && (options.select ?? options.template) !== undefined)
    throw fail('csvHasOwnColumns', { command: 'journal export' });
  const filter = readFilter(options, 'journal export', runtime.clock.now());
  return withUnverifiedJournal(runtime, async (journal) => {
    await checkFilter(options.profile, runtime, (profile) => journal.count({ profile }) > 0);
    if (options.moves === true) for (const move of journal.chain()) await writeLine(moveDocument(move), report);
    else if (isCsv) writeCsv(journal, journal.each(filter), report);
    else
      for (const intent of journal.each(filter))
        await writeLine(intentDocument(intent, journal.waiting(intent), journal.wholeAmount(intent)), report);
    warnOfFlaws(journal, report);
    return 0;
  });
}

function writeLine(document: Document, report: Reporter): Promise<void> {
  return report.event(document, printableJson(`${JSON.stringify(document)}\n`));
}

function writeCsv(journal: Pick<Journal, 'waiting'>, intents: Iterable<Intent>, report: Reporter): void {
  report.out(csvLine(csvColumns.map(([name]) => name)));
  for (const intent of intents) report.out(csvLine(csvColumns.map(([, of]) => of(intent, journal.waiting(intent)))));
}

function warnOfFlaws(journal: Journal, report: Reporter): void {
  try {
    if (journal.flaws().length > 0) report.warn(['this journal is damaged: `paycli journal verify` shows where']);
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([`this journal is damaged: ${error.message}`]);
  }
}

const csvColumns: readonly (readonly [name: string, of: (intent: Intent, waiting: Waiting | undefined) => string])[] = [
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
  ['digits', ({ sum }) => (sum === undefined ? '' : String(digitsOfSum(sum)))],
  ['amount', ({ sum }) => (sum === undefined ? '' : amountText(sum))],
  ['waiting_for', (_, waiting) => waiting?.for ?? ''],
  ['waiting_since', (_, waiting) => (waiting === undefined ? '' : new Date(waiting.since).toISOString())],
];

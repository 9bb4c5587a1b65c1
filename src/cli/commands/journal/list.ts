import { fail } from '../../../errors/index.js';
import type { Filter, Intent, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { type FilterFlags, filterFlags, readFilter } from '../../core/journal-filter.js';
import { type CommonOptions, checkFilter, filteredBy } from '../../core/options.js';
import { mapped, Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import { intentColumns, intentDocument, intentRow, nothingSent } from '../../format/journal-entries.js';

interface JournalListOptions extends CommonOptions, FilterFlags {
  readonly limit?: string;
  readonly all?: boolean;
}

// About two screens. Programs get every entry: a silently truncated list would hide an unknown outcome.
const defaultLimit = 50;

export const journalList = defineCommand<JournalListOptions>({
  name: 'journal list',
  summary: 'List requests',
  help: 'List requests, newest last',
  options: [
    ...filterFlags,
    ['--limit <number>', 'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)'],
    ['--all', 'show all entries'],
  ],
  examples: [
    'journal list',
    'journal list --state unknown --state sending',
    'journal list --since 7d --min "10.00 USD" --json',
    'journal list --profile sandbox',
  ],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['journal'],
  run: async ({ options, runtime }) => runJournalList(await filteredBy(options, runtime), runtime),
});

/** The entries that match the filters; people get the newest, unless they ask for more. */
async function runJournalList(options: JournalListOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const filter = readFilter(options, 'journal list', runtime.clock.now());
  const limit = limitOf(options, report);
  return withJournal(runtime, async (journal) => {
    await checkFilter(options.profile, runtime, (profile) => journal.count({ profile }) > 0);
    const total = journal.count(filter);
    const isCut = limit !== undefined && total > limit;
    const found = entrySource(journal, filter, isCut ? limit : undefined);
    if (isCut) {
      const number = (count: number) => count.toLocaleString('en');
      report.notes([
        `${number(limit)} of ${number(total)} entries shown, only the newest; --limit N shows more, --all shows all`,
      ]);
    }
    await report.showList({
      head: { schema: 'paycli.journal/1', total },
      list: 'entries',
      entries: () =>
        mapped(found(), (intent) => intentDocument(intent, journal.waiting(intent), journal.wholeAmount(intent))),
      columns: intentColumns,
      rows: () =>
        mapped(found(), (intent) => intentRow(intent, report, journal.waiting(intent), journal.wholeAmount(intent))),
      empty:
        journal.count({}) === 0
          ? nothingSent
          : 'no matching entries; without filters and PAYCLI_PROFILE, `paycli journal list` shows all',
    });
    return 0;
  });
}

function limitOf({ limit, all }: JournalListOptions, report: Reporter): number | undefined {
  if (limit !== undefined && all === true) throw fail('limitOrAll', { command: 'journal list' });
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) throw fail('limitNotWhole', { command: 'journal list' });
  if (limit !== undefined) return Number(limit);
  return all === true || (report.form !== 'text' && report.form !== 'table') ? undefined : defaultLimit;
}

/** The newest are read once; all entries are read again for each pass, since they may not fit in memory. */
function entrySource(journal: Journal, filter: Filter, limit: number | undefined): () => Iterable<Intent> {
  if (limit === undefined) return () => journal.each(filter);
  const newest = journal.newest(filter, limit);
  return () => newest;
}

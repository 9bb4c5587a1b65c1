import type { Filter, Intent, Journal } from '../../../journal/index.js';
import { states } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list as listOf, on, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { type FilterFlags, readFilter } from '../../core/journal-filter.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { mapped } from '../../format/document.js';
import { intentColumns, intentDocument, intentRow, nothingSent } from '../../format/journal-entries.js';
import { type JournalDocument, journalResult } from '../../results.js';
import { wholeNumber } from '../../usage.js';

interface JournalFlags extends CommonOptions, FilterFlags {
  readonly limit?: number;
}

// About two screens. Programs get every entry: a silently truncated list would hide an unknown outcome.
const defaultLimit = 50;

// They choose from the list, so with anything but the list they would do nothing.
const alone = ['state', 'order', 'operation', 'since', 'until', 'min', 'max', 'limit', 'all'] as const;

export const journal = defineCommand({
  summary: 'Requests sent from this machine, and their outcomes',
  help: 'Without an entry it lists requests, newest last; with one, or an order, it shows every change of its state. A journal that was removed or restored from a backup sends nothing until --accept-restored has queried the gateway about every open order in it; it sends no payment.',
  heading: 'Money safety:',
  args: {
    entry: {
      text: 'an order (gateway order id, or client order id: the idempotency key), or a journal entry number',
      isOptional: true,
    },
  },
  flags: {
    state: listOf('<state>', `only in this state: ${Object.keys(states).join(', ')}`),
    order: parsed('<id>', 'only of this order (either id)', (text) => text.trim()),
    operation: word('<name>', 'only this operation, such as sale or payout pay'),
    since: word(
      '<time>',
      'created at or after: 2030-01-31, 2030-01-31T12:00:00Z, today or yesterday (UTC), or time ago: 7d, 12h, 30m',
    ),
    until: word('<time>', 'created before this time'),
    min: word('<amount>', 'at least this amount, such as "10.00 EUR"'),
    max: word('<amount>', 'at most this amount'),
    limit: parsed(
      '<number>',
      'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)',
      wholeNumber,
    ),
    all: on('show all entries'),
    verify: on('check for changed, removed or truncated lines'),
    acceptRestored: on('continue with this journal: the newest one is lost'),
    evidence: word('<text>', 'why orders that cannot be queried may remain unknown'),
    live: liveFlag,
    timeout: timeoutFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<JournalFlags & { acceptRestored: boolean; verify: boolean; evidence: string }>,
  conflicts: [
    ['limit', 'all'],
    ['acceptRestored', 'verify'],
    ...alone.flatMap((key) => [['entry', key] as const, ['verify', key] as const, ['acceptRestored', key] as const]),
    ['entry', 'verify'],
    ['entry', 'acceptRestored'],
  ],
  needs: { evidence: ['acceptRestored'] },
  examples: [
    'journal',
    'journal order-1',
    'journal --state unknown --state sending',
    'journal --since 7d --min "10.00 USD" --json',
    'journal --profile sandbox',
    'journal --accept-restored',
  ],
  effect: 'read',
  result: [journalResult],
  run: async ({ args: { entry }, flags, runtime }) => {
    if (flags.acceptRestored === true) return (await import('./accept-restored.js')).acceptRestored(flags, runtime);
    if (flags.verify === true) return (await import('./verify.js')).verifyJournal(flags, runtime);
    const options = await filteredBy(flags, runtime);
    if (entry === undefined) return list(options, runtime);
    return (await import('./show.js')).showEntries(entry.trim(), options, runtime);
  },
});

/** The entries that match the filters; people get the newest, unless they ask for more. */
async function list(options: JournalFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter<JournalDocument>(options, undefined, runtime);
  const filter = readFilter(options, 'journal', runtime.clock.now());
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
      entries: () => mapped(found(), (intent) => intentDocument(intent, journal.waiting(intent))),
      columns: intentColumns,
      rows: () => mapped(found(), (intent) => intentRow(intent, report, journal.waiting(intent))),
      empty:
        journal.count({}) === 0
          ? nothingSent
          : 'no matching entries; without filters and PAYCLI_PROFILE, `paycli journal` shows all',
    });
    return 0;
  });
}

function limitOf({ limit, all }: JournalFlags, report: Reporter): number | undefined {
  if (limit !== undefined) return limit;
  return all === true || (report.form !== 'text' && report.form !== 'table') ? undefined : defaultLimit;
}

/** The newest are read once; all entries are read again for each pass, since they may not fit in memory. */
function entrySource(journal: Journal, filter: Filter, limit: number | undefined): () => Iterable<Intent> {
  if (limit === undefined) return () => journal.each(filter);
  const newest = journal.newest(filter, limit);
  return () => newest;
}

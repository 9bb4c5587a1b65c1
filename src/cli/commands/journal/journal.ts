import { listAll } from '../../../journal/pages.js';
import type { Filter, Journal } from '../../../journal/port.js';
import { states, triedStates } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list as listOf, on, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { type FilterFlags, readFilter } from '../../core/journal-filter.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { nothingSent, requestDocument, requestSheet } from '../../format/journal-entries.js';
import type { DocumentOf } from '../../results.js';
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
  help: 'Without an entry it lists requests, newest last; with one, or an order, it shows every change of its state. Rows of a batch that were never sent are listed with --state planned. A journal that was removed or restored from a backup sends nothing until --accept-restored has queried the gateway about every open order in it; it sends no payment.',
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
    acceptRestored: on('continue with this journal, of which a part is lost'),
    evidence: word('<text>', 'why orders that cannot be queried may remain unknown'),
    live: liveFlag,
    timeout: timeoutFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<JournalFlags & { acceptRestored: boolean; evidence: string }>,
  conflicts: [
    ['limit', 'all'],
    ...alone.flatMap((key) => [['entry', key] as const, ['acceptRestored', key] as const]),
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
  result: ['journal'],
  run: async ({ args: { entry }, flags, runtime }) => {
    if (flags.acceptRestored === true) return (await import('./accept-restored.js')).acceptRestored(flags, runtime);
    const options = await filteredBy(flags, runtime);
    if (entry === undefined) return list(options, runtime);
    return (await import('./show.js')).showEntries(entry.trim(), options, runtime);
  },
});

/** The entries that match the filters; people get the newest, unless they ask for more. */
async function list(options: JournalFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const given = readFilter(options, 'journal', runtime.clock.now());
  const isChosen = given.states !== undefined || given.order !== undefined;
  const filter = isChosen ? given : { ...given, states: triedStates };
  const { profile } = options;
  const isShown = await inJournal(runtime, await journalInUse(profile, runtime), false, async (journal) => {
    await checkFilter(profile, runtime, (name) => hasAny(journal, { profile: name }));
    warnIfRestored(journal, report);
    await print(journal, filter, limitOf(options, report), report);
    return true;
  });
  if (isShown) return 0;
  await checkFilter(profile, runtime, () => false);
  await report.show({
    document: { schema: 'paycli.journal/1', total: 0, entries: [] },
    ...{ list: 'entries', empty: nothingSent },
  });
  return 0;
}

async function print(
  journal: Journal,
  filter: Filter,
  limit: number | undefined,
  report: Reporter<DocumentOf<'journal'>>,
): Promise<void> {
  const total = (await journal.total(filter)).reduce((sum, { count }) => sum + count, 0);
  const found = limit === undefined ? await listAll(journal, filter) : await journal.find(filter, { limit });
  if (limit !== undefined && total > limit) {
    const number = (count: number) => count.toLocaleString('en');
    report.notes([
      `${number(limit)} of ${number(total)} entries shown, only the newest; --limit N shows more, --all shows all`,
    ]);
  }
  const entries = limit === undefined ? found : found.toReversed();
  await report.show({
    document: { schema: 'paycli.journal/1', total, entries: entries.map(requestDocument) },
    list: 'entries',
    sheet: () => requestSheet(entries, report),
    empty: (await hasAny(journal, { states: triedStates }))
      ? 'no matching entries; without filters and PAYCLI_PROFILE, `paycli journal` shows all'
      : nothingSent,
  });
}

async function hasAny(journal: Journal, filter: Filter): Promise<boolean> {
  return (await journal.find(filter, { limit: 1 })).length > 0;
}

function limitOf({ limit, all }: JournalFlags, report: Reporter): number | undefined {
  if (limit !== undefined) return limit;
  return all === true || report.form !== 'text' ? undefined : defaultLimit;
}

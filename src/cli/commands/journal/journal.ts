import { countAll, findAll } from '../../../journal/find.js';
import type { Filter, Journal } from '../../../journal/port.js';
import { type State, states, triedStates } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type Flag, type FlagsFor, list as listOf, on, parsed } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { nothingSent, requestDocument, requestSheet } from '../../format/journal-entries.js';
import { documentsOf } from '../../format/stream.js';
import type { DocumentOf } from '../../results.js';
import { keptText } from '../../usage.js';

interface JournalFlags extends CommonOptions {
  readonly state?: readonly State[];
}

// About two screens. Programs get every entry: a silently truncated list would hide an unknown outcome.
const shownToPeople = 50;

const stateWords = Object.keys(states) as readonly State[];

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
    state: { ...listOf('<state>', 'only in this state; repeatable'), choices: stateWords } as Flag<readonly State[]>,
    all: on('show all entries, not only the newest 50'),
    acceptRestored: on('continue with this journal, of which a part is lost'),
    evidence: parsed('<text>', 'why orders that cannot be queried may remain unknown', keptText),
    live: liveFlag,
    timeout: timeoutFlag,
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<JournalFlags & { all: boolean; acceptRestored: boolean; evidence: string }>,
  conflicts: [
    ...(['state', 'all'] as const).flatMap((key) => [['entry', key] as const, ['acceptRestored', key] as const]),
    ['entry', 'acceptRestored'],
  ],
  needs: { evidence: ['acceptRestored'] },
  examples: ['journal', 'journal order-1', 'journal --state unknown --state sending', 'journal --accept-restored'],
  effect: 'read',
  result: ['journal'],
  run: async ({ args: { entry }, flags, runtime }) => {
    if (flags.acceptRestored === true) return (await import('./accept-restored.js')).acceptRestored(flags, runtime);
    const options = await filteredBy(flags, runtime);
    if (entry !== undefined) return (await import('./show.js')).showEntries(entry.trim(), options, runtime);
    return listEntries(options, flags.all === true, runtime);
  },
});

/** The entries that match the filters; people get the newest, unless they ask for more. */
async function listEntries({ state, ...options }: JournalFlags, isAll: boolean, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'journal'>>(options, undefined, runtime);
  const { profile } = options;
  const filter = { profile, states: state ?? triedStates };
  const isShown = await inJournal(runtime, await journalInUse(profile, runtime), false, async (journal) => {
    await checkFilter(profile, runtime, (name) => hasAny(journal, { profile: name }));
    warnIfRestored(journal, report);
    await print(journal, filter, isAll, report);
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
  isAll: boolean,
  report: Reporter<DocumentOf<'journal'>>,
): Promise<void> {
  const isForPeople = report.form === 'text';
  const total = await countAll(journal, filter);
  const newest = isForPeople ? await journal.find(filter, { limit: isAll ? total : shownToPeople }) : [];
  const entries = newest.toReversed();
  if (isForPeople && entries.length < total)
    report.notes([`${entries.length} of ${total} entries shown, only the newest; --all shows all`]);
  await report.show({
    document: { schema: 'paycli.journal/1', total, entries: entries.map(requestDocument) },
    list: 'entries',
    entries: isForPeople ? undefined : () => documentsOf(findAll(journal, filter), requestDocument),
    sheet: () => requestSheet(entries, report),
    empty:
      total > 0 || (await hasAny(journal, { states: triedStates }))
        ? 'no matching entries; without filters and PAYCLI_PROFILE, `paycli journal` shows all'
        : nothingSent,
  });
}

async function hasAny(journal: Journal, filter: Filter): Promise<boolean> {
  return (await journal.find(filter, { limit: 1 })).length > 0;
}

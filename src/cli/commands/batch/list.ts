import type { BatchEvent, PlanStore } from '../../../batch/plan.js';
import { journalLookup, summarizeProgress } from '../../../batch/run/progress.js';
import { exits, isPaycliError } from '../../../errors/index.js';
import type { Journal, State } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { hasJournal, openUserJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { headDocument, openPlanFile, operationCommand, planIdsOf, totalsText } from './plan-files.js';
import { goneProcess, otherJournalReason, runBeganEvent } from './plan-history.js';

interface Listed {
  readonly head: PlanStore['head'];
  readonly states: ReadonlyMap<State, number>;
  readonly newest: string;
}

/** Every plan with what was noted of its rows. */
export async function listPlans(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const plans = (await listed(options, report, runtime)).sort((a, b) => a.head.madeAt - b.head.madeAt);
  await report.show({
    document: {
      schema: 'paycli.batches/1',
      batches: plans.map(({ head, states, newest }) => ({
        ...headDocument(head),
        ...{ states: Object.fromEntries(states), newest },
      })),
    },
    list: 'batches',
    sheet: () => ({
      columns: [
        { head: 'plan' },
        { head: 'planned' },
        { head: 'operation' },
        { head: 'profile', optional: true },
        { head: 'rows', right: true },
        { head: 'total', flexible: true },
        { head: 'status', flexible: true },
      ],
      rows: plans.map(({ head, states, newest }) => [
        head.id,
        report.time(head.madeAt),
        operationCommand(head),
        oneLine(profileText(head)),
        String(head.count),
        totalsText(head.totals),
        [...[...states].map(([state, count]) => `${count} ${state.replace('_', ' ')}`), newest]
          .filter((text) => text !== '')
          .join(', '),
      ]),
    }),
    empty:
      options.profile === undefined
        ? 'no plans; `paycli batch plan FILE` creates one'
        : 'this profile has no plans; without --profile and PAYCLI_PROFILE, `paycli batch show` shows all',
  });
  return exits.ok;
}

async function listed(options: CommonOptions, report: Reporter, runtime: Runtime): Promise<Listed[]> {
  const ids = await planIdsOf(runtime);
  const { profile } = options;
  const kept = new Set<string>();
  if (ids.length === 0 && !hasJournal(runtime)) {
    await checkFilter(profile, runtime, () => false);
    return [];
  }
  const journal = await openUserJournal(runtime);
  const plans: Listed[] = [];
  try {
    for (const id of ids) {
      try {
        const store = await openPlanFile(id, runtime);
        const other = otherJournalReason(store, journal);
        if (other !== undefined) report.warn([other]);
        plans.push({
          head: store.head,
          states: countRows(store, journal),
          newest: newestEvent(store.events(), runtime),
        });
        store.close();
      } catch (error) {
        if (!isPaycliError(error)) throw error;
        report.warn([error.message]);
      }
    }
  } finally {
    journal.close();
  }
  for (const { head } of plans) kept.add(head.profile);
  await checkFilter(profile, runtime, (name) => kept.has(name));
  return plans.filter(({ head }) => profile === undefined || profile === head.profile);
}

/** What came after a run that was killed, such as a cancellation, is newer. */
function newestEvent(events: readonly BatchEvent[], runtime: Runtime): string {
  const newest = events.at(-1)?.what ?? '';
  return newest === runBeganEvent && goneProcess(events, runtime) !== undefined
    ? 'the last run ended without finishing'
    : newest;
}

/** By the journal of this machine: the notes of a plan fall behind it, as when its run was killed. */
export function countRows(store: PlanStore, journal: Journal): Map<State, number> {
  const found = summarizeProgress(store, journalLookup(store, journal));
  return new Map(found.map(({ state, count }) => [state, count]));
}

import { type BoundEngine, isSameEngine } from '../../../batch/engine-binding.js';
import type { BatchEvent, BoundPlan, PlanStore } from '../../../batch/plan.js';
import { type RowState, summarizeProgress } from '../../../batch/run/progress.js';
import { exits, isPaycliError } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkFilter, filteredBy, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { hasJournal, openUserJournal } from '../../core/user-stores.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { bindingOf, goneProcess, runBeganEvent } from './engine-binding.js';
import { viewFlags } from './flags.js';
import { journalLookup } from './intent-lookup.js';
import { headDocument, openPlanFile, operationCommand, planIdsOf, totalsText } from './plan-files.js';
import { readShared } from './shared-databases.js';
import type { EngineFlags } from './shared-engine.js';

interface Listed {
  readonly head: PlanStore['head'];
  readonly states: ReadonlyMap<RowState, number>;
  readonly binding: BoundEngine | undefined;
  readonly newest: string;
  readonly isArchived: boolean;
}

interface ListOptions extends CommonOptions, EngineFlags {
  readonly archived?: boolean;
}

export const batchList = defineCommand<ListOptions>({
  name: 'batch list',
  summary: 'List the plans and the progress of each',
  help: `List the plans and the progress of each

If a plan runs on a database, its rows are read from there; if the database cannot be reached, results not yet fetched from there are unknown here. With --engine, batches of that database without a plan on this machine are listed as well.`,
  options: [profileFilter('only plans of this profile'), ['--archived', 'include archived plans'], ...viewFlags],
  examples: ['batch list', 'batch list --json'],
  effect: 'none',
  network: true,
  exits: profileExits,
  note: 'The databases of plans that run elsewhere are queried.',
  prints: ['batches'],
  run: async ({ options, runtime }) => runBatchList(await filteredBy(options, runtime), runtime),
});

/** Every plan with what was noted of its rows. */
async function runBatchList(options: ListOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const plans = (await listed(options, report, runtime)).sort((a, b) => a.head.madeAt - b.head.madeAt);
  await report.show({
    document: {
      schema: 'paycli.batches/1',
      batches: plans.map(({ head, states, newest, binding }) => ({
        ...headDocument(head),
        ...{ engine: binding?.shown ?? null, states: Object.fromEntries(states), newest },
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
      rows: plans.map(({ head, states, newest, binding }) => [
        head.id,
        report.time(head.madeAt),
        operationCommand(head),
        oneLine(profileText(head)),
        String(head.count),
        totalsText(head.totals),
        [...[...states].map(([state, count]) => `${count} ${state.replace('_', ' ')}`), whereText(binding), newest]
          .filter((text) => text !== '')
          .join(', '),
      ]),
    }),
    empty:
      options.profile === undefined
        ? 'no plans; `paycli batch plan FILE` creates one, --archived lists archived ones, --engine those of a database'
        : 'this profile has no plans; without --profile and PAYCLI_PROFILE, `paycli batch list` shows all',
  });
  return exits.ok;
}

async function listed(options: ListOptions, report: Reporter, runtime: Runtime): Promise<Listed[]> {
  const ids = await planIdsOf(runtime);
  const { profile } = options;
  const kept = new Set<string>();
  if (ids.length === 0 && options.engine === undefined && !hasJournal(runtime)) {
    await checkFilter(profile, runtime, () => false);
    return [];
  }
  const journal = await openUserJournal(runtime);
  const plans: Listed[] = [];
  try {
    const there = await batchesElsewhere(journal, options, report, runtime);
    for (const id of ids) {
      try {
        const store = await openPlanFile(id, runtime);
        const binding = bindingOf(store, journal);
        const shared = there.find((batch) => batch.head.id === id);
        const isArchived = journal.planStates.newest(id)?.state === 'archived' || shared?.isArchived === true;
        const isRead =
          binding !== undefined && shared !== undefined && isSameEngine(shared.binding.engine, binding.engine);
        const isShown = !isArchived || options.archived === true;
        const states = isRead ? shared.states : isShown ? await countRows(store, journal) : new Map();
        plans.push({
          head: store.head,
          states,
          binding,
          newest: isArchived ? 'archived' : shared?.newest || newestEvent(store.events(), runtime),
          isArchived,
        });
        store.close();
      } catch (error) {
        if (!isPaycliError(error)) throw error;
        report.warn([error.message]);
      }
    }
    // On a machine that has no plan, those of the database it names, or those it has worked on.
    const noted = new Set(journal.externalPlans.all().map(({ plan }) => plan));
    plans.push(
      ...there.filter(({ head: { id } }) => !ids.includes(id) && (options.engine !== undefined || noted.has(id))),
    );
  } finally {
    journal.close();
  }
  for (const { head } of plans) kept.add(head.profile);
  await checkFilter(profile, runtime, (name) => kept.has(name));
  return plans.filter(
    ({ head, isArchived }) =>
      (profile === undefined || profile === head.profile) && (!isArchived || options.archived === true),
  );
}

/** The batches of each database, with the rows as they stand there. */
async function batchesElsewhere(
  journal: Journal,
  flags: EngineFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<readonly (Listed & { readonly binding: BoundEngine })[]> {
  const read = await readShared(journal, { flags, command: 'batch list' }, { report, runtime }, async (view) =>
    (await view.batches()).map(({ known: { head, movedTo }, states, state }) => ({
      ...{ head, states, isArchived: state === 'archived' },
      newest: movedTo === undefined ? (state === 'running' ? '' : state) : `goes on in ${oneLine(movedTo)}`,
      binding: { engine: view.identity, shown: view.shown, flags: {} },
    })),
  );
  return read.flat();
}

/** What came after a run that was killed, such as a withdrawal, is newer. */
function newestEvent(events: readonly BatchEvent[], runtime: Runtime): string {
  const newest = events.at(-1)?.what ?? '';
  return newest === runBeganEvent && goneProcess(events, runtime) !== undefined
    ? 'the last run ended without finishing'
    : newest;
}

function whereText(binding: BoundEngine | undefined): string {
  return binding === undefined || binding.engine.kind === 'local' ? '' : `on ${binding.shown}`;
}

/** By the journal of this machine: the notes of a plan fall behind it, as when its run was killed. */
export async function countRows(store: BoundPlan, journal: Journal): Promise<Map<RowState, number>> {
  const found = await summarizeProgress(store, journalLookup(store, journal));
  return new Map(found.map(({ state, count }) => [state, count]));
}

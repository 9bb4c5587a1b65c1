import { type Binding, isSameEngine } from '../../../batch/engine-binding.js';
import type { PlanHead, PlanStore } from '../../../batch/plan.js';
import type { RowState } from '../../../batch/run/progress.js';
import { exits, isPaycliError } from '../../../errors/index.js';
import type { Journal, State } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { type CommonOptions, checkFilter, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openUserJournal } from '../../core/user-stores.js';
import { profileText } from '../../format/profile.js';
import { oneLine } from '../../format/table.js';
import { bindingOf, thisMachine } from './engine-binding.js';
import { viewFlags } from './flags.js';
import { hasUnknownEngine } from './intent-lookup.js';
import { headDocument, openPlanFile, operationCommand, planIdsOf, totalsText } from './plan-files.js';
import { type EngineFlags, viewShared } from './shared-engine.js';

interface Listed {
  readonly head: PlanStore['head'];
  readonly states: ReadonlyMap<RowState, number>;
  readonly binding: Binding | undefined;
  readonly newest: string;
}

export const batchList = defineCommand<CommonOptions & EngineFlags>({
  name: 'batch list',
  summary: 'The plans, and the progress of each',
  help: `The plans, and the progress of each

The rows of a plan that runs on a database are unknown here; --engine queries that database.`,
  options: [profileFilter('only plans of this profile'), ...viewFlags],
  examples: ['batch list', 'batch list --json'],
  effect: 'none',
  network: true,
  exits: profileExits,
  note: 'With --engine, that database is queried.',
  prints: ['batches'],
  run: ({ options, runtime }) => runBatchList(options, runtime),
});

/** Every plan with what was noted of its rows. */
async function runBatchList(options: CommonOptions & EngineFlags, runtime: Runtime): Promise<number> {
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
        ...[
          { head: 'plan' },
          { head: 'planned' },
          { head: 'operation' },
          { head: 'profile', optional: true },
          { head: 'rows', right: true },
        ],
        ...[
          { head: 'total', flexible: true },
          { head: 'status', flexible: true },
        ],
      ],
      rows: plans.map(({ head, states, newest, binding }) => [
        ...[
          head.id,
          report.time(head.madeAt),
          operationCommand(head),
          oneLine(profileText(head)),
          String(head.count),
          totalsText(head.totals),
        ],
        [...[...states].map(([state, count]) => `${count} ${state.replace('_', ' ')}`), whereText(binding), newest]
          .filter((text) => text !== '')
          .join(', '),
      ]),
    }),
    empty:
      options.profile === undefined
        ? 'no plans yet; `paycli batch plan FILE` creates one'
        : 'no plan of this profile; `paycli batch list` shows all',
  });
  return exits.ok;
}

async function listed(options: CommonOptions & EngineFlags, report: Reporter, runtime: Runtime): Promise<Listed[]> {
  const ids = await planIdsOf(runtime);
  const { profile } = options;
  const kept = new Set<string>();
  if (ids.length === 0) {
    await checkFilter(profile, runtime, () => false);
    return [];
  }
  const journal = await openUserJournal(runtime);
  const plans: Listed[] = [];
  try {
    for (const id of ids) {
      try {
        const store = await openPlanFile(id, journal, runtime);
        kept.add(store.head.profile);
        if (profile !== undefined && profile !== store.head.profile) {
          store.close();
          continue;
        }
        const binding = bindingOf(store, journal);
        const states = hasUnknownEngine(store, binding)
          ? unknownHere(store.head)
          : isElsewhere(binding, journal)
            ? await countedAtEngine(store.head, binding, options, runtime)
            : counted(store);
        plans.push({ head: store.head, states, binding, newest: store.events().at(-1)?.what ?? '' });
        store.close();
      } catch (error) {
        if (!isPaycliError(error)) throw error;
        report.warn([error.message]);
      }
    }
  } finally {
    journal.close();
  }
  await checkFilter(profile, runtime, (name) => kept.has(name));
  return plans;
}

function whereText(binding: Binding | undefined): string {
  return binding === undefined || binding.engine.kind === 'local' ? '' : `on ${binding.shown}`;
}

function isElsewhere(binding: Binding | undefined, journal: Journal): binding is Binding {
  return (
    binding !== undefined &&
    (binding.movingTo !== undefined || !isSameEngine(binding.engine, thisMachine(journal).engine))
  );
}

/**
 * Asked only where the user names the database: there may be many plans, and a server that does not answer takes its
 * time.
 */
async function countedAtEngine(
  head: PlanHead,
  { engine }: Binding,
  options: EngineFlags,
  runtime: Runtime,
): Promise<Map<RowState, number>> {
  if (options.engine === undefined) return unknownHere(head);
  const view = await viewShared(head.id, options, 'batch list', runtime);
  try {
    if (view.known === undefined || !isSameEngine(view.identity, engine)) return unknownHere(head);
    return await view.counts();
  } finally {
    await view.close();
  }
}

function unknownHere({ count }: PlanHead): Map<RowState, number> {
  return new Map([['unknown_here', count]]);
}

/** By the notes of the plan. */
export function counted(store: Pick<PlanStore, 'head' | 'noted'>): Map<State, number> {
  const counts = new Map<State, number>();
  let noted = 0;
  for (const state of store.noted().values()) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
    noted += 1;
  }
  if (noted < store.head.count) counts.set('planned', (counts.get('planned') ?? 0) + store.head.count - noted);
  return counts;
}

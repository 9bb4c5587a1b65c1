import type { PlanStore } from '../../batch/plan.js';
import { isPaycliError } from '../../errors/index.js';
import type { State } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { commandOfPlan, headDocument, openPlanFile, planIdsOf, totalsText } from '../batch-plans.js';
import { openUserJournal } from '../journal.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { oneLine } from '../present/table.js';
import { Reporter } from '../reporter.js';

interface Listed {
  readonly head: PlanStore['head'];
  readonly states: ReadonlyMap<State, number>;
  readonly newest: string;
}

/** Every plan with what was noted of its rows. */
export async function runBatchList(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const plans = (await listed(report, runtime)).sort((a, b) => a.head.madeAt - b.head.madeAt);
  await report.show({
    document: {
      schema: 'paycli.batches/1',
      batches: plans.map(({ head, states, newest }) => ({ ...headDocument(head), states: Object.fromEntries(states), newest })),
    },
    list: 'batches',
    sheet: () => ({
      columns: [
        ...[{ head: 'plan' }, { head: 'planned' }, { head: 'operation' }, { head: 'profile' }, { head: 'rows', right: true }],
        ...[
          { head: 'total', flexible: true },
          { head: 'stands', flexible: true },
        ],
      ],
      rows: plans.map(({ head, states, newest }) => [
        ...[head.id, report.time(head.madeAt), commandOfPlan(head), oneLine(head.profile), String(head.count), totalsText(head.totals)],
        [...[...states].map(([state, count]) => `${count} ${state}`), newest].filter((text) => text !== '').join(', '),
      ]),
    }),
    empty: 'no plans yet; `paycli batch plan FILE` makes one',
  });
  return exits.ok;
}

async function listed(report: Reporter, runtime: Runtime): Promise<Listed[]> {
  const ids = await planIdsOf(runtime);
  if (ids.length === 0) return [];
  const journal = await openUserJournal(runtime);
  const plans: Listed[] = [];
  try {
    for (const id of ids) {
      try {
        const store = await openPlanFile(id, journal, runtime);
        plans.push({ head: store.head, states: counted(store), newest: store.events().at(-1)?.what ?? '' });
        store.close();
      } catch (error) {
        if (!isPaycliError(error)) throw error;
        report.warn([error.message]);
      }
    }
  } finally {
    journal.close();
  }
  return plans;
}

function counted(store: PlanStore): Map<State, number> {
  const counts = new Map<State, number>();
  let noted = 0;
  for (const state of store.noted().values()) {
    counts.set(state, (counts.get(state) ?? 0) + 1);
    noted += 1;
  }
  if (noted < store.head.count) counts.set('planned', (counts.get('planned') ?? 0) + store.head.count - noted);
  return counts;
}

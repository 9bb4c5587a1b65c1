import { type Binding, isSameEngine } from '../../batch/binding.js';
import type { BatchRow, BoundPlan, PlanHead } from '../../batch/plan.js';
import { intentOfRow } from '../../batch/standing.js';
import type { RowState } from '../../batch/tally.js';
import { fail, isPaycliError } from '../../errors/index.js';
import type { Intent, Journal } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { commandOn } from '../batch-plans.js';
import type { Reporter } from '../reporter.js';
import { bindingOf, replacedWhy, thisMachine, wayText } from './bound.js';
import { isOfEarlierVersion, ranHere } from './earlier-version.js';
import { type EngineFlags, viewShared } from './shared.js';

/** Whoever knows where the rows of a plan stand. */
export interface RowSource {
  /** What is known of these rows, by their numbers. */
  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  /** What is to be said of the others: `planned` only by the engine that would send them. */
  readonly otherwise: RowState;
  close(): Promise<void>;
}

interface Asked {
  readonly verb: 'show' | 'report';
  readonly flags: EngineFlags;
}

/** Asks the engine a plan runs on; where that is out of reach the journal tells what came home, and says so. */
export async function rowsOf(plan: BoundPlan, journal: Journal, asked: Asked, { report, runtime }: Surroundings): Promise<RowSource> {
  const { head } = plan;
  const binding = bindingOf(plan, journal);
  if (isOfUnknownEngine(plan, binding)) return ofUnknownEngine(plan, journal, asked, runtime);
  const isHere = binding === undefined || (binding.movingTo === undefined && isSameEngine(binding.engine, thisMachine(journal).engine));
  if (isHere || binding.engine.kind === 'local') return inJournal(plan, journal, isHere ? 'planned' : 'unknown_here');
  const { engine, enginePasswordFile } = asked.flags;
  const given = { ...(engine === undefined ? {} : { engine }), ...(enginePasswordFile === undefined ? {} : { enginePasswordFile }) };
  try {
    const view = await viewShared(head.id, { ...binding.flags, ...given }, `batch ${asked.verb}`, runtime);
    if (isSameEngine(view.identity, binding.engine))
      return { find: (rows) => view.find(rows), otherwise: 'planned', close: () => view.close() };
    await view.close();
    throw fail('STORAGE', notThere(head, binding, engine));
  } catch (error) {
    if (engine !== undefined || !isPaycliError(error)) throw error;
    const { rowKeyFile: _, ...way } = binding.flags;
    report.warn([
      `plan ${head.id} runs on ${binding.shown}, which could not be asked: ${error.message}`,
      `what did not come home from there is unknown here; \`${commandOn(asked.verb, head, wayText(way))}\` asks again`,
    ]);
    return inJournal(plan, journal, 'unknown_here');
  }
}

/** An earlier version began the plan, and nothing tells that it ran here: a database may hold its rows. */
export function isOfUnknownEngine(plan: BoundPlan, binding: Binding | undefined): boolean {
  return isOfEarlierVersion(plan, binding) && !ranHere(plan);
}

async function ofUnknownEngine(plan: BoundPlan, journal: Journal, { verb, flags }: Asked, runtime: Runtime): Promise<RowSource> {
  if (flags.engine === undefined) return inJournal(plan, journal, 'unknown_here');
  const view = await viewShared(plan.head.id, flags, `batch ${verb}`, runtime);
  if (view.known !== undefined) return { find: (rows) => view.find(rows), otherwise: 'planned', close: () => view.close() };
  await view.close();
  return inJournal(plan, journal, 'unknown_here');
}

function notThere(head: PlanHead, binding: Binding, engine: string | undefined) {
  const { shown, flags } = binding;
  const what = engine ?? shown;
  const other = `it is not the database that plan ${head.id} runs on`;
  if (engine !== undefined && engine !== flags.engine) return { what, why: other, how: `leave --engine out, or name ${shown}` };
  const careful = commandOn('resume', head, `${wayText(flags)} --after-restore`);
  return { what, why: replacedWhy(head, binding), how: `\`${careful}\` asks the gateway about every row before it goes on` };
}

interface Surroundings {
  readonly report: Reporter;
  readonly runtime: Runtime;
}

function inJournal({ head }: BoundPlan, journal: Journal, otherwise: RowState): RowSource {
  return {
    async find(rows) {
      const found = rows.map((row) => [row.number, intentOfRow(row, head, journal)] as const);
      return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
    },
    otherwise,
    close: async () => undefined,
  };
}

import { type Binding, isSameEngine } from '../../../batch/engine-binding.js';
import type { BatchRow, BoundPlan, PlanHead } from '../../../batch/plan.js';
import { journaledIntentOf, type RowState } from '../../../batch/run/progress.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Intent, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import {
  bindingOf,
  engineFlagsText,
  isFromEarlierVersion,
  ranHere,
  replacedReason,
  thisMachine,
} from './engine-binding.js';
import { batchCommand } from './plan-files.js';
import { type EngineFlags, viewShared } from './shared-engine.js';

/** Whoever knows where the rows of a plan stand. */
interface OpenIntentLookup {
  /** What is known of these rows, by their numbers. */
  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  /** What is to be said of the others: `planned` only by the engine that would send them. */
  readonly defaultState: RowState;
  close(): Promise<void>;
}

interface LookupRequest {
  readonly verb: 'show' | 'report';
  readonly flags: EngineFlags;
}

/** Asks the engine a plan runs on; where that is out of reach the journal tells what came home, and says so. */
export async function openIntentLookup(
  plan: BoundPlan,
  journal: Journal,
  asked: LookupRequest,
  { report, runtime }: LookupTools,
): Promise<OpenIntentLookup> {
  const { head } = plan;
  const binding = bindingOf(plan, journal);
  if (hasUnknownEngine(plan, binding)) return lookupOnUnknownEngine(plan, journal, asked, runtime);
  const isHere =
    binding === undefined ||
    (binding.movingTo === undefined && isSameEngine(binding.engine, thisMachine(journal).engine));
  if (isHere || binding.engine.kind === 'local')
    return journalLookup(plan, journal, isHere ? 'planned' : 'unknown_here');
  const { engine, enginePasswordFile } = asked.flags;
  const given = {
    ...(engine === undefined ? {} : { engine }),
    ...(enginePasswordFile === undefined ? {} : { enginePasswordFile }),
  };
  try {
    const view = await viewShared(head.id, { ...binding.flags, ...given }, `batch ${asked.verb}`, runtime);
    if (isSameEngine(view.identity, binding.engine))
      return { find: (rows) => view.find(rows), defaultState: 'planned', close: () => view.close() };
    await view.close();
    throw wrongDatabase(head, binding, engine);
  } catch (error) {
    if (engine !== undefined || !isPaycliError(error)) throw error;
    const { rowKeyFile: _, ...way } = binding.flags;
    report.warn([
      `plan ${head.id} runs on ${binding.shown}, which could not be reached: ${error.message}`,
      `results not yet fetched from there are unknown here; \
\`${batchCommand(asked.verb, head, engineFlagsText(way))}\` tries again`,
    ]);
    return journalLookup(plan, journal, 'unknown_here');
  }
}

/** An earlier version began the plan, and nothing tells that it ran here: a database may hold its rows. */
export function hasUnknownEngine(plan: BoundPlan, binding: Binding | undefined): boolean {
  return isFromEarlierVersion(plan, binding) && !ranHere(plan);
}

async function lookupOnUnknownEngine(
  plan: BoundPlan,
  journal: Journal,
  { verb, flags }: LookupRequest,
  runtime: Runtime,
): Promise<OpenIntentLookup> {
  if (flags.engine === undefined) return journalLookup(plan, journal, 'unknown_here');
  const view = await viewShared(plan.head.id, flags, `batch ${verb}`, runtime);
  if (view.known !== undefined)
    return { find: (rows) => view.find(rows), defaultState: 'planned', close: () => view.close() };
  await view.close();
  return journalLookup(plan, journal, 'unknown_here');
}

function wrongDatabase(head: PlanHead, binding: Binding, engine: string | undefined): Error {
  const { shown, flags } = binding;
  const what = engine ?? shown;
  if (engine !== undefined && engine !== flags.engine) return fail('notEngineOfPlan', { what, plan: head.id, shown });
  const careful = batchCommand('resume', head, `${engineFlagsText(flags)} --after-restore`);
  return fail('lookedUpDatabaseReplaced', { what, why: replacedReason(head, binding), careful });
}

interface LookupTools {
  readonly report: Reporter;
  readonly runtime: Runtime;
}

function journalLookup({ head }: BoundPlan, journal: Journal, defaultState: RowState): OpenIntentLookup {
  return {
    async find(rows) {
      const found = rows.map((row) => [row.number, journaledIntentOf(row, head, journal)] as const);
      return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
    },
    defaultState,
    close: async () => undefined,
  };
}

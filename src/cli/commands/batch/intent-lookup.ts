import { accessIn, type BoundEngine, isSameEngine } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { journalPrefilter } from '../../../batch/plan/duplicates.js';
import { type BatchRow, type BoundPlan, notedWithdrawn, type PlanHead } from '../../../batch/plan.js';
import { journaledIntentOf, type RowState } from '../../../batch/run/progress.js';
import { fail, isPaycliError, shellWord } from '../../../errors/index.js';
import type { BatchStateChange, Intent, Journal, State } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { settleCommands } from '../../gateway.js';
import { bindingOf, notEngineOfPlan, replacedReason, shownAddress, thisMachine } from './engine-binding.js';
import { batchCommand, engineFlagsText, profileFlagsOf, viewFlagsText } from './named-commands.js';
import type { BatchView } from './shared-databases.js';
import { type EngineFlags, lookShared } from './shared-engine.js';

/** Whoever knows where the rows of a plan stand. */
export interface OpenIntentLookup {
  /** What is known of these rows, by their numbers. */
  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  /** What is to be said of the others: `planned` only by the engine that would send them. */
  readonly defaultState: RowState;
  readonly withdrawn: ReadonlySet<number>;
  /** Rows in conflict among those that were found so far. */
  readonly conflicts: readonly Intent[];
  /** The database itself, where it was asked. */
  readonly view?: GateView;
  /** What leads a command to a row, fit for a shell: the database and the profile. */
  readonly flags: string;
  /** How it was paused, continued and withdrawn, oldest first, as far as the engine was asked. */
  readonly changes: readonly BatchStateChange[];
  close(): Promise<void>;
}

type Lookup = Omit<OpenIntentLookup, 'conflicts' | 'flags'>;

interface LookupRequest {
  readonly verb: 'show' | 'report';
  readonly flags: EngineFlags;
}

/** Asks the engine a plan runs on; where that is out of reach the journal tells what came home, and says so. */
export async function openIntentLookup(
  plan: BoundPlan,
  journal: Journal,
  asked: LookupRequest,
  tools: LookupTools,
): Promise<OpenIntentLookup> {
  const way = { ...bindingOf(plan, journal)?.flags, ...accessIn(asked.flags) };
  return withConflicts(await openLookup(plan, journal, asked, tools), plan.head, way);
}

/** The same for a machine without the plan, by the database alone; `way` leads there. */
export async function openViewLookup(view: BatchView, way: EngineFlags = {}): Promise<OpenIntentLookup> {
  return withConflicts(await viewLookup(view), view.known.head, way);
}

/** Keeps the rows in conflict among those that are found. */
function withConflicts(lookup: Lookup, head: PlanHead, way: EngineFlags): OpenIntentLookup {
  const conflicts: Intent[] = [];
  return {
    ...lookup,
    conflicts,
    flags: `${viewFlagsText(way)}${profileFlagsOf(head)}`,
    async find(rows) {
      const found = await lookup.find(rows);
      conflicts.push(...[...found.values()].filter(({ state }) => state === 'conflict'));
      return found;
    },
  };
}

async function openLookup(
  plan: BoundPlan,
  journal: Journal,
  asked: LookupRequest,
  { report, runtime }: LookupTools,
): Promise<Lookup> {
  const { head } = plan;
  const binding = bindingOf(plan, journal);
  if (binding === undefined || binding.engine.kind === 'local') return journalLookup(plan, journal);
  const { engine } = asked.flags;
  try {
    const view = await lookShared(head.id, binding.flags, asked.flags, `batch ${asked.verb}`, runtime);
    if (isSameEngine(view.identity, binding.engine)) return await gateLookup(view, plan, journal);
    await view.close();
    throw wrongDatabase(head, binding, engine);
  } catch (error) {
    if (engine !== undefined || !isPaycliError(error)) throw error;
    report.warn([
      `plan ${head.id} runs on ${binding.shown}, which could not be reached: ${error.message}`,
      `results not yet fetched from there are unknown here; \`${batchCommand(asked.verb, head, viewFlagsText(binding.flags))}\` tries again`,
    ]);
    return journalLookup(plan, journal);
  }
}

/** What the database says, held against what this machine knows of the same rows. */
async function gateLookup(view: GateView, { head }: BoundPlan, journal: Journal): Promise<Lookup> {
  return {
    ...(await viewLookup(view)),
    async find(rows) {
      const found = await view.find(rows);
      return new Map(
        rows.flatMap((row) => {
          const intent = found.get(row.number);
          if (intent === undefined) return [];
          return [[row.number, withDifference(intent, journaledIntentOf(row, head, journal))] as const];
        }),
      );
    },
  };
}

async function viewLookup(view: GateView): Promise<Lookup> {
  return {
    find: (rows) => view.find(rows),
    defaultState: 'planned',
    withdrawn: new Set(await view.withdrawnRows()),
    changes: await view.stateChanges(),
    view,
    close: () => view.close(),
  };
}

const ended: readonly State[] = ['done', 'declined', 'conflict'];

/** Of two that contradict each other about money nobody is believed: a person decides. */
function withDifference(there: Intent, here: Intent | undefined): Intent {
  if (here === undefined || here.state === there.state) return there;
  if (!ended.includes(there.state) || !ended.includes(here.state)) return there;
  const stateText = ({ state, reason }: Intent) => `${state} (${reason})`;
  const reason = `the database says ${stateText(there)}, the journal of this machine ${stateText(here)}`;
  return { ...there, state: 'conflict', reason };
}

/**
 * Says which rows a person has to look at; `conflicts` are their orders with what is against what, and `flags` lead a
 * command to them.
 */
export function warnOfConflicts(conflicts: readonly Intent[], flags: string, report: Pick<Reporter, 'warn'>): void {
  const named = conflicts.slice(0, 5).map(({ clientOrderId, orderId, reason }) => {
    const name = clientOrderId ?? orderId ?? '';
    return `order ${oneLine(name)} is in conflict: ${oneLine(reason)}; find out the actual outcome, then \`${settleCommands(shellWord(name, 'ORDER'), flags)}\``;
  });
  const more = conflicts.length - named.length;
  if (named.length > 0) report.warn([...named, ...(more > 0 ? [`and ${more} more rows in conflict`] : [])]);
}

function wrongDatabase(head: PlanHead, binding: BoundEngine, engine: string | undefined): Error {
  const { shown, flags } = binding;
  const what = engine ?? shown;
  if (engine !== undefined && shownAddress(engine) !== shown) return notEngineOfPlan(what, head.id, shown);
  const careful = batchCommand('resume', head, `${engineFlagsText(flags)} --after-restore`);
  return fail('STORAGE', {
    what,
    why: replacedReason(head, binding),
    how: `\`${careful}\` queries the gateway about every row before it continues`,
  });
}

interface LookupTools {
  readonly report: Reporter;
  readonly runtime: Runtime;
}

/** By the journal of this machine, which alone knows of every row only where this machine sends them. */
export function journalLookup(plan: BoundPlan, journal: Journal): Lookup {
  const { head } = plan;
  const binding = bindingOf(plan, journal);
  const isHere = binding === undefined || isSameEngine(binding.engine, thisMachine(journal).engine);
  const change = journal.planStates.newest(head.id);
  return {
    withdrawn: notedWithdrawn(plan),
    changes: change === undefined ? [] : [change],
    async find(rows) {
      const begun = rows.filter(journalPrefilter(operationById(head.operation), rows, journal));
      const found = begun.map((row) => [row.number, journaledIntentOf(row, head, journal)] as const);
      return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
    },
    defaultState: isHere ? 'planned' : 'unknown_here',
    close: async () => undefined,
  };
}

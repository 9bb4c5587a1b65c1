import type { Engine } from '../../../batch/engine.js';
import { type BoundEngine, isSameEngine, outdatedDatabaseError } from '../../../batch/engine-binding.js';
import type { GateView, HoldsMark } from '../../../batch/engines/postgres/index.js';
import { type BoundPlan, type PlanHead, planPages } from '../../../batch/plan.js';
import { journaledIntentOf } from '../../../batch/run/progress.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import { type Intent, type Journal, unsentStates, withoutEffectStates } from '../../../journal/index.js';
import type { Tools } from '../../gateway.js';
import { runBeganEvent, shownAddress } from './engine-binding.js';
import { batchCommand, engineFlagsText } from './named-commands.js';
import { type EngineFlags, rowKeyOf, viewShared } from './shared-engine.js';

interface DatabaseContent {
  /** The batch was put in. */
  readonly isThere: boolean;
  readonly holds: HoldsMark;
}

/**
 * The database a plan runs on is the one it was, by name and number: what it holds may still be older than what was
 * seen in it. Throws STORAGE.
 */
export async function assertDatabaseCurrent(
  plan: BoundPlan,
  binding: BoundEngine | undefined,
  here: BoundEngine,
  database: DatabaseContent,
): Promise<void> {
  if (binding === undefined || !isSameEngine(binding.engine, here.engine)) return;
  const wasRun = plan.events().some(({ what }) => what === runBeganEvent);
  const seen = plan.seen();
  const isGone = wasRun && !database.isThere;
  const isOlder = seen !== undefined && isSameEngine(seen.engine, here.engine) && !(await database.holds(seen.mark));
  if (isGone || isOlder) throw outdatedError(plan, here);
}

/** What the journal has as sent was sent, whatever the database says now. Throws STORAGE. */
export async function assertNoRowsLost(
  plan: BoundPlan,
  engine: Pick<Engine, 'find'>,
  journal: Journal,
  here: BoundEngine,
): Promise<void> {
  const { head } = plan;
  for (const rows of planPages(plan)) {
    const found = (await engine.find?.(rows)) ?? new Map<number, Intent>();
    for (const row of rows) {
      if (!unsentStates.includes(found.get(row.number)?.state ?? 'planned')) continue;
      const state = journaledIntentOf(row, head, journal)?.state ?? 'planned';
      if (!withoutEffectStates.includes(state)) throw outdatedError(plan, here);
    }
  }
}

function outdatedError({ head }: BoundPlan, { flags }: BoundEngine): Error {
  return outdatedDatabaseError(`\`${batchCommand('resume', head, `${engineFlagsText(flags)} --after-restore`)}\``);
}

const resumeCommand = 'batch resume';

/**
 * The database a plan is bound to, where it is still there beside the one that is open now: under any name on the same
 * server, or at its address. Undefined where it is gone; that it could not be reached is told.
 */
export async function findOriginalDatabase(
  { id }: PlanHead,
  bound: BoundEngine,
  here: EngineFlags,
  { report, runtime }: Pick<Tools, 'report' | 'runtime'>,
): Promise<GateView | undefined> {
  const opened = await viewShared(id, here, resumeCommand, runtime);
  const name = await opened.databaseNameOf(bound.engine).finally(() => opened.close());
  if (name !== undefined)
    return viewShared(id, { ...here, engine: withDatabaseName(here.engine ?? '', name) }, resumeCommand, runtime);
  if (bound.flags.engine === undefined || bound.shown === shownAddress(here.engine ?? '')) return undefined;
  try {
    const view = await viewShared(id, bound.flags, resumeCommand, runtime);
    if (isSameEngine(view.identity, bound.engine)) return view;
    await view.close();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([
      `the database this plan was bound to, ${bound.shown}, cannot be reached; make sure that no machine still works on it: ${error.message}`,
    ]);
  }
  return undefined;
}

function withDatabaseName(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

/**
 * Closes a database for good, so that a copy of it may take its place: nobody works in both. Throws BATCH_REFUSED,
 * STORAGE.
 */
export async function closeOriginalDatabase(
  head: PlanHead,
  view: GateView,
  here: BoundEngine,
  { runtime }: Pick<Tools, 'runtime'>,
): Promise<void> {
  if (view.known === undefined || view.known.movedTo !== undefined) return;
  const counts = await view.counts();
  const open = (counts.get('sending') ?? 0) + (counts.get('unknown') ?? 0);
  if (open > 0) {
    const resume = batchCommand('resume', head, engineFlagsText({ ...here.flags, engine: view.shown }));
    throw fail('BATCH_REFUSED', {
      why: `the original of this database still exists, as ${view.shown}, and the outcome of ${open} of its rows is unknown`,
      how: `nothing was sent; resolve them there with \`${resume}\``,
      engine: view.shown,
    });
  }
  await view.closeBatch(head, await rowKeyOf(here.flags, resumeCommand, runtime), here.shown);
}

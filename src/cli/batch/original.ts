import { type Bound, isSameEngine } from '../../batch/binding.js';
import type { GateView } from '../../batch/engines/postgres.js';
import type { PlanHead } from '../../batch/plan.js';
import { fail, isPaycliError } from '../../errors/index.js';
import { commandOn } from '../batch-plans.js';
import type { Tools } from '../talk.js';
import { wayText } from './bound.js';
import { type EngineFlags, rowKeyOf, viewShared } from './shared.js';

const command = 'batch resume';

/**
 * The database a plan is bound to, where it is still there beside the one that is open now: under any name on the same server, or at
 * its address. Undefined where it is gone; that it could not be reached is told.
 */
export async function originalOf(
  { id }: PlanHead,
  bound: Bound,
  here: EngineFlags,
  { report, runtime }: Pick<Tools, 'report' | 'runtime'>,
): Promise<GateView | undefined> {
  const opened = await viewShared(id, here, command, runtime);
  const name = await opened.nameOf(bound.engine).finally(() => opened.close());
  if (name !== undefined) return viewShared(id, { ...here, engine: renamed(here.engine ?? '', name) }, command, runtime);
  if (bound.flags.engine === undefined || bound.flags.engine === here.engine) return undefined;
  try {
    const view = await viewShared(id, bound.flags, command, runtime);
    if (isSameEngine(view.identity, bound.engine)) return view;
    await view.close();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    report.warn([
      `the database the plan was put into, ${bound.shown}, could not be asked, so nobody may work there any more: ${error.message}`,
    ]);
  }
  return undefined;
}

function renamed(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}

/** Closes a database for good, so that a copy of it may take its place: nobody works in both. Throws BATCH_REFUSED, STORAGE. */
export async function closeOriginal(head: PlanHead, view: GateView, here: Bound, { runtime }: Pick<Tools, 'runtime'>): Promise<void> {
  if (view.known === undefined || view.known.movedTo !== undefined) return;
  const counts = await view.counts();
  const open = (counts.get('sending') ?? 0) + (counts.get('unknown') ?? 0);
  if (open > 0)
    throw fail('BATCH_REFUSED', {
      why: `the database that this one is a copy of is still there, as ${view.shown}, and ${open} of its rows are in doubt`,
      how: `nothing was sent; settle them there with \`${commandOn('resume', head, wayText({ ...here.flags, engine: view.shown }))}\``,
    });
  await view.leave(head, await rowKeyOf(here.flags, command, runtime), here.shown, ['sending', 'unknown']);
}

import { parseBinding } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { inJournal } from '../../core/known-order.js';
import { engineFlagsText } from './engine-binding.js';
import { batchCommand, planIdsOf } from './plan-files.js';
import { type EngineFlags, lookShared } from './shared-engine.js';

/** A batch that its database has. */
export interface BatchView extends GateView {
  readonly known: NonNullable<GateView['known']>;
}

/**
 * A batch whose plan is not on this machine, by its whole id: in the database that --engine names, or in the one that was
 * noted when this machine worked on it. Undefined where the plan is here, or nothing says where else it could be. The
 * caller closes it. Throws STORAGE, and USAGE where that database does not have it.
 */
export async function openElsewhere(
  id: string,
  flags: EngineFlags,
  command: string,
  runtime: Runtime,
): Promise<BatchView | undefined> {
  const way = await wayElsewhere(id, flags, runtime);
  if (way === undefined) return undefined;
  const view = await lookShared(id, way, flags, command, runtime);
  if (isKnown(view)) return view;
  await view.close();
  throw fail('batchNotInDatabase', { batch: id, command });
}

function isKnown(view: GateView): view is BatchView {
  return view.known !== undefined;
}

/** The way to the database of a batch whose plan is not on this machine. */
export async function wayElsewhere(
  name: string,
  flags: EngineFlags,
  runtime: Runtime,
): Promise<EngineFlags | undefined> {
  if ((await planIdsOf(runtime)).some((id) => id.startsWith(name))) return undefined;
  if (flags.engine !== undefined) return flags;
  const noted = await inJournal(runtime, undefined, (journal) => journal.externalPlans.binding(name));
  return noted === undefined ? undefined : { ...parseBinding(noted).flags, ...flags };
}

/**
 * Sending what is left by the plan takes its file: the approvals, the limits and, for card data, the rows. Where only the
 * database is within reach this says who has the file, and which command does the same by the database alone. Throws
 * BATCH_REFUSED.
 */
export async function refuseWithoutPlan(
  id: string,
  flags: EngineFlags,
  command: string,
  runtime: Runtime,
): Promise<void> {
  const view = await openElsewhere(id, flags, command, runtime);
  if (view === undefined) return;
  const { head } = view.known;
  await view.close();
  const way = { rowKeyFile: 'FILE', ...(await wayElsewhere(id, flags, runtime)) };
  throw fail('planOnAnotherMachine', {
    plan: head.id,
    user: head.planner.user,
    host: head.planner.host,
    engine: view.shown,
    work: batchCommand('work', head, engineFlagsText(way)),
  });
}

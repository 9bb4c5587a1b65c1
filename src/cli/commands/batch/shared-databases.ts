import { isSameEngine, parseBinding } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { closeAfter, isPaycliError } from '../../../errors/index.js';
import type { Intent, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { engineFlagsText } from './engine-binding.js';
import { commandsOfOrders, namingCommands } from './named-commands.js';
import { type EngineFlags, lookShared } from './shared-engine.js';

interface DatabasesRequest {
  readonly flags: EngineFlags;
  readonly command: string;
}

/**
 * Reads the databases that send rows of batches: the one that --engine names, else each that is noted here for a plan.
 * One of those that cannot be reached is left out with a warning that says whose rows it has. Throws STORAGE for the
 * one that --engine names.
 */
export async function readShared<T>(
  journal: Journal,
  { flags, command }: DatabasesRequest,
  { report, runtime }: { readonly report: Pick<Reporter, 'warn'>; readonly runtime: Runtime },
  read: (view: GateView) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const open = async (noted: EngineFlags, isRight: (view: GateView) => boolean) => {
    const view = await lookShared('', noted, flags, command, runtime);
    await closeAfter(
      async () => {
        if (!isRight(view)) throw anotherDatabase;
        results.push(await read(view));
      },
      () => view.close(),
    );
  };
  if (flags.engine !== undefined) {
    await namingCommands(
      () => commandsOfOrders(command, undefined, flags),
      () => open(flags, () => true),
    );
    return results;
  }
  for (const { plans, bound } of notedDatabases(journal)) {
    try {
      await open(bound.flags, ({ identity }) => isSameEngine(identity, bound.engine));
    } catch (error) {
      if (error !== anotherDatabase && !isPaycliError(error)) throw error;
      const why = isPaycliError(error)
        ? `which could not be reached: ${error.message}`
        : 'and a different database now answers there';
      const { rowKeyFile: _, ...way } = bound.flags;
      report.warn([
        `${plans.length === 1 ? 'plan' : 'plans'} ${plans.join(', ')} ${plans.length === 1 ? 'runs' : 'run'} on \
${bound.shown}, ${why}`,
        `those rows are shown as this machine knows them; \`paycli ${command}${engineFlagsText(way)}\` tries again`,
      ]);
    }
  }
  return results;
}

const anotherDatabase = new Error('a different database now answers at that address');

/** The databases of plans that do not run here, each once. */
function notedDatabases(journal: Journal) {
  const found = new Map<string, { readonly plans: string[]; readonly bound: ReturnType<typeof parseBinding> }>();
  for (const { plan, binding } of journal.externalPlans.all()) {
    const bound = parseBinding(binding);
    if (bound.engine.kind === 'local') continue;
    const known = found.get(JSON.stringify(bound.engine));
    if (known === undefined) found.set(JSON.stringify(bound.engine), { plans: [plan], bound });
    else known.plans.push(plan);
  }
  return found.values();
}

/** Whether two entries are about the same request: one of a database, and the copy that a journal has of it. */
export function isSameRequest(one: Intent, other: Intent): boolean {
  return (
    one.operation === other.operation &&
    one.base === other.base &&
    one.clientOrderId === other.clientOrderId &&
    one.endpointId === other.endpointId &&
    (one.kind !== 'follow-up' || one.orderId === other.orderId) &&
    one.sum?.minor === other.sum?.minor
  );
}

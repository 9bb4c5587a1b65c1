import { parseBinding } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import type { Intent, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { engineFlagsText } from './engine-binding.js';
import { commandsOfOrders, namingCommands } from './named-commands.js';
import { type EngineFlags, givenWay, lookShared } from './shared-engine.js';

/** Requests on an order that are rows of batches which several machines send. */
export interface SharedOrder {
  readonly view: GateView;
  /** The database, fit for messages. */
  readonly shown: string;
  /** Flags that lead there, fit for a shell. */
  readonly way: string;
  /** As the database has them, oldest first. */
  readonly intents: readonly Intent[];
}

interface OrderRequest {
  /** Its ids, as far as they are known. */
  readonly names: readonly string[];
  /** What this journal has of it. */
  readonly known: readonly Intent[];
  /** The gateway, by its name in the journal. */
  readonly place: string;
  readonly flags: EngineFlags;
  readonly command: string;
}

/**
 * Opens the database that sends the rows of an order: the one that --engine names, else the one this machine wrote down
 * for the plan. Undefined where the order is none of such a plan. Throws STORAGE where it cannot be reached.
 */
export async function openSharedOrder(
  { names, known, place, flags, command }: OrderRequest,
  journal: Journal,
  runtime: Runtime,
): Promise<SharedOrder | undefined> {
  const plan =
    journal.externalPlans.planOf(place, names) ??
    known.map(({ id }) => journal.copyOf(id)).findLast((id) => id !== undefined);
  const binding = plan === undefined ? undefined : journal.externalPlans.binding(plan);
  const bound = binding === undefined ? undefined : parseBinding(binding);
  if (bound === undefined && flags.engine === undefined) return undefined;
  const noted = bound?.flags ?? {};
  const { rowKeyFile: _, ...access } = { ...noted, ...givenWay(flags) };
  const named = <T>(work: () => Promise<T>) => namingCommands(() => commandsOfOrders(command, names[0], access), work);
  const view = await named(() => lookShared(plan ?? '', noted, flags, command, runtime)).catch((error: unknown) => {
    if (!isPaycliError(error) || bound === undefined || plan === undefined) throw error;
    throw fail('sharedOrderOutOfReach', { order: names[0] ?? '', plan, engine: bound.shown, said: error.message });
  });
  const intents = await named(() => view.intentsNamed(place, names));
  const way = engineFlagsText(access);
  if (intents.length > 0) return { view, shown: view.shown, way, intents };
  await view.close();
  return undefined;
}

import { accessIn, batchNotInDatabase, isSameEngine, parseBinding } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { closeAfter, fail, isPaycliError } from '../../../errors/index.js';
import type { Intent, Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { inJournal } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { batchCommand, commandsOfOrders, engineFlagsText, namingCommands, viewFlagsText } from './named-commands.js';
import { planIdsOf } from './plan-files.js';
import { type EngineFlags, lookShared } from './shared-engine.js';

/** A batch that its database has. */
export interface BatchView extends GateView {
  readonly known: NonNullable<GateView['known']>;
}

/**
 * A batch whose plan is not on this machine, by its whole id: in the database that --engine names, or in the one that
 * was noted when this machine worked on it. Undefined where the plan is here, or nothing says where else it could be.
 * The caller closes it. Throws STORAGE, and USAGE where that database does not have it.
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
  throw batchNotInDatabase(id, command);
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
 * Sending what is left by the plan takes its file: the approvals, the limits and, for card data, the rows. Where only
 * the database is within reach this says who has the file, and which command does the same by the database alone.
 * Throws BATCH_REFUSED.
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
  throw fail('BATCH_REFUSED', {
    why: `plan ${head.id} was made by ${head.planner.user} on ${head.planner.host}, and its file exists only there; this machine reaches its rows in ${view.shown}`,
    how: `nothing was sent from here; \`${batchCommand('work', head, engineFlagsText(way))}\` resolves open rows and sends the rest, using only the database; limits, approvals and --after-restore need \`paycli batch resume\` on ${head.planner.host}`,
    plan: head.id,
    host: head.planner.host,
    engine: view.shown,
  });
}

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
      () => commandsOfOrders(command, undefined, engineFlagsText(flags)),
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
      report.warn([
        `${plans.length === 1 ? 'plan' : 'plans'} ${plans.join(', ')} ${plans.length === 1 ? 'runs' : 'run'} on ${bound.shown}, ${why}`,
        `those rows are shown as this machine knows them; \`paycli ${command}${viewFlagsText(bound.flags)}\` tries again`,
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
  readonly gatewayBase: string;
  readonly flags: EngineFlags;
  readonly command: string;
}

/**
 * Opens the database that sends the rows of an order: the one that --engine names, else the one this machine wrote down
 * for the plan. Undefined where the order is none of such a plan. Throws STORAGE where it cannot be reached.
 */
export async function openSharedOrder(
  { names, known, gatewayBase, flags, command }: OrderRequest,
  journal: Journal,
  runtime: Runtime,
): Promise<SharedOrder | undefined> {
  const plan =
    journal.externalPlans.planOf(gatewayBase, names) ??
    known.map(({ id }) => journal.copyOf(id)).findLast((id) => id !== undefined);
  const binding = plan === undefined ? undefined : journal.externalPlans.binding(plan);
  const bound = binding === undefined ? undefined : parseBinding(binding);
  if (bound === undefined && flags.engine === undefined) return undefined;
  const noted = bound?.flags ?? {};
  const way = viewFlagsText({ ...noted, ...accessIn(flags) });
  const named = <T>(work: () => Promise<T>) => namingCommands(() => commandsOfOrders(command, names[0], way), work);
  const view = await named(() => lookShared(plan ?? '', noted, flags, command, runtime)).catch((error: unknown) => {
    if (!isPaycliError(error) || bound === undefined || plan === undefined) throw error;
    throw fail('STORAGE', {
      what: 'the batch database',
      why: `order ${names[0] ?? ''} is a row of plan ${plan}, which runs on ${bound.shown}, but that database cannot be reached: ${error.message}`,
      how: 'nothing was changed; check that the database is running, or name its address with --engine',
      order: names[0] ?? '',
      plan,
      engine: bound.shown,
    });
  });
  const intents = await named(() => view.intentsNamed(gatewayBase, names));
  if (intents.length > 0) return { view, shown: view.shown, way, intents };
  await view.close();
  return undefined;
}

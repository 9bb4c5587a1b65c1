import { type BatchConnection, intentForRow } from '../../../batch/connection.js';
import type { Engine } from '../../../batch/engine.js';
import { type BoundEngine, isSameEngine, parseBinding } from '../../../batch/engine-binding.js';
import type { PostgresEngine } from '../../../batch/engines/postgres/engine.js';
import type { RowOrder } from '../../../batch/engines/postgres/rows.js';
import { describeSent, findPriorIntent } from '../../../batch/plan/duplicates.js';
import { type PlanStore, planPages, rowsOfPlan } from '../../../batch/plan.js';
import { fail, isPaycliError } from '../../../errors/index.js';
import {
  describeIntent,
  finalStates,
  type Intent,
  type Journal,
  type NewIntent,
  type State,
  stateClause,
  withoutEffectStates,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { openUserJournal } from '../../core/user-stores.js';
import { bindingOf, checkBinding, describeDatabase, orderOf, planElsewhere } from './engine-binding.js';
import { openPlanFile, planIdsOf } from './plan-files.js';
import { type EngineFlags, viewShared } from './shared-engine.js';

/**
 * The gate knows nothing of what this machine sent by itself. Throws BATCH_REFUSED when it sent a row, or another
 * payment under its id.
 */
export function assertNotSentLocally(plan: PlanStore, connection: BatchConnection, journal: Journal): void {
  for (const row of rowsOfPlan(plan)) {
    const before = findPriorIntent(connection, row, journal);
    if (before !== undefined)
      throw fail('BATCH_REFUSED', {
        why: `row ${row.number}: ${describeSent(before.intent)}`,
        how: 'nothing was sent; remove it from the file and plan it again',
        row: row.number,
      });
  }
}

interface ImportPorts {
  readonly plan: PlanStore;
  readonly engine: Pick<Engine, 'find'>;
  readonly connection: BatchConnection;
  readonly journal: Journal;
}

/**
 * Writes into the journal of this machine what all workers made of a plan, so that reports, single commands and caps
 * know of it. The gate stays the one that decides about its rows; what is in doubt there is in doubt here.
 */
export async function importResults({ plan, engine, connection, journal }: ImportPorts): Promise<void> {
  const here: BatchConnection = { ...connection, hash: (parts) => journal.hash(parts) };
  for (const rows of planPages(plan)) {
    const found = (await engine.find?.(rows)) ?? new Map<number, Intent>();
    const known = rows.flatMap((row) => {
      const intent = found.get(row.number);
      return intent === undefined ? [] : [[row, intent] as const];
    });
    journal.inOneTransaction(() => {
      for (const [row, intent] of known)
        if (intent.state !== 'withdrawn') importIntent(intentForRow(here, row), intent, plan.head.id, journal);
      const { id, operation } = plan.head;
      const over = rows.filter(({ number }) => isFinal(found.get(number)));
      journal.externalPlans.forget(
        id,
        over.map((row) => orderOf(row, operation)),
      );
    });
  }
}

/** The engine never sends it again. */
function isFinal(intent: Intent | undefined): boolean {
  return intent !== undefined && (finalStates.includes(intent.state) || intent.state === 'withdrawn');
}

function importIntent(
  wanted: NewIntent,
  { state, reason, orderId, outcome }: Intent,
  plan: string,
  journal: Journal,
): void {
  const own = planLocally(wanted, journal);
  if (own === undefined) return;
  const isNew =
    own.state === 'planned' || ((own.state === 'not_sent' || own.state === 'refused') && own.state !== state);
  const { id } = isNew ? journal.begin(own, false, { isCopy: true, copyOf: plan }) : own;
  journal.recordResult(id, state === 'conflict' ? evidenceAgainst(own.state) : state, { reason, orderId, outcome });
}

/** A conflict comes of evidence: that which contradicts what the journal has, or nobody knows. */
function evidenceAgainst(state: State): State {
  if (state === 'declined') return 'done';
  return state === 'done' ? 'declined' : 'unknown';
}

/** Undefined where something of this machine stands in the way, which is for a person to look at. */
function planLocally(wanted: NewIntent, journal: Journal): Intent | undefined {
  try {
    return journal.plan(wanted, { again: false, isGenerated: false, isBatchRow: true, isAlive: () => false }).intent;
  } catch (error) {
    if (isPaycliError(error) && error.code !== 'STORAGE') return undefined;
    throw error;
  }
}

const pageOfOrders = 5000;

/**
 * A machine that works on a batch of another one writes its orders into its own journal before it sends the first row,
 * so that no single command and no plan of this machine pays one of them as well. Throws BATCH_REFUSED where it did
 * already, or knows that the plan runs on another engine, and STORAGE.
 */
export async function registerOrders(engine: PostgresEngine, flags: EngineFlags, runtime: Runtime): Promise<void> {
  const { head } = engine;
  const journal = await openUserJournal(runtime);
  try {
    const here = describeDatabase(await engine.identity(), flags, runtime);
    const plan = planElsewhere(head, here);
    checkBinding(head, await bindingOfPlan(head.id, journal, runtime), here.engine, 'work', flags);
    const noted = journal.externalPlans.binding(head.id);
    if (noted !== undefined) {
      const before = parseBinding(noted);
      if (isSameEngine(before.engine, here.engine)) return;
      if (!(await hasLeftEngine(before, here, head.id, runtime))) checkBinding(head, before, here.engine, 'work');
      journal.externalPlans.bind(plan, [], true);
      return;
    }
    for (let after = 0; ; ) {
      const orders = await engine.orders(after, pageOfOrders);
      journal.inOneTransaction(() => {
        for (const order of orders) assertOrderNotSentLocally(order, engine, journal);
        journal.externalPlans.bind(plan, orders, orders.length < pageOfOrders);
      });
      if (orders.length < pageOfOrders) return;
      after = orders.at(-1)?.number ?? after;
    }
  } finally {
    journal.close();
  }
}

/** As the plan's own file says, where it lies on this machine. */
async function bindingOfPlan(id: string, journal: Journal, runtime: Runtime): Promise<BoundEngine | undefined> {
  if (!(await planIdsOf(runtime)).includes(id)) return undefined;
  const plan = await openPlanFile(id, runtime);
  try {
    return bindingOf(plan, journal);
  } finally {
    plan.close();
  }
}

/**
 * A machine without the plan learns from the engine it worked on that the batch left it: it was moved away from there,
 * or another database took its place and its address, and has asked about every row since (else nobody works there).
 */
async function hasLeftEngine(before: BoundEngine, here: BoundEngine, id: string, runtime: Runtime): Promise<boolean> {
  if (before.flags.engine === here.flags.engine) return true;
  try {
    const view = await viewShared(id, before.flags, 'batch work', runtime);
    await view.close();
    return isSameEngine(view.identity, before.engine) && view.known?.movedTo !== undefined;
  } catch (error) {
    if (isPaycliError(error)) return false;
    throw error;
  }
}

export function assertOrderNotSentLocally(
  { number, name, sum }: RowOrder,
  { head }: Pick<PostgresEngine, 'head'>,
  journal: Journal,
): void {
  const { base, operation } = head;
  const { opens } = operationById(operation);
  const isSame = (intent: Intent) =>
    intent.operation === operation && intent.sum?.minor === sum?.minor && intent.sum?.currency === sum?.currency;
  // The content of a row is only in its plan, so an order under its id counts as the same at any endpoint.
  const earlier = opens
    ? journal.list({ base, clientOrderId: name, kind: 'opening' })
    : journal.list({ base, order: name, kind: 'follow-up' }).filter((each) => each.orderId === name && isSame(each));
  // By its lines, whatever its columns say.
  const met = earlier.find(({ id }) => !withoutEffectStates.includes(journal.stateOf(id)));
  if (met === undefined) return;
  throw fail('BATCH_REFUSED', {
    why: `row ${number} of batch ${head.id} was already sent from this machine: ${describeIntent(met)} ${stateClause(met.state)}`,
    how: 'nothing was sent from here; stop the other workers, and make sure that the row is not paid twice',
    row: number,
    plan: head.id,
  });
}

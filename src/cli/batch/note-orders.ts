import { type Binding, type Bound, bindingIn, isSameEngine } from '../../batch/binding.js';
import type { PostgresEngine } from '../../batch/engines/postgres-engine.js';
import type { RowOrder } from '../../batch/engines/postgres-rows.js';
import { fail, isPaycliError } from '../../errors/index.js';
import { type Intent, type Journal, wordsOf } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { openPlanFile, planIdsOf } from '../batch-plans.js';
import { openUserJournal } from '../journal.js';
import { bindingOf, checkBound, databaseAt, elsewhereOf } from './bound.js';
import { type EngineFlags, viewShared } from './shared.js';

const pageOfOrders = 5000;

/**
 * A machine that works on a batch of another one writes its orders into its own journal before it sends the first row, so that no
 * single command and no plan of this machine pays one of them as well. Throws BATCH_REFUSED where it did already, or knows that the
 * plan runs on another engine, and STORAGE.
 */
export async function noteOrders(engine: PostgresEngine, flags: EngineFlags, runtime: Runtime): Promise<void> {
  const { head } = engine;
  const journal = await openUserJournal(runtime);
  try {
    const here = databaseAt(await engine.identity(), flags, runtime);
    const plan = elsewhereOf(head, here);
    checkBound(head, await bindingOfPlan(head.id, journal, runtime), here.engine, 'work', flags);
    const noted = journal.elsewhere.binding(head.id);
    if (noted !== undefined) {
      const before = bindingIn(noted);
      if (isSameEngine(before.engine, here.engine)) return;
      if (!(await isLeft(before, here, head.id, runtime))) checkBound(head, before, here.engine, 'work');
      journal.elsewhere.bind(plan, [], true);
      return;
    }
    for (let after = 0; ; ) {
      const orders = await engine.orders(after, pageOfOrders);
      journal.together(() => {
        for (const order of orders) refuseMet(order, engine, journal);
        journal.elsewhere.bind(plan, orders, orders.length < pageOfOrders);
      });
      if (orders.length < pageOfOrders) return;
      after = orders.at(-1)?.number ?? after;
    }
  } finally {
    journal.close();
  }
}

/** As the plan's own file says, where it lies on this machine. */
async function bindingOfPlan(id: string, journal: Journal, runtime: Runtime): Promise<Binding | undefined> {
  if (!(await planIdsOf(runtime)).includes(id)) return undefined;
  const plan = await openPlanFile(id, journal, runtime);
  try {
    return bindingOf(plan, journal);
  } finally {
    plan.close();
  }
}

/**
 * A machine without the plan learns from the engine it worked on that the batch left it: it was moved away from there, or another
 * database took its place and its address, and has asked about every row since (else nobody works there).
 */
async function isLeft(before: Bound, here: Bound, id: string, runtime: Runtime): Promise<boolean> {
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

function refuseMet({ number, name, endpointId, sum }: RowOrder, { head }: PostgresEngine, journal: Journal): void {
  const { base, operation } = head;
  const kind = operationById(operation).opens ? 'opening' : 'follow-up';
  const place = { kind, base, endpointId, operation, clientOrderId: name, orderId: kind === 'opening' ? undefined : name } as const;
  const isSame = (intent: Intent) =>
    kind === 'opening' || (intent.operation === operation && intent.sum?.minor === sum?.minor && intent.sum?.currency === sum?.currency);
  const met = journal.before(place).find((intent) => isSame(intent) && !['planned', 'not_sent', 'refused'].includes(intent.state));
  if (met === undefined) return;
  throw fail('BATCH_REFUSED', {
    why: `row ${number} of batch ${head.id} was sent from this machine already: ${wordsOf(met)} is ${met.state}`,
    how: 'nothing was sent from here; end the other workers, and see that the row is not paid twice',
  });
}

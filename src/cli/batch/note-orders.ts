import type { PostgresEngine, RowOrder } from '../../batch/engines/postgres-engine.js';
import { fail } from '../../errors/index.js';
import { type Intent, type Journal, wordsOf } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { openUserJournal } from '../journal.js';
import { databaseAt, elsewhereOf } from './bound.js';
import type { EngineFlags } from './shared.js';

const pageOfOrders = 5000;

/**
 * A machine that works on a batch of another one writes its orders into its own journal before it sends the first row, so that no
 * single command and no plan of this machine pays one of them as well. Throws BATCH_REFUSED where it did already, and STORAGE.
 */
export async function noteOrders(engine: PostgresEngine, flags: EngineFlags, runtime: Runtime): Promise<void> {
  const { head } = engine;
  const journal = await openUserJournal(runtime);
  try {
    if (journal.elsewhere.binding(head.id) !== undefined) return;
    const plan = elsewhereOf(head, databaseAt(await engine.identity(), flags, runtime));
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

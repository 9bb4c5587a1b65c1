import { decodeForm, encodeForm, type Pair } from '../wire/form.js';
import { text } from './columns.js';
import { type Effect, effects } from './effects/index.js';
import { dropQueued, faults, isOutcomeName, outcomes, type Queued, queuedFor } from './outcomes.js';
import { Refusal } from './refusal.js';
import type { Accepted } from './request.js';
import type { Store } from './store.js';

/** Runs the effect of a request, once per order id as A20 says, and returns the fields of its reply. */
export function carryOut(accepted: Accepted, store: Store): readonly Pair[] {
  const { route, merchant, values } = accepted;
  const clientOrderId = values['clientOrderId'] ?? '';
  const repeated = route.row.opens ? repetition(accepted, store, clientOrderId) : undefined;
  if (repeated !== undefined) return repeated;
  const effect = effects[route.id];
  const queued = route.row.effect === 'read' ? undefined : queuedFor(store, clientOrderId, decidable(effect));
  const fields = runWhole(accepted, store, effect, queued);
  if (queued !== undefined) dropQueued(store, queued.id);
  if (queued?.name === 'server-error') throw queuedFault();
  if (route.row.opens)
    store.database.run(
      'INSERT INTO openings (login, client_order_id, operation, reply) VALUES (?, ?, ?, ?)',
      merchant.login,
      clientOrderId,
      route.id,
      encodeForm(fields),
    );
  if (queued?.name === 'server-error-done') throw queuedFault();
  return fields;
}

/** The same words whether or not anything was done: a client cannot know that either. */
function queuedFault(): Refusal {
  return new Refusal('fault', 'internal server error, as queued for this request');
}

/** A20: what a second request with a used client order id gets; undefined when it is carried out like the first. */
function repetition({ route, merchant, terms }: Accepted, { database }: Store, clientOrderId: string): readonly Pair[] | undefined {
  const rule = terms.assume['duplicate-order-id'];
  if (rule === 'pay') return undefined;
  const earlier = database.get('SELECT * FROM openings WHERE login = ? AND client_order_id = ? ORDER BY id', merchant.login, clientOrderId);
  if (earlier === undefined) return undefined;
  if (rule === 'replay' && text(earlier, 'operation') === route.id) return decodeForm(text(earlier, 'reply'));
  throw new Refusal(
    'used-order-id',
    `client_orderid was used before, by ${text(earlier, 'operation')}; ask for its status, or choose another (A20)`,
  );
}

function decidable({ settles }: Effect): readonly string[] {
  return settles ? [...Object.keys(outcomes), ...Object.keys(faults)] : Object.keys(faults);
}

/** All of an effect or nothing of it: a refusal, and the fault that does nothing, leave the state as it was. */
function runWhole(accepted: Accepted, { database, ...ports }: Store, effect: Effect, queued: Queued | undefined): readonly Pair[] {
  const outcome = queued?.name === 'server-error-done' ? 'approved' : queued?.name;
  database.run('SAVEPOINT effect');
  let isKept = false;
  try {
    const fields = effect.run(
      { ...accepted, queued: outcome !== undefined && isOutcomeName(outcome) ? outcome : undefined },
      { database, ...ports },
    );
    isKept = queued?.name !== 'server-error';
    return fields;
  } finally {
    if (!isKept) database.run('ROLLBACK TO effect');
    database.run('RELEASE effect');
  }
}

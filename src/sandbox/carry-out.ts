import type { SqlRow } from '../runtime/ports.js';
import { threeDSecureFlows } from '../spec/index.js';
import { decodeForm, encodeForm, type Pair } from '../wire/form.js';
import { text } from './columns.js';
import { type Effect, effects } from './effects/index.js';
import { record } from './events.js';
import { Undo } from './group.js';
import { openedBefore } from './ledger/transactions.js';
import { type Fault, faultNamed, faults, outcomeInName, outcomes } from './outcomes.js';
import { dropQueued, type Queued, queuedFor } from './queue.js';
import { Refusal } from './refusal.js';
import type { Accepted, Checked, Circumstances } from './request.js';
import type { Store } from './store.js';

/** Runs the effect of a request, once per order id as A20 says, and returns the fields of its reply. */
export function carryOut(checked: Checked, circumstances: Circumstances, store: Store): readonly Pair[] {
  const { route, values } = checked;
  const clientOrderId = values['clientOrderId'] ?? '';
  const repeated = route.row.opens ? repetition(checked, store, clientOrderId) : undefined;
  if (repeated !== undefined) return repeated;
  const effect = effects[route.id];
  const told = route.row.effect === 'read' ? undefined : instruction(checked, store, effect);
  const fields = runWhole(checked, circumstances, store, effect, told?.name);
  if (told !== undefined) useUp(told, checked, store, fields);
  const fault = told === undefined ? undefined : faultNamed(told.name);
  if (fault !== undefined && !fault.isDone) throw faultOf(fault);
  if (route.row.opens) noteOpening(checked, store, fields);
  if (fault !== undefined) throw faultOf(fault);
  return fields;
}

/** Takes an outcome out of the queue and writes down who had it. */
function useUp(told: Queued, { route, merchant }: Checked, store: Store, fields: readonly Pair[]): void {
  dropQueued(store, told);
  if (told.id === undefined) return;
  const made = fields.find(([name]) => name === 'paynet-order-id')?.[1];
  // An effect that was undone has left no order behind.
  const orderId = faultNamed(told.name)?.isDone === false ? undefined : made;
  record(store, { kind: 'queue', login: merchant.login, orderId, title: `the queued outcome ${told.name} was used by ${route.id}` });
}

/** What this request was told to come to: queued beforehand, or written as the name on the card. Throws a Refusal for an unknown name. */
function instruction({ merchant, values }: Checked, store: Store, effect: Effect): Queued | undefined {
  const allowed = () => decidable(effect);
  const { clientOrderId = '', orderId = '' } = values;
  const queued = queuedFor(store, { login: merchant.login, clientOrderId, orderId, allowed });
  if (queued !== undefined) return queued;
  const name = outcomeInName(values['cardHolder'] ?? '');
  if (name === undefined || allowed().includes(name)) return name === undefined ? undefined : { id: undefined, name };
  throw new Refusal('invalid', `the name on the card asks for an outcome this operation does not have; known: ${allowed().join(', ')}`);
}

/** The same words whether or not anything was done: a client cannot know that either. */
function faultOf({ isSilent }: Fault): Refusal {
  return isSilent ? new Refusal('no-answer', 'no answer, as asked for') : new Refusal('fault', 'internal server error, as asked for');
}

/** A20: an order says by itself that its id was used; here stands what it does not say. */
function noteOpening({ route, merchant, terms, values }: Checked, { database, group }: Store, reply: readonly Pair[]): void {
  const isOrder = reply.some(([name]) => name === 'paynet-order-id');
  if (isOrder && terms.assume['duplicate-order-id'] !== 'replay') return;
  const insert = 'INSERT OR IGNORE INTO openings (login, client_order_id, operation, reply) VALUES (?, ?, ?, ?)';
  database.run(insert, merchant.login, values['clientOrderId'] ?? '', route.id, encodeForm(reply));
  group?.learn(areNoted, true);
}

const areNoted = 'whether openings are noted';

function notedOpening({ database, group }: Store, login: string, clientOrderId: string): SqlRow | undefined {
  // Mostly there are none.
  if (group?.remember(areNoted, () => group.before.get('SELECT 1 FROM openings LIMIT 1') !== undefined) === false) return undefined;
  return database.get('SELECT * FROM openings WHERE login = ? AND client_order_id = ?', login, clientOrderId);
}

/** A20: what a second request with a used client order id gets; undefined when it is carried out like the first. */
function repetition({ route, merchant, terms }: Checked, store: Store, clientOrderId: string): readonly Pair[] | undefined {
  const rule = terms.assume['duplicate-order-id'];
  if (rule === 'pay') return undefined;
  const { login } = merchant;
  const noted = notedOpening(store, login, clientOrderId);
  const earlier = noted === undefined ? openedBefore(store, login, clientOrderId) : text(noted, 'operation');
  if (earlier === undefined) return undefined;
  if (rule === 'replay' && noted !== undefined && earlier === route.id) return decodeForm(text(noted, 'reply'));
  // A recurring payment is no order, so there is no status to ask for.
  const isOrder = noted === undefined || decodeForm(text(noted, 'reply')).some(([name]) => name === 'paynet-order-id');
  const advice = isOrder ? 'ask for its status, or choose another' : 'choose another';
  throw new Refusal('used-order-id', `client_orderid was used before, by ${earlier}; ${advice} (A20)`);
}

/** 3-D Secure is for payments by card; a fault may happen to anything. */
function decidable({ settles, authenticates }: Effect): readonly string[] {
  return [...(settles ? Object.keys(outcomes) : []), ...(authenticates ? Object.keys(threeDSecureFlows) : []), ...Object.keys(faults)];
}

/** All of an effect or nothing of it: a refusal, and a fault that does nothing, leave the state as it was. */
function runWhole(checked: Checked, circumstances: Circumstances, store: Store, effect: Effect, told: string | undefined): readonly Pair[] {
  const fault = told === undefined ? undefined : faultNamed(told);
  const accepted = acceptedFrom(checked, circumstances, fault === undefined ? told : effect.settles ? 'approved' : undefined);
  const work = () => effect.run(accepted, store);
  if (store.group === undefined) return unlessUndone(store, work, fault === undefined || fault.isDone);
  if (fault?.isDone === false) throw new Undo();
  try {
    return work();
  } catch (error) {
    // Reading has nothing to undo.
    throw checked.route.row.effect === 'read' ? error : new Undo();
  }
}

// One by one: so many properties are slow to spread.
function acceptedFrom(checked: Checked, { serial, now, pagesOrigin }: Circumstances, queued: string | undefined): Accepted {
  const { route, terms, merchant, protection, pairs, values, amount, digits } = checked;
  return { route, terms, merchant, protection, pairs, values, amount, digits, serial, now, pagesOrigin, queued };
}

function unlessUndone<T>({ database }: Store, work: () => T, keep: boolean): T {
  database.run('SAVEPOINT effect');
  let isKept = false;
  try {
    const result = work();
    isKept = keep;
    return result;
  } finally {
    if (!isKept) database.run('ROLLBACK TO effect');
    database.run('RELEASE effect');
  }
}

import type { Random } from '../../runtime/ports.js';
import { decimalText, parseAmount } from '../../wire/amount.js';
import { cardById, hasExpired } from '../cards.js';
import type { DueSource } from '../due.js';
import { record } from '../events.js';
import { addOrder } from '../ledger/orders.js';
import { usualSettleMs } from '../ledger/settlements.js';
import { addTransaction } from '../ledger/transactions.js';
import { courseOf, isOutcomeName, type OutcomeName, outcomeOf, outcomes } from '../outcomes.js';
import { dropQueued, queuedFor } from '../queue.js';
import type { Store } from '../store.js';
import { type Profile, plannedTime, profileFrom } from './profiles.js';

/** Charges of recurring payments whose day has come. */
export const recurringCharges: DueSource = {
  due: 'SELECT min(next_at) FROM recurring WHERE next_at IS NOT NULL',
  ending: 'SELECT min(next_at) FROM recurring WHERE next_at IS NOT NULL AND (finish_date IS NOT NULL OR amount_sequence IS NOT NULL)',
  run: (store, at) =>
    store.database
      .all('SELECT * FROM recurring WHERE next_at <= ? ORDER BY next_at, id', at)
      .map((row) => ({ at, what: charge(store, profileFrom(row), at) })),
};

/** One charge, as an order of its own, and the plan for the next one. */
function charge(store: Store, profile: Profile, at: number): string {
  const amount = amountOf(profile, store.random);
  const clientOrderId = orderIdOf(profile);
  const order = addOrder(store, {
    login: profile.login,
    endpointId: profile.endpointId,
    clientOrderId,
    amount,
    currency: profile.currency,
    digits: profile.digits,
    redirectUrl: undefined,
    pageToken: undefined,
    operation: 'REBILL',
    madeAt: at,
    callbackUrl: profile.callbackUrl,
    notifyUrl: undefined,
    description: profile.description,
    merchantData: undefined,
    cardId: profile.cardId,
    destinationId: undefined,
  });
  const card = cardById(store, profile.cardId);
  const outcome = card !== undefined && hasExpired(card, at) ? 'expired' : outcomeFor(store, profile, clientOrderId, amount);
  const dueAt = at + (outcomeOf(outcome).afterMs ?? usualSettleMs);
  addTransaction(store, order, { kind: 'rebill', clientOrderId, amount, outcome, step: 'none', dueAt });
  planNext(store, profile, at);
  const title = `recurring payment ${profile.id} charged ${decimalText(amount, profile.digits)} ${profile.currency} as order ${order.id}`;
  record(store, { kind: 'stage', login: profile.login, orderId: order.id, title });
  return title;
}

function amountOf({ amount, amountFrom, amountTo, amountSequence, currency, digits, charged }: Profile, random: Random): bigint {
  const listed = amountSequence?.split(',')[charged];
  const fixed = amount ?? listed ?? amountFrom ?? '';
  const least = parseAmount(fixed, currency, digits);
  return amountTo === undefined ? least : drawn(random, least, parseAmount(amountTo, currency, digits));
}

// The random port gives numbers below 2^48.
const widest = 2n ** 47n;

function drawn(random: Random, least: bigint, most: bigint): bigint {
  const span = most - least + 1n;
  const part = span <= widest ? BigInt(random.below(Number(span))) : (span * BigInt(random.below(Number(widest)))) / widest;
  return least + part;
}

/** The profile's own id with the number of the charge, no longer than such ids may be (A40). */
function orderIdOf({ clientOrderId, charged }: Profile): string {
  const end = `-${charged + 1}`;
  return [...clientOrderId].slice(0, 128 - end.length).join('') + end;
}

/** A queued outcome decides, or else the ending of the amount: no security code is kept. */
function outcomeFor(store: Store, { login, digits }: Profile, clientOrderId: string, amount: bigint): OutcomeName {
  const queued = queuedFor(store, { login, clientOrderId, orderId: '', allowed: () => Object.keys(outcomes) });
  if (queued === undefined) return courseOf({ amount, digits }).outcome;
  dropQueued(store, queued);
  return isOutcomeName(queued.name) ? queued.name : 'declined';
}

function planNext({ database }: Store, { id, schedule, steps, charged, finishDate, amountSequence }: Profile, at: number): void {
  const isUsedUp = amountSequence !== undefined && amountSequence.split(',').length <= charged + 1;
  const next = schedule === undefined || isUsedUp ? undefined : plannedTime(schedule, steps + 1, finishDate, at);
  database.run('UPDATE recurring SET charged = charged + 1, steps = steps + 1, next_at = ? WHERE id = ?', next ?? null, id);
}

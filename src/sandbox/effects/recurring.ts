import type { Random, SqlRow } from '../../runtime/ports.js';
import { rebill } from '../../spec/index.js';
import { decimalText, parseAmount } from '../../wire/amount.js';
import { hasExpired } from '../../wire/time.js';
import type { AcceptedRequest } from '../checks/request.js';
import { cardById, type StoredCard } from '../ledger/cards.js';
import { recordEvent } from '../ledger/events.js';
import { addOrder } from '../ledger/orders.js';
import {
  isOutcomeName,
  nextQueuedOutcome,
  type OutcomeName,
  outcomeOf,
  outcomes,
  removeQueuedOutcome,
  scenarioFor,
} from '../ledger/outcomes.js';
import { type DueSource, defaultSettleMs } from '../ledger/scheduled-changes.js';
import { nextOf, number, optionalNumber, optionalText, type Store, text } from '../ledger/store.js';
import { addTransaction } from '../ledger/transactions.js';

/** Charges of recurring payments that are due. */
export const recurringCharges: DueSource = {
  due: 'SELECT min(next_at) FROM recurring WHERE next_at IS NOT NULL',
  finiteDue:
    'SELECT min(next_at) FROM recurring WHERE next_at IS NOT NULL AND (finish_date IS NOT NULL OR amount_sequence IS NOT NULL)',
  run: (store, at) =>
    store.database
      .all('SELECT * FROM recurring WHERE next_at <= ? ORDER BY next_at, id', at)
      .map((row) => ({ at, what: charge(store, profileFrom(row), at) })),
};

/** One charge, as an order of its own, and the plan for the next one. */
function charge(store: Store, profile: RecurringProfile, at: number): string {
  const amount = chargeAmount(profile, store.random);
  const clientOrderId = chargeOrderId(profile);
  const order = addOrder(store, {
    login: profile.login,
    endpointId: profile.endpointId,
    clientOrderId,
    amount,
    currency: profile.currency,
    digits: profile.digits,
    redirectUrl: undefined,
    pageToken: undefined,
    operation: rebill.id,
    madeAt: at,
    callbackUrl: profile.callbackUrl,
    notifyUrl: undefined,
    description: profile.description,
    merchantData: undefined,
    cardId: profile.cardId,
    destinationId: undefined,
  });
  const card = cardById(store, profile.cardId);
  const outcome =
    card !== undefined && hasExpired(card, at) ? 'expired' : chargeOutcome(store, profile, clientOrderId, amount);
  const dueAt = at + (outcomeOf(outcome).afterMs ?? defaultSettleMs);
  addTransaction(store, order, { kind: 'rebill', clientOrderId, amount, outcome, step: 'none', dueAt });
  scheduleNextCharge(store, profile, at);
  const title = `recurring payment ${profile.id} charged ${decimalText(amount, profile.digits)} ${profile.currency} as order ${order.id}`;
  recordEvent(store, { kind: 'stage', login: profile.login, orderId: order.id, title });
  return title;
}

function chargeAmount(
  { amount, amountFrom, amountTo, amountSequence, currency, digits, charged }: RecurringProfile,
  random: Random,
): bigint {
  const listed = amountSequence?.split(',')[charged];
  const fixed = amount ?? listed ?? amountFrom ?? '';
  const min = parseAmount(fixed, currency, digits);
  return amountTo === undefined ? min : randomAmount(random, min, parseAmount(amountTo, currency, digits));
}

// The random port gives numbers below 2^48.
const maxSpan = 2n ** 47n;

function randomAmount(random: Random, min: bigint, max: bigint): bigint {
  const span = max - min + 1n;
  const part =
    span <= maxSpan ? BigInt(random.below(Number(span))) : (span * BigInt(random.below(Number(maxSpan)))) / maxSpan;
  return min + part;
}

/** The profile's client order id with the number of the charge, cut to the allowed length (A40). */
function chargeOrderId({ clientOrderId, charged }: RecurringProfile): string {
  const end = `-${charged + 1}`;
  return [...clientOrderId].slice(0, 128 - end.length).join('') + end;
}

/** A queued outcome decides, else the ending of the amount: no security code is stored. */
function chargeOutcome(
  store: Store,
  { login, digits }: RecurringProfile,
  clientOrderId: string,
  amount: bigint,
): OutcomeName {
  const queued = nextQueuedOutcome(store, { login, clientOrderId, orderId: '', allowed: () => Object.keys(outcomes) });
  if (queued === undefined) return scenarioFor({ amount, digits }).outcome;
  removeQueuedOutcome(store, queued);
  return isOutcomeName(queued.name) ? queued.name : 'declined';
}

function scheduleNextCharge(
  { database }: Store,
  { id, schedule, steps, charged, finishDate, amountSequence }: RecurringProfile,
  at: number,
): void {
  const isUsedUp = amountSequence !== undefined && amountSequence.split(',').length <= charged + 1;
  const next = schedule === undefined || isUsedUp ? undefined : nextChargeTime(schedule, steps + 1, finishDate, at);
  database.run(
    'UPDATE recurring SET charged = charged + 1, steps = steps + 1, next_at = ? WHERE id = ?',
    next ?? null,
    id,
  );
}

export const recurringTables = `
  CREATE TABLE recurring (
    id TEXT PRIMARY KEY, login TEXT NOT NULL, endpoint_id TEXT NOT NULL, client_order_id TEXT NOT NULL, card_type TEXT NOT NULL,
    card_id INTEGER NOT NULL REFERENCES cards, currency TEXT NOT NULL, digits INTEGER NOT NULL,
    amount TEXT, amount_from TEXT, amount_to TEXT, amount_sequence TEXT,
    period TEXT, interval TEXT, start_date TEXT, finish_date TEXT, description TEXT, callback_url TEXT,
    counted_from INTEGER, steps INTEGER NOT NULL, next_at INTEGER, charged INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX recurring_due ON recurring (next_at) WHERE next_at IS NOT NULL;
`;

/** A card that is charged again and again, or that receives money. */
interface RecurringProfile {
  readonly id: string;
  readonly login: string;
  readonly endpointId: string;
  readonly clientOrderId: string;
  readonly cardId: number;
  readonly currency: string;
  readonly digits: number;
  readonly amount: string | undefined;
  readonly amountFrom: string | undefined;
  readonly amountTo: string | undefined;
  readonly amountSequence: string | undefined;
  readonly finishDate: string | undefined;
  readonly description: string | undefined;
  readonly callbackUrl: string | undefined;
  /** Undefined for a profile that charges nothing by itself. */
  readonly schedule: Schedule | undefined;
  /** Steps of the schedule that lead to the next charge. */
  readonly steps: number;
  /** Charges made so far. */
  readonly charged: number;
}

/** Keeps a new profile and plans its first charge, if it has a schedule and its card can be charged. */
export function storeProfile(store: Store, accepted: AcceptedRequest, card: StoredCard): string {
  const { values, merchant, route, digits, now } = accepted;
  const id = String(nextOf(store, 'recurring'));
  const schedule = values['recurringCardType'] === 'SRC' ? scheduleOf(values, now) : undefined;
  // Days before the profile was created are skipped; without a start date the first step is one period long.
  const steps =
    schedule === undefined ? 0 : stepsUntil(schedule, dayOf(now), values['startDate'] === undefined ? 1 : 0);
  const kept = [
    'amount',
    'amountFrom',
    'amountTo',
    'amountSequence',
    'period',
    'interval',
    'startDate',
    'finishDate',
    'orderDesc',
  ];
  store.database.run(
    'INSERT INTO recurring VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
    id,
    merchant.login,
    route.endpointId,
    values['clientOrderId'] ?? '',
    values['recurringCardType'] ?? '',
    card.id,
    values['currency'] ?? '',
    digits,
    ...kept.map((key) => values[key] ?? null),
    values['serverCallbackUrl'] ?? null,
    schedule?.from ?? null,
    steps,
    schedule === undefined ? null : (nextChargeTime(schedule, steps, values['finishDate'], now) ?? null),
  );
  return id;
}

function scheduleOf(values: Readonly<Record<string, string>>, now: number): Schedule | undefined {
  const { period = '', interval, startDate } = values;
  if (!isPeriod(period) || interval === undefined) return undefined;
  return { period, interval: Number(interval), from: startDate === undefined ? dayOf(now) : parseDay(startDate) };
}

/** When a step is charged; undefined after the finish date. A day that has already begun is charged at once. */
function nextChargeTime(
  schedule: Schedule,
  steps: number,
  finishDate: string | undefined,
  earliest: number,
): number | undefined {
  const day = dayOfStep(schedule, steps);
  if (finishDate !== undefined && day > parseDay(finishDate)) return undefined;
  return Math.max(day, earliest);
}

function profileFrom(row: SqlRow): RecurringProfile {
  const period = text(row, 'period');
  const from = optionalNumber(row, 'counted_from');
  return {
    id: text(row, 'id'),
    login: text(row, 'login'),
    endpointId: text(row, 'endpoint_id'),
    clientOrderId: text(row, 'client_order_id'),
    cardId: number(row, 'card_id'),
    currency: text(row, 'currency'),
    digits: number(row, 'digits'),
    amount: optionalText(row, 'amount'),
    amountFrom: optionalText(row, 'amount_from'),
    amountTo: optionalText(row, 'amount_to'),
    amountSequence: optionalText(row, 'amount_sequence'),
    finishDate: optionalText(row, 'finish_date'),
    description: optionalText(row, 'description'),
    callbackUrl: optionalText(row, 'callback_url'),
    schedule: isPeriod(period) && from !== undefined ? { period, interval: number(row, 'interval'), from } : undefined,
    steps: number(row, 'steps'),
    charged: number(row, 'charged'),
  };
}

function isPeriod(word: string): word is Period {
  return word === 'daily' || word === 'weekly' || word === 'monthly';
}

type Period = 'daily' | 'weekly' | 'monthly';

/** When a card is charged: at 00:00 UTC of each day that is a whole number of steps after the first day. */
interface Schedule {
  readonly period: Period;
  /** Periods in one step (A27). */
  readonly interval: number;
  /** 00:00 UTC of the day the steps are counted from. */
  readonly from: number;
}

const dayMs = 86_400_000;

/**
 * The day `steps` steps after the first. Counted from the first day, not from the previous one, so that 31 January is
 * followed by 28 February and then by 31 March.
 */
function dayOfStep({ period, interval, from }: Schedule, steps: number): number {
  if (period !== 'monthly') return from + steps * interval * (period === 'weekly' ? 7 : 1) * dayMs;
  const first = new Date(from);
  const months = first.getUTCMonth() + steps * interval;
  // Day 0 is the last day of the month before.
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), months + 1, 0)).getUTCDate();
  return Date.UTC(first.getUTCFullYear(), months, Math.min(first.getUTCDate(), lastDay));
}

/** How many steps lead to the first day not before `time`, at least `min`. */
function stepsUntil(schedule: Schedule, time: number, min: number): number {
  let steps = min;
  while (dayOfStep(schedule, steps) < time) steps += 1;
  return steps;
}

/** 00:00 UTC of the day of a moment. */
function dayOf(time: number): number {
  return Math.floor(time / dayMs) * dayMs;
}

/** 00:00 UTC of a date such as 2030-01-31 (A28). */
function parseDay(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

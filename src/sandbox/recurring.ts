import type { Random } from '../runtime/ports.js';
import { rebill } from '../spec/index.js';
import { decimalText, parseAmount } from '../wire/amount.js';
import { withoutCardNumbers } from '../wire/mask.js';
import { hasExpired } from '../wire/time.js';
import { cardById, type StoredCard } from './cards.js';
import { recordEvent } from './log.js';
import { addOrder, addTransaction } from './orders.js';
import {
  finalTime,
  isOutcomeName,
  nextQueuedOutcome,
  type OutcomeName,
  outcomes,
  removeQueuedOutcome,
  scenarioFor,
} from './outcomes.js';
import type { AcceptedRequest } from './request.js';
import { nextNumber, type Store } from './store.js';
import { integer, json, key, optional, type Row, Table, text } from './table.js';

/** Cards that are charged again and again, or that receive money. */
export const profiles = new Table(
  'recurring',
  {
    id: key,
    login: text,
    endpointId: text,
    clientOrderId: text,
    /** SRC or DST. */
    cardType: text,
    cardId: integer,
    currency: text,
    digits: integer,
    description: optional(text),
    callbackUrl: optional(text),
    plan: json<Plan>(),
    /** Steps of the schedule that lead to the next charge. */
    steps: integer,
    nextAt: optional(integer),
    /** Charges made so far. */
    charged: integer,
  },
  ['INDEX recurring_due ON @ (next_at) WHERE next_at IS NOT NULL'],
);
type Profile = Row<typeof profiles>;

/** What a profile charges, and when. */
interface Plan {
  /** What every charge takes, of a range the least; in a sequence one after the other. */
  readonly amounts: readonly string[];
  readonly isSequence: boolean;
  readonly most?: string | undefined;
  /** Undefined for a profile that charges nothing by itself. */
  readonly schedule?: Schedule | undefined;
}

/** Makes the charges that are due; a line for each. */
export function chargeDue(store: Store, at: number): string[] {
  return profiles
    .all(store, 'WHERE next_at <= ? ORDER BY next_at, id', at)
    .map((profile) => charge(store, profile, at));
}

/** One charge, as an order of its own, and the plan for the next one. */
function charge(store: Store, profile: Profile, at: number): string {
  const { id, login, endpointId, cardId, currency, digits, callbackUrl, description, charged } = profile;
  const amount = chargeAmount(profile, store.random);
  // With the number of the charge, cut to the allowed length (A40).
  const end = `-${charged + 1}`;
  const clientOrderId = [...profile.clientOrderId].slice(0, 128 - end.length).join('') + end;
  const order = addOrder(store, {
    ...{ login, endpointId, clientOrderId, amount, currency, digits, callbackUrl, description, cardId },
    operation: rebill.id,
    madeAt: at,
  });
  const isExpired = hasExpired(cardById(store, cardId) ?? {}, at);
  const outcome = isExpired ? 'expired' : chargeOutcome(store, profile, clientOrderId, amount);
  const dueAt = finalTime(at, outcome);
  addTransaction(store, order, { kind: 'rebill', clientOrderId, amount, outcome, step: 'none', dueAt });
  const nextAt = timeAfter(profile, at);
  profiles.update(store, id, { charged: charged + 1, steps: profile.steps + 1, nextAt });
  const title = `recurring payment ${id} charged ${decimalText(amount, digits)} ${currency} as order ${order.id}`;
  recordEvent(store, { kind: 'stage', login, orderId: order.id, title });
  return title;
}

function chargeAmount({ plan, currency, digits, charged }: Profile, random: Random): bigint {
  const { amounts, most } = plan;
  const least = parseAmount(amounts[charged] ?? amounts[0] ?? '', currency, digits);
  if (most === undefined) return least;
  const span = Number(parseAmount(most, currency, digits) - least) + 1;
  return least + BigInt(random.below(Math.min(span, maxSpan)));
}

// The random port gives numbers below 2^48.
const maxSpan = 2 ** 47;

/** A queued outcome decides, else the ending of the amount: no security code is stored. */
function chargeOutcome(store: Store, { login, digits }: Profile, clientOrderId: string, amount: bigint): OutcomeName {
  const queued = nextQueuedOutcome(store, { login, clientOrderId }, () => Object.keys(outcomes));
  if (queued === undefined) return scenarioFor({ amount, digits }).outcome;
  removeQueuedOutcome(store, queued);
  return isOutcomeName(queued.outcome) ? queued.outcome : 'declined';
}

/** When the charge after this one is due. */
function timeAfter({ plan, charged, steps }: Profile, at: number): number | undefined {
  const { schedule, isSequence, amounts } = plan;
  const isUsedUp = isSequence && amounts.length <= charged + 1;
  return schedule === undefined || isUsedUp ? undefined : chargeTime(schedule, steps + 1, at);
}

/** Keeps a new profile and plans its first charge, if it has a schedule and its card can be charged. */
export function storeProfile(store: Store, accepted: AcceptedRequest, card: StoredCard): string {
  const { values, merchant, route, digits, now } = accepted;
  const { amount, amountFrom, amountTo, amountSequence, startDate } = values;
  const id = String(nextNumber(store, 'recurring'));
  const cardType = values['recurringCardType'] ?? '';
  const schedule = cardType === 'SRC' ? scheduleFrom(values, now) : undefined;
  // Days before the profile was created are skipped; without a start date the first step is one period long.
  const steps = schedule === undefined ? 0 : stepsUntil(schedule, dayOf(now), startDate === undefined ? 1 : 0);
  const amounts = amountSequence?.split(',') ?? [amount ?? amountFrom ?? ''];
  profiles.insert(store, {
    ...{ id, cardType, digits, steps },
    login: merchant.login,
    endpointId: route.endpointId,
    clientOrderId: values['clientOrderId'] ?? '',
    cardId: card.id,
    currency: values['currency'] ?? '',
    description: values['orderDesc'] && withoutCardNumbers(values['orderDesc']),
    callbackUrl: values['serverCallbackUrl'],
    plan: { amounts, isSequence: amountSequence !== undefined, most: amountTo, schedule },
    nextAt: schedule === undefined ? undefined : chargeTime(schedule, steps, now),
    charged: 0,
  });
  return id;
}

/** When a card is charged: at 00:00 UTC of each day that is a whole number of steps after the first day. */
interface Schedule {
  readonly period: 'daily' | 'weekly' | 'monthly';
  /** Periods in one step (A27). */
  readonly interval: number;
  /** 00:00 UTC of the day the steps are counted from. */
  readonly from: number;
  /** The last possible day. */
  readonly until?: number | undefined;
}

function scheduleFrom(values: AcceptedRequest['values'], now: number): Schedule | undefined {
  const { period, interval, startDate, finishDate } = values;
  if (interval === undefined || !(period === 'daily' || period === 'weekly' || period === 'monthly')) return undefined;
  const from = startDate === undefined ? dayOf(now) : parseDay(startDate);
  return {
    period,
    interval: Number(interval),
    from,
    until: finishDate === undefined ? undefined : parseDay(finishDate),
  };
}

/** When a step is charged; undefined after the last day. A day that has already begun is charged at once. */
function chargeTime(schedule: Schedule, steps: number, earliest: number): number | undefined {
  const day = dayOfStep(schedule, steps);
  return schedule.until !== undefined && day > schedule.until ? undefined : Math.max(day, earliest);
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

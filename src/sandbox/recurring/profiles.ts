import type { SqlRow } from '../../runtime/ports.js';
import type { StoredCard } from '../cards.js';
import { number, optionalNumber, optionalText, text } from '../columns.js';
import type { Accepted } from '../request.js';
import { nextOf, type Store } from '../store.js';
import { dayAfter, dayNamed, dayOf, type Period, type Schedule, stepsUntil } from './schedule.js';

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
export interface Profile {
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

/** Keeps a new profile and plans its first charge, when it has a schedule and its card is there to be charged. */
export function keepProfile(store: Store, accepted: Accepted, card: StoredCard): string {
  const { values, merchant, route, digits, now } = accepted;
  const id = String(nextOf(store, 'recurring'));
  const schedule = values['recurringCardType'] === 'SRC' ? scheduleOf(values, now) : undefined;
  // Days before the profile are over; without a start date the first step is already one period long.
  const steps = schedule === undefined ? 0 : stepsUntil(schedule, dayOf(now), values['startDate'] === undefined ? 1 : 0);
  const kept = ['amount', 'amountFrom', 'amountTo', 'amountSequence', 'period', 'interval', 'startDate', 'finishDate', 'orderDesc'];
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
    schedule === undefined ? null : (plannedTime(schedule, steps, values['finishDate'], now) ?? null),
  );
  return id;
}

function scheduleOf(values: Readonly<Record<string, string>>, now: number): Schedule | undefined {
  const { period = '', interval, startDate } = values;
  if (!isPeriod(period) || interval === undefined) return undefined;
  return { period, interval: Number(interval), from: startDate === undefined ? dayOf(now) : dayNamed(startDate) };
}

/** When a step is charged; undefined once the finish date is over. A day that has begun already is charged at once. */
export function plannedTime(schedule: Schedule, steps: number, finishDate: string | undefined, earliest: number): number | undefined {
  const day = dayAfter(schedule, steps);
  if (finishDate !== undefined && day > dayNamed(finishDate)) return undefined;
  return Math.max(day, earliest);
}

export function profileFrom(row: SqlRow): Profile {
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

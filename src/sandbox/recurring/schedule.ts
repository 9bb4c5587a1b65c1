export type Period = 'daily' | 'weekly' | 'monthly';

/** When a card is charged: at 00:00 UTC of each day that is a whole number of steps after the first day. */
export interface Schedule {
  readonly period: Period;
  /** Periods in one step (A27). */
  readonly interval: number;
  /** 00:00 UTC of the day the steps are counted from. */
  readonly from: number;
}

const dayMs = 86_400_000;

/**
 * The day that lies `steps` steps after the first one. Counted from the first day and never from the day before, so
 * that 31 January is followed by 28 February and then by 31 March.
 */
export function dayAfter({ period, interval, from }: Schedule, steps: number): number {
  if (period !== 'monthly') return from + steps * interval * (period === 'weekly' ? 7 : 1) * dayMs;
  const first = new Date(from);
  const months = first.getUTCMonth() + steps * interval;
  // Day 0 is the last day of the month before.
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), months + 1, 0)).getUTCDate();
  return Date.UTC(first.getUTCFullYear(), months, Math.min(first.getUTCDate(), lastDay));
}

/** How many steps lead to the first day that is not before `time`, at least `least`. */
export function stepsUntil(schedule: Schedule, time: number, least: number): number {
  let steps = least;
  while (dayAfter(schedule, steps) < time) steps += 1;
  return steps;
}

/** 00:00 UTC of the day of a moment. */
export function dayOf(time: number): number {
  return Math.floor(time / dayMs) * dayMs;
}

/** 00:00 UTC of a date such as 2030-01-31 (A28). */
export function dayNamed(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

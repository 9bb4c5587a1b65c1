/** What the flags for a duration accept, in words. */
export const durationForm = 'a duration such as 500ms, 30s, 2m, 1h or 7d';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration with its unit; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,8})(ms|[smhd])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units[unit] ?? 0);
}

/** The same, where a number without a unit means seconds. */
export function readSeconds(text: string): number | undefined {
  return readDuration(/^\d+$/.test(text) ? `${text}s` : text);
}

/** What the timeout of a file and of the environment accepts, in words. */
export const timeoutForm = `${durationForm}, or a whole number of seconds; at most 1d`;

/** Seconds of a timeout, a part of one in milliseconds; undefined for any other text. */
export function readTimeout(text: string): number | undefined {
  const ms = readSeconds(text);
  return ms === undefined || ms > 86_400_000 ? undefined : ms / 1000;
}

/**
 * Aborts after so many milliseconds, or with `signal`. `AbortSignal.any` alone holds what it is made of weakly: on Node
 * 20 a timeout that nothing else holds is collected as garbage, and never comes.
 */
export function deadline(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  // A signal with a listener is not collected.
  timeout.addEventListener('abort', () => undefined);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

/** Whether a card has expired, in UTC; false where the month or the year is not known. */
export function hasExpired(
  { month, year }: { readonly month?: string | undefined; readonly year?: string | undefined },
  now: number,
): boolean {
  // Months count from 0 here, so this is the start of the following month.
  return month !== undefined && year !== undefined && now >= Date.UTC(Number(year), Number(month));
}

/**
 * Whether a text such as 2030-01-31 or 20300131 is a day. Date takes the 30th of February for the 2nd of March, so it
 * must come back as it went in.
 */
export function isDate(text: string): boolean {
  const day = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

export const dayMs = 86_400_000;

/** 00:00 UTC of a day. */
export function startOfDay(time: number): number {
  return time - (time % dayMs);
}

/** What the flags for a duration accept, in words. */
export const durationForm = 'a duration such as 500ms, 30s, 2m, 1h or 7d';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration with its unit; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const { amount = '', unit = '' } = /^(?<amount>[1-9]\d{0,8})(?<unit>ms|[smhd])$/.exec(text)?.groups ?? {};
  return amount === '' ? undefined : Number(amount) * (units[unit] ?? 0);
}

/** The same, where a number without a unit means seconds. */
export function readSeconds(text: string): number | undefined {
  return readDuration(/^\d+$/.test(text) ? `${text}s` : text);
}

const maxTimeoutMs = 86_400_000;

/** What the timeout of a file and of the environment accepts, in words. */
export const timeoutForm = `${durationForm}, or a whole number of seconds; at most 1d`;

/** Seconds of a timeout, a part of one in milliseconds; undefined for any other text. */
export function readTimeout(text: string): number | undefined {
  const ms = readSeconds(text);
  return ms === undefined || ms > maxTimeoutMs ? undefined : ms / 1000;
}

import { durationForm, readSeconds } from '../wire/duration.js';

const maxMs = 86_400_000;

/** What the timeout of a file and of the environment accepts, in words. */
export const timeoutForm = `${durationForm}, or a whole number of seconds; at most 1d`;

/** Seconds of a timeout, a part of one in milliseconds; undefined for any other text. */
export function readTimeout(text: string): number | undefined {
  const ms = readSeconds(text);
  return ms === undefined || ms > maxMs ? undefined : ms / 1000;
}

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];
const longAgo = 30 * 86_400_000;

/** In the largest unit that gives at least two: `90 s`, `2 min`. */
export function durationText(ms: number): string {
  const [unit, name] = units.find(([each]) => ms >= 2 * each) ?? [1000, 's'];
  return `${Math.floor(ms / unit)} ${name}`;
}

/** `2030-01-31T12:00:00Z`, as flags such as --since take it. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** `3 min ago`; the time itself where it is long ago or in the future. */
export function agoText(at: number, now: number): string {
  const age = now - at;
  if (age < 0 || age > longAgo) return timeText(at);
  return age < 2000 ? 'just now' : `${durationText(age)} ago`;
}

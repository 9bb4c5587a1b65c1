import type { Sum } from './intent.js';

/** Facts of a line, whose JSON may come from an older paycli. */
export type Facts = Readonly<Record<string, unknown>>;

export function factsIn(json: string): Facts {
  const value: unknown = JSON.parse(json);
  return isFacts(value) ? value : {};
}

/** The money under a name; undefined when there is none. */
export function sumIn(value: unknown, name: string): Sum | undefined {
  const sum = isFacts(value) ? value[name] : undefined;
  if (!isFacts(sum)) return undefined;
  const { minor, currency, digits } = sum;
  if (typeof minor !== 'string' || typeof currency !== 'string') return undefined;
  return typeof digits === 'number' ? { minor, currency, digits } : { minor, currency };
}

export function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null;
}

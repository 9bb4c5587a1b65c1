import { fail } from '../errors/index.js';

/** Reads a flag that holds seconds; undefined when it was not given. Throws USAGE. */
export function seconds(flag: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw fail('USAGE', { why: `${flag} takes whole seconds from 1 to ${most}`, command: '' });
  return value * 1000;
}

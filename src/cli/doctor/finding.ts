import { isPaycliError } from '../../errors/index.js';
import { withoutCardNumbers } from '../../wire/redact.js';

/** What one check found. `skip` was not checked, and says why. */
export interface Finding {
  readonly check: string;
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}

/** A check that has yet to be given its name. */
export type Found = Omit<Finding, 'check'>;

export const pass = (text: string): Found => ({ result: 'pass', text });
export const warn = (text: string, next: string): Found => ({ result: 'warn', text, next });
export const broken = (text: string, next: string): Found => ({ result: 'fail', text, next });
export const skip = (text: string, next?: string): Found => ({ result: 'skip', text, ...(next === undefined ? {} : { next }) });

/** An error of ours is a finding; any other is a fault of paycli and goes on. */
export function foundError(error: unknown): Found {
  if (!isPaycliError(error)) throw error;
  return broken(withoutCardNumbers(error.message), withoutCardNumbers(error.next));
}

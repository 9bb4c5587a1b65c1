import { isPaycliError } from '../../../errors/index.js';
import type { Processes } from '../../../runtime/ports.js';
import { engineName, isTested, testedVersions } from '../../gateway.js';

/** The result of one check. `skip` means not checked, with the reason. */
export interface Finding {
  readonly check: string;
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
  /** HTTP status of the reply it is about, if one came; only for the error object. */
  readonly httpStatus?: number;
}

/** A finding before its check is named. */
export type CheckResult = Omit<Finding, 'check'>;

export const pass = (text: string): CheckResult => ({ result: 'pass', text });
export const warn = (text: string, next: string): CheckResult => ({ result: 'warn', text, next });
export const failed = (text: string, next: string): CheckResult => ({ result: 'fail', text, next });
export const skip = (text: string, next?: string): CheckResult => ({
  result: 'skip',
  text,
  ...(next === undefined ? {} : { next }),
});

/** A PaycliError becomes a finding; any other error is a bug in paycli and is thrown on. */
export function failureOf(error: unknown): CheckResult {
  if (!isPaycliError(error)) throw error;
  return failed(error.message, error.next);
}

export function checkEngine(processes: Processes): CheckResult {
  const name = `${engineName(processes)}, ${processes.platform}`;
  if (isTested(processes)) return pass(name);
  return failed(
    `paycli is not tested with ${name}, so operations that move money are refused`,
    `use ${testedVersions}`,
  );
}

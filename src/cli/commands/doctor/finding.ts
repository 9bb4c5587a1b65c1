import type { LoadedProfile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import type { ProfileKeys } from '../../open-session.js';

export interface DoctorOptions extends CommonOptions {
  readonly online?: boolean;
}

/** The result of one check. `skip` means not checked, with the reason. */
export interface CheckResult {
  readonly result: 'pass' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it. */
  readonly next?: string;
}

/** What the checks look at. */
export interface Examined {
  /** Undefined when the configuration is invalid, which `found` says. */
  readonly loaded: LoadedProfile | undefined;
  readonly found: CheckResult;
  readonly options: DoctorOptions;
  readonly runtime: Runtime;
  readonly report: Reporter;
  /** Of the profile; read once, as a pipe can be. */
  readonly keys: ProfileKeys | undefined;
}

/** A row of the table of checks. */
export interface Check {
  readonly name: string;
  /** Undefined where it does not apply. A PaycliError fails the check with its own advice. */
  readonly run: (examined: Examined) => Promise<CheckResult | undefined> | CheckResult | undefined;
}

export const pass = (text: string): CheckResult => ({ result: 'pass', text });
export const warn = (text: string, next: string): CheckResult => ({ result: 'warn', text, next });
export const failed = (text: string, next: string): CheckResult => ({ result: 'fail', text, next });
export const skip = (text: string): CheckResult => ({ result: 'skip', text });

/** What goes wrong in a check is a finding; an error that is no PaycliError is a bug in paycli and is thrown on. */
export async function attempt<T>(work: () => Promise<T> | T): Promise<T | CheckResult> {
  try {
    return await work();
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return failed(error.message, error.next);
  }
}

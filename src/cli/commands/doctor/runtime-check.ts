import { fail, isPaycliError } from '../../../errors/index.js';
import type { Processes } from '../../../runtime/ports.js';

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

const testedVersions = 'Node 20.19 or later, 22 or 24';

type Engine = Pick<Processes, 'engine' | 'nodeVersion'>;

/** True for release lines on which a lost reply was verified to be a single request on the wire. */
function isTested({ engine, nodeVersion }: Engine): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return engine === 'Node' && ((major === 20 && minor >= 19) || major === 22 || major === 24);
}

function engineName({ engine, nodeVersion }: Engine): string {
  return engine === 'Node' ? `Node ${nodeVersion}` : `${engine} (as Node ${nodeVersion})`;
}

/** Called before anything that moves money. Throws RUNTIME_UNTESTED. */
export function assertTestedEngine(processes: Engine): void {
  if (!isTested(processes)) throw fail('RUNTIME_UNTESTED', { engine: engineName(processes), tested: testedVersions });
}

export function checkEngine(processes: Processes): CheckResult {
  const name = `${engineName(processes)}, ${processes.platform}`;
  if (isTested(processes)) return pass(name);
  return failed(
    `paycli is not tested with ${name}, so operations that move money are refused`,
    `use ${testedVersions}`,
  );
}

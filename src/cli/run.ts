import type { PaycliError } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';

/** What one run has printed so far, from which the error text is made where it ends with another code than 0. */
export interface Printed {
  form?: string;
  /** The result was printed on a terminal, complete and in words. */
  isOnScreen?: boolean;
  meaning?: string;
  next?: string;
  /** HTTP status of the last reply of the gateway; undefined where the last request got none. */
  httpStatus?: number | undefined;
  /** The error that is still to be printed, as the one error of this run. */
  error?: PaycliError;
  hasPrintedError?: boolean;
  /** The exit code is that of another program, which was given after `--`. */
  isOfProgram?: boolean;
}

/** The outside world, and what is kept for one run of the program. */
export interface Run extends Runtime {
  readonly printed?: Printed;
  /** What is to be done once the command has ended; its faults are not told any more. */
  readonly atEnd?: (() => Promise<unknown>)[];
}

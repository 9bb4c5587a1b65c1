import type { PaycliError } from '../errors/index.js';

/** What one run has printed so far, from which the error text is made where it ends with another code than 0. */
export interface Printed {
  /** The form of its results, once that is known. */
  form?: string;
  /** The result was printed on a terminal, complete and in words. */
  isOnScreen?: boolean;
  /** The meaning of the result, as printed. */
  meaning?: string;
  /** The next command, as printed with the result. */
  next?: string;
  /** HTTP status of the last reply of the gateway; undefined where the last request got none. */
  httpStatus?: number | undefined;
  /** The error that is still to be printed, as the one error of this run. */
  error?: PaycliError;
  /** An error is on standard error already. */
  hasPrintedError?: boolean;
  /** The exit code is that of another program, which was given after `--`. */
  isOfProgram?: boolean;
}

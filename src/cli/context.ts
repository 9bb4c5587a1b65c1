import type { Runtime } from '../runtime/ports.js';
import type { Assume } from '../spec/index.js';
import type { CommandLine } from './argv.js';

/** What a finished command leaves behind: the exit code of the process. */
export interface Finish {
  exit: number;
}

export interface ProgramContext {
  readonly runtime: Runtime;
  readonly commandLine: CommandLine;
  readonly finish: Finish;
  /** By which help lists flags; the defaults where no profile is asked. */
  readonly assume: Assume;
}

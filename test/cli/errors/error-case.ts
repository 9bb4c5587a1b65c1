import type { ErrorCode } from '../../../src/errors/index.js';
import type { TestOptions } from '../../support/runtime.js';
import type { ProfileSpec } from '../profiles.js';

/** One command line that goes wrong, with what has to be so for it. */
export interface ErrorCase {
  readonly code: ErrorCode;
  /** For the reader, where the command line does not say it by itself. */
  readonly given?: string;
  /** `HOME` stands for the home of the case, and `PORT` for what `port` gives. */
  readonly argv: readonly string[];
  /** A home with this profile, named shop. */
  readonly profile?: ProfileSpec;
  readonly before?: (home: string) => unknown;
  readonly options?: (home: string) => TestOptions;
  readonly port?: () => Promise<number>;
}

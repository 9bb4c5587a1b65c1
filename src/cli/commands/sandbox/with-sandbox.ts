import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { type LocalSandbox, openLocalSandbox } from '../../sandbox-session.js';

/** Opens the sandbox while `use` runs. */
export async function withSandbox<T>(
  flags: CommonOptions,
  runtime: Runtime,
  use: (sandbox: LocalSandbox, report: Reporter) => Promise<T>,
): Promise<T> {
  const report = new Reporter(flags, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    return await use(sandbox, report);
  } finally {
    sandbox.close();
  }
}

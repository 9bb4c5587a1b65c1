import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, on } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { assertNotListening, openLocalSandbox, removeSandbox } from '../../sandbox-session.js';

interface ResetOptions extends CommonOptions {
  readonly all?: boolean;
}

export const sandboxReset = defineCommand({
  summary: 'Delete all orders, cards and payouts; keep merchants and keys',
  flags: { all: on('also delete merchants and keys'), ...outputFlags } satisfies FlagsFor<ResetOptions>,
  effect: 'local',
  result: [],
  run: ({ flags, runtime }) => runSandboxReset(flags as ResetOptions, runtime),
});

/** Deletes orders, cards and payouts. */
async function runSandboxReset(options: ResetOptions, runtime: Runtime): Promise<number> {
  if (options.all === true) {
    await assertNotListening(runtime);
    removeSandbox(runtime);
  }
  const sandbox = await openLocalSandbox(runtime);
  try {
    sandbox.reset();
    new Reporter(options, undefined, runtime).notes([
      options.all === true
        ? 'the sandbox was deleted with its merchants and keys; the built-in merchant has new keys'
        : 'all sandbox orders were deleted; merchants and keys are unchanged',
    ]);
    return 0;
  } finally {
    sandbox.close();
  }
}

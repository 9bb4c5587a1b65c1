import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand } from '../../core/define-command.js';
import { assertNotListening, openLocalSandbox, sandboxPath } from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

interface ResetOptions extends CommonOptions {
  readonly all?: boolean;
}

export const sandboxReset = defineCommand<ResetOptions>({
  name: 'sandbox reset',
  summary: 'Forget all orders, cards and payouts; merchants and keys stay',
  options: [['--all', 'merchants and keys as well: start over']],
  effect: 'none',
  network: false,
  exits: [],
  prints: [],
  run: ({ options, runtime }) => runSandboxReset(options, runtime),
});

/** Forgets orders, cards and payouts. */
async function runSandboxReset(options: ResetOptions, runtime: Runtime): Promise<number> {
  if (options.all === true) {
    await assertNotListening(runtime);
    for (const end of ['', '-wal', '-shm']) runtime.files.remove(sandboxPath(runtime) + end);
  }
  const sandbox = await openLocalSandbox(runtime);
  try {
    sandbox.reset();
    new Reporter(options, undefined, runtime).notes([
      'the sandbox has forgotten its orders; merchants and keys are as they were',
    ]);
    return 0;
  } finally {
    sandbox.close();
  }
}

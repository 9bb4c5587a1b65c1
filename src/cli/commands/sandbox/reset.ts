import { defineCommand, on } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { assertNotListening, removeSandbox, withSandbox } from '../../sandbox-session.js';

export const sandboxReset = defineCommand({
  summary: 'Delete all orders, cards and payouts; keep merchants and keys',
  flags: { all: on('also delete merchants and keys'), ...outputFlags },
  examples: ['sandbox reset --all'],
  effect: 'local',
  result: [],
  async run({ flags, runtime }) {
    if (flags.all === true) {
      await assertNotListening(runtime);
      removeSandbox(runtime);
    }
    return withSandbox(flags, runtime, async (sandbox, report) => {
      sandbox.reset();
      const all = 'the sandbox was deleted with its merchants and keys; the built-in merchant has new keys';
      report.notes([flags.all === true ? all : 'all sandbox orders were deleted; merchants and keys are unchanged']);
      return 0;
    });
  },
});

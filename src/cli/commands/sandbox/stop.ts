import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand } from '../../core/define-command.js';
import { findListening } from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';

export const sandboxStop = defineCommand({
  name: 'sandbox stop',
  summary: 'Stop the listening sandbox',
  effect: 'none',
  network: false,
  exits: [],
  prints: [],
  run: ({ options, runtime }) => runSandboxStop(options, runtime),
});

/** Ends the sandbox of this name. Exit 0 also when none listens. */
async function runSandboxStop(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const running = await findListening(runtime);
  if (running === undefined) {
    report.notes(['no sandbox of this name is listening']);
    return 0;
  }
  runtime.processes.end(running.pid);
  for (let waited = 0; waited < 5000 && runtime.processes.isAlive(running.pid); waited += 50)
    await runtime.clock.sleep(50);
  report.notes([`the sandbox ${running.name} at ${running.url} was stopped`]);
  return 0;
}

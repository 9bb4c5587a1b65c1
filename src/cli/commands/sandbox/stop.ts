import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { findListening, type ListeningSandbox, sandboxName } from '../../sandbox-session.js';

export const sandboxStop = defineCommand({
  summary: 'Stop the listening sandbox',
  flags: { ...outputFlags },
  effect: 'local',
  result: ['sandbox-stopped'],
  run: ({ flags, runtime }) => runSandboxStop(flags, runtime),
});

/** Ends the sandbox of this name. Exit 0 also when none listens. */
async function runSandboxStop(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const name = sandboxName(runtime);
  const running = await findListening(runtime);
  if (running !== undefined) await end(running, runtime);
  const url = running?.url ?? null;
  report.notes([url === null ? `sandbox ${name} is not listening` : `sandbox ${name} at ${url} was stopped`]);
  await report.show({
    document: { schema: 'paycli.sandbox-stopped/1', name, stopped: url !== null, url },
    text: () => '',
  });
  return 0;
}

async function end({ pid }: ListeningSandbox, { processes, clock }: Runtime): Promise<void> {
  processes.end(pid);
  for (let waited = 0; waited < 5000 && processes.isAlive(pid); waited += 50) await clock.sleep(50);
}

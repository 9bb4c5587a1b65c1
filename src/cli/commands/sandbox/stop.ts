import { defineCommand } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { findListening, sandboxName } from '../../sandbox-session.js';

/** Exit 0 also when none listens. */
export const sandboxStop = defineCommand({
  summary: 'Stop the listening sandbox',
  flags: outputFlags,
  examples: ['sandbox stop'],
  effect: 'local',
  result: ['sandbox-stopped'],
  async run({ flags, runtime }) {
    const { processes, clock } = runtime;
    const report = new Reporter(flags, undefined, runtime);
    const name = sandboxName(runtime);
    const { pid, url = null } = (await findListening(runtime)) ?? {};
    if (pid !== undefined) {
      processes.end(pid);
      for (let waited = 0; waited < 5000 && processes.isAlive(pid); waited += 50) await clock.sleep(50);
    }
    report.notes([url === null ? `sandbox ${name} is not listening` : `sandbox ${name} at ${url} was stopped`]);
    const document = { schema: 'paycli.sandbox-stopped/1', name, stopped: url !== null, url };
    await report.show({ document, text: () => '' });
    return 0;
  },
});

import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { addGlobalOptions } from './options.js';

/** Commands that only look at what happened. */
export function addSandboxWatch(parent: Command, { runtime, finish }: ProgramContext): void {
  const log = parent
    .command('log')
    .description('What happened: requests with their signature check, stages, callbacks, pages')
    .option('--order <id>', "only one order, by the gateway's id or your own")
    .option('--limit <number>', 'the newest so many (200)')
    .option('--follow', 'wait for more until Ctrl-C');
  addGlobalOptions(log).action(async () => {
    const { runSandboxLog } = await import('./commands/sandbox-log.js');
    finish.exit = await runSandboxLog(log.opts(), runtime);
  });
  const audit = parent
    .command('audit')
    .description('Report card: what clients did wrong so far, and how to fix it; exit 11 when there is anything')
    .option('--since <time>', 'only since a time, or 10m, 2h, 1d ago')
    .option('--junit', 'as JUnit XML');
  addGlobalOptions(audit).action(async () => {
    const { runSandboxAudit } = await import('./commands/sandbox-audit.js');
    finish.exit = await runSandboxAudit(audit.opts(), runtime);
  });
}

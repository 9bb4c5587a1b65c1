import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { asGroup } from './groups.js';
import { addGlobalOptions } from './options.js';

/** The sandbox clock, and the callbacks that go by it. */
export function addSandboxTime(parent: Command, context: ProgramContext): void {
  addClock(
    asGroup(parent.command('clock').description('The sandbox clock: states, holds, recurring charges and callbacks go by it')),
    context,
  );
  addCallbacks(asGroup(parent.command('callbacks').description('What was reported to merchants, and what became of it')), context);
}

function addClock(clock: Command, { runtime, finish }: ProgramContext): void {
  const show = addGlobalOptions(clock.command('show').description('The time of the sandbox, and what is due next'));
  show.action(async () => {
    const { showClock } = await import('./commands/sandbox-clock.js');
    finish.exit = await showClock(show.opts(), runtime);
  });
  const set = clock.command('set').description('Move the clock to a later moment').argument('<moment>', 'such as 2030-01-31T12:00:00Z');
  addGlobalOptions(set).action(async (moment: string) => {
    const { setClock } = await import('./commands/sandbox-clock.js');
    finish.exit = await setClock(moment, set.opts(), runtime);
  });
  const forward = clock.command('advance').description('Move the clock forward').argument('<duration>', 'such as 7d, 12h, 30m or 10s');
  addGlobalOptions(forward).action(async (duration: string) => {
    const { advanceClock } = await import('./commands/sandbox-clock.js');
    finish.exit = await advanceClock(duration, forward.opts(), runtime);
  });
  const run = clock
    .command('run')
    .description('Move the clock to the next thing that is due')
    .option('--until-idle', 'again and again, until nothing is due but schedules without an end');
  addGlobalOptions(run).action(async () => {
    const { runClock } = await import('./commands/sandbox-clock.js');
    finish.exit = await runClock(run.opts(), runtime);
  });
}

function addCallbacks(callbacks: Command, { runtime, finish }: ProgramContext): void {
  const list = callbacks
    .command('list')
    .description('All callbacks with every attempt to deliver them')
    .option('--order <id>', 'only those of this order, by its id or your own id of it');
  addGlobalOptions(list).action(async () => {
    const { listOutbox } = await import('./commands/sandbox-callbacks.js');
    finish.exit = await listOutbox(list.opts(), runtime);
  });
  const script = callbacks
    .command('script')
    .description('How the callbacks of an order are delivered: late, twice, wrong and so on')
    .argument('[script]', 'its name; all are listed without one')
    .option('--client-order-id <id>', 'the order, by your own id of it; it need not be there yet')
    .option('--login <login>', 'its merchant; the built-in one when left out')
    .option('--seed <text>', 'let every other order draw a script from its id; `off` ends that');
  addGlobalOptions(script).action(async (name: string | undefined) => {
    const { scriptCallbacks } = await import('./commands/sandbox-callbacks.js');
    finish.exit = await scriptCallbacks(name, script.opts(), runtime);
  });
}

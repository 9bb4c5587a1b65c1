import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { addGlobalOptions, asGroup, repeated } from '../../core/options.js';

/** The commands of the built-in sandbox gateway. */
export function addSandbox(parent: Command, context: ProgramContext): void {
  addStart(asGroup(parent).command('start'), context);
  addStop(parent, context);
  addStatus(parent, context);
  addReset(parent, context);
  addOutcomes(parent, context);
  addSnapshots(parent, context);
  addMerchants(parent, context);
  addSandboxTime(parent, context);
  addSandboxWatch(parent, context);
  addName(parent);
}

/** Which sandbox is meant: `run.ts` reads the flag before anything else does, so that every part sees the same one. */
function addName(parent: Command): void {
  for (const command of parent.commands) {
    if (command.commands.length > 0) addName(command);
    else
      command
        .optionsGroup('Which sandbox:')
        .option('--name <name>', 'each has its own data (default, or PAYCLI_SANDBOX)');
  }
}

function addStart(start: Command, { runtime, finish }: ProgramContext): void {
  start
    .description('Serve the sandbox over HTTP on this machine until Ctrl-C')
    .usage('[flags] [--run -- command]')
    .argument('[command...]', 'with --run: what to run while the sandbox listens')
    .option('--run', 'run the command behind --, then stop and give its exit code')
    .option('--port <number>', 'port; 0 for any free one (8484)')
    .option('--login <login>', 'add a merchant with this login')
    .option('--endpoint-id <id>', 'the endpoint of that merchant')
    .option('--control-key-file <file>', 'the control key of that merchant')
    .option('--public-key-file <file>', 'the RSA public key of that merchant (PEM)')
    .addOption(repeated('--assume <switch=value>', 'set an assumption of the sandbox, repeated as needed'))
    .option('--settle-ms <number>', 'milliseconds until a transaction is final (300)')
    .option('--any-card', 'accept any card number, not only published test numbers')
    .addOption(
      repeated(
        '--callback-host <host>',
        'a host besides this machine that may get callbacks, with or without port; repeated as needed',
      ),
    )
    .option(
      '--listen',
      'take callbacks as well, as `callback listen` does; the address is printed, and set as PAYCLI_CALLBACK_URL',
    )
    .option('--forward <url>', 'with --listen: hand each callback to this handler')
    .addOption(
      repeated(
        '--route <rule>',
        'with --listen: hand callbacks with a field of this value elsewhere; repeated as needed',
      ),
    )
    .option('--seed <text>', 'the same ids in every run that starts from the same data')
    .option('--ready-file <file>', 'write the address there once the sandbox listens');
  addGlobalOptions(start).action(async (command: string[]) => {
    const { runSandboxStart } = await import('./start.js');
    finish.exit = await runSandboxStart(command, start.opts(), runtime);
  });
}

function addStop(parent: Command, { runtime, finish }: ProgramContext): void {
  const stop = addGlobalOptions(parent.command('stop').description('End the sandbox that listens'));
  stop.action(async () => {
    const { runSandboxStop } = await import('./state.js');
    finish.exit = await runSandboxStop(stop.opts(), runtime);
  });
}

function addStatus(parent: Command, { runtime, finish }: ProgramContext): void {
  const status = parent
    .command('status')
    .description('Show merchants, endpoints and keys, and whether the sandbox listens');
  addGlobalOptions(status).action(async () => {
    const { runSandboxStatus } = await import('./state.js');
    finish.exit = await runSandboxStatus(status.opts(), runtime);
  });
}

function addReset(parent: Command, { runtime, finish }: ProgramContext): void {
  const reset = parent
    .command('reset')
    .description('Forget all orders, cards and payouts; merchants and keys stay')
    .option('--all', 'merchants and keys as well: start anew');
  addGlobalOptions(reset).action(async () => {
    const { runSandboxReset } = await import('./state.js');
    finish.exit = await runSandboxReset(reset.opts(), runtime);
  });
}

function addOutcomes(parent: Command, { runtime, finish }: ProgramContext): void {
  const outcomes = parent
    .command('outcomes')
    .description('What test cards, codes, amounts and names lead to; `outcomes next NAME` queues one')
    .argument('[next]', 'the word next')
    .argument('[outcome]', 'the outcome of the next order')
    .option('--client-order-id <id>', 'only for requests with this id')
    .option('--order <id>', 'only for follow-ups on this order')
    .option('--login <login>', 'for this merchant; the built-in one when left out');
  addGlobalOptions(outcomes).action(async (next: string | undefined, outcome: string | undefined) => {
    const { runSandboxOutcomes } = await import('./outcomes.js');
    finish.exit = await runSandboxOutcomes(next, outcome, outcomes.opts(), runtime);
  });
}

function addSnapshots(parent: Command, { runtime, finish }: ProgramContext): void {
  const group = asGroup(parent.command('snapshot').description('Keep the state under a name, and go back to it'));
  const save = group.command('save').description('Keep the state as it is now').argument('<snapshot>', 'a name for it');
  addGlobalOptions(save.option('--replace', 'replace an older one of that name')).action(async (name: string) => {
    const { saveSnapshot } = await import('./snapshots.js');
    finish.exit = await saveSnapshot(name, save.opts(), runtime);
  });
  const load = group.command('load').description('Go back to a kept state').argument('<snapshot>', 'its name');
  addGlobalOptions(load).action(async (name: string) => {
    const { loadSnapshot } = await import('./snapshots.js');
    finish.exit = await loadSnapshot(name, load.opts(), runtime);
  });
  const list = addGlobalOptions(group.command('list').description('The states that were kept'));
  list.action(async () => {
    const { listSnapshots } = await import('./snapshots.js');
    finish.exit = await listSnapshots(list.opts(), runtime);
  });
}

function addMerchants(parent: Command, { runtime, finish }: ProgramContext): void {
  const add = asGroup(parent.command('merchant').description('Merchants of this sandbox, each with orders of its own'))
    .command('add')
    .description('Add a merchant with new keys and print them')
    .requiredOption('--login <login>', 'its login')
    .option('--endpoint-id <id>', 'its endpoint; the next free one when left out');
  addGlobalOptions(add).action(async () => {
    const { runMerchantAdd } = await import('./state.js');
    finish.exit = await runMerchantAdd(add.opts(), runtime);
  });
}

/** The sandbox clock, and the callbacks that go by it. */
export function addSandboxTime(parent: Command, context: ProgramContext): void {
  addClock(
    asGroup(
      parent.command('clock').description('The sandbox clock: states, holds, recurring charges and callbacks go by it'),
    ),
    context,
  );
  addCallbackScripts(
    asGroup(parent.command('callbacks').description('What was reported to merchants, and what became of it')),
    context,
  );
}

function addClock(clock: Command, { runtime, finish }: ProgramContext): void {
  const show = addGlobalOptions(clock.command('show').description('The time of the sandbox, and what is due next'));
  show.action(async () => {
    const { showClock } = await import('./clock.js');
    finish.exit = await showClock(show.opts(), runtime);
  });
  const set = clock
    .command('set')
    .description('Move the clock to a later moment')
    .argument('<moment>', 'such as 2030-01-31T12:00:00Z');
  addGlobalOptions(set).action(async (moment: string) => {
    const { setClock } = await import('./clock.js');
    finish.exit = await setClock(moment, set.opts(), runtime);
  });
  const forward = clock
    .command('advance')
    .description('Move the clock forward')
    .argument('<duration>', 'such as 7d, 12h, 30m or 10s');
  addGlobalOptions(forward).action(async (duration: string) => {
    const { advanceClock } = await import('./clock.js');
    finish.exit = await advanceClock(duration, forward.opts(), runtime);
  });
  const run = clock
    .command('run')
    .description('Move the clock to the next thing that is due')
    .option('--until-idle', 'again and again, until nothing is due but schedules without an end');
  addGlobalOptions(run).action(async () => {
    const { runClock } = await import('./clock.js');
    finish.exit = await runClock(run.opts(), runtime);
  });
}

function addCallbackScripts(callbacks: Command, { runtime, finish }: ProgramContext): void {
  const list = callbacks
    .command('list')
    .description('All callbacks with every attempt to deliver them')
    .option('--order <id>', 'only those of this order, by its id or your own id of it');
  addGlobalOptions(list).action(async () => {
    const { listOutbox } = await import('./callbacks.js');
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
    const { scriptCallbacks } = await import('./callbacks.js');
    finish.exit = await scriptCallbacks(name, script.opts(), runtime);
  });
}

/** Commands that only look at what happened. */
export function addSandboxWatch(parent: Command, { runtime, finish }: ProgramContext): void {
  const log = parent
    .command('log')
    .description('What happened: requests with their signature check, stages, callbacks, pages')
    .option('--order <id>', "only one order, by the gateway's id or your own")
    .option('--limit <number>', 'the newest so many (200)')
    .option('--follow', 'wait for more until Ctrl-C');
  addGlobalOptions(log).action(async () => {
    const { runSandboxLog } = await import('./log.js');
    finish.exit = await runSandboxLog(log.opts(), runtime);
  });
  const audit = parent
    .command('audit')
    .description('Report card: what clients did wrong so far, and how to fix it; exit 11 when there is anything')
    .option('--since <time>', 'only since a time, or 10m, 2h, 1d ago')
    .option('--junit', 'as JUnit XML');
  addGlobalOptions(audit).action(async () => {
    const { runSandboxAudit } = await import('./audit.js');
    finish.exit = await runSandboxAudit(audit.opts(), runtime);
  });
}

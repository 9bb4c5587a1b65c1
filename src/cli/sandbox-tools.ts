import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { asGroup, repeated } from './groups.js';
import { addGlobalOptions } from './options.js';
import { addSandboxTime } from './sandbox-time.js';
import { addSandboxWatch } from './sandbox-watch.js';

/** The commands of the gateway in the box. */
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
    else command.optionsGroup('Which sandbox:').option('--name <name>', 'each has its own data (default, or PAYCLI_SANDBOX)');
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
      repeated('--callback-host <host>', 'a host besides this machine that may get callbacks, with or without port; repeated as needed'),
    )
    .option('--listen', 'take callbacks as well, as `callback listen` does; the address is printed, and set as PAYCLI_CALLBACK_URL')
    .option('--forward <url>', 'with --listen: hand each callback to this handler')
    .addOption(repeated('--route <rule>', 'with --listen: hand callbacks with a field of this value elsewhere; repeated as needed'))
    .option('--seed <text>', 'the same ids in every run that starts from the same data')
    .option('--ready-file <file>', 'write the address there once the sandbox listens');
  addGlobalOptions(start).action(async (command: string[]) => {
    const { runSandboxStart } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxStart(command, start.opts(), runtime);
  });
}

function addStop(parent: Command, { runtime, finish }: ProgramContext): void {
  const stop = addGlobalOptions(parent.command('stop').description('End the sandbox that listens'));
  stop.action(async () => {
    const { runSandboxStop } = await import('./commands/sandbox-state.js');
    finish.exit = await runSandboxStop(stop.opts(), runtime);
  });
}

function addStatus(parent: Command, { runtime, finish }: ProgramContext): void {
  const status = parent.command('status').description('Show merchants, endpoints and keys, and whether the sandbox listens');
  addGlobalOptions(status).action(async () => {
    const { runSandboxStatus } = await import('./commands/sandbox-state.js');
    finish.exit = await runSandboxStatus(status.opts(), runtime);
  });
}

function addReset(parent: Command, { runtime, finish }: ProgramContext): void {
  const reset = parent
    .command('reset')
    .description('Forget all orders, cards and payouts; merchants and keys stay')
    .option('--all', 'merchants and keys as well: start anew');
  addGlobalOptions(reset).action(async () => {
    const { runSandboxReset } = await import('./commands/sandbox-state.js');
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
    const { runSandboxOutcomes } = await import('./commands/sandbox-outcomes.js');
    finish.exit = await runSandboxOutcomes(next, outcome, outcomes.opts(), runtime);
  });
}

function addSnapshots(parent: Command, { runtime, finish }: ProgramContext): void {
  const group = asGroup(parent.command('snapshot').description('Keep the state under a name, and go back to it'));
  const save = group.command('save').description('Keep the state as it is now').argument('<snapshot>', 'a name for it');
  addGlobalOptions(save.option('--replace', 'replace an older one of that name')).action(async (name: string) => {
    const { saveSnapshot } = await import('./commands/sandbox-snapshots.js');
    finish.exit = await saveSnapshot(name, save.opts(), runtime);
  });
  const load = group.command('load').description('Go back to a kept state').argument('<snapshot>', 'its name');
  addGlobalOptions(load).action(async (name: string) => {
    const { loadSnapshot } = await import('./commands/sandbox-snapshots.js');
    finish.exit = await loadSnapshot(name, load.opts(), runtime);
  });
  const list = addGlobalOptions(group.command('list').description('The states that were kept'));
  list.action(async () => {
    const { listSnapshots } = await import('./commands/sandbox-snapshots.js');
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
    const { runMerchantAdd } = await import('./commands/sandbox-state.js');
    finish.exit = await runMerchantAdd(add.opts(), runtime);
  });
}

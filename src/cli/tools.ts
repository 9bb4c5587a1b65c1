import { type Command, Option } from 'commander';
import type { ProgramContext } from './context.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';

const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value];
const repeated = (flags: string, text: string) => new Option(flags, text).argParser(collect);

/** Every command that is no operation and no `sign`. */
export function addTools(program: Command, context: ProgramContext): void {
  const tool = (name: string, brief: string) => program.command(name).description(brief).helpGroup('Tools:');
  addRequest(tool('request', 'Send to a path by hand, signed'), context);
  addRecipe(tool('recipe', 'Contract of one operation: path, fields, scheme, order of the checksum'), context);
  addAssumptions(tool('assumptions', 'What the interface does not say, and what is assumed'), context);
  addSandbox(tool('sandbox', 'The gateway in the box'), context);
  addProfile(tool('profile', 'Profiles'), context);
  addConfig(tool('config', 'Configuration files'), context);
  addVersion(tool('version', 'Show versions: paycli, interface, Node'), context);
}

/** A command that only holds others shows its help. */
function asGroup(parent: Command): Command {
  return parent.usage('<command> [flags]').action(() => parent.outputHelp());
}

function addRequest(request: Command, { runtime, finish }: ProgramContext): void {
  request
    .argument('<path>', 'such as /api/v2/sale')
    .addOption(repeated('--field <name=value>', 'a field by its wire name, repeated as needed'))
    .addOption(
      new Option('--scheme <scheme>', 'how to sign a path the interface does not have').choices([
        'control',
        'hmac-sha1',
        'rsa-sha256',
        'none',
      ]),
    )
    .option('--signed-values <names>', 'for control: the wire names in order, separated by commas')
    .option('--dry-run', 'show the request; send nothing')
    .option('--timeout <seconds>', 'longest wait for the first byte of the reply (60)')
    .option('--live', 'needed with a live profile')
    .option('--confirm-login <login>', 'confirm a live payment in a script');
  addGlobalOptions(addConnectionOptions(request)).action(async (path: string) => {
    const { runRequest } = await import('./commands/request.js');
    finish.exit = await runRequest(path, request.opts(), runtime);
  });
}

function addRecipe(recipe: Command, { runtime, finish }: ProgramContext): void {
  recipe.argument('<operation...>', 'such as sale, or card-ref create');
  addGlobalOptions(addConnectionOptions(recipe)).action(async (words: string[]) => {
    const { runRecipe } = await import('./commands/recipe.js');
    finish.exit = await runRecipe(words.join(' '), recipe.opts(), runtime);
  });
}

function addProfile(profile: Command, { runtime, finish }: ProgramContext): void {
  const list = addGlobalOptions(asGroup(profile).command('list').description('List the profiles and where they come from'));
  list.action(async () => {
    const { runProfileList } = await import('./commands/config.js');
    finish.exit = await runProfileList(list.opts(), runtime);
  });
}

function addVersion(version: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(version).action(async () => {
    const { runVersion } = await import('./commands/version.js');
    finish.exit = runVersion(version.opts(), runtime);
  });
}

function addAssumptions(parent: Command, { runtime, finish }: ProgramContext): void {
  const list = asGroup(parent).command('list').description('All assumptions with their values in force');
  addGlobalOptions(addConnectionOptions(list)).action(async () => {
    const { runAssumptionsList } = await import('./commands/assumptions.js');
    finish.exit = await runAssumptionsList(list.opts(), runtime);
  });
  const explain = parent.command('explain').description('One assumption in full').argument('<id>', 'A07, or its switch name');
  addGlobalOptions(addConnectionOptions(explain)).action(async (id: string) => {
    const { runAssumptionsExplain } = await import('./commands/assumptions.js');
    finish.exit = await runAssumptionsExplain(id, explain.opts(), runtime);
  });
}

function addSandbox(parent: Command, context: ProgramContext): void {
  addSandboxStart(asGroup(parent).command('start'), context);
  const { runtime, finish } = context;
  const status = parent.command('status').description('Show merchants, endpoints and keys, and whether the sandbox listens');
  addGlobalOptions(status).action(async () => {
    const { runSandboxStatus } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxStatus(status.opts(), runtime);
  });
  const reset = parent
    .command('reset')
    .description('Forget all orders, cards and payouts; merchants and keys stay')
    .option('--all', 'merchants and keys as well: start anew');
  addGlobalOptions(reset).action(async () => {
    const { runSandboxReset } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxReset(reset.opts(), runtime);
  });
  const outcomes = parent
    .command('outcomes')
    .description('What test cards, security codes and amounts lead to; `outcomes next NAME` queues one')
    .argument('[next]', 'the word next')
    .argument('[outcome]', 'the outcome of the next order')
    .option('--client-order-id <id>', 'only for the order with this id');
  addGlobalOptions(outcomes).action(async (next: string | undefined, outcome: string | undefined) => {
    const { runSandboxOutcomes } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxOutcomes(next, outcome, outcomes.opts(), runtime);
  });
}

function addSandboxStart(start: Command, { runtime, finish }: ProgramContext): void {
  start
    .description('Serve the sandbox over HTTP on this machine until Ctrl-C')
    .option('--port <number>', 'port; 0 for any free one (8484)')
    .option('--login <login>', 'add a merchant with this login')
    .option('--endpoint-id <id>', 'the endpoint of that merchant')
    .option('--control-key-file <file>', 'the control key of that merchant')
    .option('--public-key-file <file>', 'the RSA public key of that merchant (PEM)')
    .addOption(repeated('--assume <switch=value>', 'set an assumption of the sandbox, repeated as needed'))
    .option('--settle-ms <number>', 'milliseconds until a transaction is final (300)')
    .option('--any-card', 'accept any card number, not only published test numbers')
    .option('--ready-file <file>', 'write the address there once the sandbox listens');
  addGlobalOptions(start).action(async () => {
    const { runSandboxStart } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxStart(start.opts(), runtime);
  });
}

function addConfig(parent: Command, { runtime, finish }: ProgramContext): void {
  const trust = asGroup(parent).command('trust').description('Let a project file set connection, keys and assumptions').argument('<file>');
  addGlobalOptions(trust).action(async (file: string) => {
    const { runConfigTrust } = await import('./commands/config.js');
    finish.exit = await runConfigTrust(file, trust.opts(), runtime);
  });
}

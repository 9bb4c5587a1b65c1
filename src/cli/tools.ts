import { type Command, Option } from 'commander';
import { addCallbacks } from './callback-tools.js';
import type { ProgramContext } from './context.js';
import { addDoctor } from './doctor-tools.js';
import { asGroup, repeated } from './groups.js';
import { addJournal } from './journal-tools.js';
import { addKeys } from './keys-tools.js';
import { addLive } from './live-tools.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';
import { addProfiles } from './profile-tools.js';
import { addSandbox } from './sandbox-tools.js';
import { addFormFill, addThreeds } from './threeds-tools.js';
import { addWaiting } from './wait-tools.js';

/** Every command that is no operation and no `sign`. */
export function addTools(program: Command, context: ProgramContext): void {
  const tool = (name: string, brief: string) => program.command(name).description(brief).helpGroup('Tools:');
  addRequest(tool('request', 'Send to a path by hand, signed'), context);
  addRecipe(tool('recipe', 'Contract of one operation: path, fields, scheme, order of the checksum'), context);
  addKeys(tool('keys', 'Keys for the RSA-SHA256 signatures: make, inspect, convert'), context);
  addAssumptions(tool('assumptions', 'What the interface does not say, and what is assumed'), context);
  addSandbox(tool('sandbox', 'The gateway in the box'), context);
  addThreeds(tool('3ds', '3-D Secure messages and flows, for tests'), context);
  addFormFill(program, context);
  addCallbacks(program, context);
  addWaiting(program, context);
  addJournal(program, context);
  addLive(program, context);
  addProfiles(program, context);
  addFlow(tool('flow', 'Where an order stands, and everything that may follow'), context);
  addCan(tool('can', 'Whether an operation may follow on an order'), context);
  addDoctor(tool('doctor', ''), context);
  addVersion(tool('version', 'Show versions: paycli, interface, Node'), context);
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

function addFlow(flow: Command, { runtime, finish }: ProgramContext): void {
  flow
    .argument('[order]', 'the order id the gateway gave')
    .option('--client-order-id <id>', 'or your own id of it')
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(flow)).action(async (order: string | undefined) => {
    const { runFlow } = await import('./commands/flow.js');
    finish.exit = await runFlow(order, flow.opts(), runtime);
  });
}

function addCan(can: Command, { runtime, finish }: ProgramContext): void {
  can
    .argument('<words...>', 'the operation and the order, such as capture 12345678')
    .option('--client-order-id <id>', "your own id of the order, instead of the gateway's")
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(can)).action(async (words: string[]) => {
    const { runCan } = await import('./commands/flow.js');
    finish.exit = await runCan(words, can.opts(), runtime);
  });
}

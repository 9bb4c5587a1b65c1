import { type Command, Option } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, asGroup, inputOption, repeated } from '../../core/options.js';

export function addRequest(request: Command, { runtime, finish }: ProgramContext): void {
  request
    .argument('<path>', 'such as /api/v2/sale')
    .addOption(
      repeated('--field <name=value>', 'a field by its wire name, repeated as needed; name=@file reads the value'),
    )
    .addOption(inputOption())
    .addOption(
      new Option('--scheme <scheme>', 'how to sign a path the interface does not have').choices([
        'control',
        'hmac-sha1',
        'rsa-sha256',
        'none',
      ]),
    )
    .option('--signed-values <names>', 'for control: the wire names in order, separated by commas')
    .option('--allow-unknown-field', 'let a path of the interface have a name it does not know')
    .option('--card-file <file>', 'card fields as JSON or name=value lines, mode 0600; for paths of the interface')
    .option('--card-fd <number>', 'the same from an open descriptor; 0 is standard input')
    .option('--dry-run', 'show the request and its signature; send nothing')
    .option('--no-input', 'never ask')
    .option('--again', 'send an equal request once more on purpose')
    .option('--no-status', 'send money without a control key to ask for the outcome')
    .option('--timeout <seconds>', 'longest wait for the first byte of the reply (60)')
    .option('--live', 'needed with a live profile')
    .option('--confirm-login <login>', 'confirm a live payment in a script');
  addGlobalOptions(addConnectionOptions(request)).action(async (path: string) => {
    const { runRequest } = await import('./request.js');
    finish.exit = await runRequest(path, request.opts(), runtime);
  });
}

export function addRecipe(recipe: Command, { runtime, finish }: ProgramContext): void {
  recipe.argument('<operation...>', 'such as sale, or card-ref create');
  addGlobalOptions(addConnectionOptions(recipe)).action(async (words: string[]) => {
    const { runRecipe } = await import('./recipe.js');
    finish.exit = await runRecipe(words.join(' '), recipe.opts(), runtime);
  });
}

export function addVersion(version: Command, { runtime, finish }: ProgramContext): void {
  addGlobalOptions(version).action(async () => {
    const { runVersion } = await import('./version.js');
    finish.exit = await runVersion(version.opts(), runtime);
  });
}

export function addAssumptions(parent: Command, { runtime, finish }: ProgramContext): void {
  const list = asGroup(parent).command('list').description('All assumptions with their values in force');
  addGlobalOptions(addConnectionOptions(list)).action(async () => {
    const { runAssumptionsList } = await import('../assumptions/list.js');
    finish.exit = await runAssumptionsList(list.opts(), runtime);
  });
  const explain = parent
    .command('explain')
    .description('One assumption in full')
    .argument('<id>', 'A07, or its switch name');
  addGlobalOptions(addConnectionOptions(explain)).action(async (id: string) => {
    const { runAssumptionsExplain } = await import('../assumptions/list.js');
    finish.exit = await runAssumptionsExplain(id, explain.opts(), runtime);
  });
  const set = parent.command('set').summary('Set a switch in a profile of the user file');
  set
    .description(
      withExamples(
        'Set switches in a profile of the user file, or put them back to their defaults',
        assumptionExamples,
      ),
    )
    .argument('[settings...]', 'SWITCH=VALUE, by the name of the switch or its id')
    .addOption(repeated('--unset <switch>', 'back to its default, repeated as needed'))
    .option('-p, --profile <name>', 'the profile; the one in force when left out')
    .option('--yes', 'do not ask, with a live profile')
    .option('--no-input', 'never ask');
  addGlobalOptions(set).action(async (settings: string[]) => {
    const { runAssumptionsSet } = await import('../assumptions/set.js');
    finish.exit = await runAssumptionsSet(settings, set.opts(), runtime);
  });
}

export function addFlow(flow: Command, { runtime, finish }: ProgramContext): void {
  flow
    .argument('[order]', 'the order id the gateway gave')
    .option('--client-order-id <id>', 'or your own id of it')
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(flow)).action(async (order: string | undefined) => {
    const { runFlow } = await import('./flow.js');
    finish.exit = await runFlow(order, flow.opts(), runtime);
  });
}

export function addCan(can: Command, { runtime, finish }: ProgramContext): void {
  can
    .argument('<words...>', 'the operation and the order, such as capture 12345678')
    .option('--client-order-id <id>', "your own id of the order, instead of the gateway's")
    .option('--live', 'needed with a live profile');
  addGlobalOptions(addConnectionOptions(can)).action(async (words: string[]) => {
    const { runCan } = await import('./flow.js');
    finish.exit = await runCan(words, can.opts(), runtime);
  });
}

/**
 * Examples of `assumptions set`, without the word `paycli`; each follows on those before it. A test runs them with a
 * profile shop-test.
 */
export const assumptionExamples = [
  'assumptions set control-encoding=hex-upper',
  'assumptions set A03=minor --unset control-encoding --profile shop-test',
] as const;

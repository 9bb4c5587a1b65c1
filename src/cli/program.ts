import { Argument, Command, CommanderError, Option } from 'commander';
import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { allOperations, type Operation } from '../spec/index.js';
import type { CommandLine } from './argv.js';
import { examplesOf } from './help/examples.js';
import { addConnectionOptions, addFieldOptions, addGlobalOptions, addSendingOptions, type CommonOptions, type Typed } from './options.js';

/** What a finished command leaves behind: the exit code of the process. */
export interface Finish {
  exit: number;
}

export interface ProgramContext {
  readonly runtime: Runtime;
  readonly commandLine: CommandLine;
  readonly finish: Finish;
}

const groups: readonly (readonly [name: string, brief: string, heading: string])[] = [
  ['payout', 'Send money out, in one step or in two', 'Payouts:'],
  ['card-ref', 'Keep a card and look at it', 'Cards:'],
  ['recurring', 'Repeated charges', 'Cards:'],
  ['pan-eligibility', 'Ask whether a card may send transfers', 'Cards:'],
  ['form', 'Hosted pages that take the card data', 'Hosted pages and 3-D Secure:'],
  ['upload-3ds', 'Hand in 3-D Secure results', 'Hosted pages and 3-D Secure:'],
];

const headingByCommand: Readonly<Record<string, string>> = { transfer: 'Payouts:', rebill: 'Cards:' };

/** Builds the command tree. Only the wanted operation gets its options: building all of them costs start-up time. */
export function buildProgram(context: ProgramContext): Command {
  const { terminal } = context.runtime;
  const program = new Command('paycli')
    .description('Payments, payouts and cards through a card processing gateway, with a sandbox gateway in the box.')
    .usage('<command> [flags]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
      getOutHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: false,
      visibleOptions: (command) => command.options.filter((option) => !option.hidden && option.long !== '--help'),
    })
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('-V, --version', 'show the version');
  addOperations(program, context);
  addTools(program, context);
  program.addHelpText('after', rootFooter).action(() => program.outputHelp());
  return program;
}

const rootFooter = `
Start here:
  paycli sale --amount 10.42 --currency USD --test-card approved --wait
  paycli sale --help             the flags of one command
  paycli help exit-codes         also: environment, profiles, signing, sandbox, assumptions, output
`;

function addOperations(program: Command, context: ProgramContext): void {
  const parents = new Map<string, Command>();
  for (const row of allOperations) {
    const [first = '', second] = row.command.split(' ');
    if (second === undefined) {
      const command = program.command(first).helpGroup(headingByCommand[first] ?? 'Payments:');
      for (const alias of row.aliases ?? []) command.alias(alias);
      setUp(command, row, context, 'send');
      continue;
    }
    const parent = parents.get(first) ?? addGroup(program, first);
    parents.set(first, parent);
    setUp(parent.command(second), row, context, 'send');
  }
  const form = allOperations.find((row) => row.id === 'PAYOUTFORM');
  const payout = parents.get('payout');
  if (form !== undefined && payout !== undefined) setUp(payout.command('form'), form, context, 'send');
}

function addGroup(program: Command, name: string): Command {
  const [, brief = '', heading = 'Tools:'] = groups.find(([word]) => word === name) ?? [];
  const group = program.command(name).description(brief).helpGroup(heading).usage('<command> [flags]');
  return group.action(() => group.outputHelp());
}

function setUp(command: Command, row: Operation, context: ProgramContext, mode: 'send' | 'sign'): void {
  command.summary(row.brief).description(`${row.brief}\n\n${examplesOf(row, mode)}`);
  if (context.commandLine.row !== row) {
    command.action(() => undefined);
    return;
  }
  if (takesOrder(row)) command.addArgument(new Argument('[order]', 'the order id the gateway gave; the same as --order-id'));
  const keyByAttribute = addFieldOptions(command, row);
  addSendingOptions(command, row);
  if (mode === 'sign') command.option('--explain', 'show every value with its origin and every stage of the signature');
  addConnectionOptions(command);
  addGlobalOptions(command);
  command.action(async (...given: unknown[]) => {
    const order = takesOrder(row) && typeof given[0] === 'string' ? given[0] : undefined;
    const typed = readTyped(command.opts(), keyByAttribute, order);
    const { runOperation } = await import('./commands/operation.js');
    context.finish.exit = await runOperation(row, typed, mode, context.runtime);
  });
}

/** Follow-ups and status may name the gateway's order id as a plain word. */
function takesOrder(row: Operation): boolean {
  return !row.opens && 'orderId' in row.fields;
}

function readTyped(
  options: CommonOptions & Readonly<Record<string, unknown>>,
  keyByAttribute: ReadonlyMap<string, string>,
  order: string | undefined,
): Typed {
  const fields: Record<string, string> = {};
  for (const [attribute, key] of keyByAttribute) {
    const value = options[attribute];
    if (typeof value === 'string') fields[key] = value;
  }
  return { fields, order, options };
}

function addTools(program: Command, context: ProgramContext): void {
  const { runtime, finish } = context;
  const tool = (name: string, brief: string) => program.command(name).description(brief).helpGroup('Tools:');

  const sign = tool('sign', 'Show what would be signed, and the signature').usage('<operation> [flags]');
  sign.action(() => sign.outputHelp());
  addSignCommands(sign, context);

  const request = tool('request', 'Send to a path by hand, signed').argument('<path>', 'such as /api/v2/sale');
  addConnectionOptions(
    request
      .addOption(
        new Option('--field <name=value>', 'a field by its wire name, repeated as needed').argParser(
          (value: string, all: readonly string[] = []) => [...all, value],
        ),
      )
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
      .option('--confirm-login <login>', 'confirm a live payment in a script'),
  );
  addGlobalOptions(request).action(async (path: string) => {
    const { runRequest } = await import('./commands/request.js');
    finish.exit = await runRequest(path, request.opts(), runtime);
  });

  const recipe = tool('recipe', 'Contract of one operation: path, fields, scheme, order of the checksum').argument(
    '<operation...>',
    'such as sale, or card-ref create',
  );
  addGlobalOptions(addConnectionOptions(recipe)).action(async (words: string[]) => {
    const { runRecipe } = await import('./commands/recipe.js');
    finish.exit = await runRecipe(words.join(' '), recipe.opts(), runtime);
  });

  addAssumptions(tool('assumptions', 'What the interface does not say, and what is assumed'), context);
  addSandbox(tool('sandbox', 'The gateway in the box'), context);
  addConfig(tool('config', 'Configuration files'), context);

  const profile = tool('profile', 'Profiles').usage('<command> [flags]');
  profile.action(() => profile.outputHelp());
  const list = addGlobalOptions(profile.command('list').description('List the profiles and where they come from'));
  list.action(async () => {
    const { runProfileList } = await import('./commands/config.js');
    finish.exit = await runProfileList(list.opts(), runtime);
  });

  const version = addGlobalOptions(tool('version', 'Show versions: paycli, interface, Node'));
  version.action(async () => {
    const { runVersion } = await import('./commands/version.js');
    finish.exit = runVersion(version.opts(), runtime);
  });
}

function addSignCommands(sign: Command, context: ProgramContext): void {
  for (const row of allOperations) {
    const [first = '', second] = row.command.split(' ');
    if (second === undefined) {
      const command = sign.command(first);
      for (const alias of row.aliases ?? []) command.alias(alias);
      setUp(command, row, context, 'sign');
      continue;
    }
    const parent =
      sign.commands.find((command) => command.name() === first) ??
      sign.command(first).description(groups.find(([word]) => word === first)?.[1] ?? '');
    setUp(parent.command(second), row, context, 'sign');
  }
}

function addAssumptions(parent: Command, { runtime, finish }: ProgramContext): void {
  parent.usage('<command> [flags]').action(() => parent.outputHelp());
  const list = addGlobalOptions(addConnectionOptions(parent.command('list').description('All assumptions with their values in force')));
  list.action(async () => {
    const { runAssumptionsList } = await import('./commands/assumptions.js');
    finish.exit = await runAssumptionsList(list.opts(), runtime);
  });
  const explain = addGlobalOptions(
    addConnectionOptions(parent.command('explain').description('One assumption in full').argument('<id>', 'A07, or its switch name')),
  );
  explain.action(async (id: string) => {
    const { runAssumptionsExplain } = await import('./commands/assumptions.js');
    finish.exit = await runAssumptionsExplain(id, explain.opts(), runtime);
  });
}

function addSandbox(parent: Command, { runtime, finish }: ProgramContext): void {
  parent.usage('<command> [flags]').action(() => parent.outputHelp());
  const start = parent
    .command('start')
    .description('Serve the sandbox over HTTP on this machine until Ctrl-C')
    .option('--port <number>', 'port; 0 for any free one (8484)')
    .option('--login <login>', 'add a merchant with this login')
    .option('--endpoint-id <id>', 'the endpoint of that merchant')
    .option('--control-key-file <file>', 'the control key of that merchant')
    .option('--public-key-file <file>', 'the RSA public key of that merchant (PEM)')
    .addOption(
      new Option('--assume <switch=value>', 'set an assumption of the sandbox, repeated as needed').argParser(
        (value: string, all: readonly string[] = []) => [...all, value],
      ),
    )
    .option('--settle-ms <number>', 'milliseconds until a transaction is final (300)')
    .option('--any-card', 'accept any card number, not only published test numbers')
    .option('--ready-file <file>', 'write the address there once the sandbox listens');
  addGlobalOptions(start).action(async () => {
    const { runSandboxStart } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxStart(start.opts(), runtime);
  });
  const simple = (name: 'status' | 'reset', text: string) => {
    const command = addGlobalOptions(parent.command(name).description(text));
    command.action(async () => {
      const sandbox = await import('./commands/sandbox.js');
      finish.exit = await (name === 'status' ? sandbox.runSandboxStatus : sandbox.runSandboxReset)(command.opts(), runtime);
    });
  };
  simple('status', 'Show merchants, endpoints and keys, and whether the sandbox listens');
  simple('reset', 'Forget all orders, cards and payouts; merchants and keys stay');
  const outcomes = addGlobalOptions(
    parent
      .command('outcomes')
      .description('What test cards, security codes and amounts lead to')
      .argument('[next]', 'the word next')
      .argument('[outcome]', 'queue this outcome for the next order'),
  );
  outcomes.option('--client-order-id <id>', 'only for the order with this id');
  outcomes.action(async (next: string | undefined, outcome: string | undefined) => {
    const { runSandboxOutcomes } = await import('./commands/sandbox.js');
    finish.exit = await runSandboxOutcomes(next, outcome, outcomes.opts(), runtime);
  });
}

function addConfig(parent: Command, { runtime, finish }: ProgramContext): void {
  parent.usage('<command> [flags]').action(() => parent.outputHelp());
  const trust = addGlobalOptions(
    parent.command('trust').description('Let a project file set connection, keys and assumptions').argument('<file>'),
  );
  trust.action(async (file: string) => {
    const { runConfigTrust } = await import('./commands/config.js');
    finish.exit = await runConfigTrust(file, trust.opts(), runtime);
  });
}

/** Commander's complaints become ours; help and version are no complaints. */
export function translateCommanderError(error: unknown, command: string): unknown {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const why = error.message
    .replace(/^error: /, '')
    .replace(/(--[\w-]+)=\S*/g, '$1')
    .replace(/[\d -]{12,}/g, ' … ');
  return fail('USAGE', { why, command: command || 'paycli' }, { cause: error });
}

import { Argument, Command, CommanderError } from 'commander';
import { fail } from '../errors/index.js';
import { allOperations, type Operation } from '../spec/index.js';
import { addCompletion } from './complete/tool.js';
import type { ProgramContext } from './context.js';
import { examplesOf } from './help/examples.js';
import { addConnectionOptions, addFieldOptions, addGlobalOptions, addSendingOptions, type CommonOptions, type Typed } from './options.js';
import { addTools } from './tools.js';

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
  const sign = program
    .command('sign')
    .description('Show what would be signed, and the signature')
    .helpGroup('Tools:')
    .usage('<operation> [flags]');
  sign.action(() => sign.outputHelp());
  addSignCommands(sign, context);
  addTools(program, context);
  addCompletion(program, context, (row) => buildProgram({ ...context, commandLine: { argv: [], row } }));
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
  if (context.commandLine.row?.id !== row.id) {
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

/** Commander's complaints become ours; help and version are no complaints. */
export function translateCommanderError(error: unknown, command: string): unknown {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const why = error.message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/(--[\w-]+)=\S*/g, '$1')
    .replace(/[\d -]{12,}/g, ' … ');
  return fail('USAGE', { why, command: command || 'paycli' }, { cause: error });
}

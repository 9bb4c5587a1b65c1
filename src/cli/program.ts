import { Command, CommanderError } from 'commander';
import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { addCompletion } from './complete/tool.js';
import type { ProgramContext } from './context.js';
import { exampleLines } from './help/examples.js';
import { addOperations, type OperationLeaf } from './operation-tree.js';
import { addSendingOptions, type CommonOptions } from './options.js';
import { addSign } from './sign-tools.js';
import { addTools } from './tools.js';

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
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|'),
      visibleOptions: (command) => command.options.filter((option) => !option.hidden && option.long !== '--help'),
    })
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('-V, --version', 'show the version');
  addOperations(program, sending(context.runtime), context);
  addSign(program.command('sign').helpGroup('Tools:'), context);
  addTools(program, context);
  addCompletion(program, context, (row) => buildProgram({ ...context, commandLine: { argv: [], row } }));
  program.hook('preAction', (_, command) => checkTemplateOf(command));
  program.addHelpText('after', rootFooter).action(() => program.outputHelp());
  return program;
}

/** A template nobody can read is found before anything is sent. */
async function checkTemplateOf(command: Command): Promise<void> {
  const { template } = command.opts<CommonOptions>();
  if (template !== undefined) (await import('./present/template.js')).checkTemplate(template);
}

const rootFooter = `
Start here:
  paycli sale --amount 10.42 --currency USD --test-card approved --wait
  paycli sale --help             the flags of one command
  paycli help exit-codes         also: money-safety, environment, profiles, secrets, signing, sandbox, assumptions, output
`;

/** `sale …`: the operation itself. */
function sending(runtime: Runtime): OperationLeaf {
  return {
    examples: exampleLines,
    addOptions: (command, row) => void addSendingOptions(command, row),
    run: async (row, typed) => (await import('./commands/operation.js')).runOperation(row, typed, 'send', runtime),
  };
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

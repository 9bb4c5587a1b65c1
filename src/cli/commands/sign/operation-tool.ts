import type { Command } from 'commander';
import type { Operation } from '../../../spec/index.js';
import type { ProgramContext } from '../../core/command-line.js';
import { plainExample } from '../../core/examples.js';
import { addOperations } from '../../core/operation-commands.js';
import { addSendingOptions, type CommonOptions, type Typed } from '../../core/options.js';

/** A command of `sign` that takes an operation with the operation's own flags, such as `sign diff sale --amount …`. */
export interface OperationTool<Options extends CommonOptions> {
  /** One of `signOperationTools` in sign-words.ts, which tells where the words of the operation begin. */
  readonly name: string;
  readonly brief: string;
  /** The heading it stands under in `sign --help`. */
  readonly heading: string;
  /**
   * Further flags for the example of an operation in its help, such as `--control $CONTROL`; a test fills in the names.
   * Undefined where there is nothing to show.
   */
  exampleFlags(row: Operation): string | undefined;
  /** Flags of its own, besides those of the operation and of the connection. */
  addOptions(command: Command, row: Operation): void;
  /** `options` are those of `addOptions` with the common ones. Load what it needs by import() here. */
  run(row: Operation, typed: Typed, options: Options): Promise<number>;
}

/**
 * Adds the command, with every operation below it once it is asked for; it can be given flags and an action of its own.
 */
export function addOperationTool<Options extends CommonOptions>(
  sign: Command,
  tool: OperationTool<Options>,
  context: ProgramContext,
): Command {
  // Without positional options it would take the operation's flags for its own.
  const parent = sign.command(tool.name).description(tool.brief).helpGroup(tool.heading).enablePositionalOptions();
  parent.usage('<operation> [flags]').action(() => parent.outputHelp());
  if (!isAskedFor(tool.name, context)) return parent;
  const examples = (row: Operation) => {
    const flags = tool.exampleFlags(row);
    return flags === undefined ? [] : [`sign ${tool.name} ${plainExample(row)} ${flags}`.trim()];
  };
  const addOptions = (command: Command, row: Operation) => {
    command.optionsGroup('Signature:');
    tool.addOptions(command, row);
    allowSendingOptions(command, row);
  };
  addOperations(
    parent,
    { examples, addOptions, run: (row, typed, command) => tool.run(row, typed, command.opts<Options>()) },
    context,
  );
  return parent;
}

/** An empty command line asks for the whole tree, for completions and the like. */
function isAskedFor(name: string, { commandLine: { argv } }: ProgramContext): boolean {
  return argv.length === 0 || (argv[0] === 'sign' && argv[1] === name);
}

/**
 * The command line of a refused request may be given as it was, so the flags of sending are known here, and do nothing.
 */
export function allowSendingOptions(command: Command, row: Operation): void {
  const before = command.options.length;
  addSendingOptions(command, row);
  for (const option of command.options.slice(before)) option.hideHelp();
}

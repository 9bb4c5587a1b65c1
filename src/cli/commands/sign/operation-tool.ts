import type { Command } from 'commander';
import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Operation } from '../../../spec/index.js';
import type { ProgramContext } from '../../core/command-line.js';
import type { CommonOptions, Typed } from '../../core/common-options.js';
import { type CommandDeclaration, describe, setUp } from '../../core/define-command.js';
import { plainExample } from '../../core/examples.js';
import { addOperations } from '../../core/operation-commands.js';
import { addFlags, addSendingOptions, type Flag } from '../../core/options.js';

/**
 * A command of `sign` that takes an operation with the operation's own flags, such as `sign diff sale --amount …`. Its
 * last word is one of `signOperationTools` in command-line.ts, which tells where the words of the operation begin.
 */
export interface OperationTool<Options extends CommonOptions = CommonOptions>
  extends Omit<CommandDeclaration<Options>, 'run'> {
  /** Without an operation; its help where there is no such thing. */
  readonly run?: CommandDeclaration<Options>['run'];
  readonly ofOperation: {
    /**
     * Further flags for the example of an operation in its help, such as `--control $CONTROL`; a test fills in the
     * names. Undefined where there is nothing to show.
     */
    readonly exampleFlags: (row: Operation) => string | undefined;
    /** Flags of its own, besides those of the operation and of the connection. */
    readonly options: readonly Flag[];
    /** `options` are those with the common ones. Load what it needs by import() here. */
    readonly run: (row: Operation, typed: Typed, options: Options, runtime: Runtime) => Promise<number>;
  };
}

/** Gives a tool its type: what it runs takes the options it names. */
export function defineTool<Options extends CommonOptions = CommonOptions>(tool: OperationTool<Options>): OperationTool {
  return tool as OperationTool;
}

/** Adds the command, with every operation below it once it is asked for. */
export function addOperationTool(sign: Command, tool: OperationTool, context: ProgramContext): void {
  const word = tool.name.split(' ').at(-1) ?? '';
  // Without positional options it would take the operation's flags for its own.
  const parent = sign.command(word).enablePositionalOptions();
  if (tool.heading !== undefined) parent.helpGroup(tool.heading);
  const showHelp = async () => {
    parent.outputHelp();
    return exits.ok;
  };
  const declaration = { ...tool, usage: '<operation> [flags]', run: tool.run ?? showHelp };
  if (tool.run !== undefined && context.commandLine.row === undefined) setUp(parent, declaration, context);
  else {
    describe(parent, declaration);
    parent.action(() => parent.outputHelp());
  }
  if (isAskedFor(word, context)) addBelow(parent, tool, context);
}

function addBelow(parent: Command, { name, ofOperation }: OperationTool, context: ProgramContext): void {
  const examples = (row: Operation) => {
    const flags = ofOperation.exampleFlags(row);
    return flags === undefined ? [] : [`${name} ${plainExample(row)} ${flags}`.trim()];
  };
  const addOptions = (command: Command, row: Operation) => {
    addFlags(command, [{ heading: 'Signature:' }, ...ofOperation.options]);
    allowSendingOptions(command, row);
  };
  const run = (row: Operation, typed: Typed, command: Command) =>
    ofOperation.run(row, typed, command.opts<CommonOptions>(), context.runtime);
  addOperations(parent, { examples, addOptions, run }, context);
}

/** An empty command line asks for the whole tree, for completions and the like. */
function isAskedFor(word: string, { commandLine: { argv } }: ProgramContext): boolean {
  return argv.length === 0 || (argv[0] === 'sign' && argv[1] === word);
}

/**
 * The command line of a refused request may be given as it was, so the flags of sending are known here, and do nothing.
 */
export function allowSendingOptions(command: Command, row: Operation): void {
  const before = command.options.length;
  addSendingOptions(command, row);
  for (const option of command.options.slice(before)) option.hideHelp();
}

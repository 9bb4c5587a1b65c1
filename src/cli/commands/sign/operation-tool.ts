import type { Runtime } from '../../../runtime/ports.js';
import type { Operation } from '../../../spec/index.js';
import { type Declared, defineCommand as declareCommand, type Flag, type Flags } from '../../command.js';
import type { CommonOptions, Typed } from '../../core/common-options.js';
import { type CommandDeclaration, declareFlags, defineCommand } from '../../core/define-command.js';
import { plainExample } from '../../core/examples.js';
import type { Flag as WrittenFlag } from '../../core/options.js';
import { connectionFlags, outputFlags, sendingFlags } from '../../flags.js';
import type { CommandGroup, LoadCommand } from '../../group.js';
import { operationInput } from '../../operation.js';
import { resultsNamed } from '../../other-results.js';

/** A command of `sign` that takes an operation with the operation's own flags, such as `sign diff sale --amount …`. */
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
    readonly options: readonly WrittenFlag[];
    /** `options` are those with the common ones. Load what it needs by import() here. */
    readonly run: (row: Operation, typed: Typed, options: Options, runtime: Runtime) => Promise<number>;
  };
}

/** Gives a tool its type: what it runs takes the options it names. */
export function defineTool<Options extends CommonOptions = CommonOptions>(tool: OperationTool<Options>): OperationTool {
  return tool as OperationTool;
}

/** A group for each tool, with every operation in it. */
export function toolCommands(tools: readonly OperationTool[]): Readonly<Record<string, LoadCommand>> {
  return Object.fromEntries(tools.map((tool) => [tool.name.split(' ').at(-1) ?? '', async () => toolGroup(tool)]));
}

function toolGroup(tool: OperationTool): CommandGroup {
  const { summary, heading, examples = [], run } = tool;
  const usage = '<operation> [flags]';
  return {
    ...{ summary, usage, examples, commands: {} },
    ...(heading === undefined ? {} : { heading }),
    ...(run === undefined ? {} : { own: defineCommand({ ...tool, usage, run }) }),
    operations: (row, others) => toolOfOperation(tool, row, others),
  };
}

function toolOfOperation(
  { name, ofOperation, prints }: OperationTool,
  row: Operation,
  others: readonly Operation[],
): Declared {
  const { args, flags, read } = operationInput(row, others);
  const example = ofOperation.exampleFlags(row);
  return declareCommand({
    summary: row.brief,
    args,
    flags: {
      ...flags,
      ...declareFlags([{ heading: 'Signature:' }, ...ofOperation.options]),
      ...unusedSendingFlags(row),
      ...connectionFlags,
      ...outputFlags,
    } as Flags,
    examples: example === undefined ? [] : [`${name} ${plainExample(row)} ${example}`.trim()],
    effect: 'local',
    result: prints === 'reply' ? prints : resultsNamed(...prints),
    run: ({ args: given, flags: values, runtime }) => {
      const { row: chosen, typed } = read(given, values);
      return ofOperation.run(chosen, typed, typed.options, runtime);
    },
  });
}

/**
 * The command line of a refused request may be given as it was, so the flags of sending are known here, and do nothing.
 */
export function unusedSendingFlags(row: Operation): Flags {
  const flags = Object.entries<Flag>(sendingFlags(row) as Flags);
  return Object.fromEntries(flags.map(([key, flag]) => [key, { ...flag, isHidden: true }]));
}

import type { Command, Option } from 'commander';
import { operationNamed } from '../../spec/index.js';
import { declaredBy } from '../command.js';
import { factsOf } from '../core/command-facts.js';
import type { Build } from '../core/command-line.js';
import { isOperationOfSign, ownFlags, visibleCommands, wholeTree } from '../core/command-tree.js';
import { type CommandFacts, exitCodesOf } from '../core/define-command.js';
import { withExamples } from '../core/examples.js';

export interface DescribedFlag {
  readonly name: string;
  readonly short: string | null;
  /** The placeholder of its value in help; null for a flag without one. */
  readonly value: string | null;
  readonly choices: readonly string[] | null;
  readonly repeatable: boolean;
  /** Prompted for on a terminal, else an error when missing. */
  readonly required: boolean;
  /** Its heading in help. */
  readonly group: string;
  readonly description: string;
}

interface DescribedArgument {
  readonly name: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[] | null;
  readonly description: string;
}

export interface DescribedCommand {
  /** Its words after `paycli`, such as `card-ref create`. */
  readonly command: string;
  readonly aliases: readonly string[];
  /** True when the words and flags of an operation follow, as in `sign sale --amount 1`. */
  readonly takesOperation: boolean;
  /** True for a group of commands. */
  readonly isGroup: boolean;
  /** Its heading in the help of its parent. */
  readonly heading: string;
  readonly summary: string;
  /** Paragraphs; indented ones are kept verbatim. */
  readonly description: readonly string[];
  readonly usage: string;
  readonly arguments: readonly DescribedArgument[];
  readonly flags: readonly DescribedFlag[];
  readonly effect: CommandFacts['effect'];
  readonly network: boolean;
  readonly exits: readonly number[];
  readonly note: string | null;
  /** Command lines, `paycli` included. */
  readonly examples: readonly string[];
  /** The operation of the interface it sends. */
  readonly operation: string | null;
  readonly path: string | null;
}

/** Every command in the order of help. The operations below `sign` are covered by `takesOperation`. */
export async function describeCommands(build: Build): Promise<readonly DescribedCommand[]> {
  const tree = await wholeTree(build);
  const shown = [...tree].filter(([path]) => path !== '' && !isOperationOfSign(path, tree));
  return shown.map(([path, command]) => described(path, command, tree));
}

function described(path: string, command: Command, tree: ReadonlyMap<string, Command>): DescribedCommand {
  const row = operationNamed(path);
  const children = visibleCommands(command);
  const own = ownFlags(path, tree);
  const takesOperation = own !== undefined;
  const isGroup = children.length > 0 && !takesOperation;
  const { paragraphs, examples } = readDescription(
    withExamples(command.description(), declaredBy(command)?.examples ?? []),
  );
  const { effect, network, exits, note } = factsOf(command);
  return {
    command: path,
    aliases: command.aliases(),
    takesOperation,
    isGroup,
    heading: (command.helpGroup() || 'Commands:').replace(/:$/, ''),
    summary: command.summary() || (paragraphs[0] ?? ''),
    description: paragraphs,
    usage: `paycli ${path} ${command.usage()}`.replace('[options]', '[flags]').trim(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      repeatable: argument.variadic,
      choices: argument.argChoices ?? null,
      description: argument.description,
    })),
    flags: [...command.options.filter((option) => !option.hidden), ...(own ?? [])].map(describedFlag),
    effect,
    network,
    exits: isGroup ? exitCodesOf([]) : exitCodesOf(exits),
    note: note ?? null,
    examples,
    operation: row?.id ?? null,
    path: row?.path ?? null,
  };
}

function describedFlag(option: Option): DescribedFlag {
  return {
    name: option.long ?? option.flags,
    short: option.short ?? null,
    value: /[<[](.+)[>\]]$/.exec(option.flags)?.[1] ?? null,
    choices: option.argChoices ?? null,
    // A flag that collects or counts has its own parser.
    repeatable: option.parseArg !== undefined && option.argChoices === undefined,
    required: option.mandatory || option.helpGroupHeading === 'Required fields:',
    group: (option.helpGroupHeading ?? 'Flags:').replace(/:$/, ''),
    description: option.description,
  };
}

/** Splits a help text into paragraphs and the block that starts with `Examples:`. */
function readDescription(text: string): {
  readonly paragraphs: readonly string[];
  readonly examples: readonly string[];
} {
  const parts = text.split(/\n{2,}/).filter((part) => part !== '');
  const isExamples = (part: string) => part.startsWith('Examples:\n');
  const examples = parts.filter(isExamples).flatMap((part) => part.slice('Examples:\n  '.length).split(/\n {2}(?! )/));
  return { paragraphs: parts.filter((part) => !isExamples(part)), examples };
}

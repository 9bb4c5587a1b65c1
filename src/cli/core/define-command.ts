import { Argument, type Command } from 'commander';
import { type ExitName, exits } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { type Declared, setUpDeclared } from '../command.js';
import type { Build, ProgramContext } from './command-line.js';
import type { CommonOptions } from './common-options.js';
import { withExamples } from './examples.js';
import { addFlags, type Flag, globalFlags } from './options.js';
import type { DocumentSchema } from './result-fields.js';

/** What a command may do and how it may end. */
export interface CommandFacts {
  /** Its effect at the gateway; `none` for commands that send it nothing. */
  readonly effect: Operation['effect'] | 'none';
  /** True when it may connect to the gateway or to another address. */
  readonly network: boolean;
  /** Exits besides `ok`, `fault`, `usage` and `storage`, which every command may have. */
  readonly exits: readonly ExitName[];
  /** A remark on the exits. */
  readonly note?: string;
}

/** What a command is given when it runs. */
export interface CommandInput<Options extends CommonOptions> {
  /** Its arguments in order; one that may be left out may be undefined. */
  readonly args: readonly (string | undefined)[];
  /** The words of an argument that takes several. */
  readonly words: readonly string[];
  readonly options: Options;
  readonly runtime: Runtime;
  /** Builds all commands, for those that list them. */
  readonly tree: Build;
}

/** Everything about a command that is not an operation of the interface. */
export interface CommandDeclaration<Options extends CommonOptions = CommonOptions> extends CommandFacts {
  /** Its words, such as `journal`. */
  readonly name: string;
  readonly summary: string;
  /** The text of its help; by default the summary. */
  readonly help?: string;
  /** Its heading in the help of its group. */
  readonly heading?: string;
  readonly usage?: string;
  /** Each with its allowed words, where they are limited. */
  readonly args?: readonly (readonly [name: string, text: string, choices?: readonly string[]])[];
  /** Its own flags and shared ones such as `connectionFlags`. The global flags are added after them. */
  readonly options?: readonly Flag[];
  /** False for commands that print plain text, where output flags mean nothing. */
  readonly hasGlobalFlags?: false;
  /** Command lines without the word `paycli`; a test runs them. */
  readonly examples?: readonly string[];
  /** Help text after the examples. */
  readonly details?: string;
  /** The schemas of the documents it prints, or that it prints the reply to an operation. */
  readonly prints: readonly DocumentSchema[] | 'reply';
  /** Returns the exit code. */
  readonly run: (input: CommandInput<Options>) => Promise<number>;
}

/** A group of commands under one word. */
export interface CommandGroup {
  readonly summary: string;
  readonly heading?: string;
  /** Flags that every command in it gets, after the global ones. */
  readonly options?: readonly Flag[];
  /** By the word after the group's, in the order of help. */
  readonly commands: Readonly<Record<string, LoadCommand>>;
}

/** Loads a command or a nested group when it is needed. */
export type LoadCommand = () => Promise<CommandDeclaration | CommandGroup | Declared>;

/** Exits of commands that read a profile. */
export const profileExits = ['configuration'] as const satisfies readonly ExitName[];

/** Exits of commands that ask the gateway for a status. */
export const statusExits = [
  ...profileExits,
  'refused',
  'notSent',
  'unknown',
  'readFailed',
  'refusedHere',
  'interrupted',
] as const satisfies readonly ExitName[];

/** Types a declaration: `run` receives the options it declares. */
export function defineCommand<Options extends CommonOptions = CommonOptions>(
  declaration: CommandDeclaration<Options>,
): CommandDeclaration {
  return declaration as CommandDeclaration;
}

const declarations = new WeakMap<Command, CommandDeclaration>();

/** Attaches a declaration to a command that was built in another way. */
export function declare(command: Command, declaration: CommandDeclaration): void {
  declarations.set(command, declaration);
}

/** The declaration of a command or of its nearest parent that has one; undefined for operations and other groups. */
export function declarationOf(command: Command): CommandDeclaration | undefined {
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const declaration = declarations.get(at);
    if (declaration !== undefined) return declaration;
  }
  return undefined;
}

/** Every exit code a command may end with, in ascending order. */
export function exitCodesOf(names: readonly ExitName[]): readonly number[] {
  const all = [...(['ok', 'fault', 'usage', 'storage'] as const), ...names].map((name) => exits[name]);
  return [...new Set(all)].sort((a, b) => a - b);
}

/**
 * Builds a command or a group. Of a group it builds only the command that `words` start with, if there is one (a whole
 * group costs start-up time), and none without `words`. `shared` are flags added to every command.
 */
export async function addCommand(
  parent: Command,
  word: string,
  load: LoadCommand,
  words: readonly string[] | undefined,
  context: ProgramContext,
  shared: readonly Flag[] = [],
): Promise<void> {
  const loaded = await load();
  const command = parent.command(word);
  if (loaded.heading !== undefined) command.helpGroup(loaded.heading);
  if ('isDeclared' in loaded)
    setUpDeclared(command, loaded, {
      runtime: context.runtime,
      finish: context.finish,
      argv: context.commandLine.argv,
    });
  else if ('run' in loaded) setUp(command, loaded, context, shared);
  else await addGroup(command, loaded, words, context, shared);
}

async function addGroup(
  group: Command,
  { summary, commands, options = [] }: CommandGroup,
  words: readonly string[] | undefined,
  context: ProgramContext,
  shared: readonly Flag[],
): Promise<void> {
  group.description(summary).usage('<command> [flags]');
  group.action(() => group.outputHelp());
  if (words === undefined) return;
  const [first = '', ...rest] = words;
  const wanted = commands[first];
  const parts = wanted === undefined ? Object.entries(commands) : [[first, wanted] as const];
  for (const [word, load] of parts) await addCommand(group, word, load, rest, context, [...shared, ...options]);
}

/** Configures an existing command from its declaration. */
export function setUp(
  command: Command,
  declaration: CommandDeclaration,
  { runtime, finish, tree }: ProgramContext,
  shared: readonly Flag[] = [],
): void {
  const { args = [], options = [], hasGlobalFlags = true, run } = declaration;
  describe(command, declaration);
  for (const [name, text, choices] of args) {
    const argument = new Argument(name, text);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  addFlags(command, [...options, ...(hasGlobalFlags ? globalFlags : []), ...shared]);
  command.action(async (...given: unknown[]) => {
    const typed = given.slice(0, args.length);
    const input = {
      args: typed.map((each) => (typeof each === 'string' ? each : undefined)),
      words: typed.flatMap((each) => (Array.isArray(each) ? each.map(String) : [])),
      options: command.opts<CommonOptions>(),
      runtime,
      tree,
    };
    finish.exit = await run(input);
  });
}

/** Sets the texts of a command, not its flags or action. */
export function describe(command: Command, declaration: CommandDeclaration): void {
  const { summary, help = summary, usage, examples = [], details } = declaration;
  declare(command, declaration);
  const text = withExamples(help, examples);
  command.summary(summary).description(details === undefined ? text : `${text}\n\n${details}`);
  if (usage !== undefined) command.usage(usage);
}

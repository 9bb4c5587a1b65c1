import type { ExitName } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Operation } from '../../spec/index.js';
import { type Arg, type Declared, type CommandInput as DeclaredInput, type Flags, list, on, word } from '../command.js';
import { outputFlags } from '../flags.js';
import { type DocumentSchema, resultsNamed } from '../other-results.js';
import type { CommonOptions } from './common-options.js';
import type { Flag } from './options.js';

export type { CommandGroup, LoadCommand } from '../group.js';

/** What a command is given when it runs. */
export interface CommandInput<Options extends CommonOptions> {
  /** Its arguments in order; one that may be left out may be undefined. */
  readonly args: readonly (string | undefined)[];
  /** The words of an argument that takes several. */
  readonly words: readonly string[];
  readonly options: Options;
  readonly runtime: Runtime;
}

/** A command whose arguments and flags are written as commander writes them: `<file>`, `--limit <number>`. */
export interface CommandDeclaration<Options extends CommonOptions = CommonOptions> {
  /** Its words, such as `batch plan`. */
  readonly name: string;
  readonly summary: string;
  readonly help?: string;
  readonly heading?: string;
  readonly usage?: string;
  readonly args?: readonly (readonly [name: string, text: string, choices?: readonly string[]])[];
  readonly options?: readonly Flag[];
  readonly examples?: readonly string[];
  /** Help text after the summary. */
  readonly details?: string;
  readonly effect: Operation['effect'] | 'none';
  readonly network: boolean;
  readonly exits: readonly ExitName[];
  readonly note?: string;
  /** The schemas of the documents it prints, or that it prints the reply to an operation. */
  readonly prints: readonly DocumentSchema[] | 'reply';
  readonly run: (input: CommandInput<Options>) => Promise<number>;
}

/** Exits of commands that read a profile. */
export const profileExits = ['configuration'] as const satisfies readonly ExitName[];

/** The declaration of such a command. */
export function defineCommand<Options extends CommonOptions = CommonOptions>(
  given: CommandDeclaration<Options>,
): Declared {
  const { summary, help, heading, usage, args = [], options = [], examples = [], details, effect, note } = given;
  const paragraphs = [help?.replace(`${summary}\n\n`, ''), details].filter((text) => text !== undefined);
  return {
    ...{ isDeclared: true, summary, examples, effect: effect === 'none' ? 'local' : effect },
    ...(paragraphs.length === 0 ? {} : { help: paragraphs.join('\n\n') }),
    ...(heading === undefined ? {} : { heading }),
    ...(usage === undefined ? {} : { usage }),
    ...(note === undefined ? {} : { note }),
    args: Object.fromEntries(args.map(declareArgument)),
    flags: { ...declareFlags(options), ...outputFlags },
    result: given.prints === 'reply' ? 'reply' : resultsNamed(...given.prints),
    run: (input) => given.run(readInput(input as never)),
  };
}

function readInput<Options extends CommonOptions>({
  args,
  flags,
  runtime,
}: DeclaredInput<Flags, Readonly<Record<string, Arg>>>): CommandInput<Options> {
  const given: readonly unknown[] = Object.values(args);
  return {
    args: given.map((each) => (typeof each === 'string' ? each : undefined)),
    words: given.flatMap((each) => (Array.isArray(each) ? each.map(String) : [])),
    options: flags as unknown as Options,
    runtime,
  };
}

function declareArgument([written, text, choices = []]: readonly [string, string, (readonly string[])?]) {
  const arg: Arg = {
    ...{ text, choices },
    ...(written.startsWith('[') ? { isOptional: true } : {}),
    ...(written.includes('...') ? { isList: true } : {}),
  };
  return [written.replace(/[<>[\].]/g, ''), arg] as const;
}

/** Flags that are written so, by their keys. */
export function declareFlags(flags: readonly Flag[]): Flags {
  let heading = 'Flags:';
  const declared: Flags[] = [];
  for (const flag of flags) {
    if ('heading' in flag) heading = flag.heading;
    else declared.push('declared' in flag ? flag.declared : declareFlag(flag, heading));
  }
  return Object.assign({}, ...declared);
}

function declareFlag([written, text, rules = {}]: Extract<Flag, readonly unknown[]>, heading: string): Flags {
  const [, short, long = '', value] = /^(?:-(\w), )?--([\w-]+)(?: (<.*>))?$/.exec(written) ?? [];
  const key = long.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const more = { short, long, heading, ...(rules.required === true ? { ask: text } : {}) };
  if (value === undefined) return { [key]: on(text, more) };
  if (rules.repeated === true) return { [key]: list(value, text, more) };
  return { [key]: { ...word(value, text, more), ...(rules.choices === undefined ? {} : { choices: rules.choices }) } };
}

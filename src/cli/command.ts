import { Argument, type Command, Option } from 'commander';
import { type Effect, suggest } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { Schema } from './results.js';
import type { Run } from './run.js';
import { assertValue, nonEmpty, orderNamed, usage, wrongValue } from './usage.js';

/** A flag: what it does, and how its text becomes the value that `run` is given. */
export interface Flag<Value = unknown> {
  readonly text: string;
  /** The placeholder of its value in help; undefined for a switch. */
  readonly value: string | undefined;
  /** The value of a text; `before` is what it was before, where it repeats. Throws `wrongValue`. */
  parse?(text: string, before: Value | undefined): Value;
  readonly choices?: readonly string[];
  /** Its name without dashes; by default its key, so that `endpointId` is `--endpoint-id`. */
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  readonly heading?: string;
  readonly isHidden?: boolean;
  /** Values that it gives to other flags which were not given. */
  readonly implies?: { readonly output: string };
  /** It may be repeated: its values are a list or a count, or the last one counts. */
  readonly repeats?: boolean;
  /** The command needs it: asked for on a terminal with these words, in a script an error. */
  readonly ask?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What a flag may have besides its text. */
export type FlagMore = Partial<Pick<Flag, 'long' | 'short' | 'heading' | 'implies' | 'isHidden' | 'repeats' | 'ask'>>;

/** A switch: true when it was given. */
export function on(text: string, more: FlagMore = {}): Flag<boolean> {
  return { text, value: undefined, ...more };
}

/** A flag with a text, which is checked elsewhere. */
export function word(value: string, text: string, more: FlagMore = {}): Flag<string> {
  return { text, value, ...more };
}

/** A flag with one of these words. */
export function oneOf<const Word extends string>(
  choices: readonly Word[],
  value: string,
  text: string,
  more: FlagMore = {},
): Flag<Word> {
  return { text, value, choices, ...more };
}

/** A flag that may be given several times. */
export function list(value: string, text: string, more: FlagMore = {}): Flag<readonly string[]> {
  return { text, value, parse: (given, before = []) => [...before, given], repeats: true, ...more };
}

/** A flag whose text is read by `parse`. */
export function parsed<Value>(
  value: string,
  text: string,
  parse: (text: string) => Value,
  more: FlagMore = {},
): Flag<Value> {
  return { text, value, parse, ...more };
}

/** An argument. One that may be left out lists or queries without it. */
export interface Arg {
  readonly text: string;
  readonly choices?: readonly string[];
  readonly isOptional?: true;
  /** There may be several, or none. */
  readonly isList?: true;
  /** Asked for on a terminal where it is missing. */
  readonly ask?: string;
}

/** What flags were given. */
export type Values<F extends Flags> = {
  readonly [Key in keyof F]?: F[Key] extends Flag<infer Value> ? Value : never;
};
type ArgValues<A extends Readonly<Record<string, Arg>>> = {
  readonly [Key in keyof A]: A[Key] extends { readonly isList: true }
    ? readonly string[]
    : A[Key] extends { readonly isOptional: true }
      ? string | undefined
      : string;
};

/**
 * The flags of a command whose options have this type: `flags: { … } satisfies FlagsFor<Options>` does not compile with
 * a misspelt one.
 */
export type FlagsFor<Options> = {
  readonly [Key in keyof Options | 'noInput' | 'noColor']?: Flag;
};

/** What a command is given when it runs. */
export interface CommandInput<F extends Flags, A extends Readonly<Record<string, Arg>>> {
  readonly args: ArgValues<A>;
  readonly flags: Values<F>;
  readonly runtime: Run;
}

/** Everything about a command: help, completion, checks and lists of fields read it here. */
export interface CommandSpec<F extends Flags, A extends Readonly<Record<string, Arg>>> {
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly help?: string;
  readonly usage?: string;
  readonly heading?: string;
  readonly aliases?: readonly string[];
  readonly args?: A;
  readonly flags: F;
  /** Flags and arguments that may not be given together. */
  readonly conflicts?: readonly (readonly [keyof (F & A) & string, keyof (F & A) & string])[];
  /** A flag that means nothing without one of the others. */
  readonly needs?: Partial<Record<keyof F & string, readonly (keyof F & string)[]>>;
  /** Command lines without the word `paycli`; a test runs them. */
  readonly examples?: readonly string[];
  readonly effect: Effect;
  /** A remark on what it does or how it ends. */
  readonly note?: string;
  /** What it prints: documents of these schemas. */
  readonly result: readonly Schema[];
  /** Returns the exit code. */
  readonly run: (input: CommandInput<F, A>) => Promise<number>;
}

/** A command of any flags and arguments. */
export type Declared = CommandSpec<Flags, Readonly<Record<string, Arg>>> & { readonly isDeclared: true };

/** Types a declaration: a flag, argument or field that it does not have does not compile. */
export function defineCommand<
  const F extends Flags,
  const A extends Readonly<Record<string, Arg>> = Readonly<Record<never, Arg>>,
>(declaration: CommandSpec<F, A>): Declared {
  return { ...declaration, isDeclared: true } as unknown as Declared;
}

const declarations = new WeakMap<Command, Declared>();

/** The declaration of a command; undefined for a group. */
export function declaredBy(command: Command): Declared | undefined {
  return declarations.get(command);
}

/** The flag of a key: `clientOrderId` → `--client-order-id`. Never read back the other way. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The same of a flag that may have another name. */
export function longName(key: string, flag?: Pick<Flag, 'long'>): string {
  return flag?.long === undefined ? flagOf(key) : `--${flag.long}`;
}

function optionOf(key: string, name: string, command: Command, { argv }: RunContext): Option {
  const { flags } = declarations.get(command) as Declared;
  const flag = flags[key] as Flag;
  const { value, text, short, choices, parse, repeats = false } = flag;
  const names = `${short === undefined ? '' : `-${short}, `}${name}`;
  const option = new Option(value === undefined ? names : `${names} ${value}`, text);
  if (choices !== undefined) option.choices([...choices]);
  option.implies({ ...flag.implies });
  if (!option.negate) option.attributeName = () => key;
  if (value === undefined && parse === undefined) return option;
  return option.argParser<unknown>((given: string, before: unknown) => {
    if (value !== undefined) assertValue(given, name, command, argv);
    // Of two values, which one is meant is unclear.
    if (!repeats && before !== undefined && before !== given)
      throw wrongValue(`${longName(key, flag)} is given twice, with different values`);
    if (choices?.includes(given) === false)
      throw wrongValue(`use one of ${choices.join(', ')}${suggest(given, choices)}`);
    return parse === undefined ? given : parse(given, before);
  });
}

/** What a command needs to run, besides its declaration. */
export interface RunContext {
  readonly runtime: Run;
  /** As it was typed. */
  readonly argv: readonly string[];
  /** Receives the exit code. */
  readonly finish: { exit: number };
}

/** Gives a commander command the texts, arguments, flags and action of a declaration. */
export function setUpDeclared(command: Command, declaration: Declared, context: RunContext): void {
  const { runtime, finish } = context;
  const { summary, help, heading, usage: form, args = {}, flags, run } = declaration;
  declarations.set(command, declaration);
  if (heading !== undefined) command.helpGroup(heading);
  if (form !== undefined) command.usage(form);
  command.summary(summary).description(help === undefined ? summary : `${summary}\n\n${help}`);
  const names = Object.keys(args);
  for (const [name, arg] of Object.entries(args)) command.addArgument(argumentOf(name, arg, command));
  for (const [key, flag] of Object.entries(flags)) {
    command.optionsGroup(flag.heading ?? 'Flags:');
    command.addOption(optionOf(key, longName(key, flag), command, context).hideHelp(flag.isHidden === true));
  }
  command.action(async (...given: unknown[]) => {
    const values: Record<string, unknown> = { ...command.opts() };
    const typed = Object.fromEntries(names.map((name, at) => [name, given[at]]));
    assertFits(declaration, { ...values, ...typed }, command);
    await askMissing(declaration, typed, values, command, runtime);
    finish.exit = await run({ args: typed, flags: values, runtime } as never);
  });
}

function argumentOf(name: string, arg: Arg, command: Command): Argument {
  const { text, choices = [], isOptional, isList, ask } = arg;
  const read = (given: string) => readArgument(given, name, choices, command);
  const isNeeded = isOptional !== true && ask === undefined && isList !== true;
  const written = `${name}${isList === true ? '...' : ''}`;
  const argument = new Argument(isNeeded ? `<${written}>` : `[${written}]`, text);
  if (choices.length > 0) argument.argChoices = [...choices];
  if (isList !== true) return argument.argParser(read);
  return argument.argParser((given, before: readonly string[] = []) => [...before, read(given)]);
}

function readArgument(given: string, name: string, choices: readonly string[], command: Command): string {
  // The words of another program are its own.
  if (name === 'command') return given;
  const text = nonEmpty(given, `<${name}>`);
  if (choices.length > 0 && !choices.includes(text))
    throw wrongValue(`<${name}>: use one of ${choices.join(', ')}${suggest(text, choices)}`);
  if (name !== 'order') return text;
  // It names an order whose id cannot be an argument.
  const flag = command.options.find(({ long }) => long === '--order-id' || long === '--order')?.long;
  return flag === undefined ? text.trim() : orderNamed(text, flag);
}

/** Refuses what cannot be given together, and a flag that does nothing without another. Throws USAGE. */
function assertFits(declared: Declared, given: Readonly<Record<string, unknown>>, command: Command): void {
  const { args = {}, conflicts = [], flags, needs = {} } = declared;
  const name = (key: string) => (key in args ? `<${key}>` : longName(key, flags[key]));
  for (const [one, other] of conflicts)
    if (given[one] !== undefined && given[other] !== undefined)
      throw usage(`${name(one)} and ${name(other)} cannot be combined; give one of them`, command);
  for (const [key, others = []] of Object.entries(needs))
    if (given[key] !== undefined && others.every((other) => given[other] === undefined))
      throw usage(`${name(key)} does nothing without ${others.map(name).join(' or ')}`, command);
}

/** Asks for what the command needs and was not given. In a script that is an error. Throws USAGE. */
async function askMissing(
  { args = {}, flags }: Declared,
  typed: Record<string, unknown>,
  values: Record<string, unknown>,
  command: Command,
  runtime: Runtime,
): Promise<void> {
  for (const [name, what] of [...Object.entries(args), ...Object.entries(flags)]) {
    const into = name in args ? typed : values;
    const { ask, choices } = what;
    if (ask === undefined || into[name] !== undefined) continue;
    const shown = name in args ? `<${name}>` : longName(name, flags[name]);
    if (!mayPrompt(values, runtime)) throw usage(`${shown} is missing`, command);
    const prompter = await runtime.prompter(values['color'] as boolean | undefined);
    const check = (text: string) => (text.trim() === '' ? 'is empty' : undefined);
    into[name] = await prompter.ask({ name, message: ask, check, ...(choices && { choices }) });
  }
}

/** True on a terminal, unless --no-input or PAYCLI_NO_INPUT says otherwise. */
export function mayPrompt(options: { readonly input?: unknown }, runtime: Runtime): boolean {
  return runtime.terminal.canPrompt && options.input !== false && !isOn(runtime.env['PAYCLI_NO_INPUT']);
}

function isOn(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}

/** Asks a question on a terminal, with `no` chosen first. Throws INTERRUPTED when the user cancels. */
export async function saysYes(
  name: string,
  message: string,
  { color }: { readonly color?: boolean },
  runtime: Runtime,
): Promise<boolean> {
  const prompter = await runtime.prompter(color);
  return (await prompter.ask({ name, message, choices: ['no', 'yes'], initial: 'no' })) === 'yes';
}

import type { Command, Option } from 'commander';
import { builtInSandbox, listProfiles } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type BuildCommands, groupBy } from '../group.js';
import { argumentValues, flagValues, type Values } from './completion-values.js';
import { topicNames } from './topics.js';

// Nothing here needs quotes in any shell: it would run what it is made to type.
const harmless = /^[A-Za-z0-9_./][A-Za-z0-9._:@+,=/-]{0,127}$/;

/** One thing to offer. */
interface Offer {
  readonly value: string;
  readonly about: string;
}

/** The words before the one that is being typed. */
interface Line {
  readonly command: Command;
  /** The last word is a flag, and its value is being typed. */
  readonly pending: Option | undefined;
  /** `--` was typed. */
  readonly onlyArguments: boolean;
  /** Its arguments so far. */
  readonly given: readonly string[];
}

/**
 * What the completion scripts ask for, with the words of the line on standard input, one a line; the last one is being
 * typed. Prints what it may become, one a line, each with a tab and what it means; `@file` leaves it to the shell to
 * offer files. From local data only; whatever goes wrong, nothing is printed.
 */
export async function complete(build: BuildCommands, runtime: Runtime): Promise<number> {
  try {
    const words = (await runtime.terminal.readStdin()).replace(/\r?\n$/, '').split(/\r?\n/);
    const typed = (words.at(-1) ?? '').replace(/^["']/, '');
    for (const { value, about } of await offers(words.slice(0, -1), typed, build, runtime))
      if (value === '@file' || value.startsWith(typed))
        runtime.terminal.out(`${value}\t${about.replace(/\s+/g, ' ').trim()}\n`.replace(/\t\n$/, '\n'));
  } catch {
    // Whoever presses TAB has not asked anything yet.
  }
  return 0;
}

async function offers(
  words: readonly string[],
  typed: string,
  build: BuildCommands,
  runtime: Runtime,
): Promise<readonly Offer[]> {
  const isHelp = words[0] === 'help';
  const own = isHelp ? words.slice(1) : words;
  const line = readWords(await build(own), own);
  if (isHelp) return helpOffers(line);
  const isFlag = line.pending === undefined && typed.startsWith('-') && !line.onlyArguments;
  const command = commandOfFlags(line.command);
  if (isFlag && !typed.includes('=')) return flagOffers(command);
  const [name = ''] = typed.split('=', 1);
  const option = isFlag ? optionNamed(command, name) : line.pending;
  if (isFlag && option === undefined) return [];
  if (option !== undefined) {
    const found = await valueOffers(flagValues(option), runtime);
    const behind = (value: string) => (value === '@file' ? value : `${name}=${value}`);
    return isFlag ? found.map(({ value, about }) => ({ value: behind(value), about })) : found;
  }
  const values = await argumentValues(line.command, line.given.length);
  return [...(line.onlyArguments ? [] : commandOffers(line.command)), ...(await valueOffers(values, runtime))];
}

function readWords(program: Command, words: readonly string[]): Line {
  let command = program;
  let pending: Option | undefined;
  let onlyArguments = false;
  const given: string[] = [];
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (word === '--') onlyArguments = true;
    else if (word.startsWith('-') && !onlyArguments) {
      command = commandOfFlags(command);
      const [name = ''] = word.split('=', 1);
      const option = optionNamed(command, name);
      if (name === word && (option?.required || option?.optional)) pending = option;
    } else {
      const child = onlyArguments ? undefined : childNamed(command, word);
      if (child === undefined) given.push(word);
      else command = child;
    }
  }
  return { command, pending, onlyArguments, given };
}

/** `payout --amount …` is `payout send --amount …`. */
function commandOfFlags(command: Command): Command {
  return childNamed(command, groupBy(command)?.whole ?? '') ?? command;
}

function childNamed(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

function optionNamed({ options }: Command, name: string): Option | undefined {
  return options.find(({ long, short }) => long === name || short === name);
}

function commandOffers(command: Command): readonly Offer[] {
  const children = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].map((value) => ({ value, about: child.summary() })),
  );
  return command.parent === null ? [...children, { value: 'help', about: 'Help' }] : children;
}

function helpOffers({ command, given }: Line): readonly Offer[] {
  if (given.length > 0) return [];
  const commands = commandOffers(command).filter(({ value }) => value !== 'help');
  if (command.parent !== null) return commands;
  const topics = topicNames.map((value) => ({ value, about: 'help topic' }));
  return [...topics, ...commands.filter(({ value }) => !topicNames.includes(value))];
}

function flagOffers(command: Command): readonly Offer[] {
  const help = { hidden: false, short: '-h', long: '--help', description: 'show help' };
  return [...command.options, help]
    .filter(({ hidden }) => !hidden)
    .flatMap(({ short, long, description }) =>
      [short, long].flatMap((value) => (value === undefined ? [] : [{ value, about: description }])),
    );
}

async function valueOffers(values: Values, runtime: Runtime): Promise<readonly Offer[]> {
  if (values === 'file') return [{ value: '@file', about: '' }];
  return (await knownValues(values, runtime)).filter(({ value }) => harmless.test(value));
}

async function knownValues(values: Exclude<Values, 'file'>, runtime: Runtime): Promise<readonly Offer[]> {
  if (values !== 'profiles') return values.map((value) => ({ value, about: '' }));
  const listed = (await listProfiles(runtime)).map(({ name, class: kind }) => ({ value: name, about: kind }));
  return [...listed, { value: builtInSandbox, about: 'the built-in sandbox' }];
}

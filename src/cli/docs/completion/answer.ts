import type { Command, Option } from 'commander';
import { builtInSandbox, listProfiles } from '../../../config/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type BuildCommands, groupBy } from '../../group.js';
import { sandboxPath } from '../../sandbox-session.js';
import { pathOf } from '../../usage.js';
import { topicNames } from '../topics.js';
import type { Offer } from './orders.js';
import { argumentValues, flagValues, type Values } from './values.js';

// Nothing here needs quotes in any shell: an order id came from outside, and a shell would run what it is made to type.
const harmless = /^[A-Za-z0-9_./][A-Za-z0-9._:@+,=/-]{0,127}$/;

/** The words before the one that is being typed. */
interface Line {
  readonly command: Command;
  /** The last word is a flag, and its value is being typed. */
  readonly pending: Option | undefined;
  /** `--` was typed. */
  readonly onlyArguments: boolean;
  readonly given: readonly string[];
  readonly profile: string | undefined;
}

/**
 * What the completion scripts ask for, with the words of the line on standard input, one a line; the last one is being
 * typed. Prints what it may become, one a line, each with a tab and what it means; `@file` leaves it to the shell to
 * offer files. From local data only; whatever goes wrong, nothing is printed.
 */
export async function answer(build: BuildCommands, runtime: Runtime): Promise<number> {
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
  const program = await build(own);
  const line = readWords(program, own);
  if (isHelp) return helpOffers(line);
  const isFlag = typed.startsWith('-') && !line.onlyArguments;
  if (line.pending === undefined && isFlag && !typed.includes('=')) return flagOffers(commandOfFlags(line.command));
  const name = line.pending === undefined && isFlag ? typed.slice(0, typed.indexOf('=')) : undefined;
  const option = name === undefined ? line.pending : optionNamed(commandOfFlags(line.command), name);
  if (name !== undefined || option !== undefined) {
    const values = option === undefined ? [] : flagValues(option, takesOrder(line.command));
    const found = await valueOffers(values, line, runtime);
    return name === undefined ? found : found.map((each) => behind(name, each));
  }
  const values = await argumentValues(line.command, line.given.length);
  return [...(line.onlyArguments ? [] : commandOffers(line.command)), ...(await valueOffers(values, line, runtime))];
}

function readWords(program: Command, words: readonly string[]): Line {
  let command = program;
  let pending: Option | undefined;
  let onlyArguments = false;
  let profile: string | undefined;
  const given: string[] = [];
  for (const word of words) {
    if (pending !== undefined) {
      if (pending.long === '--profile') profile = word;
      pending = undefined;
    } else if (word === '--') onlyArguments = true;
    else if (word.startsWith('-') && !onlyArguments) {
      command = commandOfFlags(command);
      const [name = ''] = word.split('=', 1);
      const option = optionNamed(command, name);
      const takesValue = option !== undefined && (option.required || option.optional);
      if (takesValue && name === word) pending = option;
      else if (option?.long === '--profile') profile = word.slice(name.length + '='.length);
    } else {
      const child = onlyArguments ? undefined : childNamed(command, word);
      if (child === undefined) given.push(word);
      else command = child;
    }
  }
  return { command, pending, onlyArguments, given, profile };
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

/** True when the command is about an order that is there: it names one as an argument. */
function takesOrder({ registeredArguments }: Command): boolean {
  return registeredArguments.some((argument) => argument.name() === 'order');
}

function commandOffers(command: Command): readonly Offer[] {
  const children = command.commands.flatMap((child) => {
    const about = child.summary() || (child.description().split('\n')[0] ?? '');
    return [child.name(), ...child.aliases()].map((value) => ({ value, about }));
  });
  return command.parent === null ? [...children, { value: 'help', about: 'Help' }] : children;
}

function helpOffers({ command, given }: Line): readonly Offer[] {
  if (given.length > 0) return [];
  const topics = topicNames.map((value) => ({ value, about: 'help topic' }));
  const commands = commandOffers(command).filter(({ value }) => value !== 'help');
  return command.parent === null
    ? [...topics, ...commands.filter(({ value }) => !topicNames.includes(value))]
    : commands;
}

function flagOffers(command: Command): readonly Offer[] {
  const flags = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ short, long, description }) =>
      [short, long].flatMap((value) => (value === undefined ? [] : [{ value, about: description }])),
    );
  return [...flags, ...['-h', '--help'].map((value) => ({ value, about: 'show help' }))];
}

function behind(name: string, { value, about }: Offer): Offer {
  return { value: value === '@file' ? value : `${name}=${value}`, about };
}

async function valueOffers(values: Values, line: Line, runtime: Runtime): Promise<readonly Offer[]> {
  if (values === 'file') return [{ value: '@file', about: '' }];
  return (await knownValues(values, line, runtime)).filter(({ value }) => harmless.test(value));
}

async function knownValues(
  values: Exclude<Values, 'file'>,
  { command, given, profile }: Line,
  runtime: Runtime,
): Promise<readonly Offer[]> {
  if (values === 'profiles') return profiles(runtime);
  if (values !== 'orders' && values !== 'client-order-ids') return values.map((value) => ({ value, about: '' }));
  // Orders are known of the built-in sandbox only.
  if (!runtime.files.exists(sandboxPath(runtime))) return [];
  const { clientOrderIds, orderIds } = await import('./orders.js');
  const list = values === 'orders' ? orderIds : clientOrderIds;
  return list({ path: pathOf(command), given, profile }, runtime);
}

async function profiles(runtime: Runtime): Promise<readonly Offer[]> {
  const listed = (await listProfiles(runtime)).map(({ name, class: kind }) => ({ value: name, about: kind }));
  return [...listed, { value: builtInSandbox, about: 'the built-in sandbox' }];
}

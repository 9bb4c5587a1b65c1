import type { Argument, Command, Option } from 'commander';
import { builtInSandbox, listProfiles } from '../../config/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { testCards } from '../../spec/index.js';
import { type BuildCommands, wholeOf } from '../group.js';
import { topicNames } from './topics.js';

// Nothing here needs quotes in any shell: it would run what it is made to type.
const harmless = /^[A-Za-z0-9_./][A-Za-z0-9._:@+,=/-]{0,127}$/;

/** One thing to offer. */
interface Offer {
  readonly value: string;
  readonly about: string;
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
  const { command, pending, given } = readWords(await build(own), own);
  if (isHelp)
    return given > 0 ? [] : [...topicNames.map((value) => ({ value, about: 'help topic' })), ...children(command)];
  if (pending !== undefined) return valuesOf(pending, runtime);
  if (typed.startsWith('-') && !words.includes('--')) {
    const [name = '', value] = typed.split('=', 2);
    if (value === undefined) return flagOffers(wholeOf(command));
    const option = wholeOf(command).options.find(({ long }) => long === name);
    const found = option === undefined ? [] : await valuesOf(option, runtime);
    return found.map((offer) => (offer.value === '@file' ? offer : { ...offer, value: `${name}=${offer.value}` }));
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
  const help = command.parent === null ? [{ value: 'help', about: 'Help' }] : [];
  return [...children(command), ...help, ...(argument === undefined ? [] : await valuesOf(argument, runtime))];
}

/** The command of a line, its last flag where the value of that is being typed, and how many arguments it has so far. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  let given = 0;
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('-')) {
      command = wholeOf(command);
      const option = command.options.find(({ long, short }) => long === word || short === word);
      if (option?.required || option?.optional) pending = option;
    } else {
      const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (child === undefined) given += 1;
      else command = child;
    }
  }
  return { command, pending, given };
}

function children(command: Command): readonly Offer[] {
  return command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].map((value) => ({ value, about: child.summary() })),
  );
}

function flagOffers(command: Command): readonly Offer[] {
  const help = { hidden: false, short: '-h', long: '--help', description: 'show help' };
  return [...command.options, help]
    .filter(({ hidden }) => !hidden)
    .flatMap(({ short, long, description }) =>
      [short, long].flatMap((value) => (value === undefined ? [] : [{ value, about: description }])),
    );
}

/** What may be the value of a flag or argument: one of its choices, or what its placeholder stands for. */
async function valuesOf(what: Option | Argument, runtime: Runtime): Promise<readonly Offer[]> {
  const placeholder = 'flags' in what ? (/<(.+)>$/.exec(what.flags)?.[1] ?? '') : what.name();
  if (placeholder === 'file' || placeholder === 'folder') return [{ value: '@file', about: '' }];
  const isProfile = placeholder === 'profile' || ('long' in what && what.long === '--profile');
  if (isProfile) return profileOffers(runtime);
  const isTestCard = 'long' in what && what.long === '--test-card';
  const listed = isTestCard ? testCards.map(({ name }) => name) : (what.argChoices ?? placeholder.split('|'));
  const isList = isTestCard || what.argChoices !== undefined || listed.length > 1;
  return (isList ? listed : []).map((value) => ({ value, about: '' })).filter(({ value }) => harmless.test(value));
}

async function profileOffers(runtime: Runtime): Promise<readonly Offer[]> {
  const listed = (await listProfiles(runtime)).map(({ name, class: kind }) => ({ value: name, about: kind }));
  const all = [...listed, { value: builtInSandbox, about: 'the built-in sandbox' }];
  return all.filter(({ value }) => harmless.test(value));
}

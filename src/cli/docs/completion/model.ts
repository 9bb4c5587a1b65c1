import type { Command, Option } from 'commander';
import { cardKeys } from '../../core/card-source.js';
import type { Build } from '../../core/command-line.js';
import { join, visibleCommands, wholeTree } from '../../core/command-tree.js';
import { flagOf } from '../../core/flags.js';
import { topicNames } from '../topics.js';
import { argumentValue, flagValue, nothing, type Value, wordsValue } from './values.js';

export interface Entry {
  readonly name: string;
  readonly value: Value;
  readonly about: string;
}

/** What a shell may offer behind the words of one command. */
export interface Place {
  /** The words so far; '' for the program itself. */
  readonly path: string;
  readonly commands: readonly Entry[];
  readonly flags: readonly Entry[];
  /** By position; `*` stands for every further one. */
  readonly arguments: readonly Entry[];
}

/** All places of the command line, from the tree the program runs on. */
export async function readPlaces(build: Build): Promise<readonly Place[]> {
  const { outcomes } = await import('../../../sandbox/ledger/outcomes.js');
  const tree = await wholeTree(build);
  const places = [...tree].flatMap(([path, command]) => placesOf(path, command));
  const byPath = new Map(places.map((place) => [place.path, place]));
  return [...byPath.values()].flatMap((place) => spelledOut(place, byPath, Object.keys(outcomes)));
}

/** One place per spelling of a command: its name and its aliases. */
function placesOf(path: string, command: Command): Place[] {
  const parent = path.split(' ').slice(0, -1).join(' ');
  const commands = visibleCommands(command).flatMap((child) =>
    [child.name(), ...child.aliases()].map((name) => ({ name, value: nothing, about: aboutCommand(child) })),
  );
  const known = command.options.filter((option) => !option.hidden || isOfCard(option));
  const flags = known.flatMap((option) => flagEntries(option, follows(command)));
  const place = { path, commands, flags: [...flags, ...help], arguments: argumentEntries(path, command) };
  return [place, ...command.aliases().map((alias) => ({ ...place, path: join(parent, alias) }))];
}

/**
 * Out of force for some profiles (A11), but what is typed behind it must be known for the value of a card, which is
 * passed on to nobody.
 */
function isOfCard({ long }: Option): boolean {
  return cardKeys.some((key) => long === flagOf(key));
}

const help: readonly Entry[] = ['-h', '--help'].map((name) => ({ name, value: nothing, about: 'show help' }));

/** The form of a row's examples stands below its first line. */
function aboutCommand(command: Command): string {
  return command.summary() || (command.description().split('\n')[0] ?? '');
}

function flagEntries(option: Option, follows: boolean): Entry[] {
  const placeholder = /[<[](.+)[>\]]$/.exec(option.flags)?.[1];
  const value = flagValue(option.long ?? '', placeholder, option.argChoices, follows);
  return [option.short, option.long].flatMap((name) =>
    name === undefined ? [] : [{ name, value, about: option.description }],
  );
}

/** True when the command is about an order that is there: it names one as an argument. */
function follows(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name() === 'order');
}

function argumentEntries(path: string, command: Command): Entry[] {
  return command.registeredArguments.map((argument, at) => ({
    name: argument.variadic ? '*' : String(at),
    value: argumentValue(path, at, argument.name(), argument.argChoices),
    about: argument.description,
  }));
}

/** What the tree does not have because it is understood before the tree is asked: see readCommandLine. */
function spelledOut(place: Place, all: ReadonlyMap<string, Place>, outcomes: readonly string[]): Place[] {
  const { path, flags } = place;
  if (path === '')
    return [
      { ...place, commands: [...place.commands, { name: 'help', value: '', about: 'Help' }] },
      ...helpPlaces(place, all),
    ];
  // `payout --amount …` is `payout send --amount …`.
  if (/^(?:sign (?:[a-z-]+ )?)?payout$/.test(path))
    return [{ ...place, flags: all.get(`${path} send`)?.flags ?? flags }];
  if (path !== 'sandbox outcomes') return [place];
  const next = { name: '0', value: wordsValue(['next']), about: 'queue the outcome of the next order' };
  return [{ ...place, arguments: [next, { name: '1', value: wordsValue(outcomes), about: 'outcome' }] }];
}

function helpPlaces(root: Place, all: ReadonlyMap<string, Place>): Place[] {
  const topics = topicNames.map((name) => ({ name, value: nothing, about: 'help topic' }));
  const place = { path: 'help', commands: [], flags: [], arguments: [] };
  const commands = root.commands.filter(({ name }) => !topicNames.includes(name));
  return wordPlaces(place, [...topics, ...commands], all);
}

/** A command that takes the words of other commands; what may follow them are its arguments. */
function wordPlaces(place: Place, words: readonly Entry[], all: ReadonlyMap<string, Place>): Place[] {
  const below = words.flatMap(({ name }) => wordPlace(place, name, all.get(name)?.commands ?? [], all));
  return [{ ...place, commands: words, arguments: [] }, ...below];
}

function wordPlace(place: Place, words: string, commands: readonly Entry[], all: ReadonlyMap<string, Place>): Place[] {
  const path = join(place.path, words);
  if (commands.length === 0) return [{ ...place, path, commands: [] }];
  const below = commands.flatMap(({ name }) =>
    wordPlace(place, join(words, name), all.get(join(words, name))?.commands ?? [], all),
  );
  return [{ ...place, path, commands, arguments: [] }, ...below];
}

import type { Command, Option } from 'commander';
import { fail, nearest } from '../../errors/index.js';
import { operationNamed } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { type CommandLine, typedAs } from './command-line.js';
import { commandMeant, synonymHint, synonymsOf } from './command-synonyms.js';

/**
 * Throws for an unknown command, naming the nearest one; never runs the guess. After `help` a topic may be meant as
 * well.
 */
export function assertKnownCommand(program: Command, argv: readonly string[], topics: readonly string[] = []): void {
  const { command, rest } = leafOf(program, argv);
  const [word] = rest;
  assertNoListOrShow(pathOf(command), rest);
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return;
  throw unknownCommand(command, rest, command === program ? topics : []);
}

/** `order list` and `order show ORDER` would ask about an order with that name, since `order` is no group. */
function assertNoListOrShow(path: string, [word, name, ...more]: readonly string[]): void {
  if (path !== 'order') return;
  const isName = name !== undefined && !name.startsWith('-') && more.every((each) => each.startsWith('-'));
  if (word === 'list') throw unknownUnderOrder(word, 'orders');
  if (word === 'show')
    throw unknownUnderOrder(word, isName && /^[\w.-]{1,40}$/.test(name) ? `order ${name}` : 'order ORDER');
}

function unknownUnderOrder(word: string, meant: string): Error {
  return fail('commandUnknown', {
    shown: ` \`order ${word}\``,
    hint: `; did you mean \`paycli ${meant}\`?`,
    command: 'order',
  });
}

/** The command that the first words name, as far as they name one, and what follows them. */
export function leafOf(
  program: Command,
  argv: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  let command = program;
  for (const [at, word] of argv.entries()) {
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (child === undefined) return { command, rest: argv.slice(at) };
    command = child;
  }
  return { command, rest: [] };
}

/** The command that another word with --help asks about: `refund --help` is the help of `return`. */
export function helpMeant(
  program: Command,
  argv: readonly string[],
  isAfterHelp: boolean,
): { readonly shown: string; readonly meant: readonly string[] } | undefined {
  const { command, rest } = leafOf(program, argv);
  const [word = ''] = rest;
  if (command.commands.length === 0 || !argv.some((arg) => arg === '--help' || arg === '-h')) return undefined;
  const path = pathOf(command);
  const meant = commandMeant(path, word.toLowerCase(), isAfterHelp);
  return meant === undefined ? undefined : { shown: `${path} ${word}`.trim(), meant: meant.split(' ') };
}

// A longer list is hard to read; the help that the error points to has them in groups.
const maxNames = 12;

// After these, nothing that moves money is meant: `payment list`.
const looks: ReadonlySet<string> = new Set(['list', 'show', 'get', 'find', 'search', 'lookup', 'history']);
const movesMoney = /`paycli (?:sale|preauth|capture|return|void|rebill|transfer|payout)\b/;

function unknownCommand(parent: Command, [word = '', next = '']: readonly string[], topics: readonly string[]): Error {
  const names = parent.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const path = pathOf(parent);
  const start = path === '' ? 'paycli' : `paycli ${path}`;
  const named = nameableWord(word);
  const shown = named === undefined ? '' : ` \`${`${path} ${named}`.trim()}\``;
  const list =
    names.length <= maxNames
      ? `; available: ${names.join(', ')}`
      : path.startsWith('sign ')
        ? `; the operation comes first, as in \`${start} status ORDER\``
        : '';
  const known = synonymHint(path, word.toLowerCase(), topics);
  const meant = known === undefined ? nearest(word, [...names, ...topics]) : undefined;
  const isTopic = meant !== undefined && !names.includes(meant);
  const near = meant === undefined ? list : `; did you mean \`${start}${isTopic ? ' help' : ''} ${meant}\`?`;
  const misspelt = known === undefined && meant === undefined ? nearest(word, synonymsOf(path)) : undefined;
  const first = known ?? (misspelt === undefined ? near : (synonymHint(path, misspelt, []) ?? near));
  const look =
    looks.has(next.toLowerCase()) && movesMoney.test(first) ? synonymHint('', next.toLowerCase(), []) : undefined;
  const hint = look ?? first;
  return fail(topics.length === 0 ? 'commandUnknown' : 'commandAndTopicUnknown', { shown, hint, command: path });
}

/** The words of a command without `paycli`; '' for the program itself. */
export function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

/** Flags without effect unless one of the others is given too, on commands that have both. */
const companionFlags: readonly (readonly [flag: string, others: readonly string[]])[] = [
  ['--wait-timeout', ['--wait']],
  ['--via', ['--wait']],
  ['--yes', ['--settle-as']],
  ['--confirm-resend', ['--resend']],
];

/** Refuses such a flag on its own: the user expects its effect. Throws USAGE. */
export function assertCompanionFlags(command: Command): void {
  const given = (flag: string): boolean | undefined => {
    const option = command.options.find(({ long }) => long === flag);
    return option === undefined ? undefined : command.getOptionValue(option.attributeName()) !== undefined;
  };
  for (const [flag, others] of companionFlags) {
    const there = others.filter((other) => given(other) !== undefined);
    if (given(flag) !== true || there.length === 0 || there.some((other) => given(other) === true)) continue;
    throw fail('flagDoesNothingAlone', { flag, others: there.join(' or '), command: pathOf(command) });
  }
}

/**
 * An order that is looked up is named without blanks around its id, which come with it from a spreadsheet. The flags of
 * an operation are fields, which are sent as typed or refused, and so are those of `sign`.
 */
export function trimOrder(command: Command): void {
  // The text that `orders` searches for is an id most of the time.
  const at = command.registeredArguments.findIndex((argument) => ['order', 'text'].includes(argument.name()));
  const order: unknown = command.processedArgs[at];
  if (typeof order === 'string') command.processedArgs[at] = order.trim();
  const path = pathOf(command);
  if ((operationNamed(path) ?? operationNamed(path.replace(/^sign /, ''))) !== undefined) return;
  for (const name of orderAttributes) {
    const id: unknown = command.getOptionValue(name);
    if (typeof id === 'string') command.setOptionValueWithSource(name, id.trim(), command.getOptionValueSource(name));
  }
}

/** Refuses `help` in place of an order: the user wants the help of the command. Throws USAGE. */
export function assertOrderNotHelp(command: Command): void {
  const at = command.registeredArguments.findIndex((argument) => argument.name() === 'order');
  if (at === -1 || command.processedArgs[at] !== 'help') return;
  const hasFlag = command.options.some(({ long }) => long === '--client-order-id');
  const other = hasFlag ? '; to name an order with that id, use --client-order-id help' : '';
  throw fail('helpIsNoOrder', { other, command: pathOf(command) });
}

/** Refuses an empty argument or value of a flag: it is most likely an empty script variable. Throws USAGE. */
export function assertNothingEmpty(command: Command): void {
  const argument = command.registeredArguments.find(
    (each, at) => each.name() !== 'command' && [command.processedArgs[at]].flat().includes(''),
  );
  const named = argument === undefined ? undefined : `<${argument.name()}>`;
  const flag = command.options.find((option) => [command.getOptionValue(option.attributeName())].flat().includes(''));
  const empty = named ?? flag?.long;
  if (empty) throw fail('nameEmpty', { name: empty, command: pathOf(command) });
}

const orderAttributes: readonly string[] = ['order', 'orderId', 'clientOrderId'];

// Output flags: the last one counts, so that a shell alias may set one.
const lastCounts: readonly string[] = ['output', 'select', 'template', 'color'];

/**
 * Refuses a flag in place of the value of another one, which commander would take: the variable was empty. Refuses a
 * flag that is given twice with different values as well. Commander takes the last one, and which one was meant is
 * unclear: two amounts, two orders, two profiles. Throws USAGE, without the values.
 */
export function assertFlagValues(program: Command, { argv, isByAlias = false }: CommandLine): void {
  const values = new Map<Option, string>();
  const { command, rest: given } = leafOf(program, argv);
  const named = (name: string) => command.options.find(({ long, short }) => long === name || short === name);
  const rest = [...given];
  for (let arg = rest.shift(); arg !== undefined && arg !== '--'; arg = rest.shift()) {
    const [, name = arg, attached] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? /^(-[^-])(.+)$/s.exec(arg) ?? [];
    const option = named(name);
    // After a switch of one letter further ones may follow: -qp NAME.
    if (option?.required === false && attached !== undefined && arg[1] !== '-') rest.unshift(`-${attached}`);
    if (option?.required !== true) continue;
    const value = attached ?? rest.shift();
    const flag = option.long ?? name;
    const next = attached === undefined ? /^--[^=]*|^-[^-]/.exec(value ?? '')?.[0] : undefined;
    if (next !== undefined && (next.startsWith('--') || next === '-h' || named(next) !== undefined))
      throw fail('flagWithoutValue', {
        flag,
        next: (isByAlias ? typedAs.get(value ?? '') : undefined) ?? nameableWord(next) ?? 'another flag',
        command: pathOf(command),
      });
    if (value === undefined || collects(option) || lastCounts.includes(option.attributeName())) continue;
    const before = values.get(option);
    if (before !== undefined && before !== value) throw fail('flagGivenTwice', { flag, command: pathOf(command) });
    values.set(option, value);
  }
}

/** A flag that collects its values has a parser of its own; commander's, of one with fixed choices, keeps the last. */
function collects({ parseArg, argChoices: [choice] = [] }: Option): boolean {
  return parseArg !== undefined && (choice === undefined || Array.isArray(parseArg(choice, undefined)));
}

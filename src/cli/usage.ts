import { type Command, type CommanderError, InvalidArgumentError } from 'commander';
import { fail, nearest, type PaycliError } from '../errors/index.js';
import { isCardNumber } from '../wire/mask.js';
import { nameableWord, secretInSentence } from '../wire/secret-names.js';
import { synonymHint } from './core/command-synonyms.js';

/** What is wrong with the value of a flag: an instruction, or a sentence about it. Values are never repeated. */
export function wrongValue(why: string): InvalidArgumentError {
  return new InvalidArgumentError(why);
}

/** Refuses nothing where a value is due: most likely a variable was empty. */
export function nonEmpty(given: string, name: string): string {
  if (given.trim() === '') throw wrongValue(`${name} is empty; an empty variable?`);
  return given;
}

/**
 * Refuses nothing, and a separate word that looks like a flag, as the value of a flag: a variable was empty.
 * `--flag=--text` gives such a text.
 */
export function assertValue(given: string, name: string, { options }: Command, argv: readonly string[]): void {
  nonEmpty(given, name);
  if (!/^-(?:-|[a-z])/i.test(given)) return;
  const short = options.find(({ long }) => long === name)?.short?.slice(1);
  const isName = (word = '') => word === name || (short !== undefined && new RegExp(`^-\\w*${short}$`).test(word));
  if (!argv.some((word, at) => word === given && isName(argv[at - 1]))) return;
  const next = nameableWord(given.split('=')[0] ?? '') ?? 'another flag';
  throw wrongValue(`${name} has no value: it is followed by ${next}; an empty variable?`);
}

/** An order that is named: without the blanks that come with it from a spreadsheet. Throws USAGE. */
export function orderNamed<Named extends string | undefined>(order: Named, flag: string): Named {
  if (order !== undefined && isCardNumber(order.trim()))
    throw fail('USAGE', {
      why: `the order argument looks like a card number, so it was neither sent nor shown; an order id of that form can be given with ${flag}`,
      flag,
    });
  return order?.trim() as Named;
}

/** What commander found wrong with the line, as an error of ours. `rest` is what follows the command. */
export function usageError(error: CommanderError, command: Command, rest: readonly string[]): PaycliError {
  const child = command.commands.find((each) => rest.includes(each.name()));
  const isFlag = error.code === 'commander.unknownOption';
  const names = command.commands.map((each) => each.name()).join(', ');
  const first = isFlag && command.usage().startsWith('<operation>') ? `; an operation comes first: ${names}` : '';
  const where = isFlag && child !== undefined ? `; flags go after the command: \`paycli ${pathOf(child)} …\`` : '';
  return usage(`${shownMessage(error)}${first || where}`, command, error);
}

/** Without the value, which may be a card number. */
function shownMessage({ message }: CommanderError): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\)$/, (_, hint: string) => `; did you mean ${hint}`);
  const [, name = '', why = ''] =
    /^(?:option|command-argument value) '(?:-\w, )?([^' ]*).* is invalid(?: for argument '[^']*')?\. (.*)$/s.exec(
      text,
    ) ?? [];
  if (why !== '') return why.startsWith('--') || !name.startsWith('--') ? why : `${name}: ${why}`;
  return text
    .replace(/(--[\w-]+)=[^']*/g, '$1')
    .replace(/[\d -]{12,}/g, ' … ')
    .replace(/\.$/, '');
}

/** A mistake in the command line. */
export function usage(why: string, command: Command, cause?: unknown): PaycliError {
  return fail('USAGE', { why, command: pathOf(command) }, { cause });
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

/** The words of a command without `paycli`; '' for the program itself. */
export function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

/** Throws for an unknown command, naming the nearest one; never runs the guess. After `help` a topic may be meant. */
export function assertKnownCommand(program: Command, argv: readonly string[], topics: readonly string[] = []): void {
  const { command, rest } = leafOf(program, argv);
  const [word] = rest;
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return;
  const path = pathOf(command);
  const named = nameableWord(word);
  const shown = named === undefined ? '' : ` \`${`${path} ${named}`.trim()}\``;
  const kind = topics.length === 0 ? 'command' : 'command or help topic';
  const names = command.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const meant = nearest(word.toLowerCase(), command.parent === null ? [...names, ...topics] : names);
  const near = meant === undefined ? '' : `; did you mean \`${`paycli ${path}`.trim()} ${meant}\`?`;
  // A longer list is hard to read; the help that the error points to has them in groups.
  const all = names.length > 12 ? '' : `; available: ${names.join(', ')}`;
  const why = `unknown ${kind}${shown}${synonymHint(path, word.toLowerCase()) || near || all}`;
  throw fail('USAGE', { why, command: path });
}

/**
 * No command takes a key as a flag's value. Refused before anything is parsed, so that no message repeats it. Throws
 * KEY_ON_COMMAND_LINE.
 */
export function assertNoKeyFlags(argv: readonly string[]): void {
  const end = argv.indexOf('--');
  for (const arg of end === -1 ? argv : argv.slice(0, end)) {
    const [, name] = keyFlag.exec(arg) ?? [];
    if (name !== undefined)
      throw fail('KEY_ON_COMMAND_LINE', {
        flag: `--${name.toLowerCase().replace(/_|(?<=control|private)(?=key)/, '-')}`,
      });
  }
}

const keyFlag = /^--(?:merchant[-_]?)?(control[-_]?key|private[-_]?key|passphrase)(?:=|$)/i;

/** A text that is kept for good, and shown to everybody who reads it: no card number, security code or key. */
export function keptText(text: string): string {
  const what = secretInSentence(text);
  if (what === undefined) return text;
  const instead = what === 'a card number' ? 'write only its last four digits' : 'leave it out';
  throw wrongValue(`it contains ${what}, but its text would be stored and shown: ${instead}`);
}

/** The number of a flag such as --limit. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw wrongValue('use a whole number above 0');
  return Number(text);
}

/** No order is named, and there is no terminal to ask for one. */
export function orderNotNamed(): PaycliError {
  return fail('USAGE', {
    why: 'no order is named; give its gateway order id or your client order id as the argument; `paycli orders` lists them',
  });
}

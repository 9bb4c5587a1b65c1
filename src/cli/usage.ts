import { type Command, type CommanderError, InvalidArgumentError } from 'commander';
import { fail, type PaycliError } from '../errors/index.js';
import { isCardNumber } from '../wire/card-number.js';
import { nameableWord } from '../wire/secret-names.js';
import { pathOf } from './core/usage-checks.js';

/** What is wrong with the value of a flag: an instruction, or a sentence about it. Values are never repeated. */
export function wrongValue(why: string): InvalidArgumentError {
  return new InvalidArgumentError(why);
}

/** Refuses nothing where a value is due: most likely a variable was empty. */
export function nonEmpty(given: string, name: string): string {
  if (given === '') throw wrongValue(`${name} is empty; an empty variable?`);
  return given;
}

/**
 * Refuses nothing, and a separate word that is a flag, as the value of a flag: a variable was empty. `--flag=--text`
 * gives such a text.
 */
export function assertValue(given: string, name: string, { options }: Command, argv: readonly string[]): void {
  nonEmpty(given, name);
  const isFlag = given.startsWith('--') || options.some(({ short }) => short === given) || given === '-h';
  if (!isFlag || argv.includes(`${name}=${given}`)) return;
  const next = nameableWord(given.split('=')[0] ?? '') ?? 'another flag';
  throw wrongValue(`${name} has no value: it is followed by ${next}; an empty variable?`);
}

/** An order that is named: without the blanks that come with it from a spreadsheet. Throws USAGE. */
export function orderNamed(order: string | undefined, flag: string, command: string): string | undefined {
  if (order === 'help')
    throw fail('helpIsNoOrder', { other: `; to name an order with that id, use ${flag} help`, command });
  if (order !== undefined && isCardNumber(order.trim())) throw fail('orderLooksLikeCard', { flag, command });
  return order?.trim();
}

/** What commander found wrong with the line, as an error of ours; undefined for help, which it throws too. */
export function usageError(error: CommanderError, command: Command): PaycliError | undefined {
  if (error.exitCode === 0) return undefined;
  return usage(`${shownMessage(error)}${hintFor(error, command)}`, command, error);
}

/** Without the value, which may be a card number. */
function shownMessage({ message }: CommanderError): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\((Did you mean .*)\)$/, (_, hint: string) => `; ${lower(hint)}`);
  const [, name = '', why = ''] =
    /^(?:option|command-argument value) '(?:-\w, )?([^' ]*).* is invalid\. (.*)$/s.exec(text) ?? [];
  if (why !== '') return why.startsWith(name) || !name.startsWith('--') ? why : `${name}: ${why}`;
  return text.replace(/(--[\w-]+)=[^']*/g, '$1').replace(/[\d -]{12,}/g, ' … ');
}

function hintFor({ code, message }: CommanderError, { options }: Command): string {
  const has = (flag: string) => options.some(({ long }) => long === flag);
  if (code === 'commander.excessArguments' && has('--amount')) return ' An amount is given with --amount';
  if (/'--(?:nd)?json=/.test(message)) return '; --fields a,b chooses fields';
  return '';
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A mistake in the command line. */
export function usage(why: string, command: Command, cause?: unknown): PaycliError {
  return fail('USAGE', { why, command: pathOf(command) }, { cause });
}

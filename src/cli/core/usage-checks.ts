import type { Command, Option } from 'commander';
import { fail } from '../../errors/index.js';
import { operationNamed } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { leafOf, pathOf } from '../usage.js';
import { type CommandLine, typedAs } from './command-line.js';

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
    throw fail('USAGE', {
      why: `${flag} does nothing without ${there.join(' or ')}; add that, or omit ${flag}`,
      flag,
      command: pathOf(command),
    });
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
  throw fail('USAGE', { why: `\`help\` is not an order id${other}`, command: pathOf(command) });
}

/** Refuses an empty argument or value of a flag: it is most likely an empty script variable. Throws USAGE. */
export function assertNothingEmpty(command: Command): void {
  const argument = command.registeredArguments.find(
    (each, at) => each.name() !== 'command' && [command.processedArgs[at]].flat().includes(''),
  );
  const named = argument === undefined ? undefined : `<${argument.name()}>`;
  const flag = command.options.find((option) => [command.getOptionValue(option.attributeName())].flat().includes(''));
  const empty = named ?? flag?.long;
  if (empty)
    throw fail('USAGE', {
      why: `${empty} is empty; give it a value or leave it out`,
      name: empty,
      command: pathOf(command),
    });
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
      throw fail('USAGE', {
        why: `${flag} has no value: it is followed by ${(isByAlias ? typedAs.get(value ?? '') : undefined) ?? nameableWord(next) ?? 'another flag'} (an empty variable?); ${flag}=TEXT gives a text that begins with -`,
        flag,
        command: pathOf(command),
      });
    if (value === undefined || collects(option) || lastCounts.includes(option.attributeName())) continue;
    const before = values.get(option);
    if (before !== undefined && before !== value)
      throw fail('USAGE', {
        why: `${flag} is given twice, with different values; give it once`,
        flag,
        command: pathOf(command),
      });
    values.set(option, value);
  }
}

/** A flag that collects its values has a parser of its own; commander's, of one with fixed choices, keeps the last. */
function collects({ parseArg, argChoices: [choice] = [] }: Option): boolean {
  return parseArg !== undefined && (choice === undefined || Array.isArray(parseArg(choice, undefined)));
}

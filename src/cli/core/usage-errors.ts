import type { Argument, Command, Option } from 'commander';
import { fail, nearest, type PaycliError, problemsText, shellWord, suggest } from '../../errors/index.js';
import { allOperations, type Operation } from '../../spec/index.js';
import { checkValue } from '../../wire/check.js';
import { nameableWord } from '../../wire/secret-names.js';
import { flagOf } from '../command.js';
import { sendingFlagProblem, wireSpellings } from '../flags.js';
import { leafOf, pathOf } from '../usage.js';
import { areGlobalFlags, type CommandLine, typedAs } from './command-line.js';
import { synonymHint } from './command-synonyms.js';

/**
 * All mistakes in a command line that commander refused, since commander stops at the first. Values of flags are not
 * repeated: they may be card numbers. `complaint` is commander's error, used when nothing else is found.
 */
export function usageError(
  program: Command,
  { argv, row, isByAlias = false }: CommandLine,
  complaint: Error,
): PaycliError {
  const { command, rest } = leafOf(program, argv);
  if (command === program && areGlobalFlags(rest))
    return fail('USAGE', { why: 'no command is given, only flags', command: '' }, { cause: complaint });
  const path = pathOf(command);
  // Every flag is one of an operation, which has to come first.
  if (path === 'sign')
    return fail(
      'USAGE',
      {
        why: `an operation is missing: ${operationNames()}; it comes first, as in \`paycli sign sale\``,
        command: path,
      },
      { cause: complaint },
    );
  const { problems, words, flags } = read(rest, command, row, isByAlias);
  if (flags !== 'unknown') problems.push(...wordProblems(words, command));
  for (const option of command.options)
    if (
      option.mandatory &&
      command.getOptionValue(option.attributeName()) === undefined &&
      !rest.some((arg) => isFlag(arg, option))
    )
      problems.push(`${option.flags} is missing: ${option.description}`);
  const why = problems.length === 0 ? plain(complaint.message) : problemsText(problems);
  return fail('USAGE', { why, command: path }, { cause: complaint });
}

function operationNames(): string {
  const names = allOperations.map(({ command }) => command);
  return names.filter((name) => !name.includes(' --')).join(', ');
}

interface Read {
  readonly problems: string[];
  /** Words that are neither flags nor their values. */
  readonly words: readonly string[];
  /** After an unknown flag, words cannot be told from its value. */
  readonly flags: 'known' | 'unknown';
}

/** Reads flags as commander does. `isByAlias` says that --output may stand for --json. */
function read(given: readonly string[], command: Command, row: Operation | undefined, isByAlias: boolean): Read {
  const problems: string[] = [];
  const words: string[] = [];
  let flags: Read['flags'] = 'known';
  const rest = [...given];
  const child = command.commands.find((each) => given.includes(each.name()));
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return { problems, words: [...words, ...rest], flags };
    if (!/^-./.test(arg) || /^-\d/.test(arg)) {
      words.push(arg);
      continue;
    }
    const [, name = arg, attached] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? /^(-[^-])(.+)$/s.exec(arg) ?? [];
    const option = command.options.find(({ long, short }) => long === name || short === name);
    if (option === undefined) {
      const alias = isByAlias ? typedAs.get(arg) : undefined;
      problems.push(unknownFlag(alias ?? name, command, row, child));
      if (alias !== undefined && rest[0]?.startsWith('--fields=') === true) rest.shift();
      flags = 'unknown';
      if (attached === undefined && rest[0]?.startsWith('-') === false) rest.shift();
    } else if (!option.required && !option.optional) {
      if (attached !== undefined && name.startsWith('--')) problems.push(`${name} takes no value`);
      else if (attached !== undefined) rest.unshift(`-${attached}`);
    } else problems.push(...valueProblems(option, attached ?? rest.shift(), row));
  }
  return { problems, words, flags };
}

/** `child` is the command of a group that was typed after its flags. */
function unknownFlag(name: string, command: Command, row: Operation | undefined, child: Command | undefined): string {
  const path = pathOf(command);
  if (name === '--curl')
    return `unknown flag ${name}; did you mean \`paycli sign ${row?.command ?? 'OPERATION'} --code curl\`?`;
  const spellings = row === undefined ? new Map<string, string>() : wireSpellings(row);
  const own = command.options.filter(({ hidden, long }) => !hidden && long !== undefined).map(({ long }) => long ?? '');
  // Of two that are as close, the one that begins with the same letter.
  const all = [...own, ...spellings.keys()];
  const meant = nearest(name, [...all.filter((flag) => flag[2] === name[2]), ...all]);
  const below = path === '' ? undefined : commandsBelow(command, child).find((each) => takesFlag(each, name));
  const hints = [
    meant === undefined ? undefined : `; did you mean ${spellings.get(meant) ?? meant}?`,
    below === undefined ? undefined : `; did you mean \`paycli ${path} ${below.name()} ${name}\`?`,
    path === '' ? '; flags go after the command' : undefined,
    name === '--live' ? '; it sends nothing to a live gateway and needs no --live' : undefined,
  ];
  const hint = hints.find((each) => each !== undefined) ?? '';
  return `unknown flag ${name.slice(0, 40)} for ${path === '' ? 'paycli' : `paycli ${path}`}${hint}`;
}

/** The commands of a group: the one that was typed first, then those that change nothing. */
function commandsBelow({ commands }: Command, typed: Command | undefined): readonly Command[] {
  const shows = commands.filter((each) => ['list', 'show', 'status'].includes(each.name()));
  return [...(typed === undefined ? [] : [typed]), ...shows, ...commands];
}

function takesFlag({ options }: Command, name: string): boolean {
  return options.some(({ long, short }) => long === name || short === name);
}

function valueProblems(option: Option, value: string | undefined, row: Operation | undefined): string[] {
  const flag = option.long ?? option.flags;
  if (value === undefined) return [`${option.flags} needs a value: ${option.description}`];
  const { argChoices } = option;
  if (argChoices !== undefined) return argChoices.includes(value) ? [] : [`${flag}: ${choose(argChoices, value)}`];
  const field = Object.entries(row?.fields ?? {}).find(([key]) => flagOf(key) === flag)?.[1];
  const why = field === undefined ? undefined : checkValue(field, value);
  const problem =
    why === undefined ? (row === undefined ? undefined : sendingFlagProblem(flag, value)) : `${flag}: ${why}`;
  return problem === undefined ? [] : [problem];
}

function choose(words: readonly string[], given: string): string {
  return `use one of ${words.join(', ')}${suggest(given, words)}`;
}

function wordProblems(words: readonly string[], command: Command): string[] {
  const wanted = command.registeredArguments;
  const problems = wanted.flatMap((argument, at) => argumentProblems(argument, words[at], command));
  if (words.length <= wanted.length || wanted.at(-1)?.variadic === true) return problems;
  const path = `paycli ${pathOf(command)}`.trim();
  const takes = wanted.length === 0 ? 'flags' : wanted.map((argument) => `<${argument.name()}>`).join(' ');
  const extra = words.slice(wanted.length);
  const hint = synonymHint(pathOf(command), extra[0] ?? '', []) ?? `; ${flagHint(extra, command)}`;
  return [...problems, `${unexpected(extra)}: ${path} takes only ${takes}${hint}`];
}

/** Names the surplus words, unless one of them may be a secret: the others may be parts of the same one. */
function unexpected(extra: readonly string[]): string {
  const named = extra.flatMap((word) => nameableWord(word) ?? []);
  const names = named.length === extra.length ? ` ${named.map((word) => shellWord(word)).join(', ')}` : '';
  return `unexpected argument${extra.length === 1 ? '' : 's'}${names}`;
}

/** A hint for surplus words. */
function flagHint(extra: readonly string[], { options, registeredArguments }: Command): string {
  const has = (flag: string) => options.some(({ long }) => long === flag);
  const isOfOrder = registeredArguments.some((argument) => argument.name() === 'order');
  if (has('--amount') && extra.every((word) => /^\d{1,12}(?:[.,]\d{1,4})?$|^[A-Za-z]{3}$/.test(word)))
    // The currency of an order is known, unless it is typed.
    return has('--currency') && !(isOfOrder && extra.length === 1)
      ? 'give an amount with --amount and --currency'
      : 'give an amount with --amount';
  if (has('--to') && extra.some((word) => /^https?:/i.test(word))) return 'give an address with --to';
  if (has('--order')) return 'give an order with --order';
  return 'quote values with spaces';
}

function argumentProblems(argument: Argument, word: string | undefined, command: Command): string[] {
  const name = `<${argument.name()}>`;
  const { argChoices } = argument;
  if (word === undefined) {
    const what = [...(argument.description === '' ? [] : [argument.description]), ...chosenBy(argument, command)];
    return argument.required ? [[`${name} is missing`, ...what].join(': ')] : [];
  }
  return argChoices === undefined || argChoices.includes(word) ? [] : [`${name}: ${choose(argChoices, word)}`];
}

/** The words to choose from, and the whole command with the first of them; what was typed may be secret. */
function chosenBy({ argChoices }: Argument, command: Command): string[] {
  const [first] = argChoices ?? [];
  if (argChoices === undefined || first === undefined) return [];
  const words = command.registeredArguments.map((each) =>
    each.argChoices === argChoices ? first : `<${each.name()}>`,
  );
  const flags = command.options.filter(({ mandatory }) => mandatory).map((option) => option.flags);
  return [`${argChoices.join(' or ')}, as in \`${['paycli', pathOf(command), ...words, ...flags].join(' ')}\``];
}

function isFlag(arg: string, { long, short }: Option): boolean {
  return arg === long || arg === short || (long !== undefined && arg.startsWith(`${long}=`));
}

function plain(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/(--[\w-]+)=\S*/g, '$1')
    .replace(/[\d -]{12,}/g, ' … ');
}

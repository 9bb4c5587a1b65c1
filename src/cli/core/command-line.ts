import type { Command } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, allOperations, type Operation } from '../../spec/index.js';
import { valueAfter, wireSpellings } from '../flags.js';

/** The command line, with every accepted spelling rewritten to the one commander knows. */
export interface CommandLine {
  readonly argv: readonly string[];
  /** The operation meant, for `sale …` or `sign sale …`; undefined for other commands. */
  readonly row: Operation | undefined;
  /** --json was typed; `argv` has --output instead. */
  readonly isByAlias?: boolean;
  /** As it was typed: its command is declared, and commander reads it. */
  readonly isRaw?: true;
  /** The value of --output-file. */
  readonly outputFile?: string | undefined;
}

const payoutWords = new Set(['send', 'check', 'pay', 'help']);

/** Words of the command: everything before the first flag. */
function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((arg) => arg.startsWith('-'));
  return end === -1 ? [...argv] : argv.slice(0, end);
}

const globalSwitches = new Set(['--color', '--no-color', '-q', '--quiet', '-v', '--verbose']);
const globalValueFlags = new Set(['-o', '--output', '-p', '--profile', '--fields', '--template', '--output-file']);

/** Global flags may stand before the command. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = argv;
  if (globalSwitches.has(first) || /^--(?:json$|(?:output|fields|template|output-file|profile)=)/.test(first))
    return moved([first], argv.slice(1));
  return globalValueFlags.has(first) && second !== '' ? moved([first, second], rest) : argv;
}

/** Where the command begins, after global flags and their values. */
export function commandAt(argv: readonly string[]): number {
  const at = argv.findIndex((arg, i) => !arg.startsWith('-') && !globalValueFlags.has(argv[i - 1] ?? ''));
  return at > 0 && areGlobalFlags(argv.slice(0, at)) ? at : 0;
}

/** Whether these are flags that may stand before a command, with their values, and nothing else. */
export function areGlobalFlags(argv: readonly string[]): boolean {
  const isGlobal = (name = '') => globalSwitches.has(name) || globalValueFlags.has(name) || /^-v+$/.test(name);
  return argv.every((arg, at) =>
    arg.startsWith('-') ? isGlobal(arg.split('=')[0]) : globalValueFlags.has(argv[at - 1] ?? ''),
  );
}

function moved(flags: readonly string[], argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return flags;
  const rest = commandFirst(argv);
  const end = rest.indexOf('--');
  return end === -1 ? [...rest, ...flags] : [...rest.slice(0, end), ...flags, ...rest.slice(end)];
}

/** The index of the operation's first word. */
function operationAt([first = '']: readonly string[]): number {
  return first === 'sign' || first === 'help' ? 1 : 0;
}

/** `payout --amount …` means `payout send`; a bare `payout` is a group and shows its help. */
function completePayout(argv: readonly string[]): readonly string[] {
  const at = operationAt(argv);
  const following = argv[at + 1];
  if (argv[at] !== 'payout' || following === undefined || payoutWords.has(following)) return argv;
  if (!following.startsWith('-') || following === '-h' || following === '--help') return argv;
  return [...argv.slice(0, at + 1), 'send', ...argv.slice(at + 1)];
}

/**
 * `card-ref create --api v4` is a row of its own; `--api v2` is the plain one. Any other version is left to the parser,
 * which names the choices.
 */
function chooseApi(given: readonly string[]): { readonly argv: readonly string[]; readonly api: string } {
  const at = given.findIndex((arg, i) => given[i - 1] === 'card-ref' && arg === 'create');
  if (at === -1 || given.at(-1) === '--api') return { argv: given, api: 'v2' };
  let api = 'v2';
  const argv: string[] = [];
  given.forEach((arg, i) => {
    if (arg.startsWith('--api=')) api = arg.slice('--api='.length);
    else if (arg !== '--api' && given[i - 1] === '--api') api = arg;
    else if (arg !== '--api') argv.push(arg);
  });
  return api === 'v2' || api === 'v4' ? { argv, api } : { argv: given, api };
}

/** `--json` is `--output=json` and never takes the next word. */
function expandJson(arg: string): string {
  return arg === '--json' ? '--output=json' : arg;
}

/** What a rewritten flag was typed as. */
export const typedAs: ReadonlyMap<string, string> = new Map([['--output=json', '--json']]);

function respell(arg: string, spellings: ReadonlyMap<string, string>): string {
  const cut = arg.indexOf('=');
  const name = cut === -1 ? arg : arg.slice(0, cut);
  const flag = spellings.get(name);
  return flag === undefined ? arg : flag + arg.slice(name.length);
}

/** The operation that the words name, longest command first, in the requested API version. */
function rowOf(words: readonly string[], api: string): Operation | undefined {
  const start = operationAt(words);
  const named = (count: number) => {
    const text = words.slice(start, start + count).join(' ');
    return allOperations.find((row) => row.command === text || (row.aliases ?? []).includes(text));
  };
  const row = named(2) ?? named(1);
  return allOperations.find(({ command }) => command === `${row?.command} --api ${api}`) ?? row;
}

/** Brings a command line to its one canonical spelling. Values are never touched: none begins with `--`. */
export function readCommandLine(given: readonly string[]): CommandLine {
  const { argv, api } = chooseApi(completePayout(commandFirst(given)));
  const row = rowOf(leadingWords(argv), api);
  const spellings = row === undefined ? new Map<string, string>() : wireSpellings(row);
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return {
    argv: [...own.map((arg) => expandJson(respell(arg, spellings))), ...argv.slice(own.length)],
    row,
    outputFile: valueAfter(own, ['--output-file']) || undefined,
    isByAlias: own.includes('--json'),
  };
}

/**
 * Builds the command tree with the options of this operation; without an operation the whole tree, else at least the
 * commands that take one.
 */
export type Build = (row: Operation | undefined) => Promise<Command>;

/** Receives the exit code of the command. */
export interface Finish {
  exit: number;
}

/** Part of the command tree: what adds the commands that begin with these words. */
export interface TreePart {
  readonly words: readonly string[];
  readonly add: (program: Command, context: ProgramContext) => Promise<void>;
}

export interface ProgramContext {
  readonly runtime: Runtime;
  readonly commandLine: CommandLine;
  readonly finish: Finish;
  /** Builds the whole tree again: the current one has the flags of at most one operation. */
  readonly tree: Build;
  /** Assumptions that decide which flags help lists; the defaults where no profile is read. */
  readonly assume: Assume;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { everyPart } from '../../../src/cli/commands/index.js';
import { signOperationTools } from '../../../src/cli/core/command-line.js';
import { wholeTree } from '../../../src/cli/core/command-tree.js';
import { treeBuilder } from '../../../src/cli/core/program.js';
import type { Runtime } from '../../../src/runtime/ports.js';
import { allOperations } from '../../../src/spec/index.js';
import { paycli } from '../../support/runtime.js';

/** Those that an operation has wherever it stands; the golden file of the operation itself shows them. */
const ofOperation = ['Required fields:', 'Card:', 'Optional fields:', 'Other fields:'];

export interface Golden {
  readonly name: string;
  /** The commands it shows, by their words. */
  readonly paths: readonly string[];
}

let whole: Promise<ReadonlyMap<string, Command>> | undefined;

/** Every command, all with their flags. Built once for all tests of a process: it takes as long as forty commands. */
export function commandTree(): Promise<ReadonlyMap<string, Command>> {
  whole ??= builtTree();
  return whole;
}

async function builtTree(): Promise<ReadonlyMap<string, Command>> {
  let runtime: Runtime | undefined;
  const home = mkdtempSync(join(tmpdir(), 'paycli-golden-'));
  try {
    await paycli(['whoami'], { home, outside: (usual) => (runtime = usual) });
  } finally {
    rmSync(home, { recursive: true });
  }
  const outside = runtime;
  if (outside === undefined) throw new Error('the runtime of a test was not made');
  return wholeTree(treeBuilder(outside, everyPart));
}

/** The commands of `sign` that write a program, which have the same flags. */
const languages = ['php', 'curl', 'python', 'node', 'java', 'csharp', 'go', 'ruby'];

/**
 * Which file shows which commands: one each, but one for all operations below `sign`, and below each of its tools. Of
 * the tools that write a program it has every operation in PHP, and sale in the other languages.
 */
export function goldensOf(paths: readonly string[]): readonly Golden[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const [tool, language = '', operation = 'sale', ...rest] = path.split(' ');
    const isRepeated = tool === 'sign' && languages.slice(1).includes(language);
    if (isRepeated && [operation, ...rest].join(' ') !== 'sale') continue;
    const name = nameFor(path);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  return [...byName].map(([name, shown]) => ({ name, paths: shown }));
}

function nameFor(path: string): string {
  const tool = signToolOf(path);
  return `${(tool === undefined ? path || 'paycli' : `${tool} OPERATION`).replaceAll(' ', '-')}.txt`;
}

/**
 * `sign diff` for `sign diff sale` and for groups such as `sign diff payout`; undefined for what is no operation below
 * `sign`.
 */
function signToolOf(path: string): string | undefined {
  const [first, second = '', ...rest] = path.split(' ');
  if (first !== 'sign') return undefined;
  const [tool, operation] = signOperationTools.has(second)
    ? [`sign ${second}`, rest.join(' ')]
    : ['sign', [second, ...rest].join(' ')];
  const isOne = operation !== '' && allOperations.some(({ command }) => `${command} `.startsWith(`${operation} `));
  if (!isOne) return undefined;
  return languages.includes(second) ? 'sign LANGUAGE' : tool;
}

/** The help of these commands without the flags that another golden file shows. */
export async function helpText({ paths }: Golden): Promise<string> {
  const texts = [];
  for (const path of paths) texts.push(await oneHelp(path));
  return texts.join('\n');
}

async function oneHelp(path: string): Promise<string> {
  const words = [...path.split(' ').filter((word) => word !== ''), '--help'];
  const hidden = signToolOf(path) === undefined ? [] : ofOperation;
  const kept = sectionsOf((await paycli(words)).out).filter(([line = '']) => !hidden.includes(line));
  return `$ paycli ${words.join(' ')}\n\n${kept.map((lines) => `${lines.join('\n')}\n`).join('\n')}`;
}

/** Parts between blank lines; a heading begins one. */
function sectionsOf(help: string): string[][] {
  return help
    .trimEnd()
    .split('\n\n')
    .map((part) => part.split('\n'));
}

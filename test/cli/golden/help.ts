import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { signOperationTools } from '../../../src/cli/core/command-line.js';
import { wholeTree } from '../../../src/cli/core/command-tree.js';
import { treeBuilder } from '../../../src/cli/core/program.js';
import type { Runtime } from '../../../src/runtime/ports.js';
import { allOperations } from '../../../src/spec/index.js';
import { paycli } from '../../support/runtime.js';

/**
 * Groups of flags that most commands have; each has a golden file of its own, made from `whoami`, which has nothing
 * else.
 */
const common = ['Connection:', 'Output:'];
/** Those that an operation has wherever it stands; the golden file of the operation itself shows them. */
const ofOperation = ['Required fields:', 'Card:', 'Optional fields:', 'Other fields:'];

export interface Golden {
  readonly name: string;
  /** The commands it shows, by their words. */
  readonly paths: readonly string[];
}

/** Every command, all with their flags. */
export async function commandTree(): Promise<ReadonlyMap<string, Command>> {
  let runtime: Runtime | undefined;
  const home = mkdtempSync(join(tmpdir(), 'paycli-golden-'));
  try {
    await paycli(['whoami'], { home, outside: (usual) => (runtime = usual) });
  } finally {
    rmSync(home, { recursive: true });
  }
  const outside = runtime;
  if (outside === undefined) throw new Error('the runtime of a test was not made');
  return wholeTree(treeBuilder(outside));
}

/** Which file shows which commands: one each, but one for all operations below `sign`, and below each of its tools. */
export function goldensOf(paths: readonly string[]): readonly Golden[] {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
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
  return isOne || operation === 'payout form' ? tool : undefined;
}

/** The help of these commands without the flags that another golden file shows. */
export async function helpText({ paths }: Golden, tree: ReadonlyMap<string, Command>): Promise<string> {
  const texts = [];
  for (const path of paths) texts.push(await oneHelp(path, tree));
  return texts.join('\n');
}

async function oneHelp(path: string, tree: ReadonlyMap<string, Command>): Promise<string> {
  const words = [...path.split(' ').filter((word) => word !== ''), '--help'];
  const usual = optionsByGroup(tree.get('whoami'));
  const own = optionsByGroup(tree.get(path));
  const hidden = common.filter((group) => own.has(group) && isSame(own.get(group), usual.get(group)));
  if (signToolOf(path) !== undefined) hidden.push(...ofOperation);
  const kept = sectionsOf((await paycli(words)).out).filter(([line = '']) => !hidden.includes(line));
  const others = hidden.filter((group) => common.includes(group)).map((group) => group.replace(':', '').toLowerCase());
  const note = others.length === 0 ? [] : [[`(flags of ${others.join(' and ')} not repeated)`]];
  return `$ paycli ${words.join(' ')}\n\n${[...kept, ...note].map((lines) => `${lines.join('\n')}\n`).join('\n')}`;
}

/** One group of flags that is shown once. */
export async function groupText(group: 'Connection:' | 'Output:'): Promise<string> {
  const lines = sectionsOf((await paycli(['whoami', '--help'])).out).find(([line]) => line === group) ?? [];
  return `${lines.join('\n')}\n`;
}

/** Parts between blank lines; a heading begins one. */
function sectionsOf(help: string): string[][] {
  return help
    .trimEnd()
    .split('\n\n')
    .map((part) => part.split('\n'));
}

function optionsByGroup(command: Command | undefined): ReadonlyMap<string, readonly Option[]> {
  const groups = new Map<string, Option[]>();
  for (const option of command?.options ?? []) {
    const group = option.helpGroupHeading ?? 'Options:';
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  return groups;
}

function isSame(one: readonly Option[] = [], other: readonly Option[] = []): boolean {
  const facts = (options: readonly Option[]) =>
    options.map(({ flags, description, hidden }) => [flags, description, hidden]);
  return JSON.stringify(facts(one)) === JSON.stringify(facts(other));
}

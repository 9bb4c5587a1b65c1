import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { declaredBy } from '../../src/cli/command.js';
import { walkCommands } from '../../src/cli/docs/command-list.js';
import { groupBy } from '../../src/cli/group.js';
import { buildProgram } from '../../src/cli/program.js';
import { pathOf } from '../../src/cli/usage.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli } from './runtime.js';

let whole: Promise<ReadonlyMap<string, Command>> | undefined;

/** Every command, all with their flags. Built once for all tests of a process: it takes as long as forty commands. */
export function commandTree(): Promise<ReadonlyMap<string, Command>> {
  whole ??= builtTree();
  return whole;
}

async function builtTree(): Promise<ReadonlyMap<string, Command>> {
  let runtime: Runtime | undefined;
  const home = mkdtempSync(join(tmpdir(), 'paycli-tree-'));
  try {
    await paycli(['profile', 'show'], { home, outside: (usual) => (runtime = usual) });
  } finally {
    rmSync(home, { recursive: true });
  }
  if (runtime === undefined) throw new Error('the runtime of a test was not made');
  const program = await buildProgram('all', { runtime, argv: [], finish: { exit: 0 } });
  return new Map([program, ...walkCommands(program)].map((command) => [pathOf(command), command]));
}

/** The examples that these commands declare, and those of the commands below them: `journal` has those of `journal`. */
export async function examplesOf(...paths: readonly string[]): Promise<readonly string[]> {
  const tree = [...(await commandTree())];
  const found = paths.map((wanted) =>
    tree.flatMap(([path, command]) => {
      const isIn = path === wanted || path.startsWith(`${wanted} `);
      return isIn ? (groupBy(command)?.examples ?? declaredBy(command)?.examples ?? []) : [];
    }),
  );
  const without = paths.filter((_, at) => found[at]?.length === 0);
  if (without.length > 0) throw new Error(`no examples of ${without.join(', ')}`);
  return found.flat();
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { walkCommands } from '../../src/cli/docs/command-list.js';
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

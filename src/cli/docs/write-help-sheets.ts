import { join } from 'node:path';
import type { Runtime } from '../../runtime/ports.js';
import { operationNamed } from '../../spec/index.js';
import type { Build } from '../core/command-line.js';
import { signOperationTools } from '../core/command-line.js';
import { wholeTree } from '../core/command-tree.js';
import { isSwitched } from '../core/flags.js';
import { sheetOf } from '../core/help-format.js';
import type { HelpSheet } from '../core/help-sheet.js';

/** Writes the help of every command into a folder during the build, so that printing it loads nothing else. */
export async function writeHelpSheets(folder: string, build: Build, runtime: Runtime): Promise<number> {
  for (const [path, sheet] of await helpSheets(build))
    runtime.files.writeText(
      join(runtime.files.folders.working, folder, `${path.replaceAll(' ', '.')}.json`),
      JSON.stringify(sheet),
      0o644,
    );
  return 0;
}

/** By the words of the command, under all its names. Operations under the tools of `sign` are left to the program. */
export async function helpSheets(build: Build): Promise<ReadonlyMap<string, HelpSheet>> {
  const sheets = new Map<string, HelpSheet>();
  for (const [path, command] of await wholeTree(build)) {
    const words = path.split(' ');
    if (path === '' || (words[0] === 'sign' && signOperationTools.has(words[1] ?? '') && words.length > 2)) continue;
    // The profile's assumptions decide which flags these have, so the program must build their help.
    const row = operationNamed(words[0] === 'sign' ? words.slice(1).join(' ') : path);
    if (row !== undefined && isSwitched(row)) continue;
    const sheet = sheetOf(command);
    for (const name of [command.name(), ...command.aliases()])
      sheets.set([...words.slice(0, -1), name].join(' '), sheet);
  }
  return sheets;
}

import { join } from 'node:path';
import type { Command } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import { operationNamed } from '../../spec/index.js';
import type { Build } from '../core/command-line.js';
import { signOperationTools } from '../core/command-line.js';
import { wholeTree } from '../core/command-tree.js';
import { isSwitched } from '../core/flags.js';
import { closingNotes, ownHelp } from '../core/help-format.js';
import { treeBuilder } from '../core/program.js';
import type { HelpSheet } from './help-sheet.js';

/** Writes the help of every command into a folder during the build, so that printing it loads nothing else. */
export async function writeHelpSheets(folder: string, runtime: Runtime): Promise<number> {
  for (const [path, sheet] of await helpSheets(treeBuilder(runtime)))
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

/** Wide enough for every line. */
const endless = 100_000;

function sheetOf(command: Command): HelpSheet {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: endless, outputHasColors: false });
  const text = ownHelp(command, helper);
  const [usage = ''] = text.split('\n', 1);
  const about = helper.commandDescription(command);
  const items = text.slice(`${usage}\n\n`.length + (about === '' ? 0 : `${about}\n\n`.length));
  const notes = closingNotes(command, helper);
  return { usage, about, items, column: helper.padWidth(command, helper) + 4, notes };
}

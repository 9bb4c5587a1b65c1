import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { addCommand, type LoadCommand } from '../../core/define-command.js';
import { addOperationTool } from './operation-tool.js';
import { addSignedOperations, describeSign } from './sign-operation.js';
import { refusedTools } from './tools.js';

const others: Readonly<Record<string, LoadCommand>> = {
  doctor: async () => (await import('./doctor.js')).signDoctor,
  raw: async () => (await import('./raw.js')).signRaw,
  control: async () => (await import('./raw.js')).signControl,
};

/** `sign OPERATION`, and everything else that works on signatures. */
export async function addSign(sign: Command, context: ProgramContext): Promise<void> {
  describeSign(sign);
  for (const tool of refusedTools) addOperationTool(sign, tool, context);
  // Where an operation is meant they are not, and what they load costs start-up time.
  const wanted = context.commandLine.row === undefined ? Object.entries(others) : [];
  for (const [word, load] of wanted) await addCommand(sign, word, load, [], context);
  addSignedOperations(sign, context);
}

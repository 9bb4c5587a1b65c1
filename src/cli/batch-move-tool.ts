import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { batchMoveExamples } from './help/batch-move-examples.js';
import { withExamples } from './help/examples-text.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';

const about = `Take a plan from the engine it runs on to another one. A plan belongs to one engine from its first run on: to the journal of this \
machine, or to one PostgreSQL database. Every other one refuses it with 10, and no single command sends one of its orders from elsewhere, \
because what was sent there would be paid a second time.

It works on the machine that planned the file, with the old engine reachable and nobody at work on it: \
1. rows whose outcome is open are asked about; as long as one stays open, the plan stays where it is. \
2. The old engine is closed for this plan: a worker that comes late gets nothing. \
3. What was sent is written into the new one, in one step with the plan. \
Nothing is sent but questions. Cut off anywhere, neither engine sends, and the same command goes on where it stopped; until the plan has \
arrived, --to with the old engine calls it off. Then \`paycli batch resume\` goes on with the new flags.

Plans with card numbers stay on this machine. Exit codes: 0 it runs on the new engine; 10 it cannot move now, and why; 13 a database or the \
disk failed: run it again.`;

/** `batch move`. */
export function addMove(move: Command, { runtime, finish }: ProgramContext): void {
  move
    .summary('Take a plan to another engine')
    .description(withExamples(about, batchMoveExamples))
    .argument('<plan>', 'its id, or how the id begins')
    .option('--to <engine>', 'local, or the address of a database such as postgres://user@host/database')
    .option('--wait-timeout <seconds>', 'ask about open rows for so long (300)')
    .option('--timeout <seconds>', 'longest wait for the first byte of a reply (60)')
    .option('--live', 'needed on every command that uses a live profile')
    .option('--no-input', 'never ask')
    .optionsGroup('Several machines:')
    .option('--row-key-file <file>', 'the key for the rows that all workers share (as the plan was run with)')
    .option('--engine <address>', 'the old database, where its address is another one now')
    .option('--engine-password-file <file>', 'file with the password of the database (mode 0600)');
  addGlobalOptions(addConnectionOptions(move)).action(async (plan: string) => {
    const { runBatchMove } = await import('./commands/batch-move.js');
    finish.exit = await runBatchMove(plan, move.opts(), runtime);
  });
}

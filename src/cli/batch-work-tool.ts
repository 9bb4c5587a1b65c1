import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { batchWorkExamples } from './help/batch-work-examples.js';
import { withExamples } from './help/examples-text.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';

const about = `Send rows of a batch beside other machines. \`paycli batch run PLAN --engine …\` puts the plan into PostgreSQL and tries the first row; \
from then on any number of workers take rows from there, each row for one of them. A worker that ends, however it ends, leaves what it was \
sending to be asked about, never to be sent again. All of them share one rate. A machine that joins writes the order ids of the batch into its \
journal first: no single command of it sends one of them, and it joins no batch that holds an order it has sent already.

The database needs PostgreSQL 13 or later with fsync and synchronous_commit on, and the packages pg and pg-boss beside paycli. Names and \
accounts lie there encrypted with the row key, which every worker needs; head, rows and the leave to send each of them once are under a MAC \
with it, so that the owner of the tables can stop a batch but not change it. The roles to give away are in \`paycli help batches\`. The password stands in a file, PGPASSWORD or ~/.pgpass, never in \
the address. Off this machine the server's certificate is checked; sslrootcert=FILE in the address names its authority, and sslmode=verify-ca needs it. Where the plan needs an approval, a worker checks that \
itself, by the approvers of its own configuration file.

Exit codes are those of \`paycli batch run\`, over the whole batch.`;

/** Flags that take a batch to several machines. */
export function addEngineOptions(command: Command): Command {
  return command
    .optionsGroup('Several machines:')
    .option('--engine <address>', 'the database of the batch, such as postgres://user@host/database')
    .option('--row-key-file <file>', 'the key for the rows that all workers share (mode 0600)')
    .option('--engine-password-file <file>', 'file with the password of the database (mode 0600)');
}

/** Flags for a look at a batch that runs there. */
export function addViewOptions(command: Command): Command {
  return command
    .optionsGroup('Several machines:')
    .option('--engine <address>', 'the database of the batch (as the plan was run with)')
    .option('--engine-password-file <file>', 'file with the password of the database (mode 0600)');
}

/** `batch work`. */
export function addWork(work: Command, { runtime, finish }: ProgramContext): void {
  work
    .summary('Send rows of a batch beside other machines')
    .description(withExamples(about, batchWorkExamples))
    .argument('[plan]', 'its id; the only one with rows left when it is not named')
    .option('--concurrency <number>', 'requests on their way at once from here (4)')
    .option('--rate <number>', 'requests in a second, a minute or an hour, of all workers together (as `batch run` said)')
    .option('--max-unknown <share>', 'stop when more of the last 200 outcomes are unknown (1%)')
    .option('--no-wait', 'leave rows the gateway has accepted to `paycli batch resume`; the first one is waited for')
    .option(
      '--wait-timeout <seconds>',
      'ask about accepted rows for so long after the last one was sent, and about the first row before any other (300)',
    )
    .option('--timeout <seconds>', 'longest wait for the first byte of a reply (60)')
    .option('--live', 'needed on every command that uses a live profile')
    .option('--confirm-login <login>', 'confirm a live batch in a script')
    .option('--no-input', 'never ask');
  addEngineOptions(work).option('--make-row-key <file>', 'write a new key for the rows into a file, and nothing else');
  addGlobalOptions(addConnectionOptions(work)).action(async (plan: string | undefined) => {
    const { runBatchWork } = await import('./commands/batch-work.js');
    finish.exit = await runBatchWork(plan, work.opts(), runtime);
  });
}

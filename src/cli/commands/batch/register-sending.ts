import type { Command } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, addProfileFilter } from '../../core/options.js';
import { batchMoveExamples, batchRunExamples, batchWorkExamples } from './examples.js';

/** The commands that send a plan, move it, and report on it. */
export function addSendingCommands(batch: Command, context: ProgramContext): void {
  addRun(batch.command('run'), 'batch run', context);
  addRun(batch.command('resume'), 'batch resume', context);
  addWork(batch.command('work'), context);
  addMove(batch.command('move'), context);
  addReport(batch.command('report'), context);
}

const runExitText =
  'Exit codes: 0 every row is done; 5 all are final, some declined; 7 some are accepted and still open; 8 the outcome of some is unknown; \
12 some are left, refused or not sent; 10 refused here, such as by a cap; 13 the disk failed, or another process is at it.';

const texts = {
  'batch run': {
    summary: 'Send the rows of a plan, each once',
    about: `Send the rows of a plan, each once. First one question shows that keys, address and clock are right, and a few of the orders are \
looked for; then one row goes to its final answer, then four at once, then all. It stops by itself when 5 outcomes in a row are unknown, \
more than 1 % of the last 200, or the gateway answers 401, 403 or 404. Ctrl-C waits for what is on its way; a killed run goes on with \
\`paycli batch resume\`. From its first run on the plan belongs to one engine, this machine or the database in --engine; \`paycli batch \
move\` takes it to another.\n\nTwo-step payouts: once a plan of payout-check has come to its end, --pay freezes a second plan of exactly the orders, \
recipients and amounts the gateway validated, and sends it. Where an approval is needed it is for that plan: approve it, then repeat the \
command. Right before each payout its check is asked for once more; one that changed ends the run with 10.\n\n${runExitText}`,
  },
  'batch resume': {
    summary: 'Settle what is open, then go on',
    about: `Go on with a plan: rows whose outcome is open are settled by status, never sent again; then those that were not sent are.\n\n${runExitText}`,
  },
} as const;

function addRun(run: Command, name: keyof typeof texts, { runtime, finish }: ProgramContext): void {
  const { summary, about } = texts[name];
  run
    .summary(summary)
    .description(withExamples(about, batchRunExamples[name === 'batch run' ? 'run' : 'resume']))
    .argument('<plan>', 'its id, or how the id begins')
    .option('--concurrency <number>', 'requests on their way at once (4)')
    .option('--rate <number>', 'requests in a second, a minute or an hour, questions included (10/s)')
    .option('--max-rows <number>', 'begin at most so many rows now')
    .option('--max-unknown <share>', 'stop when more of the last 200 outcomes are unknown (1%)')
    .option('--no-wait', 'leave rows the gateway has accepted to `paycli batch resume`; the first one is waited for')
    .option(
      '--wait-timeout <seconds>',
      'ask about accepted rows for so long after the last one was sent, and about the first row before any other (300)',
    )
    .option(
      '--after-restore',
      'the journal or the database is older than the last run: ask about every row first, and send only what the gateway lacks',
    )
    .option('--timeout <seconds>', 'longest wait for the first byte of a reply (60)')
    .option('--live', 'needed on every command that uses a live profile')
    .option('--confirm-login <login>', 'confirm a live batch in a script')
    .option('--no-input', 'never ask');
  if (name === 'batch run')
    run.option('--pay', 'the second step of a plan of payout-check: pay what the gateway validated; see above');
  if (name === 'batch run') run.option('--dry-run', 'lay out and sign every row, show the first, send nothing');
  addEngineOptions(run);
  addGlobalOptions(addConnectionOptions(run)).action(async (plan: string) => {
    const { runBatch } = await import('./run.js');
    finish.exit = await runBatch(plan, name, run.opts(), runtime);
  });
}

const aboutReport = `Write what became of every row: results.csv, results.jsonl, summary.json, and unknown.csv with the rows a person has to \
look at. Each file is whole or not there, mode 0600; cells that a spreadsheet would run begin with an apostrophe. Where the plan runs on a database, \
that is asked; out of reach, what did not come home from there is unknown_here. Nothing is sent.`;

function addReport(command: Command, { runtime, finish }: ProgramContext): void {
  command
    .summary('Write what became of every row into files')
    .description(withExamples(aboutReport, batchRunExamples.report))
    .argument('<plan>', 'its id, or how the id begins')
    .option('--out <folder>', 'where to (a folder named like the plan, in the working directory)');
  addGlobalOptions(addViewOptions(addProfileFilter(command, 'refuse the plan of any other profile'))).action(
    async (plan: string) => {
      const { runBatchReport } = await import('./report.js');
      finish.exit = await runBatchReport(plan, command.opts(), runtime);
    },
  );
}

const aboutWork = `Send rows of a batch beside other machines. \`paycli batch run PLAN --engine …\` puts the plan into PostgreSQL and tries the first row; \
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
function addEngineOptions(command: Command): Command {
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
function addWork(work: Command, { runtime, finish }: ProgramContext): void {
  work
    .summary('Send rows of a batch beside other machines')
    .description(withExamples(aboutWork, batchWorkExamples))
    .argument('[plan]', 'its id; the only one with rows left when it is not named')
    .option('--concurrency <number>', 'requests on their way at once from here (4)')
    .option(
      '--rate <number>',
      'requests in a second, a minute or an hour, of all workers together (as `batch run` said)',
    )
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
    const { runBatchWork } = await import('./work.js');
    finish.exit = await runBatchWork(plan, work.opts(), runtime);
  });
}

const aboutMove = `Take a plan from the engine it runs on to another one. A plan belongs to one engine from its first run on: to the journal of this \
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
function addMove(move: Command, { runtime, finish }: ProgramContext): void {
  move
    .summary('Take a plan to another engine')
    .description(withExamples(aboutMove, batchMoveExamples))
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
    const { runBatchMove } = await import('./move.js');
    finish.exit = await runBatchMove(plan, move.opts(), runtime);
  });
}

import type { Command } from 'commander';
import { addMove } from './batch-move-tool.js';
import { addEngineOptions, addViewOptions, addWork } from './batch-work-tool.js';
import type { ProgramContext } from './context.js';
import { batchRunExamples } from './help/batch-run-examples.js';
import { withExamples } from './help/examples-text.js';
import { addConnectionOptions, addGlobalOptions } from './options.js';
import { addProfileFilter } from './profile-filter.js';

/** The commands that send a plan, move it, and report on it. */
export function addRunning(batch: Command, context: ProgramContext): void {
  addRun(batch.command('run'), 'batch run', context);
  addRun(batch.command('resume'), 'batch resume', context);
  addWork(batch.command('work'), context);
  addMove(batch.command('move'), context);
  addReport(batch.command('report'), context);
}

const exitText =
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
command. Right before each payout its check is asked for once more; one that changed ends the run with 10.\n\n${exitText}`,
  },
  'batch resume': {
    summary: 'Settle what is open, then go on',
    about: `Go on with a plan: rows whose outcome is open are settled by status, never sent again; then those that were not sent are.\n\n${exitText}`,
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
  if (name === 'batch run') run.option('--pay', 'the second step of a plan of payout-check: pay what the gateway validated; see above');
  if (name === 'batch run') run.option('--dry-run', 'lay out and sign every row, show the first, send nothing');
  addEngineOptions(run);
  addGlobalOptions(addConnectionOptions(run)).action(async (plan: string) => {
    const { runBatch } = await import('./commands/batch-run.js');
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
  addGlobalOptions(addViewOptions(addProfileFilter(command, 'refuse the plan of any other profile'))).action(async (plan: string) => {
    const { runBatchReport } = await import('./commands/batch-report.js');
    finish.exit = await runBatchReport(plan, command.opts(), runtime);
  });
}

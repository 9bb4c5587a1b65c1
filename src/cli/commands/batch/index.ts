import { type Command, Option } from 'commander';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, addProfileFilter, asGroup, repeated } from '../../core/options.js';
import { batchExamples } from './examples.js';
import { addSendingCommands, addViewOptions } from './register-sending.js';

/** The `batch` group. */
export function addBatch(program: Command, context: ProgramContext): void {
  const batch = asGroup(
    program
      .command('batch')
      .description('Files of many payments: planned, approved, sent once each')
      .helpGroup('Batches:'),
  );
  addPlan(batch.command('plan'), context);
  addApprove(batch.command('approve'), context);
  addSendingCommands(batch, context);
  addList(batch.command('list'), context);
  addShow(batch.command('show'), context);
  addReconcile(batch.command('reconcile'), context);
}

const aboutPlan = `Read a file of payments, check every row, and freeze it as a plan

CSV in UTF-8 with a header, or NDJSON. A column is named as the field is on the wire, as its flag or as its key; --map names \
another. An empty cell counts as not given. Everything that is wrong is told with its line, and then there is no plan. Nothing is sent.

  client_orderid,amount,currency,account_number,bank_name,bank_branch
  salary-17,1250.00,EUR,DE02120300000000202051,DKB,Berlin

Exit codes: 2 the file is wrong; 10 count or totals differ, a cap stands in the way, or a row was planned or sent before.`;

function addPlan(plan: Command, { runtime, finish }: ProgramContext): void {
  plan
    .summary('Check a file of payments and freeze it')
    .description(withExamples(aboutPlan, batchExamples.plan))
    .argument('<file>', 'CSV or NDJSON')
    .option(
      '--operation <name>',
      'what each row is: payout, payout-check, payout-pay, transfer, rebill, return, capture, void or status',
    )
    .addOption(
      new Option('--format <format>', 'csv or ndjson; by the name of the file when left out').choices([
        'csv',
        'ndjson',
      ]),
    )
    .option('--delimiter <character>', "what separates the cells of CSV: , (usual), ';' or tab")
    .addOption(repeated('--map <column=field>', 'a column with a name of its own, repeated as needed'))
    .option('--expect-count <number>', 'how many rows there are; needed without a terminal and on live')
    .addOption(
      repeated(
        '--expect-total <currency=amount>',
        'what they come to, such as EUR=123.45; needed without a terminal and on live',
      ),
    )
    .option('--allow-pan-file', 'let the file, mode 0600, hold card numbers; they stay there')
    .option('--no-input', 'never ask');
  addGlobalOptions(addConnectionOptions(plan)).action(async (file: string) => {
    const { runBatchPlan } = await import('./plan.js');
    finish.exit = await runBatchPlan(file, plan.opts(), runtime);
  });
}

const aboutApprove = `Put a second person's name to a plan

Whoever approves types what the plan comes to and the first 8 characters of its digest, and signs with an Ed25519 key whose \
public half stands under approvers in the user's configuration file. It stands for 72 hours, for this very plan. Nobody approves \
what they planned themselves: key and user id of the system must both be others than the planner's, and neither comes from the \
environment. So the approver works on an account of their own, with a copy of the plan's file (batches/PLAN.db in the state folder, \
mode 0600): there --approval-file is written, and where the plan is it is taken in. A key, and its public half:

  openssl genpkey -algorithm ed25519 -out mary.pem
  openssl pkey -in mary.pem -pubout -out mary.pub

and in the configuration file:

  approvers: { mary: ~/keys/mary.pub }

This keeps from mistakes. It keeps nobody out who has the keys of the merchant.`;

function addApprove(approve: Command, { runtime, finish }: ProgramContext): void {
  approve
    .summary('A second person agrees to a plan')
    .description(withExamples(aboutApprove, batchExamples.approve))
    .argument('<plan>', 'its id, or how the id begins; on another account the path of a copy of its file')
    .option('--key-file <file>', "the approver's own private key (Ed25519, PEM, mode 0600)")
    .option('--approval-file <file>', 'of a copy: written here; without --key-file: taken in from here')
    .addOption(repeated('--total <currency=amount>', 'what the plan comes to, instead of typing it; once per currency'))
    .option('--rows <number>', 'how many rows it has, where none names an amount')
    .option('--digest <characters>', 'the first 8 characters of its digest, instead of typing them')
    .option('--no-input', 'never ask');
  addGlobalOptions(approve).action(async (plan: string) => {
    const { runBatchApprove } = await import('./approve.js');
    finish.exit = await runBatchApprove(plan, approve.opts(), runtime);
  });
}

const aboutList = `The plans, and how far each one is

The rows of a plan that runs on a database are unknown here; --engine asks that database.`;

function addList(list: Command, { runtime, finish }: ProgramContext): void {
  const brief = 'The plans, and how far each one is';
  list.summary(brief).description(withExamples(aboutList, batchExamples.list));
  addGlobalOptions(addViewOptions(addProfileFilter(list, 'only plans of this profile'))).action(async () => {
    const { runBatchList } = await import('./list.js');
    finish.exit = await runBatchList(list.opts(), runtime);
  });
}

const aboutShow = `One plan: what it holds, where its rows stand, what happened to it

Where the plan runs on a database, that is asked; out of reach, what did not come home from there is unknown here.`;

function addShow(show: Command, { runtime, finish }: ProgramContext): void {
  const brief = 'One plan: what it holds, where its rows stand, what happened to it';
  show
    .summary(brief)
    .description(withExamples(aboutShow, batchExamples.show))
    .argument('<plan>', 'its id, or how the id begins');
  addGlobalOptions(addViewOptions(addProfileFilter(show, 'refuse the plan of any other profile'))).action(
    async (plan: string) => {
      const { runBatchShow } = await import('./show.js');
      finish.exit = await runBatchShow(plan, show.opts(), runtime);
    },
  );
}

const aboutReconcile = `Hold a statement of the gateway or the bank against the journal, both ways

The statement is CSV with a header. It needs the order ids, amounts and currencies; --map says which column holds the order-id, \
client-order-id, amount, currency or status where its name does not. Other columns are passed over, and so is the sign of an amount. \
What is in the journal only is looked for between --since and --until. Nothing is changed.

Exit codes: 0 all agree; 11 they do not; 2 the statement cannot be read.`;

function addReconcile(reconcile: Command, { runtime, finish }: ProgramContext): void {
  reconcile
    .summary('Hold a statement against the journal')
    .description(withExamples(aboutReconcile, batchExamples.reconcile))
    .argument('<statement>', 'CSV')
    .addOption(repeated('--map <column=field>', 'what a column holds, repeated as needed'))
    .option('--delimiter <character>', "what separates the cells: , (usual), ';' or tab")
    .option('--currency <code>', 'of every line, where no column says it')
    .option('--since <time>', 'the statement begins there: 2030-01-31, 2030-01-31T12:00:00Z, or 7d, 12h, 30m ago')
    .option('--until <time>', 'and ends before it');
  addGlobalOptions(addConnectionOptions(reconcile)).action(async (statement: string) => {
    const { runBatchReconcile } = await import('./reconcile.js');
    finish.exit = await runBatchReconcile(statement, reconcile.opts(), runtime);
  });
}

import { type Command, Option } from 'commander';
import { states } from '../../../journal/states.js';
import type { ProgramContext } from '../../core/command-line.js';
import { withExamples } from '../../core/examples.js';
import { addConnectionOptions, addGlobalOptions, addProfileFilter, asGroup, repeated } from '../../core/options.js';

/** `resolve` and the `journal` group. */
export function addJournal(program: Command, context: ProgramContext): void {
  addResolve(program.command('resolve').helpGroup('Money safety:'), context);
  const journal = asGroup(
    program.command('journal').description('What was sent from here, and what became of it').helpGroup('Money safety:'),
  );
  addJournalList(journal.command('list'), context);
  addJournalShow(journal.command('show'), context);
  addJournalExport(journal.command('export'), context);
  addJournalVerify(journal.command('verify'), context);
  addJournalAdopt(journal.command('adopt'), context);
}

const aboutResolve = `Settle requests whose outcome is unknown, by asking the gateway

On a live profile, and on any with require-approval, a second person signs before a request may be sent once more (--resend) or is \
settled by hand (--settle-as): --request-file writes down what they agree to, --approve signs a copy of it on an account of their own \
with a key whose public half stands under approvers in the configuration files of both, and --approval-file takes in what they signed. \
It counts for 24 hours, for this entry as it stands. Key and user id of the system must both be others than those of whoever asks. \
On other profiles a name is enough: --resend takes the one typed with --approved-by.`;

function addResolve(resolve: Command, { runtime, finish }: ProgramContext): void {
  resolve
    .summary('Settle requests whose outcome is unknown')
    .description(withExamples(aboutResolve, journalExamples.resolve))
    .argument('[order]', 'the order id the gateway gave, your own, or the number of an entry')
    .option('--client-order-id <id>', 'your own id of the order')
    .option('--entry <number>', 'one entry of the journal, where several requests on an order are open')
    .option('--all', 'everything in the journal of this profile that is open')
    .option('--once', 'ask once instead of at 0, 2, 5, 15, 60 and 300 seconds')
    .addOption(new Option('--settle-as <outcome>', 'write down what other evidence says').choices(['paid', 'not-paid']))
    .option('--evidence <text>', 'what that evidence is; needed with --settle-as')
    .option('--resend', 'allow the very same command to be sent once more; see `paycli help money-safety`')
    .option('--approved-by <name>', 'the second person who agrees; does not count where one has to sign')
    .option('--request-file <file>', 'write down here what a second person has to sign; with --resend or --settle-as')
    .option('--approval-file <file>', 'what they signed, taken in from here; with --approve: written here')
    .option('--approve <file>', 'as the second person: sign the request in this file, on an account of your own')
    .option('--key-file <file>', 'with --approve: your own private key (Ed25519, PEM, mode 0600)')
    .option('--digest <characters>', 'with --approve: the first 8 characters of its digest, instead of typing them')
    .option('--no-input', 'never ask')
    .option('--timeout <seconds>', 'longest wait for the first byte of a reply (60)')
    .option('--live', 'needed on every command that uses a live profile');
  addGlobalOptions(addConnectionOptions(resolve)).action(async (order: string | undefined) => {
    const { runResolve } = await import('./resolve.js');
    finish.exit = await runResolve(order, resolve.opts(), runtime);
  });
}

const filterOptions: readonly (readonly [flags: string, text: string])[] = [
  ['--order <id>', 'only of this order, by either id'],
  ['--operation <name>', 'only this operation, such as sale or payout pay'],
  ['--since <time>', 'made at or after it: 2030-01-31, 2030-01-31T12:00:00Z, or 7d, 12h, 30m ago'],
  ['--until <time>', 'made before it'],
  ['--min <amount>', 'at least so much, such as "10.00 EUR"'],
  ['--max <amount>', 'at most so much'],
];

function addFilters(command: Command): Command {
  command.addOption(repeated(`--state <state>`, `only in this state: ${Object.keys(states).join(', ')}`));
  for (const [flags, text] of filterOptions) command.option(flags, text);
  return addProfileFilter(command, 'only entries of this profile');
}

function addJournalList(list: Command, { runtime, finish }: ProgramContext): void {
  list.summary('List requests').description(withExamples('List requests, newest last', journalExamples.list));
  addFilters(list)
    .option('--limit <number>', 'the newest so many (50; with json, ndjson, yaml and csv, all)')
    .option('--all', 'every one');
  addGlobalOptions(list).action(async () => {
    const { runJournalList } = await import('./list.js');
    finish.exit = await runJournalList(list.opts(), runtime);
  });
}

function addJournalShow(show: Command, { runtime, finish }: ProgramContext): void {
  show
    .summary('One request, move by move')
    .description(withExamples('One request, move by move', journalExamples.show))
    .argument('<order>', 'an order id, your own or the one the gateway gave, or the number of an entry');
  addGlobalOptions(show).action(async (order: string) => {
    const { runJournalShow } = await import('./show.js');
    finish.exit = await runJournalShow(order, show.opts(), runtime);
  });
}

function addJournalExport(command: Command, { runtime, finish }: ProgramContext): void {
  command
    .summary('Write all of it as NDJSON or CSV')
    .description(
      withExamples(
        'Write all of it as NDJSON or CSV; a damaged journal as far as it can be read',
        journalExamples.export,
      ),
    )
    .addOption(new Option('--format <format>', 'ndjson or csv').choices(['ndjson', 'csv']))
    .option('--moves', 'the hash-linked lines instead of the entries');
  addGlobalOptions(addFilters(command)).action(async () => {
    const { runJournalExport } = await import('./export.js');
    finish.exit = await runJournalExport(command.opts(), runtime);
  });
}

function addJournalVerify(verify: Command, { runtime, finish }: ProgramContext): void {
  verify
    .summary('Look for changed, removed or cut-off lines')
    .description(withExamples('Look for changed, removed or cut-off lines', journalExamples.verify))
    .option('--accept', 'go on with the journal as it is; needs --evidence')
    .option('--evidence <text>', 'why it is as it is, such as: changed by hand, every order checked');
  addGlobalOptions(verify).action(async () => {
    const { runJournalVerify } = await import('./verify.js');
    finish.exit = await runJournalVerify(verify.opts(), runtime);
  });
}

function addJournalAdopt(adopt: Command, { runtime, finish }: ProgramContext): void {
  adopt
    .summary('Go on with a journal that lacks what was written')
    .description(
      withExamples(
        'Go on with a journal that was removed or restored from a backup, once the gateway was asked about every order it knows',
        journalExamples.adopt,
      ),
    )
    .option('--after-restore', 'needed: says that the newest journal is lost')
    .option('--evidence <text>', 'why orders that nobody can be asked about may stay unknown')
    .option('--timeout <seconds>', 'longest wait for the first byte of a reply (60)')
    .option('--live', 'needed where orders of a live profile are asked about');
  addGlobalOptions(addConnectionOptions(adopt)).action(async () => {
    const { runJournalAdopt } = await import('./adopt.js');
    finish.exit = await runJournalAdopt(adopt.opts(), runtime);
  });
}

/**
 * Examples of `resolve` and the `journal` commands, without the word `paycli`; a test runs them after a sale with the
 * id order-1.
 */
export const journalExamples = {
  resolve: [
    'resolve order-1',
    'resolve --all --once',
    'resolve --entry 1 --settle-as paid --evidence "statement of 31 January, line 4"',
  ],
  list: [
    'journal list',
    'journal list --state unknown --state sending',
    'journal list --since 7d --min "10.00 USD" --json',
    'journal list --profile sandbox',
  ],
  show: ['journal show order-1'],
  export: ['journal export', 'journal export --format csv --since 30d', 'journal export --moves'],
  verify: ['journal verify'],
  adopt: ['journal adopt --after-restore'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

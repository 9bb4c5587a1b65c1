import { join } from 'node:path';
import { approvalNeeded } from '../../../batch/approval.js';
import type { RepeatedRows } from '../../../batch/draft.js';
import { type EqualRows, equalCountText, equalPaymentDays, equalRowsText } from '../../../batch/earlier.js';
import type { GatewayProfile } from '../../../batch/input/check-row.js';
import { makePlan, type PlanResult } from '../../../batch/make-plan.js';
import { moneyDocument, moneyText, type PlanHead, rowsText } from '../../../batch/plan.js';
import { checkCardFile } from '../../../batch/rows.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits, fail, isPaycliError, shellWord } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { checkCaps, paymentValueOf } from '../../../payments/limits.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Unsigned } from '../../../signing/index.js';
import { type Operation, statusQuery } from '../../../spec/index.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { currentPlanner } from '../../core/current-user.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { warnIfRestored } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import {
  invalidFileError,
  listText,
  type PlanFlags,
  type PlanInput,
  readingInput,
  readPlanFlags,
  sizeOf,
  unconfirmedError,
} from './input-file.js';
import { headDocument, headLines } from './plan-text.js';

export const batchPlan = defineCommand<CommonOptions & PlanFlags>({
  name: 'batch plan',
  summary: 'Check a file of payments and plan it as a batch',
  help: `Read a file of payments, check every row, and record them in the journal as a plan

CSV in UTF-8 with a header, or NDJSON. A column has the field's wire name, flag or key as its name; --map names another. An empty cell counts as not given. Every error is reported with its line and client order id; if there is any error, no plan is created. A row that repeats another one, or one sent or planned before, is refused; three or more rows with the same amount and destination only cause a warning. Nothing is sent.

Rows are also compared with the payments of the last ${equalPaymentDays} days in the journal, other plans included, whatever their ids: the same amount, currency and destination, approved, pending, unknown or not sent yet. If a tenth of the rows or more match such payments, the file may have been paid already, and it is planned only with --again; fewer cause a warning.

  client_orderid,amount,currency,account_number,bank_name,bank_branch
  salary-17,1250.00,EUR,DE02120300000000202051,DKB,Berlin

Exit codes: 2 the file is wrong; 10 count or totals differ, a cap is exceeded, a row was planned or sent before, or a tenth of the rows or more equal recent payments.`,
  args: [['<file>', 'CSV or NDJSON']],
  options: [
    [
      '--operation <name>',
      'what each row is: payout, payout-check, payout-pay, transfer, rebill, return, capture, void or status',
    ],
    ['--format <format>', 'csv or ndjson (default: from the file name)', { choices: ['csv', 'ndjson'] }],
    ['--delimiter <character>', "separator of CSV cells: , (default), ';' or tab"],
    ['--map <column=field>', 'which field a differently named column holds; repeatable', { repeated: true }],
    ['--expect-count <number>', 'expected number of rows; required without a terminal or with a live profile'],
    [
      '--expect-total <currency=amount>',
      'expected total, such as EUR=123.45; required without a terminal or with a live profile',
      { repeated: true },
    ],
    ['--again', `plan a file even if a tenth of its rows or more equal payments of the last ${equalPaymentDays} days`],
    ['--allow-pan-file', 'allow card numbers in the file (mode 0600); they are not copied out of it'],
    ['--no-input', 'never prompt'],
    ...connectionFlags,
  ],
  examples: [
    'batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=35.50',
    'batch plan returns.ndjson --operation return --map order=orderid --expect-count 1 --expect-total EUR=5.00 --json',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  note: 'It reads and checks; nothing is sent.',
  prints: ['batch-plan'],
  run: ({ args: [file = ''], options, runtime }) => runBatchPlan(file, options, runtime),
});

/** Checks a file from end to end and records its rows; nothing is sent. */
async function runBatchPlan(file: string, options: CommonOptions & PlanFlags, runtime: Runtime): Promise<number> {
  // Before anything that depends on what the file holds is asked for.
  await readingInput(file, 'batch plan', async () => sizeOf(inputPath(file, runtime), runtime.files));
  return withSession(options, runtime, async (session, report) => {
    const wanted = readPlanFlags(file, options, {
      session,
      isAttended: mayPrompt(options, runtime) && session.class !== 'live',
    });
    return withJournal(runtime, journalOf(session), async (journal) => {
      warnIfRestored(journal, report);
      const made = await planInput(wanted, { session, journal, report, runtime });
      if (made.kind === 'faulty') throw invalidFileError(file, made.count, made.first, made.log);
      if (made.kind === 'refused')
        throw fail('BATCH_REFUSED', { why: listText(`${file} was not planned`, made.reasons), how: made.how });
      if (made.kind === 'unconfirmed') throw unconfirmedError(wanted.missing, made.count, made.totals);
      await show(made, session, report);
      return exits.ok;
    });
  });
}

function inputPath(file: string, { files }: Runtime): string {
  return pathFrom(file, files.folders.working, files.folders.home);
}

/** Below this a file is read before a line about it could be. */
const smallBytes = 2_000_000;

interface PlanTools {
  readonly session: Session;
  readonly journal: Journal;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

async function planInput(wanted: PlanInput, { session, journal, report, runtime }: PlanTools): Promise<PlanResult> {
  const { files, clock } = runtime;
  const path = inputPath(wanted.file, runtime);
  const { source, operation, row, expected } = wanted;
  const gateway = gatewayOf(row, session);
  try {
    return await readingInput(wanted.file, 'batch plan', async () => {
      const size = sizeOf(path, files);
      return makePlan(
        {
          ...{ path, operation, expected, gateway, version: packageVersion },
          id: await newId(journal, runtime),
          source: {
            ...source,
            elsewhere: new Set([...Object.keys(gateway.defaults), ...Object.keys(gateway.payer)]),
          },
          planner: currentPlanner(runtime, journal),
          again: wanted.again,
          refusal: capOf(session, journal),
          checkCardFile: () =>
            checkCardFile(path, files, `run \`chmod 600 ${shellWord(path, 'PATH')}\`, as the owner of the file`),
        },
        {
          ...{ files, clock, journal, database: await runtime.database() },
          folder: join(files.folders.state, 'batches'),
          progress: (bytes, rows) => {
            if (size > smallBytes)
              report.progress(
                `reading ${oneLine(wanted.file)}: ${rowsText(rows)}, ${Math.floor((bytes * 100) / size)} %`,
              );
          },
        },
      );
    });
  } finally {
    report.progress(undefined);
  }
}

/** What a profile provides for rows. */
export function gatewayOf(row: Operation, session: Session): GatewayProfile {
  const { name: profile, class: kind, gatewayBase: base, login, assume, payer } = session;
  const defaults = Object.fromEntries(Object.entries(session.defaultsFor(row)).map(([key, { value }]) => [key, value]));
  return {
    ...{ profile, class: kind, base, login, assume, defaults, payer },
    endpointFor: (currency) => session.endpointFor(row, currency),
    target: (endpointId) => session.target(endpointId),
  };
}

/** `b-20300107-` and six letters or digits. */
async function newId(journal: Journal, { clock, random }: Runtime): Promise<string> {
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  for (;;) {
    const id = `b-${day}-${random.letters(6).toLowerCase()}`;
    if ((await journal.findBatches(id)).length === 0) return id;
  }
}

/** Holds a row against the caps as its command would be held; without caps there is nothing to hold it against. */
function capOf(session: Session, journal: Journal): ((unsigned: Unsigned) => Promise<string | undefined>) | undefined {
  const { maxAmount, maxTotalPerDay } = session.caps;
  if (maxAmount.length === 0 && maxTotalPerDay.length === 0) return undefined;
  return async (unsigned) => {
    const paymentValue = await paymentValueOf(unsigned, session, journal);
    try {
      checkCaps(unsigned.row, paymentValue, session);
      return undefined;
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      return String(error.facts['why']);
    }
  };
}

async function show(
  { head, largest, withoutAmount, repeats, equal }: PlanResult & { readonly kind: 'planned' },
  session: Session,
  report: Reporter,
): Promise<void> {
  const needed = approvalNeeded(head, session.caps);
  const approve = `paycli batch approve ${head.id}`;
  const run = `paycli batch run ${head.id}${session.flags}`;
  const look = `paycli batch show ${head.id}`;
  await report.show({
    document: {
      schema: 'paycli.batch-plan/1',
      ...headDocument(head),
      withoutAmount,
      largest: largest.map(({ number: row, line, destination, sum }) => ({
        ...{ row, line, destination, amount: moneyDocument(sum) },
      })),
      repeated: repeats.map(({ sum, ...rows }) => ({ ...rows, amount: moneyDocument(sum) })),
      equal: equal.map(({ plan, at, ...rows }) => ({ plan: plan ?? null, at: new Date(at).toISOString(), ...rows })),
      approvalNeeded: needed ?? null,
      run,
      // Harmless when pasted: it sends nothing.
      next: needed === undefined ? look : approve,
    },
    text: () => {
      const { paint } = report;
      const rows = largest.map((row) => [`  line ${row.line}`, oneLine(row.destination), moneyText(row.sum)]);
      return (
        `${paint.good('✓')} ${paint.bold(head.id)}: ${rowsText(head.count)} checked and planned; nothing was sent\n` +
        report.columns(
          [...headLines(head, report), ...wholeLines(head, withoutAmount)].map(([name, text]) => [
            `  ${paint.name(name)}`,
            oneLine(text),
          ]),
        ) +
        (rows.length === 0 ? '' : `largest:\n${report.columns(rows)}`) +
        nextText(needed, { approve, run, look }, paint.dim('next:'))
      );
    },
  });
  report.warn([...repeats.map(repeatedText), ...equalWarning(equal, head.count)]);
}

function equalWarning(equal: readonly EqualRows[], count: number): readonly string[] {
  if (equal.length === 0) return [];
  const rows = equal.reduce((sum, each) => sum + each.count, 0);
  const places = equal.map((each) => equalRowsText(each)).join('; ');
  return [`${equalCountText(rows, count)}: check that they are new payments; ${oneLine(places)}`];
}

function repeatedText({ count, firstLine, lastLine, destination, sum }: RepeatedRows): string {
  const lines = lastLine - firstLine + 1 === count ? `lines ${firstLine} to` : `from line ${firstLine} to line`;
  return `${count} rows (${lines} ${lastLine}) have the same amount and destination, ${moneyText(sum)} to ${oneLine(destination)}: check that this is intended`;
}

function nextText(
  needed: string | undefined,
  { approve, run, look }: Readonly<Record<'approve' | 'run' | 'look', string>>,
  next: string,
): string {
  if (needed === undefined)
    return `\`${run}\` sends its rows; a second person may approve it first with \`${approve}\`\n${next} \`${look}\`\n`;
  return `${next} a second person must approve it with \`${approve}\`, because ${needed}; then \`${run}\`\n`;
}

function wholeLines({ operation }: PlanHead, count: number): (readonly [name: string, text: string])[] {
  return count === 0 || operation === statusQuery.id
    ? []
    : [['no amount', `in ${rowsText(count)}: the whole remaining amount of their orders`]];
}

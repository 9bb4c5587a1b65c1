import { join } from 'node:path';
import { approvalNeeded } from '../../../batch/approval.js';
import { repeatedText } from '../../../batch/draft.js';
import { equalPaymentDays, equalWarnings } from '../../../batch/earlier.js';
import { keysByName } from '../../../batch/input/columns.js';
import { makePlan, type NewPlan, newPlanId } from '../../../batch/make-plan.js';
import { makePayPlan } from '../../../batch/pay.js';
import { headDocument, rowsText, type Total } from '../../../batch/plan.js';
import { RowReader } from '../../../batch/rows.js';
import { exits, fail, ifKnown, nearest } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { moneyDocument, sumText } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type Operation,
  type OperationId,
  operationNamed,
  operations,
  payoutCheck,
  payoutPay,
} from '../../../spec/index.js';
import { defineCommand, mayPrompt, on, oneOf, parsed, type Values, word } from '../../command.js';
import { operationsMeant } from '../../core/command-synonyms.js';
import type { CommonOptions } from '../../core/common-options.js';
import { currentPlanner } from '../../core/current-user.js';
import { warnIfRestored } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import type { Tools } from '../../gateway.js';
import { type Session, withSession } from '../../session.js';
import { wrongValue } from '../../usage.js';
import { delimiterFlag, mapColumns, mapFlag, openInput, totalsFlag, wholeNumber } from './input.js';
import { withBatch } from './open-batch.js';
import { planText } from './plan-text.js';
import { checkPlanProfile, placeOf } from './run-checks.js';

const inBatches: readonly PlanRow[] = operations.filter((row) => row.inBatches);
const names = inBatches.map((row) => row.command.replace('payout send', 'payout').replaceAll(' ', '-'));
type PlanRow = Operation & { readonly id: OperationId };

const flags = {
  operation: parsed(
    '<name>',
    'what each row is: payout, payout-check, payout-pay, transfer, rebill, return, capture or void',
    readOperation,
  ),
  pay: word(
    '<plan>',
    'instead of a file: the second step of a finished payout-check plan, exactly the orders, recipients and amounts that the gateway validated',
  ),
  format: oneOf(['csv', 'ndjson'], '<format>', 'csv or ndjson (default: from the file name)'),
  delimiter: delimiterFlag,
  map: mapFlag,
  expectCount: parsed(
    '<number>',
    'expected number of rows; required without a terminal or with a live profile',
    wholeNumber(0),
  ),
  expectTotal: totalsFlag('expected total, such as EUR=123.45; required without a terminal or with a live profile'),
  again: on(`plan a file even if a tenth of its rows or more equal payments of the last ${equalPaymentDays} days`),
  allowPanFile: on('allow card numbers in the file (mode 0600); they are not copied out of it'),
  noInput: on('never prompt'),
  ...connectionFlags,
  ...outputFlags,
};

type PlanFlags = CommonOptions & Values<typeof flags>;

export const batchPlan = defineCommand({
  summary: 'Check a file of payments and plan it as a batch',
  help: `Read a file of payments, check every row, and record them in the journal as a plan

CSV in UTF-8 with a header, or NDJSON. A column has the field's wire name, flag or key as its name; --map names another. An empty cell counts as not given. Every error is reported with its line and client order id; if there is any error, no plan is created. A row that repeats another one, or one sent or planned before, is refused; three or more rows with the same amount and destination only cause a warning. Nothing is sent.

Rows are also compared with the payments of the last ${equalPaymentDays} days in the journal, other plans included, whatever their ids: the same amount, currency and destination, approved, pending, unknown or not sent yet. If a tenth of the rows or more match such payments, the file may have been paid already, and it is planned only with --again; fewer cause a warning.

  client_orderid,amount,currency,account_number,bank_name,bank_branch
  salary-17,1250.00,EUR,DE02120300000000202051,DKB,Berlin

Exit codes: 2 the file is wrong; 10 count or totals differ, a cap is exceeded, a row was planned or sent before, or a tenth of the rows or more equal recent payments.`,
  args: { file: { text: 'CSV or NDJSON', isOptional: true } },
  flags,
  conflicts: [
    ['pay', 'file'],
    ['pay', 'operation'],
  ],
  examples: [
    'batch plan payouts.csv --operation payout --expect-count 2 --expect-total EUR=35.50',
    'batch plan returns.ndjson --operation return --map order=orderid --expect-count 1 --expect-total EUR=5.00 --json',
  ],
  effect: 'local',
  note: 'It reads and checks; nothing is sent.',
  result: ['batch-plan'],
  run: async ({ args: { file }, flags, runtime }) => {
    const { operation, pay } = flags;
    if (pay !== undefined) return planPayouts(pay, flags, runtime);
    if (file === undefined) throw fail('USAGE', { why: '<file> is missing' });
    if (operation === undefined) throw fail('USAGE', { why: `--operation is missing: one of ${names.join(', ')}` });
    return planFile(file, operation, flags, runtime);
  },
});

/** Throws `wrongValue`. */
function readOperation(name: string): PlanRow {
  // On a command line one word is easier: payout-check.
  const wanted = operationNamed(name) ?? operationNamed(name.replaceAll('-', ' '));
  const row = inBatches.find((each) => each === wanted);
  if (row !== undefined) return row;
  if (wanted !== undefined && 'cvv' in wanted.fields)
    throw wrongValue(
      `${wanted.command} needs the security code of the card, which must not be in a file; a batch accepts ${names.join(', ')}`,
    );
  const meant = operationsMeant(name).find((each) => names.includes(each)) ?? nearest(name, names);
  throw wrongValue(`use one of ${names.join(', ')}${ifKnown(meant, (near) => `; did you mean ${near}?`)}`);
}

/** Checks a file from end to end and records its rows; nothing is sent. */
async function planFile(file: string, row: PlanRow, options: PlanFlags, runtime: Runtime): Promise<number> {
  // Before anything that depends on what the file holds is asked for.
  const input = openInput(file, runtime);
  return withSession(options, runtime, (session, report) =>
    withJournal(runtime, journalOf(session), async (journal) => {
      warnIfRestored(journal, report);
      const tools = { options, session, report, runtime, journal };
      const plan = planInput({ ...input, name: oneLine(file), row }, tools).finally(() => report.progress(undefined));
      await show(await plan, session, report);
      return exits.ok;
    }),
  );
}

/** The second step of a plan of checks that has come to its end. Throws USAGE and BATCH_REFUSED. */
async function planPayouts(name: string, flags: CommonOptions, runtime: Runtime): Promise<number> {
  return withSession(flags, runtime, (session, report) =>
    withBatch(name, runtime, async ({ head: check, journal }) => {
      checkPlanProfile(check, session);
      const plan = check.id;
      if (check.operation !== payoutCheck.id)
        throw fail('USAGE', { why: `--pay needs a payout-check plan, and ${plan} is not one`, plan });
      const made = { madeAt: runtime.clock.now(), planner: currentPlanner(runtime, journal), version: packageVersion };
      const wanted = { ...made, id: `${plan}-pay-${runtime.random.letters(4).toLowerCase()}` };
      const rows = new RowReader(check, { journal, files: runtime.files });
      const head = await makePayPlan(check, wanted, { journal, rows, gateway: placeOf(payoutPay, session) });
      await show({ head, largest: [], withoutAmount: 0, repeats: [], equal: [] }, session, report);
      return exits.ok;
    }),
  );
}

/** Below this a file is read before a line about it could be. */
const smallBytes = 2_000_000;

interface Input {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly row: PlanRow;
}

interface PlanTools extends Tools {
  readonly options: PlanFlags;
  readonly journal: Journal;
}

async function planInput({ name, path, size, row }: Input, tools: PlanTools): Promise<NewPlan> {
  const { options, session, journal, report, runtime } = tools;
  const { files, clock } = runtime;
  const { again = false, allowPanFile: allowCards = false, expectCount: count, delimiter = ',' } = options;
  const isAttended = mayPrompt(options, runtime) && session.class !== 'live';
  const missing = isAttended ? [] : missingFigures(row, options);
  // Where somebody has to say what it comes to, rows that may do without an amount come to nothing.
  const totals = options.expectTotal ?? (isAttended || missing.length > 0 ? undefined : {});
  const { assume, payer } = session;
  const defaults = Object.fromEntries(
    Object.entries(session.defaults).flatMap(([key, { value }]) => (key in row.fields ? [[key, value] as const] : [])),
  );
  const keys = keysByName({ row, assume });
  const map = mapColumns(options.map ?? {}, (field) => keys.get(field), keys.keys());
  return makePlan(
    {
      ...{ path, name, operation: row.id, expected: { count, totals }, again, id: await newPlanId(journal, runtime) },
      ...{ planner: currentPlanner(runtime, journal), version: packageVersion },
      gateway: {
        ...{ ...placeOf(row, session), assume, defaults, payer },
        endpointFor: (currency) => session.endpointFor(row, currency),
      },
      findUnconfirmed: (found, sums) => (missing.length === 0 ? undefined : unconfirmed(missing, found, sums, session)),
      source: {
        format: options.format ?? (/\.(?:ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv'),
        ...{ delimiter, naming: { row, assume, map, allowCards } },
        elsewhere: new Set([...Object.keys(defaults), ...Object.keys(payer)]),
      },
      caps: session,
    },
    {
      ...{ files, clock, journal, database: await runtime.database() },
      folder: join(files.folders.state, 'batches'),
      progress(bytes, rows) {
        const share = Math.floor((bytes * 100) / size);
        if (size > smallBytes) report.progress(`reading ${name}: ${rowsText(rows)}, ${share} %`);
      },
    },
  );
}

/** Where nobody looks on, what a file comes to must be known from somewhere else. */
function missingFigures({ fields }: PlanRow, { expectCount, expectTotal }: PlanFlags): readonly string[] {
  const hasAmounts = fields['amount']?.need === 'required';
  return [
    ...(expectCount === undefined ? ['--expect-count'] : []),
    ...(expectTotal === undefined && hasAmounts ? ['--expect-total'] : []),
  ];
}

/** The error for a valid file that nobody confirmed: names what it holds. */
function unconfirmed(missing: readonly string[], count: number, totals: readonly Total[], session: Session): Error {
  const flags = missing.join(' and ');
  const where = session.class === 'live' ? 'with a live profile' : 'without a terminal';
  return fail('USAGE', {
    why: `the file is valid and holds ${[rowsText(count), ...totals.map(sumText)].join(', ')}; ${flags} ${missing.length === 1 ? 'is' : 'are'} needed ${where}, to confirm that with figures from an independent source`,
    flags,
  });
}

async function show(
  { head, largest, withoutAmount, repeats, equal }: NewPlan,
  session: Session,
  report: Reporter,
): Promise<void> {
  const needed = approvalNeeded(head, session.caps);
  const approve = `paycli batch approve ${head.id}`;
  const run = `paycli batch run ${head.id}${session.flags}`;
  report.warn([...repeats.map(repeatedText), ...equalWarnings(equal, head.count)]);
  await report.show({
    document: {
      schema: 'paycli.batch-plan/1',
      ...headDocument(head),
      withoutAmount,
      largest: largest.map(({ number: row, sum, ...rest }) => ({ row, ...rest, amount: moneyDocument(sum) })),
      repeated: repeats.map(({ sum, ...rows }) => ({ ...rows, amount: moneyDocument(sum) })),
      equal: equal.map(({ plan, at, ...rows }) => ({ plan: plan ?? null, at: new Date(at).toISOString(), ...rows })),
      ...{ approvalNeeded: needed ?? null, run },
      next: needed === undefined ? run : approve,
    },
    text: () => {
      const { paint } = report;
      const rows = largest.map(({ line, destination, sum }) => [`  line ${line}`, oneLine(destination), sumText(sum)]);
      const whole = ['no amount', `in ${rowsText(withoutAmount)}: the whole remaining amount of their orders`] as const;
      const next = paint.dim('next:');
      const steps =
        needed === undefined
          ? `${next} \`${run}\`; a second person may approve it first with \`${approve}\`\n`
          : `${next} a second person must approve it with \`${approve}\`, because ${needed}; then \`${run}\`\n`;
      return (
        `${paint.good('✓')} ${paint.bold(head.id)}: ${rowsText(head.count)} checked and planned; nothing was sent\n` +
        planText(head, report, withoutAmount > 0 ? [whole] : []) +
        (rows.length === 0 ? '' : `largest:\n${report.columns(rows)}`) +
        steps
      );
    },
  });
}

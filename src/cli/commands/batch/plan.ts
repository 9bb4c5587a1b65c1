import { join } from 'node:path';
import { approvalNeeded } from '../../../batch/approval.js';
import type { RepeatedRows } from '../../../batch/draft.js';
import { type EqualRows, equalCountText, equalPaymentDays, equalRowsText } from '../../../batch/earlier.js';
import type { GatewayProfile } from '../../../batch/input/check-row.js';
import { keysByName } from '../../../batch/input/columns.js';
import { makePlan, type NewPlan } from '../../../batch/make-plan.js';
import { makePayPlan } from '../../../batch/pay.js';
import { headDocument, moneyDocument, rowsText, type Total } from '../../../batch/plan.js';
import { RowReader } from '../../../batch/rows.js';
import { exits, fail, ifKnown, isPaycliError, nearest } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { sumText } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Unsigned } from '../../../signing/index.js';
import { type Operation, type OperationId, operationNamed, operations, payoutCheck } from '../../../spec/index.js';
import { defineCommand, mayPrompt, on, oneOf, parsed, word } from '../../command.js';
import { operationsMeant } from '../../core/command-synonyms.js';
import type { CommonOptions } from '../../core/common-options.js';
import { currentPlanner } from '../../core/current-user.js';
import { warnIfRestored } from '../../core/order-requests.js';
import type { Reporter } from '../../core/reporter.js';
import { journalOf, withJournal } from '../../core/user-stores.js';
import { packageVersion } from '../../core/version.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { wrongValue } from '../../usage.js';
import { delimiterFlag, mapColumns, mapFlag, openInput, readCount, totalsFlag } from './input.js';
import { withBatch } from './open-batch.js';
import { planText } from './plan-text.js';
import { checkPlanProfile, limitsOfRow, placeOf } from './run-checks.js';

interface PlanFlags extends CommonOptions {
  readonly operation: Operation & { readonly id: OperationId };
  readonly format?: 'csv' | 'ndjson';
  readonly delimiter?: string;
  readonly map?: Readonly<Record<string, string>>;
  readonly expectCount?: number;
  readonly expectTotal?: Readonly<Record<string, string>>;
  readonly allowPanFile?: boolean;
}

const command = 'batch plan';

export const batchPlan = defineCommand({
  summary: 'Check a file of payments and plan it as a batch',
  help: `Read a file of payments, check every row, and record them in the journal as a plan

CSV in UTF-8 with a header, or NDJSON. A column has the field's wire name, flag or key as its name; --map names another. An empty cell counts as not given. Every error is reported with its line and client order id; if there is any error, no plan is created. A row that repeats another one, or one sent or planned before, is refused; three or more rows with the same amount and destination only cause a warning. Nothing is sent.

Rows are also compared with the payments of the last ${equalPaymentDays} days in the journal, other plans included, whatever their ids: the same amount, currency and destination, approved, pending, unknown or not sent yet. If a tenth of the rows or more match such payments, the file may have been paid already, and it is planned only with --again; fewer cause a warning.

  client_orderid,amount,currency,account_number,bank_name,bank_branch
  salary-17,1250.00,EUR,DE02120300000000202051,DKB,Berlin

Exit codes: 2 the file is wrong; 10 count or totals differ, a cap is exceeded, a row was planned or sent before, or a tenth of the rows or more equal recent payments.`,
  args: { file: { text: 'CSV or NDJSON', isOptional: true } },
  flags: {
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
      readCount,
    ),
    expectTotal: totalsFlag('expected total, such as EUR=123.45; required without a terminal or with a live profile'),
    again: on(`plan a file even if a tenth of its rows or more equal payments of the last ${equalPaymentDays} days`),
    allowPanFile: on('allow card numbers in the file (mode 0600); they are not copied out of it'),
    noInput: on('never prompt'),
    ...connectionFlags,
    ...outputFlags,
  },
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
    if (file === undefined) throw fail('USAGE', { why: '<file> is missing', command });
    if (operation === undefined)
      throw fail('USAGE', { why: `--operation is missing: one of ${names.join(', ')}`, command });
    return runBatchPlan(file, { ...flags, operation }, runtime);
  },
});

const inBatches = operations.filter((row) => row.inBatches);
const names = inBatches.map((row) => row.command.replace('payout send', 'payout').replaceAll(' ', '-'));

/** Throws `wrongValue`. */
function readOperation(name: string): PlanFlags['operation'] {
  // On a command line one word is easier: payout-check.
  const wanted = operationNamed(name) ?? operationNamed(name.replaceAll('-', ' '));
  const row = operations.find((each) => each === wanted);
  if (row !== undefined && inBatches.includes(row)) return row;
  if (row !== undefined && 'cvv' in row.fields)
    throw wrongValue(
      `${row.command} needs the security code of the card, which must not be in a file; a batch accepts ${names.join(', ')}`,
    );
  const meant = operationsMeant(name).find((each) => names.includes(each)) ?? nearest(name, names);
  throw wrongValue(`use one of ${names.join(', ')}${ifKnown(meant, (near) => `; did you mean ${near}?`)}`);
}

/** Checks a file from end to end and records its rows; nothing is sent. */
async function runBatchPlan(file: string, flags: PlanFlags, runtime: Runtime): Promise<number> {
  // Before anything that depends on what the file holds is asked for.
  const input = openInput(file, command, runtime);
  return withSession(flags, runtime, (session, report) =>
    withJournal(runtime, journalOf(session), async (journal) => {
      warnIfRestored(journal, report);
      await show(await planInput({ file, ...input }, flags, { session, journal, report, runtime }), session, report);
      return exits.ok;
    }),
  );
}

/** The second step of a plan of checks that has come to its end. Throws USAGE and BATCH_REFUSED. */
async function planPayouts(name: string, flags: CommonOptions, runtime: Runtime): Promise<number> {
  return withSession(flags, runtime, (session, report) =>
    withBatch(name, command, runtime, async ({ head: check, journal }) => {
      checkPlanProfile(check, session);
      const plan = check.id;
      if (check.operation !== payoutCheck.id)
        throw fail('USAGE', { why: `--pay needs a payout-check plan, and ${plan} is not one`, plan, command });
      const made = { madeAt: runtime.clock.now(), planner: currentPlanner(runtime, journal), version: packageVersion };
      const wanted = { ...made, id: `${plan}-pay-${runtime.random.letters(4).toLowerCase()}` };
      const rows = new RowReader(check, { journal, files: runtime.files });
      const head = await makePayPlan(check, wanted, { journal, rows, ...placeOf(check, session) });
      await show({ head, largest: [], withoutAmount: 0, repeats: [], equal: [] }, session, report);
      return exits.ok;
    }),
  );
}

/** Below this a file is read before a line about it could be. */
const smallBytes = 2_000_000;

interface Input {
  /** As it was named. */
  readonly file: string;
  readonly path: string;
  readonly size: number;
}

interface PlanTools {
  readonly session: Session;
  readonly journal: Journal;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

async function planInput({ file, path, size }: Input, flags: PlanFlags, tools: PlanTools): Promise<NewPlan> {
  const { session, journal, report, runtime } = tools;
  const { files, clock } = runtime;
  const { operation: row, again = false, allowPanFile: allowCards = false } = flags;
  const { expectCount: count, expectTotal, delimiter = ',' } = flags;
  const gateway = gatewayOf(row, session);
  const missing = missingFlags(flags, session, runtime);
  // Where somebody has to say what it comes to, rows that may do without an amount come to nothing.
  const isFree = isAttended(flags, session, runtime);
  const expected = { count, totals: expectTotal ?? (isFree || missing.length > 0 ? undefined : {}) };
  const keys = keysByName({ row, assume: session.assume });
  const map = mapColumns(flags.map ?? {}, (name) => keys.get(name), keys.keys(), command);
  return makePlan(
    {
      ...{ path, operation: row.id, expected, gateway, again, name: oneLine(file) },
      findUnconfirmed: (found, totals) => unconfirmedError(missing, found, totals, session),
      ...{ id: await newId(journal, runtime), planner: currentPlanner(runtime, journal), version: packageVersion },
      source: {
        format: flags.format ?? (/\.(?:ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv'),
        ...{ delimiter, naming: { row, assume: session.assume, map, allowCards } },
        elsewhere: new Set([...Object.keys(gateway.defaults), ...Object.keys(gateway.payer)]),
      },
      refusal: (unsigned) => findRefusal(unsigned, tools),
    },
    {
      ...{ files, clock, journal, database: await runtime.database() },
      folder: join(files.folders.state, 'batches'),
      progress(bytes, rows) {
        const share = Math.floor((bytes * 100) / size);
        if (size > smallBytes) report.progress(`reading ${oneLine(file)}: ${rowsText(rows)}, ${share} %`);
      },
    },
  ).finally(() => report.progress(undefined));
}

/** True where somebody looks at the totals before anything may be sent. */
function isAttended(flags: PlanFlags, session: Session, runtime: Runtime): boolean {
  return mayPrompt(flags, runtime) && session.class !== 'live';
}

/** Where nobody looks on, what a file comes to must be known from somewhere else. */
function missingFlags(flags: PlanFlags, session: Session, runtime: Runtime): readonly string[] {
  const { operation, expectCount, expectTotal } = flags;
  if (isAttended(flags, session, runtime)) return [];
  const hasAmounts = operation.fields['amount']?.need === 'required';
  return [
    ...(expectCount === undefined ? ['--expect-count'] : []),
    ...(expectTotal === undefined && hasAmounts ? ['--expect-total'] : []),
  ];
}

/** The error for a valid file that nobody confirmed: names what it holds. */
function unconfirmedError(
  missing: readonly string[],
  count: number,
  totals: readonly Total[],
  session: Session,
): Error | undefined {
  if (missing.length === 0) return undefined;
  const flags = missing.join(' and ');
  const where = session.class === 'live' ? 'with a live profile' : 'without a terminal';
  return fail('USAGE', {
    why: `the file is valid and holds ${[rowsText(count), ...totals.map(sumText)].join(', ')}; ${flags} ${missing.length === 1 ? 'is' : 'are'} needed ${where}, to confirm that with figures from an independent source`,
    flags,
    command,
  });
}

/** What a profile provides for rows. */
function gatewayOf(row: Operation, session: Session): GatewayProfile {
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

/** Holds a row against the caps as its command would be held. */
async function findRefusal(unsigned: Unsigned, { session, journal }: PlanTools): Promise<string | undefined> {
  try {
    await limitsOfRow(unsigned, { sum: undefined }, session, journal);
    return undefined;
  } catch (error) {
    if (!isPaycliError(error)) throw error;
    return String(error.facts['why']);
  }
}

async function show(
  { head, largest, withoutAmount, repeats, equal }: NewPlan,
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
      largest: largest.map(({ number: row, sum, ...rest }) => ({ row, ...rest, amount: moneyDocument(sum) })),
      repeated: repeats.map(({ sum, ...rows }) => ({ ...rows, amount: moneyDocument(sum) })),
      equal: equal.map(({ plan, at, ...rows }) => ({ plan: plan ?? null, at: new Date(at).toISOString(), ...rows })),
      ...{ approvalNeeded: needed ?? null, run },
      // Harmless when pasted: it sends nothing.
      next: needed === undefined ? look : approve,
    },
    text: () => {
      const { paint } = report;
      const rows = largest.map(({ line, destination, sum }) => [`  line ${line}`, oneLine(destination), sumText(sum)]);
      const whole = ['no amount', `in ${rowsText(withoutAmount)}: the whole remaining amount of their orders`] as const;
      const next = paint.dim('next:');
      const steps =
        needed === undefined
          ? `\`${run}\` sends its rows; a second person may approve it first with \`${approve}\`\n${next} \`${look}\`\n`
          : `${next} a second person must approve it with \`${approve}\`, because ${needed}; then \`${run}\`\n`;
      return (
        `${paint.good('✓')} ${paint.bold(head.id)}: ${rowsText(head.count)} checked and planned; nothing was sent\n` +
        planText(head, report, withoutAmount > 0 ? [whole] : []) +
        (rows.length === 0 ? '' : `largest:\n${report.columns(rows)}`) +
        steps
      );
    },
  });
  report.warn([...repeats.map(repeatedText), ...equalWarning(equal, head.count)]);
}

function repeatedText({ count, firstLine, lastLine, destination, sum }: RepeatedRows): string {
  return `${count} rows (between lines ${firstLine} and ${lastLine}) have the same amount and destination, ${sumText(sum)} to ${oneLine(destination)}: check that this is intended`;
}

function equalWarning(equal: readonly EqualRows[], count: number): readonly string[] {
  if (equal.length === 0) return [];
  const rows = equal.reduce((sum, each) => sum + each.count, 0);
  const places = equal.map((each) => equalRowsText(each)).join('; ');
  return [`${equalCountText(rows, count)}: check that they are new payments; ${oneLine(places)}`];
}

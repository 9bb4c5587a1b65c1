import { approvalNeeded } from '../../batch/approval.js';
import { type Made, makePlan, planPath } from '../../batch/make-plan.js';
import type { PlanHead } from '../../batch/plan.js';
import type { LargeRow } from '../../batch/totals.js';
import { pathFrom } from '../../config/paths.js';
import { fail, isPaycliError, shellWord } from '../../errors/index.js';
import type { Journal } from '../../journal/index.js';
import { checkCaps } from '../../payments/caps.js';
import { countedSum, paymentValueOf } from '../../payments/payment-value.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import { faultyFile, listed, reading, sizeOf } from '../batch-files.js';
import { type BatchFlags, readPlanFlags, type WantedFile } from '../batch-flags.js';
import { headDocument, headLines, moneyDocument, moneyText, planFolder, rowsText } from '../batch-plans.js';
import { cardSeal } from '../card-seal.js';
import { withJournal } from '../journal.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { plannerAt } from '../person.js';
import { columns } from '../present/columns.js';
import { oneLine } from '../present/table.js';
import type { Reporter } from '../reporter.js';
import { mayAsk } from '../resolve.js';
import type { Session } from '../session.js';
import { packageVersion } from '../version.js';
import { withSession } from '../with-session.js';

/** Checks a file from end to end and freezes it; nothing is sent. */
export async function runBatchPlan(file: string, options: CommonOptions & BatchFlags, runtime: Runtime): Promise<number> {
  return withSession(options, runtime, async (session, report) => {
    const wanted = readPlanFlags(file, options, { session, isAttended: mayAsk(options, runtime) && session.class !== 'live' });
    return withJournal(runtime, async (journal) => {
      const made = await planned(wanted, { session, journal, report, runtime });
      if (made.kind === 'faulty') throw faultyFile(file, made.count, made.first, made.log);
      if (made.kind === 'refused') throw fail('BATCH_REFUSED', { why: listed(`${file} was not planned`, made.reasons), how: made.how });
      await show(made, session, report);
      return exits.ok;
    });
  });
}

/** Below this a file is read before a line about it could be. */
const smallBytes = 2_000_000;

interface Desk {
  readonly session: Session;
  readonly journal: Journal;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

async function planned(wanted: WantedFile, { session, journal, report, runtime }: Desk): Promise<Made> {
  const { files, clock, processes } = runtime;
  const path = pathFrom(wanted.file, files.folders.working, files.folders.home);
  const { source, operation, row, expected } = wanted;
  const defaults = Object.fromEntries(Object.entries(session.defaultsFor(row)).map(([key, { value }]) => [key, value]));
  const { name: profile, place: base, login, assume, payer } = session;
  try {
    return await reading(wanted.file, 'batch plan', async () => {
      const size = sizeOf(path, files);
      return makePlan(
        {
          ...{ id: newId(runtime), path, operation, expected, version: packageVersion },
          source: { ...source, elsewhere: new Set([...Object.keys(defaults), ...Object.keys(payer)]) },
          gateway: {
            ...{ profile, class: session.class, base, login, assume, defaults, payer },
            endpointFor: (currency) => session.endpointFor(row, currency),
            target: (endpointId) => session.target(endpointId),
          },
          planner: plannerAt(runtime),
          refusal: capOf(session, journal),
          checkCardFile: () => checkCardFile(path, runtime),
        },
        {
          ...{ files, clock, journal, processes, database: await runtime.database(), folder: planFolder(runtime) },
          seal: cardSeal(runtime),
          progress: (bytes, rows) => {
            if (size > smallBytes)
              report.progress(`reading ${oneLine(wanted.file)}: ${rowsText(rows)}, ${Math.floor((bytes * 100) / size)} %`);
          },
        },
      );
    });
  } finally {
    report.progress(undefined);
  }
}

/** `b-20300107-` and six letters or digits. */
function newId(runtime: Runtime): string {
  const { clock, random, files } = runtime;
  for (;;) {
    const id = `b-${new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}-${random.letters(6).toLowerCase()}`;
    if (!files.exists(planPath(planFolder(runtime), id))) return id;
  }
}

/** Holds a row against the caps as its command would be held; without caps there is nothing to hold it against. */
function capOf(session: Session, journal: Journal): ((unsigned: Unsigned) => string | undefined) | undefined {
  const { maxAmount, maxTotalPerDay } = session.caps;
  if (maxAmount.length === 0 && maxTotalPerDay.length === 0) return undefined;
  return (unsigned) => {
    const worth = paymentValueOf(unsigned, session, journal);
    try {
      checkCaps(unsigned.row, worth, countedSum(worth), session);
      return undefined;
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      return String(error.facts['why']);
    }
  };
}

/** Throws SECRET_UNREADABLE. */
function checkCardFile(path: string, { files }: Runtime): void {
  const facts = files.facts(path);
  if (facts !== undefined && (facts.mode & 0o077) === 0 && facts.ownedByUser) return;
  throw fail('SECRET_UNREADABLE', {
    what: 'card numbers in a file',
    why: `${path} may be read by others`,
    how: `run \`chmod 600 ${shellWord(path)}\`; the file must be your own`,
  });
}

async function show(
  { head, largest, withoutAmount }: Made & { readonly kind: 'planned' },
  session: Session,
  report: Reporter,
): Promise<void> {
  const needed = approvalNeeded(head, session.caps);
  const approve = `paycli batch approve ${head.id}`;
  const run = `paycli batch run ${head.id}${session.flags}`;
  await report.show({
    document: {
      schema: 'paycli.batch-plan/1',
      ...headDocument(head),
      ...{ withoutAmount, largest: largest.map(largeDocument), approvalNeeded: needed ?? null, next: needed === undefined ? run : approve },
    },
    text: () => {
      const { paint } = report;
      const rows = largest.map((row) => [`  line ${row.line}`, oneLine(row.destination), moneyText({ ...row, minor: String(row.minor) })]);
      return (
        `${paint.good('✓')} ${paint.bold(head.id)}: ${rowsText(head.count)} checked and frozen; nothing was sent\n` +
        columns(
          [...headLines(head, report), ...wholeLines(head, withoutAmount)].map(([name, text]) => [`  ${paint.name(name)}`, oneLine(text)]),
        ) +
        (rows.length === 0 ? '' : `largest:\n${columns(rows)}`) +
        nextText(needed, approve, run, paint.dim('next:'))
      );
    },
  });
}

function nextText(needed: string | undefined, approve: string, run: string, next: string): string {
  if (needed === undefined) return `${next} \`${run}\`; a second person may look at it before, with \`${approve}\`\n`;
  return `${next} a second person has to agree with \`${approve}\`, for ${needed}; then \`${run}\`\n`;
}

function wholeLines({ operation }: PlanHead, count: number): (readonly [name: string, text: string])[] {
  return count === 0 || operation === 'STATUS' ? [] : [['no amount', `in ${rowsText(count)}: all that their orders hold`]];
}

function largeDocument({ number, line, destination, ...money }: LargeRow): Record<string, unknown> {
  return { row: number, line, destination, amount: moneyDocument({ ...money, minor: String(money.minor) }) };
}

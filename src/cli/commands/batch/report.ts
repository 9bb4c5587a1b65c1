import { join } from 'node:path';
import { approvedEvent } from '../../../batch/plan/approval.js';
import type { IntentLookup } from '../../../batch/run/progress.js';
import {
  cellsOf,
  needsReview,
  outcomesOf,
  type ReportedPlan,
  reportColumns,
  summaryOf,
} from '../../../batch/run/report.js';
import { pathFrom } from '../../../config/file-access.js';
import { closeAfter, exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkPlanFilter, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { oneLine } from '../../format/document.js';
import { csvLine } from '../../format/list-output.js';
import { profileText } from '../../format/profile.js';
import { planArgument, planNamed } from './ask-plan.js';
import { viewFlags } from './flags.js';
import { type OpenIntentLookup, openIntentLookup, openViewLookup, warnOfConflicts } from './intent-lookup.js';
import { withPlan } from './plan-files.js';
import { type BatchView, openElsewhere, wayElsewhere } from './shared-databases.js';
import type { EngineFlags } from './shared-engine.js';

interface ReportOptions extends CommonOptions, EngineFlags {
  readonly out?: string;
}

const names = ['results.csv', 'results.jsonl', 'unknown.csv', 'summary.json'] as const;

export const batchReport = defineCommand<ReportOptions>({
  name: 'batch report',
  summary: 'Write the outcome of every row to files',
  help: 'Write the outcome of every row: results.csv, results.jsonl, summary.json, and unknown.csv with the rows that need manual review. Each file is written completely or not at all, mode 0600; cells that a spreadsheet would execute begin with an apostrophe. Where the plan runs on a database, that database is queried; if it cannot be reached, results not yet fetched from there are unknown_here. On a machine without the plan, give its whole id and --engine to report from the database alone, which does not show the recipients. Nothing is sent.',
  args: [planArgument],
  options: [
    ['--out <folder>', 'folder for the files (named like the plan, in the working folder)'],
    profileFilter('refuse a plan of any other profile'),
    ...viewFlags,
  ],
  examples: ['batch report $PLAN --out results'],
  effect: 'none',
  network: true,
  exits: [...profileExits, 'interrupted'],
  note: 'For a plan that runs on a database, that database is queried.',
  prints: ['batch-summary'],
  run: async ({ args: [plan], options, runtime }) =>
    runBatchReport(await planNamed(plan, 'batch report', options, runtime), options, runtime),
});

/** Writes what is known of every row: by the journal, or by the database the plan runs on. Sends nothing. */
async function runBatchReport(name: string, options: ReportOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const tools = { options, report, runtime };
  const view = await openElsewhere(name, options, 'batch report', runtime);
  if (view !== undefined)
    return closeAfter(
      async () =>
        writeReport(planAt(view), await openViewLookup(view, await wayElsewhere(name, options, runtime)), tools),
      () => view.close(),
    );
  return withPlan(name, 'batch report', runtime, async (plan, journal) => {
    await checkPlanFilter(options.profile, plan.head, 'batch report', runtime);
    const known = await openIntentLookup(plan, journal, { verb: 'report', flags: options }, { report, runtime });
    return closeAfter(
      () => writeReport(plan, known, tools),
      () => known.close(),
    );
  });
}

interface ReportTools {
  readonly options: ReportOptions;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

/** A batch as its database has it, for a machine without the plan. */
function planAt(view: BatchView): ReportedPlan {
  const { head, approvals } = view.known;
  const approved = approvals.map((facts) => ({ at: Number(facts['at'] ?? 0), what: approvedEvent, facts }));
  return { head, events: () => approved, rows: (from, max) => view.rows(from, max) };
}

async function writeReport(plan: ReportedPlan, known: OpenIntentLookup, tools: ReportTools): Promise<number> {
  const { options, report, runtime } = tools;
  const { head } = plan;
  await checkPlanFilter(options.profile, head, 'batch report', runtime);
  const folder = pathFrom(options.out ?? head.id, runtime.files.folders.working, runtime.files.folders.home);
  const document = await kept(folder, runtime, (files) => write(files, plan, known, runtime));
  warnOfConflicts(known.conflicts, known.flags, report);
  await report.show({
    document: { ...document, files: names.map((each) => join(folder, each)) },
    text: () => `plan ${head.id}, profile ${oneLine(profileText(head))}\nwritten to ${folder}: ${names.join(', ')}\n`,
  });
  return exits.ok;
}

type Drafts = Readonly<Record<(typeof names)[number], Staged>>;

/** All of the files or none of them. Throws STORAGE. */
async function kept<T>(folder: string, runtime: Runtime, fill: (drafts: Drafts) => Promise<T>): Promise<T> {
  const drafts: Staged[] = [];
  const draft = (name: (typeof names)[number]): Staged => {
    const staged = runtime.files.stage(join(folder, name));
    drafts.push(staged);
    return staged;
  };
  try {
    const result = await fill({
      'results.csv': draft('results.csv'),
      'results.jsonl': draft('results.jsonl'),
      'unknown.csv': draft('unknown.csv'),
      'summary.json': draft('summary.json'),
    });
    for (const each of drafts) each.keep();
    return result;
  } catch (cause) {
    for (const each of drafts.toReversed()) each.drop();
    const why = reasonIn(cause);
    if (why === undefined || isPaycliError(cause)) throw cause;
    throw fail(
      'STORAGE',
      {
        what: `the report in ${folder}`,
        why,
        how: 'what was sent is recorded in the journal; free some space or choose another folder with --out, then run `paycli batch report` again',
        folder,
      },
      { cause },
    );
  }
}

/** Undefined for what is no fault of the disk. */
function reasonIn(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  return cause.code === 'ENOSPC' || cause.code === 'EDQUOT'
    ? 'the disk is full'
    : `it cannot be written (${String(cause.code)})`;
}

const rowsAtOnce = 500;

async function write(
  drafts: Drafts,
  plan: ReportedPlan,
  known: IntentLookup,
  runtime: Runtime,
): Promise<Record<string, unknown>> {
  const waiting = { 'results.csv': csvLine(reportColumns), 'results.jsonl': '', 'unknown.csv': csvLine(reportColumns) };
  const flush = () => {
    for (const name of ['results.csv', 'results.jsonl', 'unknown.csv'] as const) {
      drafts[name].write(waiting[name]);
      waiting[name] = '';
    }
  };
  const outcomes = outcomesOf(plan, known, runtime.clock);
  for (let at = 1; ; at += 1) {
    const next = await outcomes.next();
    if (next.done === true) {
      flush();
      const document = summaryOf(plan, next.value, runtime.clock.now(), packageVersion);
      drafts['summary.json'].write(`${JSON.stringify(document, null, 2)}\n`);
      return document;
    }
    const line = csvLine(cellsOf(next.value));
    waiting['results.csv'] += line;
    waiting['results.jsonl'] += `${JSON.stringify(next.value)}\n`;
    if (needsReview(next.value)) waiting['unknown.csv'] += line;
    if (at % rowsAtOnce === 0) flush();
  }
}

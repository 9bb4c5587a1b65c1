import { join } from 'node:path';
import type { PlanStore } from '../../../batch/plan.js';
import type { IntentLookup } from '../../../batch/run/progress.js';
import { cellsOf, needsReview, outcomesOf, reportColumns, summaryOf } from '../../../batch/run/report.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
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
import { journalLookup, warnOfDoubts } from './intent-lookup.js';
import { withPlan } from './plan-files.js';

interface ReportOptions extends CommonOptions {
  readonly out?: string;
}

const names = ['results.csv', 'results.jsonl', 'unknown.csv', 'summary.json'] as const;

export const batchReport = defineCommand<ReportOptions>({
  name: 'batch report',
  summary: 'Write the outcome of every row to files',
  help: 'Write the outcome of every row: results.csv, results.jsonl, summary.json, and unknown.csv with the rows that need manual review. Each file is written completely or not at all, mode 0600; cells that a spreadsheet would execute begin with an apostrophe. Nothing is sent.',
  args: [planArgument],
  options: [
    ['--out <folder>', 'folder for the files (named like the plan, in the working folder)'],
    profileFilter('refuse a plan of any other profile'),
  ],
  examples: ['batch report $PLAN --out results'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'interrupted'],
  prints: ['batch-summary'],
  run: async ({ args: [plan], options, runtime }) =>
    runBatchReport(await planNamed(plan, 'batch report', options, runtime), options, runtime),
});

/** Writes what the journal knows of every row. */
async function runBatchReport(name: string, options: ReportOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withPlan(name, 'batch report', runtime, async (plan, journal) => {
    const { head } = plan;
    await checkPlanFilter(options.profile, head, 'batch report', runtime);
    const known = journalLookup(plan, journal);
    const folder = pathFrom(options.out ?? head.id, runtime.files.folders.working, runtime.files.folders.home);
    const document = await kept(folder, runtime, (files) => write(files, plan, known, runtime));
    warnOfDoubts(plan, known, journal, report);
    await report.show({
      document: { ...document, files: names.map((each) => join(folder, each)) },
      text: () => `plan ${head.id}, profile ${oneLine(profileText(head))}\nwritten to ${folder}: ${names.join(', ')}\n`,
    });
    return exits.ok;
  });
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
  plan: PlanStore,
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

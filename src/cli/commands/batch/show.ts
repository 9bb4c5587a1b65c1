import { type BatchEvent, moneyDocument, type PlanHead } from '../../../batch/plan.js';
import {
  countsText,
  isOver,
  journalLookup,
  openIn,
  type StateSummary,
  summarizeProgress,
} from '../../../batch/run/progress.js';
import { exits, fail } from '../../../errors/index.js';
import { type BatchStateChange, states } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkPlanFilter, filteredBy, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { stateText } from '../../format/journal-entries.js';
import { timeText } from '../../format/time.js';
import { planNamed } from './ask-plan.js';
import { countRows, listPlans } from './list.js';
import { commandsAbout, profileFlagsOf } from './named-commands.js';
import { headDocument, headLines, totalsText, withPlan } from './plan-files.js';
import { goneProcess, otherJournalReason, warnOfDoubts } from './plan-history.js';
import { watchBatch } from './watch.js';

interface ShowOptions extends CommonOptions {
  readonly watch?: boolean;
  readonly out?: string;
}

export const batchShow = defineCommand<ShowOptions>({
  name: 'batch show',
  summary: 'All plans, or one: its content, the state of its rows, its history',
  help: `All plans with the progress of each; with a plan its content, the state of its rows and its history

With --out, the outcome of every row is written to files: results.csv, results.jsonl, summary.json, and unknown.csv with the rows that need manual review. Each file is written completely or not at all, mode 0600; cells that a spreadsheet would execute begin with an apostrophe.`,
  args: [['[plan]', 'plan id, or the first characters of it; without it all plans are listed']],
  options: [
    [
      '--watch',
      'show rows, rate and time left at each change, until every row is finished; exit 12 once nothing has changed for 5 minutes',
    ],
    ['--out <folder>', 'write the outcome of every row into files in this folder'],
    profileFilter('only plans of this profile'),
  ],
  examples: ['batch show', 'batch show $PLAN', 'batch show $PLAN --watch', 'batch show $PLAN --out results'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'batchLeft', 'interrupted'],
  prints: ['batches', 'batch', 'batch-watch', 'batch-summary'],
  run: async ({ args: [plan], options, runtime }) =>
    plan === undefined && options.watch !== true && options.out === undefined
      ? listPlans(await filteredBy(options, runtime), runtime)
      : runBatchShow(await planNamed(plan, 'batch show', options, runtime), options, runtime),
});

/** One plan with where its rows stand by the journal, and what happened to it. */
async function runBatchShow(name: string, options: ShowOptions, runtime: Runtime): Promise<number> {
  if (options.watch === true && options.out !== undefined)
    throw fail('USAGE', { why: 'use either --watch or --out', command: 'batch show' });
  const report = new Reporter(options, undefined, runtime);
  return withPlan(name, 'batch show', runtime, async (store, journal) => {
    const { head } = store;
    await checkPlanFilter(options.profile, head, 'batch show', runtime);
    if (options.out !== undefined)
      return (await import('./report-files.js')).showReportFiles(store, journal, options.out, { report, runtime });
    const known = journalLookup(store, journal);
    const changeNow = () => journal.planStates.newest(head.id);
    if (options.watch === true && otherJournalReason(store, journal) === undefined)
      return watchBatch(
        head.id,
        async () => ({ rows: countRows(store, journal), change: changeNow() }),
        report,
        runtime,
      );
    const found = summarizeProgress(store, known);
    warnOfDoubts(store, known, journal, report);
    const events = store.events();
    const { again } = commandsAbout(head.id, profileFlagsOf(head));
    return showBatch(head, { found, events, again, gone: goneProcess(events, runtime), change: changeNow() }, report);
  });
}

async function showBatch(head: PlanHead, shown: ShownPlan, report: Reporter): Promise<number> {
  const { found, events, change } = shown;
  await report.show({
    document: {
      schema: 'paycli.batch/1',
      ...headDocument(head),
      state: stateDocument(change),
      states: found.map(({ state, count, totals }) => ({ state, count, totals: totals.map(moneyDocument) })),
      events: events.map(({ at, what, facts }) => ({
        at: new Date(at).toISOString(),
        what,
        facts: shownFacts(facts, isoText),
      })),
    },
    text: () => textOf(head, shown, report),
  });
  return exits.ok;
}

interface ShownPlan {
  readonly found: readonly StateSummary[];
  readonly events: readonly BatchEvent[];
  /** Undefined for a batch that nobody ever stopped. */
  readonly change: BatchStateChange | undefined;
  /** The command that resolves open rows from this machine. */
  readonly again: string;
  /** The process of a run that ended without finishing. */
  readonly gone?: number | undefined;
}

function stateDocument(change: BatchStateChange | undefined): Readonly<Record<string, unknown>> | null {
  return change === undefined ? null : { ...change, at: new Date(change.at).toISOString() };
}

function stateLines(change: BatchStateChange | undefined, report: Reporter): (readonly [name: string, text: string])[] {
  if (change === undefined || change.state === 'running') return [];
  const { state, at, by, host, reason } = change;
  return [[state, `${report.moment(at)} by ${by} on ${host}: ${reason}`]];
}

function textOf(head: PlanHead, shown: ShownPlan, report: Reporter): string {
  const { found, events, change } = shown;
  const { paint } = report;
  const rows = found.map(({ state, count, totals }) => [
    `  ${stateText(state, paint)}`,
    String(count),
    totalsText(totals),
    paint.dim(states[state]),
  ]);
  const happened = events.map(({ at, what, facts }) => [
    `  ${report.time(at)}`,
    oneLine(what),
    oneLine(factsText(facts)),
  ]);
  const about = [...headLines(head, report, areOver(found) ? 'finished' : 'open'), ...stateLines(change, report)];
  return (
    `${paint.bold(head.id)}\n${report.columns(about.map(([name, text]) => [`  ${paint.name(name)}`, oneLine(text)]))}` +
    `rows according to the journal:\n${report.columns(rows)}` +
    (happened.length === 0 ? '' : `history:\n${report.columns(happened)}`) +
    openText(shown)
  );
}

function areOver(found: readonly StateSummary[]): boolean {
  return found.every(({ state }) => isOver(state));
}

/** What a cancellation, or a run whose process is gone, leaves behind. */
function openText({ found, change, again, gone }: ShownPlan): string {
  const counts = found.map(({ state, count }) => [state, count] as const);
  const open = openIn(counts);
  if (change?.state === 'cancelled')
    return open.size === 0
      ? ''
      : `still open, so not cancelled: ${countsText(open)}\nnext: \`${again}\` resolves them\n`;
  const hasLeft = open.size > 0 || counts.some(([state]) => state === 'planned' || state === 'not_sent');
  return gone === undefined || !hasLeft
    ? ''
    : `the last run ended without finishing: its process ${gone} is gone\nnext: \`${again}\` continues it\n`;
}

const isoText = (at: number): string => new Date(at).toISOString();

/** An approval has its own time, which is signed as a number; it is shown as any other. */
function shownFacts(facts: BatchEvent['facts'], textOf: (at: number) => string): BatchEvent['facts'] {
  const { at } = facts;
  return typeof at === 'number' ? { ...facts, at: textOf(at) } : facts;
}

/** Plain facts in one line; longer ones are for programs. */
function factsText(facts: BatchEvent['facts']): string {
  return Object.entries(shownFacts(facts, timeText))
    .flatMap(([name, value]) =>
      ['string', 'number'].includes(typeof value) && String(value).length <= 40 ? [`${name} ${String(value)}`] : [],
    )
    .join(', ');
}

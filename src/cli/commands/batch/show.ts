import { accessIn, type BoundEngine } from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { type BatchEvent, type BoundPlan, moneyDocument, type PlanHead } from '../../../batch/plan.js';
import {
  countsText,
  ends,
  isArchivable,
  openIn,
  type StateSummary,
  summarizeProgress,
  summarizeTally,
} from '../../../batch/run/progress.js';
import { closeAfter, exits } from '../../../errors/index.js';
import { type BatchStateChange, type Journal, states } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkPlanFilter, profileFilter } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { stateText } from '../../format/journal-entries.js';
import { timeText } from '../../format/time.js';
import { planArgument, planNamed } from './ask-plan.js';
import { bindingOf, goneProcess } from './engine-binding.js';
import { viewFlags } from './flags.js';
import { type OpenIntentLookup, openIntentLookup, warnOfConflicts } from './intent-lookup.js';
import { countRows } from './list.js';
import { commandsAbout, profileFlagsOf } from './named-commands.js';
import { headDocument, headLines, totalsText, withPlan } from './plan-files.js';
import { type BatchView, openElsewhere, wayElsewhere } from './shared-databases.js';
import type { EngineFlags } from './shared-engine.js';
import { type BatchMoment, watchBatch } from './watch.js';

interface ShowOptions extends CommonOptions, EngineFlags {
  readonly watch?: boolean;
}

export const batchShow = defineCommand<ShowOptions>({
  name: 'batch show',
  summary: 'One plan: its content, the state of its rows, its history',
  help: `One plan: its content, the state of its rows, its history

Where the plan runs on a database, that database is queried; if it cannot be reached, results not yet fetched from there are unknown here. On a machine without the plan, give its whole id and --engine to see what the database has.`,
  args: [planArgument],
  options: [
    [
      '--watch',
      'show rows, workers, rate and time left at each change, until every row is finished; exit 12 once no worker has been active for 5 minutes',
    ],
    profileFilter('refuse a plan of any other profile'),
    ...viewFlags,
  ],
  examples: ['batch show $PLAN', 'batch show $PLAN --watch'],
  effect: 'none',
  network: true,
  exits: [...profileExits, 'batchLeft', 'interrupted'],
  note: 'For a plan that runs on a database, that database is queried.',
  prints: ['batch', 'batch-watch'],
  run: async ({ args: [plan], options, runtime }) =>
    runBatchShow(await planNamed(plan, 'batch show', options, runtime), options, runtime),
});

/** One plan with where its rows stand by the journal, and what happened to it. */
async function runBatchShow(name: string, options: ShowOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const view = await openElsewhere(name, options, 'batch show', runtime);
  if (view !== undefined)
    return closeAfter(
      () => showElsewhere(view, options, report, runtime),
      () => view.close(),
    );
  return withPlan(name, 'batch show', runtime, async (store, journal) => {
    const { head } = store;
    await checkPlanFilter(options.profile, head, 'batch show', runtime);
    const known = await openIntentLookup(store, journal, { verb: 'show', flags: options }, { report, runtime });
    const isAsked = known.view !== undefined || (bindingOf(store, journal)?.engine.kind ?? 'local') === 'local';
    if (options.watch === true && isAsked)
      return watch(store, journal, known, report, runtime).finally(() => known.close());
    const found = await summarizeProgress(store, known).finally(() => known.close());
    warnOfConflicts(known.conflicts, known.flags, report);
    const binding = bindingOf(store, journal);
    const events = store.events();
    const way = binding?.engine.kind === 'postgres' ? { ...binding.flags, ...accessIn(options) } : {};
    const again = commandsAbout({ name: head.id, way, verb: 'resume', profile: profileFlagsOf(head) }).again;
    const gone = binding?.engine.kind === 'postgres' ? undefined : goneProcess(events, runtime);
    return showBatch(head, { found, events, binding, again, gone, change: known.changes.at(-1) }, report);
  });
}

/** By the database alone, which knows no more of its history than who stopped it last. */
async function showElsewhere(
  view: BatchView,
  options: ShowOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  const { shown, identity } = view;
  const { head } = view.known;
  await checkPlanFilter(options.profile, head, 'batch show', runtime);
  if (options.watch === true) return watchBatch(head.id, () => momentAt(view), report, runtime);
  const found = summarizeTally(head, await view.tally());
  const binding = { engine: identity, shown, flags: {} };
  const way = { rowKeyFile: 'FILE', ...(await wayElsewhere(head.id, options, runtime)) };
  const again = commandsAbout({ name: head.id, way, verb: 'work', profile: profileFlagsOf(head) }).again;
  return showBatch(head, { found, events: [], binding, again, change: (await view.stateChanges()).at(-1) }, report);
}

async function showBatch(head: PlanHead, shown: ShownPlan, report: Reporter): Promise<number> {
  const { found, events, binding, change } = shown;
  await report.show({
    document: {
      schema: 'paycli.batch/1',
      ...headDocument(head),
      state: stateDocument(change),
      engine: binding === undefined ? null : { is: binding.shown },
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

async function momentAt(view: GateView): Promise<BatchMoment> {
  return { rows: await view.counts(), workers: await view.workers(), change: (await view.stateChanges()).at(-1) };
}

/** By the database where the plan runs on one, else by the journal of this machine. */
function watch(
  store: BoundPlan,
  journal: Journal,
  { view }: Pick<OpenIntentLookup, 'view'>,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  const { id } = store.head;
  const look = async (): Promise<BatchMoment> =>
    view === undefined
      ? { rows: await countRows(store, journal), workers: [], change: journal.planStates.newest(id) }
      : momentAt(view);
  return watchBatch(id, look, report, runtime);
}

interface ShownPlan {
  readonly found: readonly StateSummary[];
  readonly events: readonly BatchEvent[];
  readonly binding: BoundEngine | undefined;
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
  const { found, events, binding, change } = shown;
  const { paint } = report;
  const rows = found.map(({ state, count, totals }) => [
    `  ${state === 'unknown_here' ? paint.warn('unknown here') : stateText(state, paint)}`,
    String(count),
    totalsText(totals),
    paint.dim(state === 'unknown_here' ? ends.unknown_here : states[state]),
  ]);
  const happened = events.map(({ at, what, facts }) => [
    `  ${report.time(at)}`,
    oneLine(what),
    oneLine(factsText(facts)),
  ]);
  const about = [
    ...headLines(head, report, isOver(found) ? 'finished' : 'open'),
    ...engineLines(binding),
    ...stateLines(change, report),
  ];
  const isLocal = binding === undefined || binding.engine.kind === 'local';
  return (
    `${paint.bold(head.id)}\n${report.columns(about.map(([name, text]) => [`  ${paint.name(name)}`, oneLine(text)]))}` +
    `rows according to ${isLocal ? 'the journal' : 'what is known from the database'}:\n${report.columns(rows)}` +
    (happened.length === 0 ? '' : `history:\n${report.columns(happened)}`) +
    openText(shown)
  );
}

function isOver(found: readonly StateSummary[]): boolean {
  return found.every(({ state }) => isArchivable(state));
}

/** What a withdrawal, or a run whose process is gone, leaves behind. */
function openText({ found, change, again, gone }: ShownPlan): string {
  const counts = found.map(({ state, count }) => [state, count] as const);
  const open = openIn(counts);
  if (change?.state === 'withdrawn')
    return open.size === 0
      ? ''
      : `still open, so not withdrawn: ${countsText(open)}\nnext: \`${again}\` resolves them\n`;
  const hasLeft = open.size > 0 || counts.some(([state]) => state === 'planned' || state === 'not_sent');
  return gone === undefined || !hasLeft
    ? ''
    : `the last run ended without finishing: its process ${gone} is gone\nnext: \`${again}\` continues it\n`;
}

function engineLines(binding: BoundEngine | undefined): (readonly [name: string, text: string])[] {
  return binding === undefined ? [] : [['runs on', binding.shown]];
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

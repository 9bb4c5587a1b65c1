import { type Held, headOf, heldBy, heldText, moneyDocument, totalsText } from '../../../batch/plan.js';
import { countsText, isFinished, openIn, type StateSummary, summarize } from '../../../batch/progress.js';
import { exits, fail } from '../../../errors/index.js';
import type { Event } from '../../../journal/port.js';
import { states } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkFilter, checkPlanFilter, filteredBy, profileFilter } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { stateText } from '../../format/journal-entries.js';
import { profileText } from '../../format/profile.js';
import { type OpenBatch, planNamed, withBatch } from './open-batch.js';
import {
  commandsAbout,
  headDocument,
  headLines,
  operationCommand,
  profileFlagsOf,
  warnOfConflicts,
} from './plan-text.js';

interface ShowOptions extends CommonOptions {
  readonly out?: string;
}

const command = 'batch show';

export const batchShow = defineCommand<ShowOptions>({
  name: command,
  summary: 'All plans, or one: its content, the state of its rows, its history',
  help: `All plans with the progress of each; with a plan its content, the state of its rows and its history

With --out, the outcome of every row is written to files: results.csv, results.jsonl, summary.json, and unknown.csv with the rows that need manual review. Each file is written completely or not at all, mode 0600; cells that a spreadsheet would execute begin with an apostrophe.`,
  args: [['[plan]', 'plan id, or the first characters of it; without it all plans are listed']],
  options: [
    ['--out <folder>', 'write the outcome of every row into files in this folder'],
    profileFilter('only plans of this profile'),
  ],
  examples: ['batch show', 'batch show $PLAN', 'batch show $PLAN --out results'],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'interrupted'],
  prints: ['batches', 'batch', 'batch-summary'],
  run: async ({ args: [plan], options, runtime }) =>
    plan === undefined && options.out === undefined
      ? listPlans(await filteredBy(options, runtime), runtime)
      : showPlan(await planNamed(plan, command, options, runtime), options, runtime),
});

/** Every plan of the journal in use, with where its rows stand; the newest last. */
async function listPlans(options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter(options, undefined, runtime);
  const plans = await inJournal<readonly Listed[]>(
    runtime,
    await journalInUse(profile, runtime),
    [],
    async (journal) => {
      warnIfRestored(journal, report);
      const batches = (await journal.findBatches()).toReversed();
      const own = batches.filter((batch) => profile === undefined || headOf(batch).profile === profile);
      return Promise.all(
        own.map(async (batch) => ({
          head: headOf(batch),
          batch,
          found: summarize(await journal.total({ batch: batch.id })),
        })),
      );
    },
  );
  await checkFilter(profile, runtime, () => plans.length > 0);
  await report.show({
    document: {
      schema: 'paycli.batches/1',
      batches: plans.map(({ head, batch, found }) => ({
        ...headDocument(head),
        ...{ state: batch.state, states: Object.fromEntries(found.map(({ state, count }) => [state, count])) },
      })),
    },
    list: 'batches',
    sheet: () => ({
      columns: [
        { head: 'plan' },
        { head: 'planned' },
        { head: 'operation' },
        { head: 'profile', optional: true },
        { head: 'rows', right: true },
        { head: 'total', flexible: true },
        { head: 'status', flexible: true },
      ],
      rows: plans.map(({ head, batch, found }) => [
        head.id,
        report.time(head.madeAt),
        operationCommand(head),
        oneLine(profileText(head)),
        String(head.count),
        totalsText(head.totals),
        [
          ...(found.length === 0 ? [] : [countsText(found.map(({ state, count }) => [state, count]))]),
          ...(batch.state === 'running' ? [] : [batch.state]),
        ].join(', '),
      ]),
    }),
    empty:
      profile === undefined
        ? 'no plans; `paycli batch plan FILE` creates one'
        : 'this profile has no plans; without --profile and PAYCLI_PROFILE, `paycli batch show` shows those of the default profile',
  });
  return exits.ok;
}

interface Listed extends Omit<OpenBatch, 'journal'> {
  readonly found: readonly StateSummary[];
}

/** One plan with where its rows stand, and what happened to it. */
async function showPlan(name: string, options: ShowOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withBatch(name, command, runtime, async (open) => {
    const { head, batch, journal } = open;
    await checkPlanFilter(options.profile, head, command, runtime);
    warnIfRestored(journal, report);
    const isRead = operationById(head.operation).effect === 'read';
    if (options.out !== undefined && isRead)
      throw fail('USAGE', { why: `plan ${head.id} asks only: its answers are what \`batch run\` prints`, command });
    if (options.out !== undefined)
      return (await import('./report-files.js')).showReportFiles(open, options.out, { report, runtime });
    await journal.markGone();
    const tally = await journal.total({ batch: head.id });
    const held = await heldBy(journal, head.id);
    const shown = { head, batch, held, found: summarize(tally), history: await historyOf(open) };
    await warnOfConflicts(head, journal, report);
    await report.show({
      document: {
        schema: 'paycli.batch/1',
        ...headDocument(head),
        ...{ state: batch.state, reason: held?.reason ?? null },
        states: shown.found.map(({ state, count, totals }) => ({ state, count, totals: totals.map(moneyDocument) })),
        events: shown.history.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest })),
      },
      text: () => textOf(shown, isFinished(tally) ? 'finished' : 'open', report),
    });
    return exits.ok;
  });
}

/** Something that happened to a batch. */
interface Happened {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function historyOf({ head, journal }: OpenBatch): Promise<readonly Happened[]> {
  const events = await journal.events({ batch: head.id });
  const approvals = await journal.approvals(head.id);
  return [
    ...events.map(eventFrom),
    ...approvals.map(({ at, role, total }) => ({ at, what: 'approved', by: role, facts: { total } })),
  ].sort((one, other) => one.at - other.at);
}

function eventFrom({ at, who, reason, facts: { batch: _, from, to, ...facts } }: Event): Happened {
  const state = from === 'planning' && to === 'stopped' ? 'planned' : String(to);
  return { at, what: reason === 'batch-state' ? state : reason, by: who, facts };
}

interface ShownPlan extends Listed {
  readonly held: Held | undefined;
  readonly history: readonly Happened[];
}

function textOf(
  { head, batch, held, found, history }: ShownPlan,
  progress: 'open' | 'finished',
  report: Reporter,
): string {
  const { paint } = report;
  const rows = found.map(({ state, count, totals }) => [
    `  ${stateText(state, paint)}`,
    String(count),
    totalsText(totals),
    paint.dim(states[state]),
  ]);
  const happened = history.map(({ at, what, by, facts }) => [
    `  ${report.time(at)}`,
    oneLine(what),
    oneLine(`by ${[by, factsText(facts)].filter((text) => text !== '').join(', ')}`),
  ]);
  const state = held === undefined ? batch.state : `${report.moment(held.at)} ${heldText(held)}`;
  const about = [...headLines(head, report, progress), ['state', state] as const];
  return (
    `${paint.bold(head.id)}\n${report.columns(about.map(([name, text]) => [`  ${paint.name(name)}`, oneLine(text)]))}` +
    (rows.length === 0 ? '' : `rows according to the journal:\n${report.columns(rows)}`) +
    (happened.length === 0 ? '' : `history:\n${report.columns(happened)}`) +
    nextText({ head, batch, found })
  );
}

function nextText({ head, batch, found }: Listed): string {
  const { again } = commandsAbout(head.id, profileFlagsOf(head));
  const open = openIn(found);
  if (open.size > 0)
    return `${batch.state === 'cancelled' ? 'still open, so not cancelled' : 'still open'}: ${countsText(open)}\nnext: \`${again}\` resolves them\n`;
  const isLeft = found.some(({ state }) => state === 'planned' || state === 'not_sent');
  return isLeft ? `\`${again}${batch.state === 'paused' ? ' --continue' : ''}\` sends the rows that are left\n` : '';
}

/** Plain facts in one line; longer ones are for programs. */
function factsText(facts: Happened['facts']): string {
  return Object.entries(facts)
    .flatMap(([name, value]) =>
      ['string', 'number'].includes(typeof value) && String(value).length <= 40 ? [`${name} ${String(value)}`] : [],
    )
    .join(', ');
}

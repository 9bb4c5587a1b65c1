import { type Held, headDocument, headOf, heldBy, heldText, totalsText } from '../../../batch/plan.js';
import {
  countsText,
  isFinished,
  openIn,
  type StateSummary,
  stateDocuments,
  summarize,
} from '../../../batch/progress.js';
import { exits, fail } from '../../../errors/index.js';
import type { Batch, Event } from '../../../journal/port.js';
import { unsentStates } from '../../../journal/states.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, checkPlanFilter, filteredBy } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { findPlans, type OpenBatch, withBatch } from './open-batch.js';
import { operationCommand, planText, runCommand, stateRows, warnOfConflicts } from './plan-text.js';

interface ShowFlags extends CommonOptions {
  readonly out?: string;
}

const command = 'batch show';

export const batchShow = defineCommand({
  summary: 'All plans, or one: its content, the state of its rows, its history',
  help: `All plans with the progress of each; with a plan its content, the state of its rows and its history

With --out, the outcome of every row is written to files: results.csv, results.jsonl, summary.json, and unknown.csv with the rows that need manual review. Each file is written completely or not at all, mode 0600; cells that a spreadsheet would execute begin with an apostrophe.`,
  args: { plan: { text: 'plan id, or the first characters of it; without it all plans are listed', isOptional: true } },
  flags: {
    out: word('<folder>', 'write the outcome of every row into files in this folder'),
    profile: word('<name>', 'only plans of this profile', { short: 'p' }),
    ...outputFlags,
  },
  examples: ['batch show', 'batch show $PLAN', 'batch show $PLAN --out results'],
  effect: 'local',
  result: ['batches', 'batch', 'batch-summary'],
  run: async ({ args: { plan }, flags, runtime }) => {
    if (plan !== undefined) return showPlan(plan, flags, runtime);
    if (flags.out !== undefined) throw fail('USAGE', { why: '--out needs a plan: name one', command });
    return listPlans(await filteredBy<CommonOptions>(flags, runtime), runtime);
  },
});

interface Listed extends Omit<OpenBatch, 'journal'> {
  readonly found: readonly StateSummary[];
}

/** As people mean it: the journal calls a batch running until somebody stops it. */
function progressOf({ batch, found }: Listed): Batch['state'] | 'finished' {
  return batch.state !== 'cancelled' && isFinished(found) ? 'finished' : batch.state;
}

/** Every plan of the journal in use, with where its rows stand; the newest last. */
async function listPlans(options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter(options, undefined, runtime);
  const which = await journalInUse(profile, runtime);
  const plans = await inJournal<readonly Listed[]>(runtime, which, [], async (journal) => {
    warnIfRestored(journal, report);
    const batches = await findPlans(journal, profile);
    const found = batches.toReversed().map(async (batch) => ({
      ...{ head: headOf(batch), batch },
      found: summarize(await journal.total({ batch: batch.id })),
    }));
    return Promise.all(found);
  });
  await checkFilter(profile, runtime, () => plans.length > 0);
  await report.show({
    document: {
      schema: 'paycli.batches/1',
      batches: plans.map((plan) => ({
        ...headDocument(plan.head),
        state: progressOf(plan),
        states: Object.fromEntries(plan.found.map(({ state, count }) => [state, count])),
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
      rows: plans.map((plan) => {
        const { head, found } = plan;
        const { id, madeAt, count, totals } = head;
        const status = [countsText(found), progressOf(plan)].filter((text) => text !== '' && text !== 'running');
        const about = [operationCommand(head), oneLine(profileText(head)), String(count), totalsText(totals)];
        return [id, report.time(madeAt), ...about, status.join(', ')];
      }),
    }),
    empty:
      profile === undefined
        ? 'no plans; `paycli batch plan FILE` creates one'
        : 'this profile has no plans; without --profile and PAYCLI_PROFILE, `paycli batch show` shows those of the default profile',
  });
  return exits.ok;
}

async function showPlan(name: string, flags: ShowFlags, runtime: Runtime): Promise<number> {
  return withBatch(name, command, runtime, async (open) => {
    await checkPlanFilter(flags.profile, open.head, command, runtime);
    if (flags.out === undefined) return showOpen(open, flags, runtime);
    return (await import('./report-files.js')).showReportFiles(open, flags.out, flags, runtime);
  });
}

/** One plan with where its rows stand, and what happened to it. */
export async function showOpen(open: OpenBatch, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { head, journal } = open;
  warnIfRestored(journal, report);
  await journal.markGone();
  const held = await heldBy(journal, head.id);
  const found = summarize(await journal.total({ batch: head.id }));
  const [batch = open.batch] = await journal.findBatches(head.id);
  const shown: ShownPlan = { head, batch, found, held, history: await readHistory(open) };
  await warnOfConflicts(head, journal, report);
  await report.show({
    document: {
      ...{ schema: 'paycli.batch/1', ...headDocument(head) },
      ...{ state: progressOf(shown), reason: held?.reason ?? null, states: stateDocuments(found) },
      events: shown.history.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest })),
    },
    text: () => textAbout(shown, report),
  });
  return exits.ok;
}

/** Something that happened to a batch. */
interface Happened {
  readonly at: number;
  readonly what: string;
  readonly by: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function readHistory({ head, journal }: OpenBatch): Promise<readonly Happened[]> {
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

function textAbout(shown: ShownPlan, report: Reporter): string {
  const { head, held, found, history } = shown;
  const { paint } = report;
  const happened = history.map(({ at, what, by, facts }) => [
    `  ${report.time(at)}`,
    oneLine(what),
    oneLine(`by ${[by, ...factTexts(facts)].join(', ')}`),
  ]);
  const progress = progressOf(shown);
  const isHeld = held !== undefined && progress !== 'finished';
  const state = ['state', isHeld ? `${report.moment(held.at)} ${heldText(held)}` : progress] as const;
  const rows = report.columns(stateRows(found, paint));
  return (
    `${paint.bold(head.id)}\n${planText(head, report, [state], isFinished(found) ? 'finished' : 'open')}` +
    (found.length === 0 ? '' : `rows according to the journal:\n${rows}`) +
    (happened.length === 0 ? '' : `history:\n${report.columns(happened)}`) +
    nextText(shown)
  );
}

function nextText({ head, batch, found }: Listed): string {
  const again = runCommand(head);
  const open = openIn(found);
  if (open.length > 0)
    return `still open${batch.state === 'cancelled' ? ', so not cancelled' : ''}: ${countsText(open)}\nnext: \`${again}\` resolves them\n`;
  const isLeft = found.some(({ state }) => unsentStates.includes(state));
  if (isLeft) return `\`${again}${batch.state === 'paused' ? ' --continue' : ''}\` sends the rows that are left\n`;
  return `next: \`paycli batch show ${head.id} --out ${head.id}\` lists every row\n`;
}

/** Plain facts in one line; longer ones are for programs. */
function factTexts(facts: Happened['facts']): readonly string[] {
  const isShort = (value: unknown) => ['string', 'number'].includes(typeof value) && String(value).length <= 40;
  return Object.entries(facts).flatMap(([name, value]) => (isShort(value) ? [`${name} ${String(value)}`] : []));
}

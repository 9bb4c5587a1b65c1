import { join } from 'node:path';
import { type Happened, heldBy, heldText, readHistory } from '../../../batch/history.js';
import { headDocument, headOf, totalsText } from '../../../batch/plan.js';
import {
  assertWhole,
  countsText,
  isFinished,
  openIn,
  type StateSummary,
  stateDocuments,
  summarize,
} from '../../../batch/progress.js';
import { needsReview, type RowOutcome, readOutcomes, reportColumns } from '../../../batch/report.js';
import { RowReader } from '../../../batch/rows.js';
import { pathFrom } from '../../../config/file-access.js';
import { exits, fail, isPaycliError } from '../../../errors/index.js';
import type { Batch } from '../../../journal/port.js';
import { unsentStates } from '../../../journal/states.js';
import type { Runtime, Staged } from '../../../runtime/ports.js';
import { defineCommand, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { outputFlags } from '../../flags.js';
import { csvLine } from '../../format/csv.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { type OpenBatch, withBatch } from './open-batch.js';
import { operationCommand, planText, runCommand, stateRows, warnOfConflicts } from './plan-text.js';

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
    const { out, profile } = flags;
    if (plan !== undefined)
      return withBatch(plan, runtime, async (open) => {
        if (profile !== undefined && profile !== open.head.profile)
          throw fail('USAGE', { why: `plan ${plan} belongs to profile ${open.head.profile}; name that one` });
        return out === undefined ? showOpen(open, flags, runtime) : showReport(open, out, flags, runtime);
      });
    if (out !== undefined) throw fail('USAGE', { why: '--out needs a plan: name one' });
    return listPlans(await filteredBy<CommonOptions>(flags, runtime), runtime);
  },
});

/** A plan with where its rows stand. */
interface Shown extends Pick<OpenBatch, 'head' | 'batch'> {
  readonly found: readonly StateSummary[];
}

/** As people mean it: the journal calls a batch running until somebody stops it. */
function progressOf({ batch, found }: Shown): Batch['state'] | 'finished' {
  return batch.state !== 'cancelled' && isFinished(found) ? 'finished' : batch.state;
}

/** Every plan of the journal in use, with where its rows stand; the newest last. */
async function listPlans(options: CommonOptions, runtime: Runtime): Promise<number> {
  const { profile } = options;
  const report = new Reporter(options, undefined, runtime);
  const which = await journalInUse(profile, runtime);
  const plans = await inJournal<readonly Shown[]>(runtime, which, [], async (journal) => {
    warnIfRestored(journal, report);
    const batches = (await journal.findBatches()).map((batch) => ({ head: headOf(batch), batch }));
    const wanted = batches.filter(({ head }) => profile === undefined || head.profile === profile).toReversed();
    return Promise.all(
      wanted.map(async (plan) => ({ ...plan, found: summarize(await journal.total({ batch: plan.head.id })) })),
    );
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

/** One plan with where its rows stand, and what happened to it. */
export async function showOpen(open: OpenBatch, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { head, journal } = open;
  warnIfRestored(journal, report);
  await journal.markGone();
  const held = await heldBy(journal, head.id);
  const found = summarize(await journal.total({ batch: head.id }));
  const [batch = open.batch] = await journal.findBatches(head.id);
  const history = await readHistory(journal, head.id);
  await warnOfConflicts(head, journal, report);
  const state = progressOf({ head, batch, found });
  const stateLine = held === undefined || state === 'finished' ? state : `${report.moment(held.at)} ${heldText(held)}`;
  await report.show({
    document: {
      ...{ schema: 'paycli.batch/1', ...headDocument(head) },
      ...{ state, reason: held?.reason ?? null, states: stateDocuments(found) },
      events: history.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest })),
    },
    text: () =>
      `${report.paint.bold(head.id)}\n` +
      planText(head, report, [['state', stateLine]], isFinished(found) ? 'finished' : 'open') +
      (found.length === 0 ? '' : `rows according to the journal:\n${report.columns(stateRows(found, report.paint))}`) +
      (history.length === 0 ? '' : `history:\n${historyText(history, report)}`) +
      nextText({ head, batch, found }),
  });
  return exits.ok;
}

/** Plain facts in one line; longer ones are for programs. */
function historyText(history: readonly Happened[], report: Reporter): string {
  const isShort = (value: unknown) => ['string', 'number'].includes(typeof value) && String(value).length <= 40;
  const rows = history.map(({ at, what, by, facts }) => {
    const short = Object.entries(facts).flatMap(([name, value]) =>
      isShort(value) ? [`${name} ${String(value)}`] : [],
    );
    return [`  ${report.time(at)}`, oneLine(what), oneLine(`by ${[by, ...short].join(', ')}`)];
  });
  return report.columns(rows);
}

function nextText({ head, batch, found }: Shown): string {
  const again = runCommand(head);
  const open = openIn(found);
  const isLeft = batch.state !== 'cancelled' && found.some(({ state }) => unsentStates.includes(state));
  if (open.length > 0)
    return `still open${batch.state === 'cancelled' ? ', so not cancelled' : ''}: ${countsText(open)}\nnext: \`${again}\` resolves them${isLeft ? ', and sends the rows that are left' : ''}\n`;
  if (isLeft) return `\`${again}${batch.state === 'paused' ? ' --continue' : ''}\` sends the rows that are left\n`;
  return `next: \`paycli batch show ${head.id} --out ${head.id}\` lists every row\n`;
}

const names = ['results.csv', 'results.jsonl', 'unknown.csv', 'summary.json'] as const;

/** Writes what the journal knows of every row into a folder, all files or none, and shows where. Throws STORAGE. */
async function showReport(open: OpenBatch, out: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { head, journal } = open;
  warnIfRestored(journal, report);
  const { files } = runtime;
  const folder = pathFrom(out, files.folders.working, files.folders.home);
  const drafts = new Map<(typeof names)[number], Staged>();
  let document: Readonly<Record<string, unknown>>;
  try {
    for (const name of names) drafts.set(name, files.stage(join(folder, name)));
    document = await writeReport((name, text) => drafts.get(name)?.write(text), open, runtime);
    for (const draft of drafts.values()) draft.keep();
  } catch (cause) {
    for (const draft of [...drafts.values()].toReversed()) draft.drop();
    throw storageFault(cause, folder);
  }
  await warnOfConflicts(head, journal, report);
  await report.show({
    document: { ...document, files: names.map((each) => join(folder, each)) },
    text: () => `plan ${head.id}, profile ${oneLine(profileText(head))}\nwritten to ${folder}: ${names.join(', ')}\n`,
  });
  return exits.ok;
}

/** Of the disk; any other error stays as it is. */
function storageFault(cause: unknown, folder: string): unknown {
  if (isPaycliError(cause) || !(cause instanceof Error) || !('code' in cause)) return cause;
  const isFull = cause.code === 'ENOSPC' || cause.code === 'EDQUOT';
  return fail(
    'STORAGE',
    {
      what: `the report in ${folder}`,
      why: isFull ? 'the disk is full' : `it cannot be written (${String(cause.code)})`,
      how: 'what was sent is recorded in the journal; free some space or choose another folder with --out, then repeat the command',
      folder,
    },
    { cause },
  );
}

/** Gives the summary. */
async function writeReport(
  write: (name: (typeof names)[number], text: string) => void,
  { head, journal }: OpenBatch,
  { files, clock }: Runtime,
) {
  const csv = (outcomes: readonly RowOutcome[]) =>
    outcomes.map((each) => csvLine(Object.values(reportColumns).map((key) => String(each[key])))).join('');
  for (const name of ['results.csv', 'unknown.csv'] as const) write(name, csvLine(Object.keys(reportColumns)));
  for await (const outcomes of readOutcomes(head, journal, new RowReader(head, { journal, files }))) {
    write('results.csv', csv(outcomes));
    write('results.jsonl', outcomes.map((each) => `${JSON.stringify(each)}\n`).join(''));
    write('unknown.csv', csv(outcomes.filter(needsReview)));
  }
  const tally = await journal.total({ batch: head.id });
  assertWhole(head, tally);
  const approvals = await journal.approvals(head.id);
  const document = {
    ...{ schema: 'paycli.batch-summary/1', ...headDocument(head), states: stateDocuments(summarize(tally)) },
    approvals: approvals.map(({ at, role: by, digest, total }) => ({
      ...{ at: new Date(at).toISOString(), by, digest, total },
    })),
    ...{ reportedBy: packageVersion, at: new Date(clock.now()).toISOString() },
  };
  write('summary.json', `${JSON.stringify(document, null, 2)}\n`);
  return document;
}

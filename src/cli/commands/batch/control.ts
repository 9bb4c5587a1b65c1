import { accessIn, type BoundEngine, batchNotInDatabase, isSameEngine } from '../../../batch/engine-binding.js';
import { type BoundPlan, type PlanHead, rowsOfPlan } from '../../../batch/plan.js';
import {
  checkArchivable,
  countsText,
  journaledIntentOf,
  openIn,
  type RowState,
  summarizeProgress,
} from '../../../batch/run/progress.js';
import { type BatchCommands, closeAfter, exits, fail, ifInterrupted, shellWord } from '../../../errors/index.js';
import {
  type BatchState,
  type BatchStateChange,
  batchHeldError,
  type Journal,
  unsentStates,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { currentUser } from '../../core/current-user.js';
import { type CommandDeclaration, defineCommand, profileExits } from '../../core/define-command.js';
import type { Flag } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { planArgument, planNamed } from './ask-plan.js';
import { bindingOf, notEngineOfPlan, orderOf } from './engine-binding.js';
import { engineFlags } from './flags.js';
import { journalLookup } from './intent-lookup.js';
import { commandsAbout, namingCommands, profileFlagsOf } from './named-commands.js';
import { lockPlan, operationCommand, rowsText, totalsText, withPlan } from './plan-files.js';
import { wayElsewhere } from './shared-databases.js';
import { type EngineFlags, rowKeyOf, viewShared } from './shared-engine.js';

interface ControlFlags extends CommonOptions, EngineFlags {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** What a person wants a batch to be from here on. */
type Verb = 'pause' | 'continue' | 'withdraw' | 'archive';

const states: Readonly<Record<Verb, BatchState>> = {
  pause: 'paused',
  continue: 'running',
  withdraw: 'withdrawn',
  archive: 'archived',
};

const where =
  'If the plan runs on a database, this applies to all of its machines; on a machine without the plan, give its whole id, --engine and --row-key-file. The change is recorded with your name: in the journal, or in the database, protected by the row key.';

const askFlags: readonly Flag[] = [
  ['--yes', 'do not ask for confirmation on a terminal'],
  ['--no-input', 'never prompt'],
];

export const batchPause = command({
  name: 'batch pause',
  summary: 'Stop a batch on all machines, until it is continued',
  help: `Stop a batch on all machines, until it is continued. No more rows are sent: a running \`paycli batch run\` waits for the rows in flight, queries the open ones and exits with 12, and so does every later run.

${where}`,
  options: [['--reason <text>', 'the reason, shown to anyone who finds it paused']],
  examples: ['batch pause $PLAN --reason "the bank called"'],
});

export const batchContinue = command({
  name: 'batch continue',
  summary: 'Continue a batch that was paused, or that stopped automatically',
  help: `Continue a batch that was paused, that stopped automatically on all machines, or that reached --max-rows. This command sends nothing: \`paycli batch resume\` and \`paycli batch work\` send the remaining rows. First find out with \`paycli batch show\` what stopped it, and resolve any rows whose outcome is unknown.

${where}`,
  options: [['--reason <text>', 'the reason for continuing']],
  examples: ['batch continue $PLAN'],
});

export const batchWithdraw = command({
  name: 'batch withdraw',
  summary: 'Permanently withdraw the unsent rows of a batch',
  help: `Permanently withdraw the unsent rows of a batch: they can no longer be sent, and a corrected file may contain them again. Rows in flight and rows with an open outcome stay in the batch, and \`paycli batch resume\` resolves them; sent rows are unchanged. Totals, reports and \`paycli batch show\` count the withdrawn rows.

${where}`,
  options: [['--reason <text>', 'the reason (required)'], ...askFlags],
  examples: ['batch withdraw $PLAN --reason "wrong file"'],
});

export const batchArchive = command({
  name: 'batch archive',
  summary: 'Delete from a finished batch the data that only sending needs',
  help: `Delete from a finished batch the data that only sending needs: all values of its rows except order ids, amounts and masked destinations, both in the plan and in the database; in the database also its queue and the details of each attempt. Its input file, which may contain account or card numbers, is no longer read: delete it when you no longer need it.

The outcome of every row is kept for \`paycli batch show\`, \`batch report\`, \`orders\` and \`order\`. The order ids stay in use, so no row can be paid again, and daily caps still count what was sent. Refused with 10 unless every row is done, declined, refused or withdrawn. It cannot be undone; \`paycli batch list --archived\` still lists the plan.

${where}`,
  options: [['--reason <text>', 'the reason, for later reference'], ...askFlags],
  examples: ['batch archive $PLAN'],
});

function command(of: Pick<CommandDeclaration<ControlFlags>, 'name' | 'summary' | 'help' | 'options' | 'examples'>) {
  const [, verb = ''] = of.name.split(' ');
  return defineCommand<ControlFlags>({
    ...of,
    args: [planArgument],
    options: [...(of.options ?? []), ...engineFlags],
    effect: 'none',
    network: true,
    exits: [...profileExits, 'refusedHere', 'batchLeft', 'storage', 'interrupted'],
    note: 'For a plan that runs on a database, that database is changed.',
    prints: ['batch-control'],
    run: ({ args: [plan], options, runtime }) => runControl(plan, isVerb(verb) ? verb : 'pause', options, runtime),
  });
}

function isVerb(word: string): word is Verb {
  return Object.hasOwn(states, word);
}

interface Changed {
  readonly plan: string;
  /** The commands that the next step names. */
  readonly commands: BatchCommands;
  /** What holds now; undefined for a batch that nobody ever stopped. */
  readonly now: BatchStateChange | undefined;
  readonly hasChanged: boolean;
  /** All rows that are withdrawn, by their numbers. */
  readonly withdrawn: readonly number[];
  /** Rows that are in flight or whose outcome is open, by state. */
  readonly open: ReadonlyMap<RowState, number>;
}

async function runControl(
  given: string | undefined,
  verb: Verb,
  flags: ControlFlags,
  runtime: Runtime,
): Promise<number> {
  const commandName = `batch ${verb}`;
  const reason = (flags.reason ?? '').trim();
  if (verb === 'withdraw' && reason === '')
    throw fail('USAGE', { why: '--reason is missing: state the reason for the withdrawal', command: commandName });
  const name = await planNamed(given, commandName, flags, runtime);
  const report = new Reporter(flags, undefined, runtime);
  const who = {
    by: currentUser(runtime),
    host: runtime.processes.host,
    reason: reason === '' ? 'no reason given' : reason,
  };
  const way = await wayElsewhere(name, flags, runtime);
  if (way !== undefined) await confirm(verb, { id: name, what: `batch ${name}` }, flags, runtime);
  const changed =
    way === undefined
      ? await withPlan(name, commandName, runtime, async (plan, journal) => {
          await confirm(verb, { id: plan.head.id, what: planText(plan.head) }, flags, runtime);
          return changeHere(plan, journal, { verb, who, flags }, runtime);
        })
      : await changeAtGate(name, { verb, who, flags: way }, runtime, { sender: 'work' });
  await report.show({
    document: {
      schema: 'paycli.batch-control/1',
      ok: true,
      plan: changed.plan,
      state: changed.now?.state ?? 'running',
      changed: changed.hasChanged,
      by: changed.now?.by ?? null,
      reason: changed.now?.reason ?? null,
      withdrawn: changed.withdrawn.length,
      open: Object.fromEntries(changed.open),
    },
    text: () => textOf(verb, changed),
  });
  return exits.ok;
}

function planText(head: PlanHead): string {
  const { id, count, totals, file } = head;
  const money = totals.length === 0 ? '' : `, ${totalsText(totals)}`;
  return `batch ${id} (${operationCommand(head)}, ${rowsText(count)}${money}, from ${oneLine(file.path)})`;
}

/** On a terminal, before what cannot be undone. Throws CANCELLED where the answer is no. */
async function confirm(
  verb: Verb,
  { id, what }: { readonly id: string; readonly what: string },
  flags: ControlFlags,
  runtime: Runtime,
): Promise<void> {
  if ((verb !== 'withdraw' && verb !== 'archive') || flags.yes === true || !mayPrompt(flags, runtime)) return;
  const message = `permanently ${verb === 'withdraw' ? 'withdraw the unsent rows of' : 'archive'} ${what}?`;
  const isAgreed = await saysYes(verb, message, flags, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed)
    throw fail('CANCELLED', {
      why: `${what} was not changed`,
      how: `\`paycli batch show ${shellWord(id, 'PLAN')}\` shows it; --yes skips the question`,
      plan: id,
    });
}

function textOf(verb: Verb, { plan, commands, hasChanged, withdrawn, open }: Changed): string {
  const { again, batchAndWay } = commands;
  const look = `paycli batch show ${batchAndWay}`;
  if (verb === 'continue')
    return `batch ${plan} ${
      hasChanged
        ? 'may continue'
        : 'was neither paused nor stopped; the --max-rows limit of an earlier run no longer applies'
    }\n\`${again}\` sends the remaining rows\nnext: \`${look}\`\n`;
  if (verb === 'pause')
    return `batch ${plan} ${hasChanged ? 'is' : 'was'} paused${hasChanged ? '' : ' already'}: no more rows are sent\n\`paycli batch continue ${batchAndWay}\` allows it to continue\nnext: \`${look}\`\n`;
  if (verb === 'archive')
    return `batch ${plan} ${hasChanged ? 'is' : 'was'} archived${hasChanged ? '' : ' already'}: outcomes and order ids are kept, and none of its rows can be sent any more\nnext: \`paycli batch report ${batchAndWay}\` still lists every row\n`;
  const report = `\`paycli batch report ${batchAndWay}\` lists every row`;
  return `batch ${plan}: ${rowsText(withdrawn.length)} permanently withdrawn\n${
    open.size === 0
      ? `next: ${report}\n`
      : `still open, so not withdrawn: ${countsText(open)}\nnext: \`${again}\` resolves them; ${report}\n`
  }`;
}

interface Request {
  readonly verb: Verb;
  readonly who: Pick<BatchStateChange, 'by' | 'host' | 'reason'>;
  readonly flags: EngineFlags;
}

/** By the engine the plan runs on; one that never ran is this journal's. */
async function changeHere(plan: BoundPlan, journal: Journal, request: Request, runtime: Runtime): Promise<Changed> {
  const { head } = plan;
  const binding = bindingOf(plan, journal);
  const isArchiving = request.verb === 'archive';
  const change = async (): Promise<Changed> => {
    if (binding?.engine.kind === 'postgres')
      return changeAtGate(head.id, { ...request, flags: { ...binding.flags, ...accessIn(request.flags) } }, runtime, {
        binding,
        sender: 'resume',
        unfetched: journal.externalPlans.countOf(head.id),
      });
    // Every row is looked up for it.
    const isCounted = isArchiving || request.verb === 'withdraw';
    const found = isCounted ? await summarizeProgress(plan, journalLookup(plan, journal)) : [];
    const counts = new Map(found.map(({ state, count }) => [state, count] as const));
    const commands = commandsAbout({ name: head.id, way: {}, verb: 'resume', profile: profileFlagsOf(head) });
    return namingCommands(
      () => commands,
      async () => {
        if (isArchiving) checkArchivable(head.id, counts);
        return { ...changeInJournal(plan, journal, request), commands, open: openIn(counts) };
      },
    );
  };
  const changed = isArchiving ? await archived(plan, journal, request, change, runtime) : await change();
  if (request.verb === 'withdraw') noteWithdrawn(plan, journal, changed.withdrawn);
  if (changed.hasChanged)
    plan.addEvent(request.verb === 'continue' ? 'continued' : states[request.verb], { ...request.who });
  return changed;
}

/** With the plan's lock, so that no run of this machine is at it; then this machine's part of it. */
async function archived(
  plan: BoundPlan,
  journal: Journal,
  { who }: Request,
  change: () => Promise<Changed>,
  runtime: Runtime,
): Promise<Changed> {
  const lock = await lockPlan(plan.head, runtime);
  return closeAfter(
    async () => {
      const changed = await change();
      // Of a plan that runs on a database this machine's journal would not know it otherwise.
      journal.planStates.change(plan.head.id, 'archived', who);
      plan.archive();
      return changed;
    },
    () => lock.release(),
  );
}

function changeInJournal(
  plan: BoundPlan,
  journal: Journal,
  { verb, who }: Request,
): Omit<Changed, 'commands' | 'open'> {
  const { id } = plan.head;
  const change = journal.planStates.change(id, states[verb], who);
  const now = journal.planStates.newest(id);
  checkReached(id, verb, now);
  const withdrawn = verb === 'withdraw' ? unsentRows(plan, journal) : [];
  return { plan: id, now, hasChanged: change !== undefined, withdrawn };
}

/** Rows that nobody begun, or that never left; no further one is begun by now. */
function unsentRows(plan: BoundPlan, journal: Journal): number[] {
  const numbers: number[] = [];
  for (const row of rowsOfPlan(plan))
    if (unsentStates.includes(journaledIntentOf(row, plan.head, journal)?.state ?? 'planned')) numbers.push(row.number);
  return numbers;
}

interface GatePlace {
  /** Where the plan is on this machine. */
  readonly binding?: BoundEngine;
  /** What sends its rows from this machine. */
  readonly sender: 'resume' | 'work';
  /** Rows whose outcomes this journal lacks. */
  readonly unfetched?: number;
}

async function changeAtGate(
  id: string,
  { verb, who, flags }: Request,
  runtime: Runtime,
  { binding, sender, unfetched = 0 }: GatePlace,
): Promise<Changed> {
  const commandName = `batch ${verb}`;
  let profile = '';
  const commands = () => commandsAbout({ name: id, way: flags, verb: sender, profile });
  const rowKey = await rowKeyOf(flags, commandName, runtime);
  const view = await namingCommands(commands, () => viewShared(id, flags, commandName, runtime));
  return namingCommands(commands, async () => {
    if (binding !== undefined && !isSameEngine(view.identity, binding.engine))
      throw notEngineOfPlan(view.shown, id, binding.shown);
    if (view.known === undefined) throw batchNotInDatabase(id, commandName);
    profile = profileFlagsOf(view.known.head);
    const isArchived = (await view.stateChanges()).some(({ state }) => state === 'archived');
    if (verb === 'archive' && unfetched > 0 && !isArchived) {
      // What is open there nobody can fetch.
      checkArchivable(id, await view.counts());
      throw fail('BATCH_REFUSED', {
        why: `the outcomes of ${rowsText(unfetched)} of batch ${id} are not in the journal of this machine, which planned it`,
        how: 'nothing was changed; `{again}` fetches them, then archive it',
        batch: id,
      });
    }
    const { change, now, withdrawn } = await view.changeState(rowKey, { state: states[verb], ...who });
    checkReached(id, verb, now);
    const open = openIn(await view.counts());
    return { plan: id, commands: commands(), now, hasChanged: change !== undefined, withdrawn, open };
  }).finally(() => view.close());
}

/**
 * Nothing leads out of a withdrawal but archiving, and out of that nothing; what is paused or stopped has to be
 * continued or withdrawn before it is archived. Throws BATCH_LEFT, BATCH_REFUSED.
 */
function checkReached(id: string, verb: Verb, now: BatchStateChange | undefined): void {
  const held = batchHeldError(id, now);
  const isHeld = verb === 'archive' || now?.state === 'archived' || (verb !== 'withdraw' && now?.state === 'withdrawn');
  if (held !== undefined && isHeld && now?.state !== states[verb]) throw held;
}

/** Another plan of this machine may hold these rows again, whatever engine sends it. */
export function noteWithdrawn(plan: BoundPlan, journal: Journal, numbers: readonly number[]): void {
  const { head } = plan;
  const orders = numbers.flatMap((number) => {
    const row = plan.row(number);
    return row === undefined ? [] : [orderOf(row, head.operation)];
  });
  plan.note(new Map(numbers.map((number) => [number, 'withdrawn'])));
  journal.externalPlans.forget(head.id, orders);
}

import { type PlanHead, type PlanStore, rowsOfPlan } from '../../../batch/plan.js';
import {
  countsText,
  journaledIntentOf,
  journalLookup,
  openIn,
  summarizeProgress,
} from '../../../batch/run/progress.js';
import { type BatchCommands, exits, fail, ifInterrupted, shellWord } from '../../../errors/index.js';
import {
  type BatchState,
  type BatchStateChange,
  batchHeldError,
  type Journal,
  type State,
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
import { commandsAbout, namingCommands, profileFlagsOf } from './named-commands.js';
import { operationCommand, rowsText, totalsText, withPlan } from './plan-files.js';
import { checkOwnJournal } from './plan-history.js';
import { SentSidecar } from './sent-sidecar.js';

interface ControlFlags extends CommonOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** What a person wants a batch to be from here on. */
type Verb = 'pause' | 'cancel';

const states: Readonly<Record<Verb, BatchState>> = {
  pause: 'paused',
  cancel: 'cancelled',
};

const where = 'The change is recorded in the journal, with your name.';

const askFlags: readonly Flag[] = [
  ['--yes', 'do not ask for confirmation on a terminal'],
  ['--no-input', 'never prompt'],
];

export const batchPause = command({
  name: 'batch pause',
  summary: 'Stop a batch until `batch run --continue`',
  help: `Stop a batch. No more rows are sent: a running \`paycli batch run\` waits for the rows in flight, queries the open ones and exits with 12, and so does every later run without --continue; on a terminal it asks.

${where}`,
  options: [['--reason <text>', 'the reason, shown to anyone who finds it paused']],
  examples: ['batch pause $PLAN --reason "the bank called"'],
});

export const batchCancel = command({
  name: 'batch cancel',
  summary: 'Permanently cancel the unsent rows of a batch',
  help: `Permanently cancel the unsent rows of a batch: they can no longer be sent, and a corrected file may contain them again. Rows in flight and rows with an open outcome stay in the batch, and \`paycli batch run\` resolves them; sent rows are unchanged. Totals, reports and \`paycli batch show\` count the cancelled rows.

${where}`,
  options: [['--reason <text>', 'the reason (required)'], ...askFlags],
  examples: ['batch cancel $PLAN --reason "wrong file"'],
});

function command(of: Pick<CommandDeclaration<ControlFlags>, 'name' | 'summary' | 'help' | 'options' | 'examples'>) {
  const [, verb = ''] = of.name.split(' ');
  return defineCommand<ControlFlags>({
    ...of,
    args: [planArgument],
    effect: 'none',
    network: false,
    exits: [...profileExits, 'refusedHere', 'batchLeft', 'storage', 'interrupted'],
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
  /** All rows that are cancelled, by their numbers. */
  readonly cancelled: readonly number[];
  /** Rows that are in flight or whose outcome is open, by state. */
  readonly open: ReadonlyMap<State, number>;
}

async function runControl(
  given: string | undefined,
  verb: Verb,
  flags: ControlFlags,
  runtime: Runtime,
): Promise<number> {
  const commandName = `batch ${verb}`;
  const reason = (flags.reason ?? '').trim();
  if (verb === 'cancel' && reason === '')
    throw fail('USAGE', { why: '--reason is missing: state the reason for the cancellation', command: commandName });
  const name = await planNamed(given, commandName, flags, runtime);
  const report = new Reporter(flags, undefined, runtime);
  const who = {
    by: currentUser(runtime),
    host: runtime.processes.host,
    reason: reason === '' ? 'no reason given' : reason,
  };
  const changed = await withPlan(name, commandName, runtime, async (plan, journal) => {
    // A journal that was restored takes for unsent what it has forgotten.
    if (verb === 'cancel') new SentSidecar(plan.head.file.path, plan.head.base, runtime).check(journal);
    await confirm(verb, { id: plan.head.id, what: planText(plan.head) }, flags, runtime);
    return changePlan(plan, journal, { verb, who });
  });
  await report.show({
    document: {
      schema: 'paycli.batch-control/1',
      ok: true,
      plan: changed.plan,
      state: changed.now?.state ?? 'running',
      changed: changed.hasChanged,
      by: changed.now?.by ?? null,
      reason: changed.now?.reason ?? null,
      cancelled: changed.cancelled.length,
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
  if (verb !== 'cancel' || flags.yes === true || !mayPrompt(flags, runtime)) return;
  const message = `permanently cancel the unsent rows of ${what}?`;
  const isAgreed = await saysYes(verb, message, flags, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed)
    throw fail('CANCELLED', {
      why: `${what} was not changed`,
      how: `\`paycli batch show ${shellWord(id, 'PLAN')}\` shows it; --yes skips the question`,
      plan: id,
    });
}

function textOf(verb: Verb, { plan, commands, hasChanged, cancelled, open }: Changed): string {
  const { again } = commands;
  const look = `paycli batch show ${plan}`;
  if (verb === 'pause')
    return `batch ${plan} ${hasChanged ? 'is' : 'was'} paused${hasChanged ? '' : ' already'}: no more rows are sent\n\`${again} --continue\` sends the remaining rows\nnext: \`${look}\`\n`;
  const report = `\`paycli batch show ${plan} --out ${plan}\` lists every row`;
  return `batch ${plan}: ${rowsText(cancelled.length)} permanently cancelled\n${
    open.size === 0
      ? `next: ${report}\n`
      : `still open, so not cancelled: ${countsText(open)}\nnext: \`${again}\` resolves them; ${report}\n`
  }`;
}

interface Request {
  readonly verb: Verb;
  readonly who: Pick<BatchStateChange, 'by' | 'host' | 'reason'>;
}

async function changePlan(plan: PlanStore, journal: Journal, request: Request): Promise<Changed> {
  const { head } = plan;
  // Every row is looked up for it.
  const found = request.verb === 'cancel' ? summarizeProgress(plan, journalLookup(plan, journal)) : [];
  const open = openIn(found.map(({ state, count }) => [state, count] as const));
  const commands = commandsAbout(head.id, profileFlagsOf(head));
  const changed = await namingCommands(commands, async () => changeInJournal(plan, journal, request));
  // Another plan may hold these rows again.
  plan.note(new Map(changed.cancelled.map((number) => [number, 'cancelled'])));
  if (changed.hasChanged) plan.addEvent(states[request.verb], { ...request.who });
  return { ...changed, commands, open };
}

function changeInJournal(
  plan: PlanStore,
  journal: Journal,
  { verb, who }: Request,
): Omit<Changed, 'commands' | 'open'> {
  const { id } = plan.head;
  if (verb === 'cancel') checkOwnJournal(plan, journal);
  const change = journal.planStates.change(id, states[verb], who);
  const now = journal.planStates.newest(id);
  checkReached(id, verb, now);
  const cancelled = verb === 'cancel' ? unsentRows(plan, journal) : [];
  return { plan: id, now, hasChanged: change !== undefined, cancelled };
}

/** Rows that nobody begun, or that never left; no further one is begun by now. */
function unsentRows(plan: PlanStore, journal: Journal): number[] {
  const numbers: number[] = [];
  for (const row of rowsOfPlan(plan))
    if (unsentStates.includes(journaledIntentOf(row, plan.head, journal)?.state ?? 'planned')) numbers.push(row.number);
  return numbers;
}

/** Nothing leads out of a cancellation. Throws BATCH_LEFT. */
function checkReached(id: string, verb: Verb, now: BatchStateChange | undefined): void {
  const held = batchHeldError(id, now);
  if (held !== undefined && verb !== 'cancel' && now?.state === 'cancelled') throw held;
}

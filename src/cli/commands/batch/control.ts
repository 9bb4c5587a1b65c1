import { heldBy, heldText, type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { countsText, openIn, summarize } from '../../../batch/progress.js';
import { exits, fail, ifInterrupted, type PaycliError, shellWord } from '../../../errors/index.js';
import type { BatchState } from '../../../journal/port.js';
import { batchHeld } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { type CommandDeclaration, defineCommand, profileExits } from '../../core/define-command.js';
import type { Flag } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { type OpenBatch, planArgument, planNamed, withBatch } from './open-batch.js';
import { commandsAbout, operationCommand, profileFlagsOf } from './plan-text.js';

interface ControlFlags extends CommonOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** What a person wants a batch to be from here on. */
type Verb = 'pause' | 'cancel';

const states = { pause: 'paused', cancel: 'cancelled' } as const satisfies Readonly<Record<Verb, BatchState>>;

/** The states that lead there; cancelling once more reaches rows that were on their way the first time. */
const from: Readonly<Record<Verb, readonly BatchState[]>> = {
  pause: ['running', 'stopped'],
  cancel: ['planning', 'running', 'stopped', 'paused', 'cancelled'],
};

const where = 'The change is recorded in the journal, with your name.';

const askFlags: readonly Flag[] = [
  ['--yes', 'do not ask for confirmation on a terminal'],
  ['--no-input', 'never prompt'],
];

export const batchPause = command('pause', {
  name: 'batch pause',
  summary: 'Stop a batch until `batch run --continue`',
  help: `Stop a batch. No more rows are sent: a running \`paycli batch run\` waits for the rows in flight, queries the open ones and exits with 12, and so does every later run without --continue; on a terminal it asks.

${where}`,
  options: [['--reason <text>', 'the reason, shown to anyone who finds it paused']],
  examples: ['batch pause $PLAN --reason "the bank called"'],
});

export const batchCancel = command('cancel', {
  name: 'batch cancel',
  summary: 'Permanently cancel the unsent rows of a batch',
  help: `Permanently cancel the unsent rows of a batch: they can no longer be sent, and a corrected file may contain them again. Rows in flight and rows with an open outcome stay in the batch, and \`paycli batch run\` resolves them; sent rows are unchanged. Totals, reports and \`paycli batch show\` count the cancelled rows.

${where}`,
  options: [['--reason <text>', 'the reason (required)'], ...askFlags],
  examples: ['batch cancel $PLAN --reason "wrong file"'],
});

function command(
  verb: Verb,
  of: Pick<CommandDeclaration<ControlFlags>, 'name' | 'summary' | 'help' | 'options' | 'examples'>,
) {
  return defineCommand<ControlFlags>({
    ...of,
    args: [planArgument],
    effect: 'none',
    network: false,
    exits: [...profileExits, 'refusedHere', 'batchLeft', 'storage', 'interrupted'],
    prints: ['batch-control'],
    run: ({ args: [plan], options, runtime }) => runControl(plan, verb, options, runtime),
  });
}

async function runControl(
  given: string | undefined,
  verb: Verb,
  flags: ControlFlags,
  runtime: Runtime,
): Promise<number> {
  const name = `batch ${verb}`;
  const reason = (flags.reason ?? '').trim();
  if (verb === 'cancel' && reason === '')
    throw fail('USAGE', { why: '--reason is missing: state the reason for the cancellation', command: name });
  const plan = await planNamed(given, name, flags, runtime);
  const report = new Reporter(flags, undefined, runtime);
  return withBatch(plan, name, runtime, async (opened) => {
    await confirm(verb, opened.head, flags, runtime);
    const facts = { host: runtime.processes.host, reason: reason === '' ? 'no reason given' : reason };
    const { open, ...changed } = await change(opened, verb, facts);
    await report.show({
      document: { schema: 'paycli.batch-control/1', ok: true, ...changed, open: Object.fromEntries(open) },
      text: () => textOf(verb, opened.head, { open, ...changed }),
    });
    return exits.ok;
  });
}

/** Nothing leads out of a cancellation. Throws BATCH_LEFT. */
async function change({ head, batch, journal }: OpenBatch, verb: Verb, facts: Readonly<Record<string, string>>) {
  const state = states[verb];
  const { id } = head;
  const changed = await journal.changeBatch(id, from[verb], { state }, facts);
  const held = await heldBy(journal, id);
  if (held === undefined) throw notRecorded(id);
  if (held.state !== state)
    throw batchHeld(id, held.state, heldText(held), commandsAbout(id, profileFlagsOf(head)).again);
  if (verb === 'cancel') await journal.purgePayloads(id);
  const found = summarize(await journal.total({ batch: id }));
  return {
    ...{ plan: id, state, changed: changed !== undefined && batch.state !== state, by: held.by, reason: held.reason },
    cancelled: found.find((each) => each.state === 'cancelled')?.count ?? 0,
    /** Rows that are in flight or whose outcome is open, by state. */
    open: openIn(found),
  };
}

function notRecorded(id: string): PaycliError {
  return fail('BATCH_REFUSED', {
    why: `batch ${id} cannot be paused: its rows were not all recorded`,
    how: `\`paycli batch cancel ${id} --reason TEXT\` cancels them`,
    plan: id,
  });
}

/** On a terminal, before what cannot be undone. Throws CANCELLED where the answer is no. */
async function confirm(verb: Verb, head: PlanHead, flags: ControlFlags, runtime: Runtime): Promise<void> {
  if (verb !== 'cancel' || flags.yes === true || !mayPrompt(flags, runtime)) return;
  const { id, count, totals, file } = head;
  const money = totals.length === 0 ? '' : `, ${totalsText(totals)}`;
  const what = `batch ${id} (${operationCommand(head)}, ${rowsText(count)}${money}, from ${oneLine(file.path)})`;
  const message = `permanently cancel the unsent rows of ${what}?`;
  const isAgreed = await saysYes(verb, message, flags, runtime).catch(ifInterrupted('nothing was changed'));
  if (!isAgreed)
    throw fail('CANCELLED', {
      why: `${what} was not changed`,
      how: `\`paycli batch show ${shellWord(id, 'PLAN')}\` shows it; --yes skips the question`,
      plan: id,
    });
}

function textOf(
  verb: Verb,
  head: PlanHead,
  { plan, changed, cancelled, open }: Awaited<ReturnType<typeof change>>,
): string {
  const { again } = commandsAbout(plan, profileFlagsOf(head));
  if (verb === 'pause')
    return `batch ${plan} ${changed ? 'is' : 'was'} paused${changed ? '' : ' already'}: no more rows are sent\n\`${again} --continue\` sends the remaining rows\nnext: \`paycli batch show ${plan}\`\n`;
  const report = `\`paycli batch show ${plan} --out ${plan}\` lists every row`;
  return `batch ${plan}: ${rowsText(cancelled)} permanently cancelled\n${
    open.size === 0
      ? `next: ${report}\n`
      : `still open, so not cancelled: ${countsText(open)}\nnext: \`${again}\` resolves them; ${report}\n`
  }`;
}

import { heldBy, heldText } from '../../../batch/history.js';
import { type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { isFinished } from '../../../batch/progress.js';
import { fail, ifInterrupted } from '../../../errors/index.js';
import type { BatchState } from '../../../journal/port.js';
import { batchHeld } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, mayPrompt, on, parsed, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { keptText } from '../../usage.js';
import { type OpenBatch, planArgument, withBatch } from './open-batch.js';
import { operationCommand, runCommand } from './plan-text.js';
import { showOpen } from './show.js';

const where = 'The change is recorded in the journal, with your name.';
const result = ['batch'] as const;

export const batchPause = defineCommand({
  summary: 'Stop a batch until `batch run --continue`',
  help: `Stop a batch. No more rows are sent: a running \`paycli batch run\` waits for the rows in flight, queries the open ones and exits with 12, and so does every later run without --continue; on a terminal it asks.\n\n${where}`,
  args: { plan: planArgument },
  flags: {
    reason: parsed('<text>', 'the reason, shown to anyone who finds it paused', keptText),
    noInput: on('never prompt'),
    ...outputFlags,
  },
  examples: ['batch pause $PLAN --reason "the bank called"'],
  effect: 'local',
  result,
  run: ({ args: { plan }, flags, runtime }) =>
    withBatch(plan, runtime, async (open) => {
      await assertUnfinished(open);
      await change(open, 'paused', ['running', 'stopped'], flags.reason, runtime);
      return showOpen(open, flags, runtime);
    }),
});

export const batchCancel = defineCommand({
  summary: 'Permanently cancel the unsent rows of a batch',
  help: `Permanently cancel the unsent rows of a batch: they can no longer be sent, and a corrected file may contain them again. Rows in flight and rows with an open outcome stay in the batch, and \`paycli batch run\` resolves them; sent rows are unchanged. Totals, reports and \`paycli batch show\` count the cancelled rows.\n\n${where}`,
  args: { plan: planArgument },
  flags: {
    reason: parsed('<text>', 'the reason (required)', keptText),
    yes: on('do not ask for confirmation on a terminal'),
    noInput: on('never prompt'),
    ...outputFlags,
  },
  examples: ['batch cancel $PLAN --reason "wrong file"'],
  effect: 'local',
  result,
  run: async ({ args: { plan }, flags, runtime }) => {
    if (flags.reason === undefined)
      throw fail('USAGE', { why: '--reason is missing: state the reason for the cancellation' });
    return withBatch(plan, runtime, async (open) => {
      const { head, journal } = open;
      // Rows that it takes for unsent may have been sent.
      journal.assertNotRestored();
      await assertUnfinished(open);
      if (flags.yes !== true) await confirmCancel(head, flags, runtime);
      // Once more where it is cancelled already: rows that were on their way then may turn out not to be sent.
      const from = ['planning', 'running', 'stopped', 'paused', 'cancelled'] as const;
      await change(open, 'cancelled', from, flags.reason, runtime);
      await journal.purgePayloads(head.id);
      return showOpen(open, flags, runtime);
    });
  },
});

/** There is nothing left to stop. Throws BATCH_REFUSED. */
async function assertUnfinished({ head: { id, count }, batch, journal }: OpenBatch): Promise<void> {
  if (batch.state === 'cancelled' || !isFinished(await journal.total({ batch: id }))) return;
  throw fail('BATCH_REFUSED', {
    why: `batch ${id} is finished: ${rowsText(count)} with a final outcome`,
    how: `nothing was changed; \`paycli batch show ${id}\` shows it`,
    plan: id,
  });
}

/** Nothing leads out of a cancellation. Throws BATCH_LEFT. */
async function change(
  { head, journal }: OpenBatch,
  state: 'paused' | 'cancelled',
  from: readonly BatchState[],
  given: string | undefined,
  { processes }: Runtime,
): Promise<void> {
  const { id } = head;
  const facts = { host: processes.host, reason: given?.trim() ?? 'no reason given' };
  await journal.changeBatch(id, from, { state }, facts);
  const held = await heldBy(journal, id);
  if (held === undefined)
    throw fail('BATCH_REFUSED', {
      why: `batch ${id} cannot be paused: its rows were not all recorded`,
      how: `\`paycli batch cancel ${id} --reason TEXT\` cancels them`,
      plan: id,
    });
  if (held.state !== state) throw batchHeld(id, held.state, heldText(held), runCommand(head));
}

/** On a terminal, before what cannot be undone. Throws CANCELLED where the answer is no. */
async function confirmCancel(head: PlanHead, flags: CommonOptions, runtime: Runtime): Promise<void> {
  if (!mayPrompt(flags, runtime)) return;
  const { id, count, totals, file } = head;
  const facts = [operationCommand(head), rowsText(count), totalsText(totals), `from ${oneLine(file.path)}`];
  const what = `batch ${id} (${facts.filter((text) => text !== '').join(', ')})`;
  const message = `permanently cancel the unsent rows of ${what}?`;
  if (await saysYes('cancel', message, flags, runtime).catch(ifInterrupted('nothing was changed'))) return;
  throw fail('CANCELLED', {
    why: `${what} was not changed`,
    how: `\`paycli batch show ${id}\` shows it; --yes skips the question`,
    plan: id,
  });
}

import type { Runtime } from '../../../runtime/ports.js';
import type { ClockEvent } from '../../../sandbox/clock.js';
import { defineCommand } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { findListening, type LocalSandbox, withSandbox } from '../../sandbox-session.js';

const pollMs = 50;
// Longer than one attempt at a callback takes.
const maxPolls = 120;

export const sandboxClock = defineCommand({
  summary: 'Show the clock of the sandbox and what is due next, or move it forward',
  args: { to: { text: '+7d, +12h, +30m or +10s; a time such as 2030-01-31T12:00:00Z; or next', isOptional: true } },
  flags: outputFlags,
  examples: ['sandbox clock', 'sandbox clock +7d', 'sandbox clock next'],
  effect: 'local',
  note: 'States, holds, hosted forms, recurring charges and callbacks follow this clock.',
  result: ['clock'],
  run: ({ args: { to }, flags, runtime }) =>
    withSandbox(flags, runtime, async ({ store }, report) => {
      const { readClock } = await import('../../../sandbox/clock.js');
      const happened = to === undefined ? undefined : await move(to, store, runtime);
      const { now, machine, next = null } = readClock(store);
      const events = happened?.map(({ at, what }) => ({ at: new Date(at).toISOString(), what }));
      const rows = [
        ...(events?.length === 0 ? [['nothing happened']] : (events ?? []).map(({ at, what }) => [at, what])),
        ...[
          ['sandbox clock', now],
          ['machine', machine],
          ['next due', next ?? 'nothing'],
        ],
      ];
      await report.show({
        document: { schema: 'paycli.clock/1', now, machine, next, ...(events && { happened: events }) },
        text: () => report.columns(rows),
      });
      return 0;
    }),
});

async function move(to: string, store: LocalSandbox['store'], runtime: Runtime): Promise<readonly ClockEvent[]> {
  const { moveClock, moveClockBy, parseDuration, parseTimestamp, stepClock } = await import(
    '../../../sandbox/clock.js'
  );
  if (to.startsWith('+')) return moveClockBy(store, parseDuration(to.slice(1)));
  if (to !== 'next') return moveClock(store, parseTimestamp(to));
  const happened = stepClock(store) ?? [];
  await waitForDeliveries(store, runtime);
  return happened;
}

/** While a sandbox listens, the callbacks that became due are tried first. */
async function waitForDeliveries(store: LocalSandbox['store'], runtime: Runtime): Promise<void> {
  if ((await findListening(runtime)) === undefined) return;
  const due = 'SELECT id FROM callbacks WHERE due_at <= ? LIMIT 1';
  const open = 'SELECT id FROM callback_attempts WHERE status IS NULL AND reason IS NULL LIMIT 1';
  for (let polls = 0; polls < maxPolls; polls += 1) {
    if (store.database.get(due, store.clock.now()) === undefined && store.database.get(open) === undefined) return;
    await runtime.clock.sleep(pollMs);
  }
}

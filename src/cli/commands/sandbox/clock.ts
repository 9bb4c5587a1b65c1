import type { Runtime } from '../../../runtime/ports.js';
import type { ClockEvent } from '../../../sandbox/clock.js';
import { defineCommand } from '../../command.js';
import { outputFlags } from '../../flags.js';
import { findListening, type LocalSandbox } from '../../sandbox-session.js';
import { withSandbox } from './with-sandbox.js';

const maxLines = 40;
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
      const { moveClock, moveClockBy, parseDuration, parseTimestamp, readClock, stepClock } = await import(
        '../../../sandbox/clock.js'
      );
      let happened: readonly ClockEvent[] | undefined;
      if (to === 'next') {
        happened = stepClock(store) ?? [];
        await waitForDeliveries(store, runtime);
      } else if (to?.startsWith('+') === true) happened = moveClockBy(store, parseDuration(to.slice(1)));
      else if (to !== undefined) happened = moveClock(store, parseTimestamp(to));
      const { now, machine, next } = readClock(store);
      const events = happened?.map(({ at, what }) => ({ at: new Date(at).toISOString(), what }));
      const rows = [
        ['sandbox clock', now],
        ['machine', machine],
        ['next due', next ?? 'nothing'],
      ];
      const list = events === undefined ? {} : { happened: events };
      await report.show({
        document: { schema: 'paycli.clock/1', now, machine, next: next ?? null, ...list },
        text: () => `${report.columns(linesOf(events))}${report.columns(rows)}`,
      });
      return 0;
    }),
});

function linesOf(events: readonly { readonly at: string; readonly what: string }[] | undefined): string[][] {
  if (events?.length === 0) return [['nothing happened']];
  const hidden = (events?.length ?? 0) - maxLines;
  const shown = (events ?? []).slice(0, maxLines).map(({ at, what }) => [at, what]);
  return hidden > 0 ? [...shown, [`… and ${hidden} more; --json shows all`]] : shown;
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

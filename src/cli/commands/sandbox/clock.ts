import type { Runtime } from '../../../runtime/ports.js';
import type * as time from '../../../sandbox/clock.js';
import type { ClockEvent } from '../../../sandbox/clock.js';
import { defineCommand } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { findListening, type LocalSandbox, openLocalSandbox } from '../../sandbox-session.js';

const maxLines = 40;
const pollMs = 50;
// Longer than one attempt at a callback takes.
const maxPolls = 120;

export const sandboxClockShow = defineCommand({
  summary: 'Show the sandbox time, and what is due next',
  flags: { ...outputFlags },
  effect: 'local',
  result: ['clock'],
  run: ({ flags, runtime }) => withClock(flags, runtime, () => Promise.resolve(undefined)),
});

export const sandboxClockSet = defineCommand({
  summary: 'Move the clock to a later time',
  args: { moment: { text: 'such as 2030-01-31T12:00:00Z' } },
  flags: { ...outputFlags },
  effect: 'local',
  result: ['clock'],
  run: ({ args: { moment }, flags, runtime }) => setClock(moment, flags, runtime),
});

/** Throws USAGE for a moment in the past. */
async function setClock(moment: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { moveClock, parseTimestamp }) =>
    moveClock(store, parseTimestamp(moment)),
  );
}

export const sandboxClockAdvance = defineCommand({
  summary: 'Move the clock forward',
  args: { duration: { text: 'such as 7d, 12h, 30m or 10s' } },
  flags: { ...outputFlags },
  effect: 'local',
  result: ['clock'],
  run: ({ args: { duration }, flags, runtime }) => advanceClock(duration, flags, runtime),
});

async function advanceClock(duration: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { moveClockBy, parseDuration }) =>
    moveClockBy(store, parseDuration(duration)),
  );
}

export const sandboxClockRun = defineCommand({
  summary: 'Move the clock to the next event that is due',
  flags: { ...outputFlags },
  effect: 'local',
  result: ['clock'],
  run: ({ flags, runtime }) => runClock(flags, runtime),
});

/** Runs one step. While a sandbox listens, it waits until the callbacks that became due were tried. */
async function runClock(options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { stepClock }) => {
    const happened = stepClock(store);
    await waitForDeliveries(store, runtime);
    return happened ?? [];
  });
}

async function waitForDeliveries(store: LocalSandbox['store'], runtime: Runtime): Promise<void> {
  if ((await findListening(runtime)) === undefined) return;
  const due = 'SELECT id FROM callbacks WHERE due_at <= ? LIMIT 1';
  const open = 'SELECT id FROM callback_attempts WHERE status IS NULL AND reason IS NULL LIMIT 1';
  for (let polls = 0; polls < maxPolls; polls += 1) {
    if (store.database.get(due, store.clock.now()) === undefined && store.database.get(open) === undefined) return;
    await runtime.clock.sleep(pollMs);
  }
}

type Time = typeof time;
type Move = (sandbox: LocalSandbox, tools: Time) => Promise<readonly ClockEvent[] | undefined>;

async function withClock(options: CommonOptions, runtime: Runtime, move: Move): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const sandbox = await openLocalSandbox(runtime);
  try {
    const loaded = await import('../../../sandbox/clock.js');
    const happened = await move(sandbox, loaded);
    await showReading(loaded.readClock(sandbox.store), happened, report);
    return 0;
  } finally {
    sandbox.close();
  }
}

type Reading = ReturnType<Time['readClock']>;

function showReading(
  { now, machine, next }: Reading,
  happened: readonly ClockEvent[] | undefined,
  report: Reporter,
): Promise<void> {
  const events = happened?.map(({ at, what }) => ({ at: new Date(at).toISOString(), what }));
  return report.show({
    document: {
      schema: 'paycli.clock/1',
      now,
      machine,
      next: next ?? null,
      ...(events === undefined ? {} : { happened: events }),
    },
    text() {
      const shown = events?.slice(0, maxLines) ?? [];
      const hidden = (events?.length ?? 0) - shown.length;
      const rows = report.columns([
        ['sandbox clock', now],
        ['machine', machine],
        ['next due', next ?? 'nothing'],
      ]);
      const more = hidden > 0 ? `… and ${hidden} more; --json shows all\n` : '';
      const nothing = events?.length === 0 ? 'nothing happened\n' : '';
      return `${report.columns(shown.map(({ at, what }) => [at, what]))}${more}${nothing}${rows}`;
    },
  });
}

import type { Runtime } from '../../runtime/ports.js';
import type { Happened } from '../../sandbox/due.js';
import type * as time from '../../sandbox/time.js';
import { type Box, findListening, openBox } from '../box.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { timeText } from '../present/time.js';
import { Reporter } from '../reporter.js';

const mostLines = 40;
const pollMs = 50;
// Longer than one attempt at a callback takes.
const mostPolls = 120;

export async function showClock(options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, () => Promise.resolve(undefined));
}

/** Throws USAGE for a moment that is over. */
export async function setClock(moment: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { moveClock, parseMoment }) => moveClock(store, parseMoment(moment)));
}

export async function advanceClock(duration: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { moveClock, parseDuration }) =>
    moveClock(store, store.clock.now() + parseDuration(duration)),
  );
}

/** One step, or all of them. While a sandbox listens, each waits until the callbacks that became due were tried. */
export async function runClock(options: CommonOptions & { readonly untilIdle?: boolean }, runtime: Runtime): Promise<number> {
  return withClock(options, runtime, async ({ store }, { stepClock, runUntilIdle }, report) => {
    if (options.untilIdle !== true) {
      const happened = stepClock(store);
      await deliveries(store, runtime);
      return happened ?? [];
    }
    const all: Happened[] = [];
    await runUntilIdle(store, async (happened) => {
      all.push(...happened);
      report.progress(`the clock runs: ${all.length} things happened, now ${timeText(store.clock.now())}`);
      await deliveries(store, runtime);
    });
    return all;
  });
}

async function deliveries(store: Box['store'], runtime: Runtime): Promise<void> {
  if ((await findListening(runtime)) === undefined) return;
  const due = 'SELECT id FROM callbacks WHERE due_at <= ? LIMIT 1';
  const open = 'SELECT id FROM callback_attempts WHERE status IS NULL AND reason IS NULL LIMIT 1';
  for (let polls = 0; polls < mostPolls; polls += 1) {
    if (store.database.get(due, store.clock.now()) === undefined && store.database.get(open) === undefined) return;
    await runtime.clock.sleep(pollMs);
  }
}

type Time = typeof time;
type Move = (box: Box, tools: Time, report: Reporter) => Promise<readonly Happened[] | undefined>;

async function withClock(options: CommonOptions, runtime: Runtime, move: Move): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const box = await openBox(runtime);
  try {
    const loaded = await import('../../sandbox/time.js');
    const happened = await move(box, loaded, report);
    report.progress(undefined);
    await present(loaded.readClock(box.store), happened, report);
    return 0;
  } finally {
    report.progress(undefined);
    box.close();
  }
}

type Reading = ReturnType<Time['readClock']>;

function present({ now, machine, next }: Reading, happened: readonly Happened[] | undefined, report: Reporter): Promise<void> {
  const told = happened?.map(({ at, what }) => ({ at: new Date(at).toISOString(), what }));
  return report.show({
    document: { schema: 'paycli.clock/1', now, machine, next: next ?? null, ...(told === undefined ? {} : { happened: told }) },
    text() {
      const shown = told?.slice(0, mostLines) ?? [];
      const left = (told?.length ?? 0) - shown.length;
      const rows = columns([
        ['sandbox clock', now],
        ['machine', machine],
        ['next due', next ?? 'nothing'],
      ]);
      const more = left > 0 ? `… and ${left} more; --json shows all\n` : '';
      return `${columns(shown.map(({ at, what }) => [at, what]))}${more}${told?.length === 0 ? 'nothing happened\n' : ''}${rows}`;
    },
  });
}

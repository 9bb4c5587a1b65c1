import { exits } from '../../../errors/index.js';
import { type BatchStateChange, queryableStates, type State } from '../../../journal/index.js';
import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { durationText, timeText } from '../../format/time.js';

/** Where a batch stands at one moment. */
interface BatchMoment {
  readonly rows: ReadonlyMap<State, number>;
  readonly change: BatchStateChange | undefined;
}

const everyMs = 2000;
/** Rows in these states may still move. */
const unfinished: readonly State[] = ['planned', ...queryableStates];
const unsent: readonly State[] = ['planned'];

/** As long as nothing changes. */
const maxIdleMs = 300_000;

/** The rate is that of the last half minute. */
const maxSamples = 16;

/**
 * Shows a batch, and once more whenever something of it has changed, until every row has its end or the user stops it:
 * exit 0. A batch that was stopped, or of which nothing has changed for five minutes, ends with 12.
 */
export async function watchBatch(
  plan: string,
  look: () => Promise<BatchMoment>,
  report: Reporter,
  { clock, processes }: Pick<Runtime, 'clock' | 'processes'>,
): Promise<number> {
  const stop = new AbortController();
  const unlisten = processes.onStop((signal) => stop.abort(signal));
  const samples: { readonly at: number; readonly begun: number }[] = [];
  let shown = '';
  let changedAt = clock.monotonic();
  try {
    for (;;) {
      const moment = await look();
      samples.push({ at: clock.monotonic(), begun: sum(moment) - sum(moment, unsent) });
      if (samples.length > maxSamples) samples.shift();
      const perSecond = rateOf(samples);
      const left = sum(moment, unsent);
      const secondsLeft = perSecond > 0 ? Math.ceil(left / perSecond) : undefined;
      const now = JSON.stringify([[...moment.rows], moment.change]);
      if (now !== shown) {
        changedAt = clock.monotonic();
        const at = clock.now();
        await report.event(
          documentOf(plan, moment, { at, perSecond, secondsLeft }),
          textOf(moment, { at, perSecond, secondsLeft }),
        );
      }
      shown = now;
      if (isFinished(moment)) return exits.ok;
      if (isLeft(moment, clock.monotonic() - changedAt)) return exits.batchLeft;
      if (await sleepOrAbort(clock, everyMs, stop.signal)) return exits.ok;
    }
  } finally {
    unlisten();
  }
}

function isFinished({ rows }: BatchMoment): boolean {
  return unfinished.every((state) => (rows.get(state) ?? 0) === 0);
}

/** Nobody is sending the rows that are left. */
function isLeft({ change }: BatchMoment, idleMs: number): boolean {
  return (change !== undefined && change.state !== 'running') || idleMs > maxIdleMs;
}

function sum({ rows }: BatchMoment, states?: readonly State[]): number {
  return [...rows].reduce((count, [state, own]) => count + (states?.includes(state) === false ? 0 : own), 0);
}

function rateOf(samples: readonly { readonly at: number; readonly begun: number }[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) return 0;
  return ((last.begun - first.begun) * 1000) / (last.at - first.at);
}

interface Pace {
  readonly at: number;
  readonly perSecond: number;
  readonly secondsLeft: number | undefined;
}

function documentOf(plan: string, { rows, change }: BatchMoment, { at, perSecond, secondsLeft }: Pace) {
  return {
    schema: 'paycli.batch-watch/1',
    ...{ plan, at: new Date(at).toISOString(), state: change?.state ?? 'running' },
    rows: Object.fromEntries(rows),
    perSecond: Number(perSecond.toFixed(2)),
    secondsLeft: secondsLeft ?? null,
  };
}

function textOf({ rows, change }: BatchMoment, { at, perSecond, secondsLeft }: Pace): string {
  const counts = [...rows].map(([state, count]) => `${count} ${state.replace('_', ' ')}`).join(', ');
  const pace = perSecond > 0 ? `, ${perSecond.toFixed(1)} rows/s` : '';
  const left = secondsLeft === undefined || secondsLeft === 0 ? '' : `, ${durationText(secondsLeft * 1000)} left`;
  const held =
    change === undefined || change.state === 'running'
      ? ''
      : `  ${change.state} by ${oneLine(change.by)} on ${oneLine(change.host)}: ${oneLine(change.reason)}\n`;
  return `${timeText(at)}: ${counts}${pace}${left}\n${held}`;
}

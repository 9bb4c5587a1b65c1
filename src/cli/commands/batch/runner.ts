import type { BatchConnection } from '../../../batch/connection.js';
import type { PlanHead, PlanStore } from '../../../batch/plan.js';
import type { BatchEngine } from '../../../batch/run/engine.js';
import { type EndTotal, endTotals, exitCodeOf, type StateTotal } from '../../../batch/run/progress.js';
import type { RunEnd } from '../../../batch/run/run-ports.js';
import { revalidatePayout } from '../../../batch/run/two-step-payout.js';
import { type BatchCommands, exits, fail, withBatchCommands } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import { takeApproval } from '../../../payments/resend.js';
import type { Processes } from '../../../runtime/ports.js';
import { operationById, payoutPay } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { isRunning } from '../../core/user-stores.js';
import { maxWaitSeconds, seconds } from '../../flags.js';
import { connectionFor, type Tools } from '../../gateway.js';
import { sendLimitsFor } from './authorize.js';
import type { BatchReporter, RunProgress, RunResult } from './batch-reporter.js';

/** Flags of `batch run`. */
export interface RunFlags extends CommonOptions {
  readonly concurrency?: string;
  readonly rate?: string;
  readonly maxRows?: string;
  readonly maxUnknown?: string;
  readonly afterRestore?: boolean;
  readonly pay?: boolean;
  readonly continue?: boolean;
}

export interface RunSettings {
  readonly concurrency: number;
  /** Requests in a second. */
  readonly rate: number;
  readonly maxRows: number;
  readonly maxUnknown: number;
  /** How long accepted rows are asked about once no more are sent; undefined where the user did not say. */
  readonly waitMs: number | undefined;
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

const command = 'batch run';

/** Throws USAGE. */
export function readRunFlags(flags: RunFlags): RunSettings {
  const whole = (name: string, text: string, max: number): number => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw fail('USAGE', { why: `${name}: use a whole number from ${1} to ${max}`, flag: name, most: max, command });
  };
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(flags.rate ?? '10/s') ?? [];
  if (count === '')
    throw fail('USAGE', { why: '--rate: use requests per second, minute or hour, such as 10/s or 90/min', command });
  const [, share = ''] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(flags.maxUnknown ?? '1%') ?? [];
  if (share === '') throw fail('USAGE', { why: '--max-unknown: use a share such as 1%, 2.5% or 100%', command });
  const concurrency = whole('--concurrency', flags.concurrency ?? '4', 256);
  const maxRows =
    flags.maxRows === undefined ? Number.POSITIVE_INFINITY : whole('--max-rows', flags.maxRows, 999_999_999);
  const waitMs = seconds('--wait-timeout', flags.waitTimeout, maxWaitSeconds);
  return {
    ...{ concurrency, maxRows, maxUnknown: Number(share) / 100 },
    rate: Number(count) / (secondsPerUnit[unit] ?? 1),
    waitMs: flags.wait === false ? 0 : waitMs,
  };
}

/** The way to the gateway that the rows of a plan take. */
export async function connectionOf(
  { head }: Pick<PlanStore, 'head'>,
  tools: Tools,
  hash: BatchConnection['hash'],
): Promise<BatchConnection> {
  const { session } = tools;
  const row = operationById(head.operation);
  return {
    ...(await connectionFor(tools, 'keep')),
    ...{ row, hash },
    place: { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
  };
}

interface EngineParts {
  readonly plan: PlanStore;
  readonly journal: Journal;
  readonly connection: BatchConnection;
  /** Requests in a second. */
  readonly rate: number;
}

export async function openEngine(
  { plan, journal, connection, rate }: EngineParts,
  { session, runtime }: Tools,
): Promise<BatchEngine> {
  const [{ BatchEngine: Engine }, { intentForRow }] = await Promise.all([
    import('../../../batch/run/engine.js'),
    import('../../../batch/connection.js'),
  ]);
  return new Engine({
    ...{ journal, plan, clock: runtime.clock, rate },
    intentOf: (row) => intentForRow(connection, row),
    limitsOf: (row) => sendLimitsFor(row, connection.row, session, journal),
    isAlive: (sender) => isRunning(sender, runtime),
    isApproved: (intent) => takeApproval(journal, intent, runtime.clock.now()),
  });
}

/** The first signal stops a run, the second one also cuts off what is on its way. */
export class StopSignals {
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  get abort(): AbortSignal {
    return this.#abort.signal;
  }

  /** Returns how to listen no more. */
  listen(processes: Pick<Processes, 'onStop'>, report: Reporter): () => void {
    // None ends the process before its totals and exit code are out.
    processes.onStop(() => undefined);
    return processes.onStop((signal) => {
      if (this.stop.aborted) return this.#abort.abort(signal);
      this.#stop.abort(signal);
      report.warn([
        'stopping: waiting for the rows being sent; a second Ctrl-C stops waiting and leaves those rows unknown',
      ]);
    });
  }
}

interface SendingParts {
  readonly plan: PlanStore;
  readonly engine: BatchEngine;
  readonly connection: BatchConnection;
  readonly wanted: RunSettings;
  readonly signals: StopSignals;
  readonly progress: RunProgress;
  readonly reporter: BatchReporter;
  /** Called after each event was reported. */
  readonly onEvent?: () => void;
}

/** Sends the rows that are left, and queries those that are open. */
export async function sendRows(
  { wanted, signals, progress, reporter, onEvent, ...parts }: SendingParts,
  { session }: Tools,
): Promise<RunEnd> {
  const { BatchRun } = await import('../../../batch/run/batch-run.js');
  const { engine, connection } = parts;
  const { stop, abort } = signals;
  const isPayout = connection.row.id === payoutPay.id;
  const run = new BatchRun({
    ...{ ...parts, stop, abort },
    options: { ...wanted, waitMs: wanted.waitMs ?? session.waitMs, pauses: session.pauses },
    onEvent(event) {
      reporter.event(event);
      onEvent?.();
    },
    onSend() {
      progress.hasSent = true;
    },
    mayBegin: async (row) => !isPayout || revalidatePayout(row, connection, engine, stop),
  });
  reporter.watch(run.counters);
  return run.toEnd();
}

/** Totals, exit code and next step of a run that ended; `commands` are those that go on with its batch. */
export function resultOf(
  head: PlanHead,
  tally: readonly StateTotal[],
  { halt, refusal: found }: RunEnd,
  commands: BatchCommands,
  stop: AbortSignal,
): RunResult {
  const totals = endTotals(head, tally);
  const refusal = found && withBatchCommands(found, commands);
  const worst = exitCodeOf(totals);
  return {
    ...{ head, totals, refusal },
    exit: halt?.exit ?? (refusal === undefined || worst === exits.unknown ? worst : refusal.exit),
    why: halt?.why ?? (stop.aborted ? 'by a signal' : undefined),
    next: refusal?.code === 'BATCH_LEFT' ? refusal.next : nextCommand(totals, head.id, commands),
  };
}

/** What continues a plan that ended so, or shows what became of it; undefined where all is done. */
function nextCommand(totals: readonly EndTotal[], plan: string, { again, resolve }: BatchCommands): string | undefined {
  const has = (...ends: readonly EndTotal['end'][]) => totals.some(({ end, count }) => count > 0 && ends.includes(end));
  if (has('unknown')) return `\`${again}\` queries again; \`${resolve}\` settles or sends again what stays unknown`;
  if (has('accepted', 'left', 'not_sent')) return `\`${again}\``;
  return has('refused', 'declined') ? `\`paycli batch show ${plan} --out ${plan}\` lists them` : undefined;
}

import type { BatchConnection } from '../../../batch/connection.js';
import type { Engine } from '../../../batch/engine.js';
import type { PostgresEngine } from '../../../batch/engines/postgres/engine.js';
import type { PlanStore } from '../../../batch/plan.js';
import type { BatchRun } from '../../../batch/run/batch-run.js';
import type { EndTotal } from '../../../batch/run/progress.js';
import type { RunEnd } from '../../../batch/run/run-ports.js';
import { type BatchCommands, fail } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import { aheadOf, maxSkewMs } from '../../../payments/clock-skew.js';
import { takeApproval } from '../../../payments/resend.js';
import type { Delivery } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { seconds } from '../../core/flags.js';
import { connectionFor, type Tools } from '../../core/gateway-context.js';
import type { CommonOptions } from '../../core/options.js';
import { isRunning } from '../../core/user-stores.js';
import { sendLimitsFor } from './authorize.js';

/** Flags of `batch run` and `batch resume`. */
export interface RunFlags extends CommonOptions {
  readonly concurrency?: string;
  readonly rate?: string;
  readonly maxRows?: string;
  readonly maxUnknown?: string;
  readonly afterRestore?: boolean;
  readonly pay?: boolean;
}

export interface RunSettings {
  readonly concurrency: number;
  /** Requests in a second. */
  readonly rate: number;
  readonly maxRows: number;
  readonly maxUnknown: number;
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** Throws USAGE. */
export function readRunFlags(flags: RunFlags, command: string): RunSettings {
  const whole = (name: string, text: string, max: number): number => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw fail('wholeNumberBetween', { flag: name, least: 1, most: max, command });
  };
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(flags.rate ?? '10/s') ?? [];
  if (count === '') throw fail('rateForm', { command });
  const [, share = ''] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(flags.maxUnknown ?? '1%') ?? [];
  if (share === '') throw fail('maxUnknownForm', { command });
  return {
    concurrency: whole('--concurrency', flags.concurrency ?? '4', 256),
    rate: Number(count) / (secondsPerUnit[unit] ?? 1),
    maxRows: flags.maxRows === undefined ? Number.POSITIVE_INFINITY : whole('--max-rows', flags.maxRows, 999_999_999),
    maxUnknown: Number(share) / 100,
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
    ...(await connectionFor(row, tools, 'keep')),
    ...{ row, hash },
    place: { base: session.place, login: session.login, profile: session.name, class: session.class },
  };
}

interface LocalParts {
  readonly plan: PlanStore;
  readonly journal: Journal;
  readonly connection: BatchConnection;
  /** Requests in a second. */
  readonly rate: number;
}

/** The journal of this machine as the engine of a plan. */
export async function localEngineOf(
  { plan, journal, connection, rate }: LocalParts,
  { session, runtime }: Tools,
): Promise<Engine> {
  const [{ openLocalEngine }, { intentForRow }] = await Promise.all([
    import('../../../batch/engines/local.js'),
    import('../../../batch/connection.js'),
  ]);
  return openLocalEngine({
    ...{ journal, plan, clock: runtime.clock, rate },
    intentOf: (row) => intentForRow(connection, row),
    limitsOf: (row) => sendLimitsFor(row, connection.row, session, journal),
    isAlive: (sender) => isRunning(sender, runtime),
    isApproved: (intent) => takeApproval(journal, intent, runtime.clock.now()),
  });
}

/**
 * Why nothing more may be sent: a signature with a wrong time proves nothing later. Undefined while the clock is right.
 */
export function clockProblem(delivery: Delivery, now: number): string | undefined {
  const ahead = delivery.kind === 'reply' ? aheadOf(delivery.reply, now) : undefined;
  if (ahead === undefined || Math.abs(ahead) <= maxSkewMs) return undefined;
  return `the clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} \
the gateway`;
}

/** Runs until the batch has its end on all workers, taking up what those that ended left behind. */
export async function runDistributed(engine: PostgresEngine, newRun: () => BatchRun): Promise<RunEnd> {
  for (;;) {
    const end = await newRun().toEnd();
    if (end.halt !== undefined || end.refusal !== undefined || !(await engine.waitForOtherWorkers())) return end;
  }
}

/** How long accepted rows are asked about once no more are sent. */
export function waitMsOf({ options, session }: Pick<Tools, 'options' | 'session'>): number {
  if (options.wait === false) return 0;
  return seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs;
}

/** What continues a plan that ended so, or shows what became of it; undefined where all is done. */
export function nextCommand(
  totals: readonly EndTotal[],
  { again, batchAndWay, settle }: Pick<BatchCommands, 'again' | 'batchAndWay' | 'settle'>,
): string | undefined {
  const has = (...ends: readonly EndTotal['end'][]) => totals.some(({ end, count }) => count > 0 && ends.includes(end));
  if (has('unknown')) return `\`${again}\` queries again; \`${settle}\` settles an order the gateway does not have`;
  if (has('accepted', 'left', 'not_sent')) return `\`${again}\``;
  return has('refused', 'declined') ? `\`paycli batch report ${batchAndWay}\` lists them` : undefined;
}

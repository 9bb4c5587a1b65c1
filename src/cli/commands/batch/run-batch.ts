import { type Held, heldBy, heldText, rowsText } from '../../../batch/plan.js';
import { assertSentNowhere, recordSentElsewhere } from '../../../batch/probe.js';
import {
  assertWhole,
  exitCodeOf,
  isFinished,
  mayBeSent,
  type StateSummary,
  summarize,
  type Tally,
} from '../../../batch/progress.js';
import { type BatchConnection, checkPlannedFile, RowReader } from '../../../batch/rows.js';
import type { RunEnd } from '../../../batch/run-ports.js';
import { exits, fail, ifInterrupted, isPaycliError, type PaycliError, stopError } from '../../../errors/index.js';
import type { BatchState } from '../../../journal/port.js';
import { batchHeld } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { payoutCheck } from '../../../spec/index.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { connectionFor, type Tools } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import { BatchReporter } from './batch-reporter.js';
import { type OpenBatch, withBatch } from './open-batch.js';
import { runCommand } from './plan-text.js';
import {
  checkApproval,
  checkBeforeRun,
  checkCapsOfRows,
  checkConnection,
  confirmBatch,
  limitsOfRow,
  placeOf,
} from './run-checks.js';

/** Flags of `batch run`, read. */
export interface RunFlags extends CommonOptions {
  readonly concurrency?: number;
  /** Requests in a second. */
  readonly rate?: number;
  readonly maxRows?: number;
  /** From 0 to 1. */
  readonly maxUnknown?: number;
  readonly askAll?: boolean;
  readonly continue?: boolean;
}

const usualRate = { concurrency: 16, rate: 10 };

/** What a run has done that a later fault of the storage must not hide. */
interface RunProgress {
  /** A row may have left. */
  hasSent: boolean;
  /** The exit code of the result that was shown, once it was. */
  exit: number | undefined;
}

/** Sends what is left of a batch, and resolves what is open. */
export async function runBatch(name: string, flags: RunFlags, runtime: Runtime): Promise<number> {
  const waitMs = flags.wait === false ? 0 : flags.waitTimeout;
  return withSession(flags, runtime, async (session, report) => {
    const progress: RunProgress = { hasSent: false, exit: undefined };
    try {
      return await withBatch(name, 'batch run', runtime, async (open) => {
        const tools: Tools = { options: flags, session, report, runtime };
        checkBeforeRun(open, tools);
        const held = await heldBy(open.journal, open.head.id);
        if (held?.state === 'cancelled')
          report.notes([`batch ${open.head.id} was ${heldText(held)}; nothing will be sent`]);
        if (flags.dryRun === true)
          return (await import('./dry-run.js')).dryRun(open, placeOf(open.head, session), tools);
        return new Runner(open, { ...flags, waitMs: waitMs ?? session.waitMs }, progress, tools).run(held);
      });
    } catch (error) {
      return explainFault(error, `paycli batch run ${name}`, progress, report);
    }
  });
}

/**
 * Storage that fails once rows may have left does not end a run with 13, which says that nothing was sent: what became
 * of them is unknown until it was run again; after a result was shown, that one stands and the fault is told beside it.
 */
function explainFault(error: unknown, how: string, { hasSent, exit }: RunProgress, report: Reporter): number {
  if (!hasSent || !isPaycliError(error) || error.code !== 'STORAGE') throw error;
  if (exit === undefined) {
    const why = 'storage failed while rows of the batch were in flight';
    throw Object.assign(fail('OUTCOME_UNKNOWN', { may: 'money may have moved', why, how }), { beside: error });
  }
  report.error(error, exit);
  return exit;
}

/** One run of one batch, from its checks to its totals. */
class Runner {
  readonly #open: OpenBatch;
  readonly #rows: RowReader;
  readonly #flags: RunFlags & { readonly waitMs: number };
  readonly #progress: RunProgress;
  readonly #tools: Tools;
  readonly #reporter: BatchReporter;
  /** The first signal stops a run, the second one also cuts off what is on its way. */
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();

  constructor(open: OpenBatch, flags: RunFlags & { readonly waitMs: number }, progress: RunProgress, tools: Tools) {
    const { head, journal } = open;
    this.#open = open;
    this.#rows = new RowReader(head, { journal, files: tools.runtime.files });
    this.#flags = flags;
    this.#progress = progress;
    this.#tools = tools;
    this.#reporter = new BatchReporter(head, tools.report, tools.runtime);
  }

  async run(held: Held | undefined): Promise<number> {
    const { runtime, report, session } = this.#tools;
    const { head, batch, journal } = this.#open;
    const tally = await journal.total({ batch: head.id });
    if (isFinished(tally)) {
      const { id, count } = head;
      if (batch.state !== 'cancelled')
        report.notes([`batch ${id} is finished: ${rowsText(count)} with a final outcome; nothing is sent`]);
      return this.#end(tally, { halt: undefined, refusal: undefined });
    }
    await checkApproval(head, journal, this.#tools);
    const connection = { ...(await connectionFor(this.#tools, 'keep')), ...placeOf(head, session) };
    if (head.hasCards) checkPlannedFile(head, runtime.files, journal);
    await checkCapsOfRows(this.#open, connection.row, this.#tools);
    if (mayBeSent(tally)) await confirmBatch(head, this.#tools, tally);
    const goesOn = await this.#mayGoOn(held);
    return this.#untilStopped(async () => {
      await this.#preflight(connection, goesOn && mayBeSent(tally));
      if (this.#stop.signal.aborted) throw stopError(this.#stop.signal);
      return this.#send(connection, goesOn);
    });
  }

  async #untilStopped(work: () => Promise<number>): Promise<number> {
    const { runtime, report } = this.#tools;
    // None ends the process before its totals and exit code are out.
    runtime.processes.onStop(() => undefined);
    const unlisten = runtime.processes.onStop((signal) => {
      if (this.#stop.signal.aborted) return this.#abort.abort(signal);
      this.#stop.abort(signal);
      const rest = 'a second Ctrl-C stops waiting and leaves those rows unknown';
      report.warn([`stopping: waiting for the rows being sent; ${rest}`]);
    });
    return work().finally(() => {
      report.progress(undefined);
      unlisten();
    });
  }

  /**
   * A pause ends only on purpose: on a terminal that is asked, a script has to say so; a cancellation never ends. A run
   * that may not go on asks about the rows that are open, and sends none.
   */
  async #mayGoOn(held: Held | undefined): Promise<boolean> {
    const { options, runtime } = this.#tools;
    if (held?.state !== 'paused') return held === undefined;
    if (this.#flags.continue === true) return true;
    const message = `batch ${this.#open.head.id} was ${heldText(held)}. Send its rows now?`;
    if (!mayPrompt(options, runtime)) return false;
    return saysYes('continue', message, options, runtime).catch(ifInterrupted('nothing was sent'));
  }

  /** Whatever can be found out before the first row leaves. */
  async #preflight(connection: BatchConnection, sends: boolean): Promise<void> {
    const { session, report } = this.#tools;
    const { head, journal } = this.#open;
    const { id: batch, count } = head;
    journal.assertNotRestored();
    report.progress('checking login and keys with the gateway');
    const [first] = await journal.find({ batch }, { after: 0, limit: 1 });
    await checkConnection(connection, first?.endpoint ?? '', session, this.#stop.signal);
    const ports = { batch, journal, connection, rate: this.#flags.rate ?? usualRate.rate, stop: this.#stop.signal };
    if (this.#flags.askAll === true) {
      const found = await recordSentElsewhere(ports, (asked) =>
        report.progress(`querying every row: ${asked} of ${count}`),
      );
      report.notes([`${rowsText(found)} sent from elsewhere: recorded, and not sent again`]);
    } else if (sends && session.askFirst === 'on') {
      report.progress('looking up orders at the gateway');
      await assertSentNowhere(ports);
    } else if (sends && session.askFirst === 'off')
      report.notes(['the gateway was not asked whether it had orders of these rows already (ask-first)'], false);
  }

  async #send(connection: BatchConnection, goesOn: boolean): Promise<number> {
    const { session, runtime } = this.#tools;
    const { concurrency, rate, maxUnknown = 0.01, maxRows, waitMs } = { ...usualRate, ...this.#flags };
    const { head, batch: known, journal } = this.#open;
    const { id: batch } = head;
    // A pause that came meanwhile stands.
    const from: readonly BatchState[] = [
      'stopped',
      'running',
      ...(known.state === 'paused' ? ['paused' as const] : []),
    ];
    const change = { state: 'running', rowsLeft: maxRows } as const;
    if (goesOn && (await journal.changeBatch(batch, from, change)) === undefined)
      throw this.#held((await journal.findBatches(batch))[0]?.state ?? 'removed');
    const { host, pid } = runtime.processes;
    await journal.record({ batch }, 'run-began', { host, pid, rate, concurrency });
    const { BatchRun } = await import('../../../batch/run.js');
    const progress = this.#progress;
    const run = new BatchRun({
      ...{ batch, journal, rows: this.#rows, connection, stop: this.#stop.signal, abort: this.#abort.signal },
      options: { concurrency, rate, maxUnknown, waitMs, pauseMs: session.pauses?.[0] },
      limitsOf: (unsigned, request) => limitsOfRow(unsigned, request, session, journal),
      onEvent: (event) => this.#reporter.event(event),
      onSend() {
        progress.hasSent = true;
      },
    });
    this.#reporter.watch(run.counters);
    const end = await this.#explain(await run.toEnd());
    this.#tools.report.progress('totalling the rows');
    const exit = await this.#end(await journal.total({ batch }), end);
    await journal.record({ batch }, 'run-ended', { exit });
    // What the second step pays is read from the first.
    if (head.operation !== payoutCheck.id) await journal.purgePayloads(batch);
    return exit;
  }

  /** Says by whom the batch was paused or cancelled, where that is why it ended. */
  async #explain(end: RunEnd): Promise<RunEnd> {
    if (end.refusal?.code !== 'BATCH_LEFT') return end;
    const held = await heldBy(this.#open.journal, this.#open.head.id);
    const refusal = held === undefined ? this.#held('stopped') : this.#held(held.state, heldText(held));
    return { refusal, halt: end.halt && { ...end.halt, why: String(refusal.facts['why']) } };
  }

  #held(state: string, who?: string): PaycliError {
    const { head } = this.#open;
    return batchHeld(head.id, state, who, runCommand(head, this.#tools.session.flags));
  }

  /** Shows what a run came to; its exit code. */
  async #end(tally: Tally, { halt, refusal }: RunEnd): Promise<number> {
    assertWhole(this.#open.head, tally);
    const states = summarize(tally);
    const worst = exitCodeOf(states);
    const exit = halt?.exit ?? (refusal === undefined || worst === exits.unknown ? worst : refusal.exit);
    if (refusal !== undefined && exit === refusal.exit) this.#tools.report.because(refusal);
    const stopped = halt?.why ?? (this.#stop.signal.aborted ? 'by a signal' : undefined);
    const next = refusal?.code === 'BATCH_LEFT' ? refusal.next : this.#next(states);
    await this.#reporter.showResult({ states, stopped, exit, next });
    this.#progress.exit = exit;
    return exit;
  }

  /** What continues a batch that ended so, or shows what became of it; undefined where all is done. */
  #next(found: readonly StateSummary[]): string | undefined {
    const { head } = this.#open;
    const { flags } = this.#tools.session;
    const has = (...states: readonly string[]) => found.some(({ state }) => states.includes(state));
    const again = `\`${runCommand(head, flags)}\``;
    if (has('unknown', 'sending', 'conflict'))
      return `${again} queries again; \`paycli resolve ORDER${flags}\` settles or sends again what stays unknown`;
    if (has('accepted', 'planned', 'not_sent')) return again;
    return has('refused', 'declined') ? `\`paycli batch show ${head.id} --out ${head.id}\` lists them` : undefined;
  }
}

import type { PlanHead } from '../../../batch/plan.js';
import { type Held, heldBy, heldText, rowsText } from '../../../batch/plan.js';
import { assertSentNowhere, recordSentElsewhere } from '../../../batch/probe.js';
import { type EndTotal, endTotals, exitCodeOf, isFinished, mayBeSent, type Tally } from '../../../batch/progress.js';
import { type BatchConnection, type BatchPlace, RowReader } from '../../../batch/rows.js';
import type { RunEnd } from '../../../batch/run-ports.js';
import { exits, fail, ifInterrupted, type PaycliError, stopError } from '../../../errors/index.js';
import type { Batch, BatchState, Journal } from '../../../journal/port.js';
import { batchHeld } from '../../../payments/words.js';
import type { Processes, Runtime } from '../../../runtime/ports.js';
import { operationById, payoutCheck } from '../../../spec/index.js';
import { mayPrompt, saysYes } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { maxWaitSeconds, seconds } from '../../flags.js';
import { connectionFor, type Tools } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { BatchReporter, keepOutcome, type RunProgress, type RunResult } from './batch-reporter.js';
import { type OpenBatch, withBatch } from './open-batch.js';
import { type BatchCommands, commandsAbout } from './plan-text.js';
import { checkApproval, checkBeforeRun, checkConnection, checkRows, confirmBatch, limitsOfRow } from './run-checks.js';
import type { RunSettings } from './run-modes.js';

/** Flags of `batch run`. */
export interface RunFlags extends CommonOptions {
  readonly concurrency?: string;
  readonly rate?: string;
  readonly maxRows?: string;
  readonly maxUnknown?: string;
  readonly askAll?: boolean;
  readonly pay?: boolean;
  readonly continue?: boolean;
}

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

const command = 'batch run';

/** Throws USAGE. */
function readRunFlags(flags: RunFlags): RunSettings {
  const whole = (name: string, text: string, max: number): number => {
    if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text);
    throw fail('USAGE', { why: `${name}: use a whole number from 1 to ${max}`, flag: name, most: max, command });
  };
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})\/(s|min|h)$/.exec(flags.rate ?? '10/s') ?? [];
  if (count === '')
    throw fail('USAGE', { why: '--rate: use requests per second, minute or hour, such as 10/s or 90/min', command });
  const [, share = ''] = /^(\d{1,2}(?:\.\d)?|100)%$/.exec(flags.maxUnknown ?? '1%') ?? [];
  if (share === '') throw fail('USAGE', { why: '--max-unknown: use a share such as 1%, 2.5% or 100%', command });
  const waitMs = seconds('--wait-timeout', flags.waitTimeout, maxWaitSeconds);
  return {
    concurrency: whole('--concurrency', flags.concurrency ?? '16', 256),
    maxRows: flags.maxRows === undefined ? undefined : whole('--max-rows', flags.maxRows, 999_999_999),
    maxUnknown: Number(share) / 100,
    rate: Number(count) / (secondsPerUnit[unit] ?? 1),
    waitMs: flags.wait === false ? 0 : waitMs,
  };
}

/** Sends what is left of a batch, and resolves what is open. */
export async function runBatch(name: string, flags: RunFlags, runtime: Runtime): Promise<number> {
  const wanted = readRunFlags(flags);
  return withSession(flags, runtime, (session, report) => {
    const { again } = commandsAbout(name, session.flags);
    return keepOutcome(again, report, (progress) =>
      withBatch(name, command, runtime, async (open) => {
        const tools: Tools = { options: flags, session, report, runtime };
        checkBeforeRun(open, tools);
        const found = flags.pay === true ? await openPayPlan(open, tools) : open;
        if (flags.dryRun === true)
          return (await import('./run-modes.js')).dryRun(found, placeOf(found.head, session), tools);
        return new Runner(found, { wanted, flags, progress }, tools).run();
      }),
    );
  });
}

/** Where the rows of a batch go. */
function placeOf({ operation }: PlanHead, session: Session): BatchPlace {
  return {
    row: operationById(operation),
    place: { base: session.gatewayBase, login: session.login, profile: session.name, class: session.class },
    target: (endpointId) => session.target(endpointId),
  };
}

/** The second step of a batch of checks. */
async function openPayPlan(check: OpenBatch, tools: Tools): Promise<OpenBatch> {
  const { preparePayPlan } = await import('./run-modes.js');
  return preparePayPlan(check, placeOf(check.head, tools.session), tools);
}

/** What the user asked for. */
interface RunRequest {
  readonly wanted: RunSettings;
  readonly flags: RunFlags;
  readonly progress: RunProgress;
}

/** One run of one batch, from its checks to its totals. */
class Runner {
  readonly #head: PlanHead;
  readonly #batch: Batch;
  readonly #journal: Journal;
  readonly #rows: RowReader;
  readonly #request: RunRequest;
  readonly #tools: Tools;
  readonly #reporter: BatchReporter;
  readonly #signals = new StopSignals();

  constructor({ head, batch, journal }: OpenBatch, request: RunRequest, tools: Tools) {
    this.#head = head;
    this.#batch = batch;
    this.#journal = journal;
    this.#rows = new RowReader(head, { journal, files: tools.runtime.files });
    this.#request = request;
    this.#tools = tools;
    this.#reporter = new BatchReporter(head, tools.report, tools.runtime);
  }

  async run(): Promise<number> {
    const { runtime, report } = this.#tools;
    const head = this.#head;
    const isRead = operationById(head.operation).effect === 'read';
    const tally = isRead ? [] : await this.#journal.total({ batch: head.id });
    const held = await heldBy(this.#journal, head.id);
    if (held?.state === 'cancelled') report.notes([`batch ${head.id} was ${heldText(held)}; nothing will be sent`]);
    if (isFinished(tally)) return this.#showFinished(tally);
    await checkApproval(head, this.#journal, this.#tools);
    const connection = { ...(await connectionFor(this.#tools, 'keep')), ...placeOf(head, this.#tools.session) };
    if (isRead) return this.#askAll(connection);
    await checkRows({ head, journal: this.#journal, rows: this.#rows, connection }, this.#tools);
    if (mayBeSent(tally)) await confirmBatch(head, this.#tools, tally);
    const goesOn = await this.#mayGoOn(held);
    const unlisten = this.#signals.listen(runtime.processes, report);
    try {
      await this.#preflight(connection, goesOn && mayBeSent(tally));
      if (this.#stop.aborted) throw stopError(this.#stop);
      return await this.#send(connection, goesOn);
    } finally {
      this.#reporter.end();
      unlisten();
    }
  }

  get #stop(): AbortSignal {
    return this.#signals.stop;
  }

  /**
   * A pause ends only on purpose: on a terminal that is asked, a script has to say so; a cancellation never ends. A run
   * that may not go on asks about the rows that are open, and sends none.
   */
  async #mayGoOn(held: Held | undefined): Promise<boolean> {
    const { options, runtime } = this.#tools;
    const { id } = this.#batch;
    if (held === undefined) return true;
    if (held.state === 'cancelled') return false;
    if (this.#request.flags.continue === true) return true;
    const message = `batch ${id} was ${heldText(held)}. Send its rows now?`;
    if (!mayPrompt(options, runtime)) return false;
    return saysYes('continue', message, options, runtime).catch(ifInterrupted('nothing was sent'));
  }

  /** Every row has its final outcome or is cancelled, so there is nothing to ask for, to send or to resolve. */
  async #showFinished(tally: Tally): Promise<number> {
    const { id, count } = this.#head;
    if (this.#batch.state !== 'cancelled')
      this.#tools.report.notes([`batch ${id} is finished: ${rowsText(count)} with a final outcome; nothing is sent`]);
    return this.#showResult(tally, { halt: undefined, refusal: undefined });
  }

  /** Questions move nothing, so there is nothing to look for, to record or to resolve. */
  async #askAll(connection: BatchConnection): Promise<number> {
    const { runtime, report } = this.#tools;
    const unlisten = this.#signals.listen(runtime.processes, report);
    const { runStatusBatch } = await import('./run-modes.js');
    const open = { head: this.#head, journal: this.#journal };
    return runStatusBatch(open, connection, this.#request.wanted, this.#stop, this.#tools).finally(unlisten);
  }

  /** Whatever can be found out before the first row leaves. */
  async #preflight(connection: BatchConnection, sends: boolean): Promise<void> {
    const { session, report } = this.#tools;
    const { rate } = this.#request.wanted;
    const { id: batch, count } = this.#head;
    this.#journal.assertNotRestored();
    this.#reporter.phase('checking login and keys with the gateway');
    const [first] = await this.#journal.find({ batch }, { after: 0, limit: 1 });
    await checkConnection(connection, first?.endpoint ?? '', session, this.#stop);
    const ports = { batch, journal: this.#journal, connection, rate, stop: this.#stop };
    if (this.#request.flags.askAll === true) {
      const found = await recordSentElsewhere(ports, (asked) =>
        this.#reporter.phase(`querying every row: ${asked} of ${count}`),
      );
      report.notes([`${rowsText(found)} sent from elsewhere: recorded, and not sent again`]);
    } else if (sends && session.askFirst === 'on') {
      this.#reporter.phase('looking up orders at the gateway');
      await assertSentNowhere(ports);
    } else if (sends && session.askFirst === 'off')
      report.notes(['the gateway was not asked whether it had orders of these rows already (ask-first)'], false);
  }

  async #send(connection: BatchConnection, goesOn: boolean): Promise<number> {
    const { session, runtime } = this.#tools;
    const { wanted, progress } = this.#request;
    const { host, pid } = runtime.processes;
    const { id: batch } = this.#head;
    const journal = this.#journal;
    const change = { state: 'running', rowsLeft: wanted.maxRows } as const;
    // A pause that came meanwhile stands.
    const from: readonly BatchState[] = [
      'stopped',
      'running',
      ...(this.#batch.state === 'paused' ? (['paused'] as const) : []),
    ];
    if (goesOn && (await journal.changeBatch(batch, from, change)) === undefined)
      throw this.#held((await journal.findBatches(batch))[0]?.state ?? 'removed');
    await journal.record({ batch }, 'run-began', { host, pid, rate: wanted.rate, concurrency: wanted.concurrency });
    const { BatchRun } = await import('../../../batch/run.js');
    const run = new BatchRun({
      ...{ batch, journal, rows: this.#rows, connection, stop: this.#stop, abort: this.#signals.abort },
      hasPassed: this.#batch.canary === 'passed',
      options: { ...wanted, waitMs: wanted.waitMs ?? session.waitMs, pauseMs: session.pauses?.[0] },
      limitsOf: (unsigned, request) => limitsOfRow(unsigned, request, session, journal),
      onEvent: (event) => this.#reporter.event(event),
      onSend() {
        progress.hasSent = true;
      },
    });
    this.#reporter.watch(run.counters);
    const end = await this.#explain(await run.toEnd());
    this.#reporter.phase('totalling the rows');
    const tally = await journal.total({ batch });
    const exit = await this.#showResult(tally, end);
    await journal.record({ batch }, 'run-ended', { exit });
    // What the second step pays is read from the first.
    if (this.#head.operation !== payoutCheck.id) await journal.purgePayloads(batch);
    return exit;
  }

  /** Says by whom the batch was paused or cancelled, where that is why it ended. */
  async #explain(end: RunEnd): Promise<RunEnd> {
    if (end.refusal?.code !== 'BATCH_LEFT') return end;
    const held = await heldBy(this.#journal, this.#head.id);
    const refusal = held === undefined ? this.#held('stopped') : this.#held(held.state, heldText(held));
    return { refusal, halt: end.halt && { ...end.halt, why: String(refusal.facts['why']) } };
  }

  #held(state: string, who?: string): PaycliError {
    return batchHeld(this.#head.id, state, who, this.#commands.again);
  }

  get #commands(): BatchCommands {
    return commandsAbout(this.#head.id, this.#tools.session.flags);
  }

  async #showResult(tally: Tally, end: RunEnd): Promise<number> {
    const result = resultOf(this.#head, tally, end, this.#commands, this.#stop);
    await this.#reporter.showResult(result);
    this.#request.progress.exit = result.exit;
    return result.exit;
  }
}

/** The first signal stops a run, the second one also cuts off what is on its way. */
class StopSignals {
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

/** Totals, exit code and next step of a run that ended; `commands` are those that go on with its batch. */
function resultOf(
  head: PlanHead,
  tally: Tally,
  { halt, refusal }: RunEnd,
  commands: BatchCommands,
  stop: AbortSignal,
): RunResult {
  const totals = endTotals(head, tally);
  const worst = exitCodeOf(totals);
  return {
    ...{ head, totals, refusal },
    exit: halt?.exit ?? (refusal === undefined || worst === exits.unknown ? worst : refusal.exit),
    why: halt?.why ?? (stop.aborted ? 'by a signal' : undefined),
    next: refusal?.code === 'BATCH_LEFT' ? refusal.next : nextCommand(totals, head.id, commands),
  };
}

/** What continues a batch that ended so, or shows what became of it; undefined where all is done. */
function nextCommand(totals: readonly EndTotal[], plan: string, { again, resolve }: BatchCommands): string | undefined {
  const has = (...ends: readonly EndTotal['end'][]) => totals.some(({ end, count }) => count > 0 && ends.includes(end));
  if (has('unknown')) return `\`${again}\` queries again; \`${resolve}\` settles or sends again what stays unknown`;
  if (has('accepted', 'left', 'not_sent')) return `\`${again}\``;
  return has('refused', 'declined') ? `\`paycli batch show ${plan} --out ${plan}\` lists them` : undefined;
}

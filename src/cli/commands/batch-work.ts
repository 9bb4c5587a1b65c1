import type { BatchConnection } from '../../batch/connection.js';
import type { PostgresEngine } from '../../batch/engines/postgres-engine.js';
import type { RunEnd } from '../../batch/run-ports.js';
import { fail, thenClose } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { checkApprovalThere } from '../batch/approved.js';
import { wayText } from '../batch/bound.js';
import { clockFault } from '../batch/clock-fault.js';
import { checkConnection, checkPlace, refuseFoundThere } from '../batch/first-checks.js';
import { type RunFlags, readRunFlags, type WantedRun } from '../batch/flags.js';
import { noteOrders } from '../batch/note-orders.js';
import { checkOnceMore } from '../batch/once-more.js';
import { confirmBatch } from '../batch/permit.js';
import { connectionOf } from '../batch/plan-engine.js';
import { type EngineFlags, joinShared, makeRowKey } from '../batch/shared.js';
import { keepOutcome, nothingSent, type RunProgress } from '../batch/storage-fault.js';
import { shownEnd, Telling } from '../batch/telling.js';
import { runTogether } from '../batch/together.js';
import { checkEngine } from '../doctor/engine.js';
import { checkLive } from '../live/guard.js';
import { exits } from '../outcome.js';
import { Reporter } from '../reporter.js';
import { seconds } from '../seconds.js';
import { type Tools, warnOfClock } from '../talk.js';
import { withSession } from '../with-session.js';

export interface WorkFlags extends RunFlags, EngineFlags {
  readonly makeRowKey?: string;
}

const command = 'batch work';

/** Works on a batch that another machine put into PostgreSQL, beside it and any others, until all of it has its end. */
export async function runBatchWork(id: string | undefined, flags: WorkFlags, runtime: Runtime): Promise<number> {
  if (flags.makeRowKey !== undefined) return tellRowKey(makeRowKey(flags.makeRowKey, command, runtime), flags, runtime);
  const wanted = readRunFlags(flags, command);
  seconds('--wait-timeout', flags.waitTimeout, 3600);
  return withSession(flags, runtime, async (session, report) => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const unlisten = runtime.processes.onStop((signal) => {
      if (stop.signal.aborted) return abort.abort(signal);
      stop.abort(signal);
      report.warn(['stopping: what is on its way is waited for; once more ends that as well, and leaves those rows unknown']);
    });
    try {
      const rate = flags.rate === undefined ? undefined : wanted.rate;
      const engine = await joinShared(id, flags, { command, rate, stop: stop.signal }, runtime);
      const tools: Tools = { options: flags, session, report, runtime };
      const progress = nothingSent();
      const resume = `paycli batch work ${engine.head.id}${wayText(flags)}${session.flags}`;
      return await keepOutcome(progress, resume, report, () =>
        new Bench(engine, tools, { flags, wanted, progress }, { stop: stop.signal, abort: abort.signal }).work(),
      );
    } finally {
      unlisten();
    }
  });
}

interface Signals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}

/** What the user asked for. */
interface Asked {
  readonly flags: EngineFlags;
  readonly wanted: WantedRun;
  readonly progress: RunProgress;
}

/** One worker of a batch, from its checks to the end of all. */
class Bench {
  readonly #engine: PostgresEngine;
  readonly #tools: Tools;
  readonly #flags: EngineFlags;
  readonly #wanted: WantedRun;
  readonly #signals: Signals;
  readonly #progress: RunProgress;
  readonly #telling: Telling;

  constructor(engine: PostgresEngine, tools: Tools, { flags, wanted, progress }: Asked, signals: Signals) {
    this.#engine = engine;
    this.#progress = progress;
    this.#tools = tools;
    this.#flags = flags;
    this.#wanted = wanted;
    this.#signals = signals;
    this.#telling = new Telling(engine.head, tools.report, tools.runtime);
  }

  async work(): Promise<number> {
    return thenClose(
      async () => {
        const connection = await this.#checked();
        await noteOrders(this.#engine, this.#flags, this.#tools.runtime);
        this.#telling.phase('waiting until `paycli batch run` is past its first row');
        await this.#engine.admitted();
        await refuseFoundThere(this.#engine, connection, this.#signals.stop);
        this.#progress.exit = await this.#tellEnd(await this.#run(connection));
        return this.#progress.exit;
      },
      () => {
        this.#telling.end();
        return this.#engine.close();
      },
    );
  }

  /** What one machine checks before it sends for another that has checked the plan. */
  async #checked(): Promise<BatchConnection> {
    const { head, hash } = this.#engine;
    const { options, session, runtime } = this.#tools;
    const row = operationById(head.operation);
    checkPlace(head, session);
    if (row.effect === 'money') checkEngine(runtime.processes);
    checkLive(row, options, session);
    warnOfClock(this.#tools);
    if (!session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
    await checkApprovalThere(this.#engine, this.#tools);
    await confirmBatch(head, this.#tools);
    const connection = await connectionOf(this.#engine, this.#tools, (parts) => hash.call(this.#engine, parts));
    this.#telling.phase('asking the gateway whether it knows us');
    await checkConnection(connection, session.endpointFor(row, head.totals[0]?.currency), session, this.#signals.stop);
    return connection;
  }

  async #run(connection: BatchConnection): Promise<RunEnd> {
    const { Run } = await import('../../batch/run.js');
    const { options, session, runtime } = this.#tools;
    const waitMs = options.wait === false ? 0 : (seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs);
    return runTogether(this.#engine, () => {
      const run = new Run({
        ...{ plan: this.#engine.plan, engine: this.#engine, connection, ...this.#signals },
        options: { ...this.#wanted, waitMs, pauses: session.pauses },
        tell: (event) => this.#telling.event(event),
        leaving: () => {
          this.#progress.hasSent = true;
        },
        lookAt: (delivery) => clockFault(delivery, runtime.clock.now()),
        ...(connection.row.id === 'PAYOUT_V4_PAY'
          ? { before: (row) => checkOnceMore(row, connection, this.#engine, this.#signals.stop) }
          : {}),
      });
      this.#telling.watch(run.figures);
      return run;
    });
  }

  async #tellEnd({ halt, refusal }: RunEnd): Promise<number> {
    const { endTotals, exitOf } = await import('../../batch/outcome.js');
    const { head } = this.#engine;
    const { report, session } = this.#tools;
    const totals = endTotals(head, await this.#engine.tally());
    const exit = refusal !== undefined && exitOf(totals) !== exits.unknown ? refusal.exit : exitOf(totals);
    const why = halt?.why ?? (this.#signals.stop.aborted ? 'by a signal' : undefined);
    const next =
      exit === 0 || exit === exits.declined
        ? undefined
        : `\`paycli batch resume ${head.id} --engine …${session.flags}\` where it was planned`;
    this.#telling.end();
    await report.show(shownEnd({ head, totals, why, exit, next }, report));
    return exit;
  }
}

async function tellRowKey(path: string, flags: WorkFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  await report.show({
    document: { schema: 'paycli.row-key/1', ok: true, file: path },
    text: () =>
      `${path}: a key for the rows of batches, mode 0600\nCopy it to every worker by a safe way; without it nobody reads the rows again.\n`,
  });
  return exits.ok;
}

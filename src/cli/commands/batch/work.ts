import type { BatchConnection } from '../../../batch/connection.js';
import type { PostgresEngine } from '../../../batch/engines/postgres/engine.js';
import type { RunEnd } from '../../../batch/run/run-ports.js';
import { revalidatePayout } from '../../../batch/run/two-step-payout.js';
import { closeAfter, exits, fail, withBatchCommands } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { seconds } from '../../core/flags.js';
import { type Tools, warnOfClock } from '../../core/gateway-context.js';
import { checkLive } from '../../core/live/confirm.js';
import { withSession } from '../../core/open-session.js';
import { connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openUserJournal } from '../../core/user-stores.js';
import { assertTestedEngine } from '../doctor/runtime-check.js';
import { checkWorkerApproval, checkWorkerCaps, confirmBatch, workerLimits } from './authorize.js';
import { BatchReporter, keepOutcome, newRunProgress, type RunProgress, renderRunResult } from './batch-reporter.js';
import { endFlags, engineFlags, rowSendingFlags } from './flags.js';
import { registerOrders } from './journal-sync.js';
import { commandsAbout, namingCommands } from './named-commands.js';
import { assertWorkerRowsNotAtGateway, checkConnection, checkPlanProfile } from './preflight.js';
import {
  clockProblem,
  connectionOf,
  nextCommand,
  type RunFlags,
  type RunSettings,
  readRunFlags,
  runDistributed,
  waitMsOf,
} from './runner.js';
import { type EngineFlags, joinShared, makeRowKey } from './shared-engine.js';

interface WorkFlags extends RunFlags, EngineFlags {
  readonly makeRowKey?: string;
}

const command = 'batch work';

export const batchWork = defineCommand<WorkFlags>({
  name: 'batch work',
  summary: 'Send rows of a batch together with other machines',
  help: `Send rows of a batch together with other machines. \`paycli batch run PLAN --engine …\` puts the plan into PostgreSQL and sends the first row; from then on any number of workers take rows from there, each row going to one worker. \
Rows a worker was sending when it stopped are polled, never sent again. All workers \
share one rate. Before a machine joins, it writes the batch's order ids into its journal, so that no single command on \
it can send one of them; it refuses a batch that contains an order it has already sent.

The database needs PostgreSQL 13 or later with fsync and synchronous_commit on, and the packages pg and pg-boss installed \
with paycli. Names and accounts are stored there encrypted with the row key, which every worker needs; the plan header, \
the rows and the permission to send each of them once are protected by a MAC under that key, so the database owner can \
stop a batch but not change it. The roles to grant are in \`paycli help batches\`. The password is in a file, PGPASSWORD or \
~/.pgpass, never in the address. For a remote server the certificate is checked; sslrootcert=FILE in the address names \
its CA, and sslmode=verify-ca needs it. If the plan needs an approval, each worker checks it itself, \
against the approvers in its own configuration file.

Exit codes are those of \`paycli batch run\`, over the whole batch.`,
  args: [['[plan]', 'plan id; default: the only one with rows left']],
  options: [
    ['--concurrency <number>', 'requests in flight at once from this machine (4)'],
    ['--rate <number>', 'request rate of all workers together, per second, minute or hour (as given to `batch run`)'],
    ...endFlags,
    ...rowSendingFlags,
    ...engineFlags,
    ['--make-row-key <file>', 'only write a new row key to this file, then exit'],
    ...connectionFlags,
  ],
  examples: [
    'batch work --make-row-key rows.key',
    'batch work --engine postgres://payer@db.example/batches --row-key-file rows.key',
    'batch work $PLAN --engine postgres://payer@db.example/batches --row-key-file rows.key --concurrency 8',
  ],
  effect: 'money',
  network: true,
  exits: [...statusExits, 'declined', 'pending', 'batchLeft'],
  note: 'It takes rows from a database that several machines share.',
  prints: ['batch-event', 'batch-run', 'row-key'],
  run: ({ args: [plan], options, runtime }) => runBatchWork(plan, options, runtime),
});

/** Works on a batch that another machine put into PostgreSQL, beside it and any others, until all of it has its end. */
async function runBatchWork(id: string | undefined, flags: WorkFlags, runtime: Runtime): Promise<number> {
  if (flags.makeRowKey !== undefined) return showRowKey(makeRowKey(flags.makeRowKey, command, runtime), flags, runtime);
  const wanted = readRunFlags(flags, command);
  seconds('--wait-timeout', flags.waitTimeout, 3600);
  return withSession(flags, runtime, async (session, report) => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const unlisten = runtime.processes.onStop((signal) => {
      if (stop.signal.aborted) return abort.abort(signal);
      stop.abort(signal);
      report.warn([
        'stopping: waiting for the rows being sent; a second Ctrl-C stops waiting and leaves those rows unknown',
      ]);
    });
    const journal = await openUserJournal(runtime);
    try {
      const rate = flags.rate === undefined ? undefined : wanted.rate;
      const { maxUnknown } = wanted;
      const worker = workerLimits(session, journal);
      const engine = await namingCommands(
        () => commandsAbout({ name: id ?? '', way: flags, verb: 'work', profile: session.flags }),
        () => joinShared(id, flags, { command, rate, stop: stop.signal, worker, maxUnknown, report }, runtime),
      );
      const tools: Tools = { options: flags, session, report, runtime };
      const progress = newRunProgress();
      const commands = commandsAbout({ name: engine.head.id, way: flags, verb: 'work', profile: session.flags });
      const signals = { stop: stop.signal, abort: abort.signal };
      return await keepOutcome(progress, commands.again, report, () =>
        namingCommands(
          () => commands,
          () => new BatchWorker(engine, tools, { flags, wanted, progress }, signals).work(),
        ),
      );
    } finally {
      unlisten();
      journal.close();
    }
  });
}

interface Signals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}

/** What the user asked for. */
interface WorkRequest {
  readonly flags: EngineFlags;
  readonly wanted: RunSettings;
  readonly progress: RunProgress;
}

/** One worker of a batch, from its checks to the end of all. */
class BatchWorker {
  readonly #engine: PostgresEngine;
  readonly #tools: Tools;
  readonly #flags: EngineFlags;
  readonly #wanted: RunSettings;
  readonly #signals: Signals;
  readonly #progress: RunProgress;
  readonly #reporter: BatchReporter;

  constructor(engine: PostgresEngine, tools: Tools, { flags, wanted, progress }: WorkRequest, signals: Signals) {
    this.#engine = engine;
    this.#progress = progress;
    this.#tools = tools;
    this.#flags = flags;
    this.#wanted = wanted;
    this.#signals = signals;
    this.#reporter = new BatchReporter(engine.head, tools.report, tools.runtime);
  }

  async work(): Promise<number> {
    return closeAfter(
      async () => {
        const connection = await this.#preflight();
        await registerOrders(this.#engine, this.#flags, this.#tools.runtime);
        this.#reporter.phase('waiting for `paycli batch run` to finish its first row');
        await this.#engine.waitForCanary();
        await assertWorkerRowsNotAtGateway(this.#engine, connection, this.#signals.stop);
        this.#progress.exit = await this.#showEnd(await this.#run(connection));
        return this.#progress.exit;
      },
      () => {
        this.#reporter.end();
        return this.#engine.close();
      },
    );
  }

  /** What one machine checks before it sends for another that has checked the plan. */
  async #preflight(): Promise<BatchConnection> {
    const { head, hash } = this.#engine;
    const { options, session, runtime } = this.#tools;
    const row = operationById(head.operation);
    checkPlanProfile(head, session);
    if (row.effect === 'money') assertTestedEngine(runtime.processes);
    checkLive(row, options, session);
    warnOfClock(this.#tools);
    if (!session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
    await checkWorkerApproval(this.#engine, this.#tools);
    await checkWorkerCaps(this.#engine, this.#tools);
    await confirmBatch(head, this.#tools);
    const connection = await connectionOf(this.#engine, this.#tools, (parts) => hash.call(this.#engine, parts));
    this.#reporter.phase('checking login and keys with the gateway');
    await checkConnection(connection, session.endpointFor(row, head.totals[0]?.currency), session, this.#signals.stop);
    return connection;
  }

  async #run(connection: BatchConnection): Promise<RunEnd> {
    const { BatchRun } = await import('../../../batch/run/batch-run.js');
    const { session, runtime } = this.#tools;
    return runDistributed(this.#engine, () => {
      const run = new BatchRun({
        ...{ plan: this.#engine.plan, engine: this.#engine, connection, ...this.#signals },
        options: { ...this.#wanted, waitMs: waitMsOf(this.#tools), pauses: session.pauses },
        onEvent: (event) => this.#reporter.event(event),
        onSend: () => {
          this.#progress.hasSent = true;
        },
        inspectReply: (delivery) => clockProblem(delivery, runtime.clock.now()),
        ...(connection.row.id === 'PAYOUT_V4_PAY'
          ? { mayBegin: (row) => revalidatePayout(row, connection, this.#engine, this.#signals.stop) }
          : {}),
      });
      this.#reporter.watch(run.counters);
      return run;
    });
  }

  async #showEnd({ halt, refusal: found }: RunEnd): Promise<number> {
    const { endTotals, exitCodeOf } = await import('../../../batch/run/progress.js');
    const { head } = this.#engine;
    const { report, session } = this.#tools;
    const commands = commandsAbout({ name: head.id, way: this.#flags, verb: 'work', profile: session.flags });
    const refusal = found === undefined ? undefined : withBatchCommands(found, commands);
    const totals = endTotals(head, await this.#engine.tally());
    const exit = refusal !== undefined && exitCodeOf(totals) !== exits.unknown ? refusal.exit : exitCodeOf(totals);
    const why = halt?.why ?? (this.#signals.stop.aborted ? 'by a signal' : undefined);
    const next = refusal?.code === 'BATCH_LEFT' ? refusal.next : nextCommand(totals, commands);
    this.#reporter.end();
    if (exit === refusal?.exit) report.because(refusal);
    await report.show(renderRunResult({ head, totals, why, exit, next }, report));
    return exit;
  }
}

async function showRowKey(path: string, flags: WorkFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  await report.show({
    document: { schema: 'paycli.row-key/1', ok: true, file: path },
    text: () =>
      `${path}: a row key for batches, mode 0600\nCopy it to every worker over a secure channel; without it \
the rows cannot be read.\n`,
  });
  return exits.ok;
}

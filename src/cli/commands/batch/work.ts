import type { BatchConnection } from '../../../batch/connection.js';
import type { PostgresEngine } from '../../../batch/engines/postgres/engine.js';
import { closeAfter, exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { mayPrompt } from '../../command.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { openUserJournal } from '../../core/user-stores.js';
import type { Tools } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import { planNotNamed } from './ask-plan.js';
import { checkWorkerApproval, checkWorkerCaps, confirmBatch, workerLimits } from './authorize.js';
import { BatchReporter, keepOutcome, type RunProgress } from './batch-reporter.js';
import { endFlags, engineFlags, rowSendingFlags } from './flags.js';
import { registerOrders } from './journal-sync.js';
import { commandsAbout, namingCommands } from './named-commands.js';
import { assertWorkerRowsNotAtGateway, checkConnection, checkPlanProfile, checkSession } from './preflight.js';
import {
  connectionOf,
  type RunFlags,
  type RunSettings,
  readRunFlags,
  resultOf,
  StopSignals,
  sendRows,
} from './runner.js';
import { type EngineFlags, joinShared, makeRowKey } from './shared-engine.js';

interface WorkFlags extends RunFlags, EngineFlags {
  readonly makeRowKey?: string;
}

const command = 'batch work';

export const batchWork = defineCommand<WorkFlags>({
  name: 'batch work',
  summary: 'Send rows of a batch together with other machines',
  help: `Send rows of a batch together with other machines. \`paycli batch run PLAN --engine …\` puts the plan into PostgreSQL and sends the first row; from then on any number of workers take rows from there, each row going to one worker. Rows a worker was sending when it stopped are polled, never sent again. All workers share one rate. Before a machine joins, it writes the batch's order ids into its journal, so that no single command on it can send one of them; it refuses a batch that contains an order it has already sent.

The database needs PostgreSQL 13 or later with fsync and synchronous_commit on, and the packages pg and pg-boss installed with paycli. Names and accounts are stored there encrypted with the row key, which every worker needs; the plan header, the rows and the permission to send each of them once are protected by a MAC under that key, so the database owner can stop a batch but not change it. The roles to grant are in \`paycli help batches\`. The password is in a file, PGPASSWORD or ~/.pgpass, never in the address. For a remote server the certificate is checked; sslrootcert=FILE in the address names its CA, and sslmode=verify-ca needs it. If the plan needs an approval, each worker checks it itself, against the approvers in its own configuration file.

Exit codes are those of \`paycli batch run\`, over the whole batch.`,
  args: [['[plan]', 'plan id; default on a terminal: the only one with rows left']],
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
    'batch work $PLAN --engine postgres://paycli@db.example/batches --row-key-file rows.key',
    'batch work $PLAN --engine postgres://paycli@db.example/batches --row-key-file rows.key --concurrency 8',
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
  if (id === undefined && !mayPrompt(flags, runtime)) throw planNotNamed(command);
  const wanted = readRunFlags(flags, command);
  return withSession(flags, runtime, async (session, report) => {
    const tools: Tools = { options: flags, session, report, runtime };
    const commandsFor = (name: string) => commandsAbout({ name, way: flags, verb: 'work', profile: session.flags });
    const signals = new StopSignals();
    const unlisten = signals.listen(runtime.processes, report);
    const journal = await openUserJournal(runtime);
    try {
      const rate = flags.rate === undefined ? undefined : wanted.rate;
      const { maxUnknown } = wanted;
      const { stop } = signals;
      const worker = workerLimits(session, journal);
      const engine = await namingCommands(
        () => commandsFor(id ?? ''),
        () => joinShared(id, flags, { command, rate, stop, worker, maxUnknown, report }, runtime),
      );
      return await keepOutcome(commandsFor(engine.head.id), report, (progress) =>
        new BatchWorker(engine, tools, { flags, wanted, progress, signals }).work(),
      );
    } finally {
      unlisten();
      journal.close();
    }
  });
}

/** What the user asked for, and what becomes of it. */
interface WorkRequest {
  readonly flags: EngineFlags;
  readonly wanted: RunSettings;
  readonly progress: RunProgress;
  readonly signals: StopSignals;
}

/** One worker of a batch, from its checks to the end of all. */
class BatchWorker {
  readonly #engine: PostgresEngine;
  readonly #tools: Tools;
  readonly #request: WorkRequest;
  readonly #reporter: BatchReporter;

  constructor(engine: PostgresEngine, tools: Tools, request: WorkRequest) {
    this.#engine = engine;
    this.#tools = tools;
    this.#request = request;
    this.#reporter = new BatchReporter(engine.head, tools.report, tools.runtime);
  }

  async work(): Promise<number> {
    return closeAfter(
      async () => {
        const connection = await this.#preflight();
        await registerOrders(this.#engine, this.#request.flags, this.#tools.runtime);
        this.#reporter.phase('waiting for `paycli batch run` to finish its first row');
        await this.#engine.waitForCanary();
        await assertWorkerRowsNotAtGateway(this.#engine, connection, this.#request.signals.stop);
        return this.#send(connection);
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
    const { session } = this.#tools;
    const row = operationById(head.operation);
    checkPlanProfile(head, session);
    checkSession(row, this.#tools);
    await checkWorkerApproval(this.#engine, this.#tools);
    await checkWorkerCaps(this.#engine, this.#tools);
    await confirmBatch(head, this.#tools);
    const connection = await connectionOf(this.#engine, this.#tools, (parts) => hash.call(this.#engine, parts));
    this.#reporter.phase('checking login and keys with the gateway');
    const endpointId = session.endpointFor(row, head.totals[0]?.currency);
    await checkConnection(connection, endpointId, session, this.#request.signals.stop);
    return connection;
  }

  async #send(connection: BatchConnection): Promise<number> {
    const engine = this.#engine;
    const { flags, wanted, progress, signals } = this.#request;
    const parts = { wanted, progress, signals, reporter: this.#reporter };
    const end = await sendRows({ ...parts, plan: engine.plan, engine, connection }, this.#tools);
    const { id } = engine.head;
    const commands = commandsAbout({ name: id, way: flags, verb: 'work', profile: this.#tools.session.flags });
    const result = resultOf(engine.head, await engine.tally(), end, commands, signals.stop);
    await this.#reporter.showResult(result);
    progress.exit = result.exit;
    return result.exit;
  }
}

async function showRowKey(path: string, flags: WorkFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  await report.show({
    document: { schema: 'paycli.row-key/1', ok: true, file: path },
    text: () =>
      `${path}: a row key for batches, mode 0600\nCopy it to every worker over a secure channel; without it the rows cannot be read.\n`,
  });
  return exits.ok;
}

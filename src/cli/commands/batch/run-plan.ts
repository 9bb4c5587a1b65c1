import type { BatchConnection } from '../../../batch/connection.js';
import type { PlanStore } from '../../../batch/plan.js';
import type { BatchEngine } from '../../../batch/run/engine.js';
import { isFinished, journalLookup, mayBeSent, type StateTotal, tallyRows } from '../../../batch/run/progress.js';
import { closeAfter, ifInterrupted, stopError } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { movesOf, operationById } from '../../../spec/index.js';
import { mayPrompt, saysYes } from '../../command.js';
import { currentUser } from '../../core/current-user.js';
import { oneLine } from '../../format/document.js';
import type { Tools } from '../../gateway.js';
import { withSession } from '../../open-session.js';
import { checkApproval, checkPlanCaps, checkPlanRules, confirmBatch } from './authorize.js';
import { BatchReporter, keepOutcome, type RunProgress } from './batch-reporter.js';
import { commandsAbout } from './named-commands.js';
import { lockPlan, rowsText, withPlan } from './plan-files.js';
import { checkOwnJournal, journalName, otherJournalReason, runBeganEvent, runEndedEvent } from './plan-history.js';
import {
  assertNotAtGateway,
  assertNotReturned,
  assertNotSentBefore,
  cancelledText,
  checkBeforeRun,
  checkConnection,
  checkPlanProfile,
  recoverAllSentRows,
} from './preflight.js';
import {
  connectionOf,
  openEngine,
  type RunFlags,
  type RunSettings,
  readRunFlags,
  resultOf,
  StopSignals,
  sendRows,
} from './runner.js';
import { SentSidecar } from './sent-sidecar.js';

const command = 'batch run';

/** Sends what is left of a plan, and resolves what is open. */
export async function runBatch(name: string, flags: RunFlags, runtime: Runtime): Promise<number> {
  return runPlan(flags.pay === true ? await payPlan(name, flags, runtime) : name, flags, runtime);
}

/** The second step of a plan of checks, frozen; its id. */
function payPlan(name: string, flags: RunFlags, runtime: Runtime): Promise<string> {
  return withSession(flags, runtime, (session, report) =>
    withPlan(
      name,
      command,
      runtime,
      async (plan, journal) => {
        checkPlanProfile(plan.head, session);
        const { preparePayPlan } = await import('./run-modes.js');
        return preparePayPlan(plan, journal, { options: flags, session, report, runtime });
      },
      'read',
    ),
  );
}

async function runPlan(name: string, flags: RunFlags, runtime: Runtime): Promise<number> {
  const wanted = readRunFlags(flags);
  return withSession(flags, runtime, (session, report) => {
    const commands = commandsAbout(name, session.flags);
    return keepOutcome(commands, report, (progress) =>
      withPlan(
        name,
        command,
        runtime,
        async (plan, journal) => {
          const tools: Tools = { options: flags, session, report, runtime };
          checkBeforeRun(plan.head, tools);
          if (flags.dryRun === true) return (await import('./run-modes.js')).dryRun(plan, journal, tools);
          const lock = await lockPlan(plan.head, runtime);
          return closeAfter(
            () => new BatchRunner(plan, journal, { wanted, flags, progress }, tools).run(),
            () => lock.release(),
          );
        },
        'read',
      ),
    );
  });
}

/** What the user asked for. */
interface RunRequest {
  readonly wanted: RunSettings;
  readonly flags: RunFlags;
  readonly progress: RunProgress;
}

/** One run of one plan, from its lock to its end. */
class BatchRunner {
  readonly #plan: PlanStore;
  readonly #journal: Journal;
  readonly #wanted: RunSettings;
  readonly #flags: RunFlags;
  readonly #tools: Tools;
  readonly #sidecar: SentSidecar;
  readonly #reporter: BatchReporter;
  readonly #progress: RunProgress;
  readonly #signals = new StopSignals();

  constructor(plan: PlanStore, journal: Journal, { wanted, flags, progress }: RunRequest, tools: Tools) {
    this.#plan = plan;
    this.#progress = progress;
    this.#journal = journal;
    this.#wanted = wanted;
    this.#flags = flags;
    this.#tools = tools;
    this.#sidecar = new SentSidecar(plan.head.file.path, plan.head.base, tools.runtime);
    this.#reporter = new BatchReporter(plan.head, tools.report, tools.runtime);
  }

  async run(): Promise<number> {
    const { runtime, report } = this.#tools;
    const tally = this.#tallyHere();
    const cancelled = cancelledText(this.#plan.head.id, this.#journal);
    if (cancelled !== undefined) report.notes([cancelled]);
    if (isFinished(tally)) return this.#showFinished(tally);
    await checkApproval(this.#plan, this.#tools);
    if (this.#flags.afterRestore !== true) {
      this.#sidecar.check(this.#journal);
      checkOwnJournal(this.#plan, this.#journal);
    }
    await checkPlanCaps(this.#plan, this.#tools, this.#journal);
    const connection = await this.#connection();
    await checkPlanRules(this.#plan, connection, this.#tools);
    if (mayBeSent(tally)) await confirmBatch(this.#plan.head, this.#tools, tally);
    const isContinued = await this.#isPauseOver();
    const unlisten = this.#signals.listen(runtime.processes, report);
    if (connection.row.effect === 'read') return this.#queryAll(connection).finally(unlisten);
    const engine = await this.#engine(connection);
    return closeAfter(
      async () => {
        await this.#preflight(connection, engine);
        if (this.#stop.aborted) throw stopError(this.#stop);
        this.#plan.noteSentBy(journalName(this.#journal));
        if (isContinued) this.#endPause();
        return this.#send(connection, engine);
      },
      () => {
        this.#reporter.end();
        unlisten();
        return engine.close();
      },
    );
  }

  /** Whether this run ends a pause: on a terminal that is asked, a script has to say so. */
  async #isPauseOver(): Promise<boolean> {
    const { options, runtime } = this.#tools;
    const { id } = this.#plan.head;
    const change = this.#journal.planStates.newest(id);
    if (change?.state !== 'paused') return false;
    if (this.#flags.continue === true) return true;
    if (!mayPrompt(options, runtime)) return false;
    const message = `batch ${id} was paused by ${oneLine(change.by)}: ${oneLine(change.reason)}. Send its rows now?`;
    return saysYes('continue', message, options, runtime).catch(ifInterrupted('nothing was sent'));
  }

  #endPause(): void {
    const { runtime } = this.#tools;
    const who = { by: currentUser(runtime), host: runtime.processes.host, reason: 'continued' };
    this.#journal.planStates.change(this.#plan.head.id, 'running', who);
    this.#plan.addEvent('continued', who);
  }

  /**
   * Where the rows stand by the journal; empty for questions, where another journal sent the rows, and where every row
   * is to be queried.
   */
  #tallyHere(): readonly StateTotal[] {
    const isRead = operationById(this.#plan.head.operation).effect === 'read';
    const isOther = otherJournalReason(this.#plan, this.#journal) !== undefined;
    if (isRead || isOther || this.#flags.afterRestore === true) return [];
    return tallyRows(this.#plan, journalLookup(this.#plan, this.#journal)).totals();
  }

  /** Every row has its final outcome or is cancelled, so there is nothing to ask for, to send or to resolve. */
  async #showFinished(tally: readonly StateTotal[]): Promise<number> {
    const { session, report } = this.#tools;
    const { head } = this.#plan;
    if (cancelledText(head.id, this.#journal) === undefined)
      report.notes([`batch ${head.id} is finished: ${rowsText(head.count)} with a final outcome; nothing is sent`]);
    const commands = commandsAbout(head.id, session.flags);
    const result = resultOf(head, tally, { halt: undefined, refusal: undefined }, commands, this.#stop);
    await this.#reporter.showResult({ ...result, sentNote: this.#sentNote });
    this.#progress.exit = result.exit;
    return result.exit;
  }

  /** Questions move nothing, so there is nothing to look for, to note or to resolve. */
  async #queryAll(connection: BatchConnection): Promise<number> {
    const { runStatusBatch } = await import('./run-modes.js');
    return runStatusBatch(this.#plan, connection, this.#wanted, this.#stop, this.#tools);
  }

  get #stop(): AbortSignal {
    return this.#signals.stop;
  }

  #connection(): Promise<BatchConnection> {
    return connectionOf(this.#plan, this.#tools, (parts) => this.#journal.hash(parts));
  }

  #engine(connection: BatchConnection): Promise<BatchEngine> {
    const { rate } = this.#wanted;
    return openEngine({ plan: this.#plan, journal: this.#journal, connection, rate }, this.#tools);
  }

  /** Nothing of it was sent so far. */
  get #isFresh(): boolean {
    return this.#plan.sentBy() === undefined || !this.#plan.events().some(({ what }) => what === runBeganEvent);
  }

  /** Whatever can be found out before the first row leaves. */
  async #preflight(connection: BatchConnection, engine: BatchEngine): Promise<void> {
    const { session, report } = this.#tools;
    const ports = { plan: this.#plan, engine, connection, stop: this.#stop };
    this.#reporter.phase('checking login and keys with the gateway');
    await checkConnection(connection, this.#plan.row(1)?.endpointId ?? '', session, this.#stop);
    if (this.#flags.afterRestore === true) {
      const count = await recoverAllSentRows(ports, (asked) =>
        this.#reporter.phase(`querying every row: ${asked} of ${this.#plan.head.count}`),
      );
      report.notes([`${rowsText(count)} sent before this journal began: recorded, and not sent again`]);
      this.#plan.noteSentBy(journalName(this.#journal));
      this.#noteProgress();
    } else {
      const isFresh = this.#isFresh;
      if (isFresh) await assertNotSentBefore(this.#plan, engine);
      this.#reporter.phase('looking up a sample of the orders at the gateway');
      await assertNotAtGateway(ports, isFresh);
      const isReturn = movesOf(connection.row.id) === 'returns';
      if (isReturn && session.askFirst === 'on') await assertNotReturned(ports, this.#journal);
    }
  }

  get #sentNote(): string | undefined {
    return this.#sidecar.isThere ? this.#sidecar.path : undefined;
  }

  /** How far it is, for whoever finds the journal older than this. */
  #noteProgress(): void {
    this.#sidecar.note(this.#journal, this.#tools.report);
  }

  async #send(connection: BatchConnection, engine: BatchEngine): Promise<number> {
    const { session, runtime } = this.#tools;
    const { clock, processes } = runtime;
    const { concurrency, rate } = this.#wanted;
    const { host, pid } = processes;
    this.#plan.addEvent(runBeganEvent, { command, host, pid, concurrency, rate });
    let notedAt = clock.monotonic();
    const onEvent = () => {
      if (clock.monotonic() - notedAt < 1000) return;
      notedAt = clock.monotonic();
      this.#noteProgress();
    };
    const run = { wanted: this.#wanted, signals: this.#signals, progress: this.#progress, reporter: this.#reporter };
    const end = await sendRows({ ...run, plan: this.#plan, engine, connection, onEvent }, this.#tools).finally(() =>
      this.#noteProgress(),
    );
    this.#reporter.phase('totalling the rows');
    const { head } = this.#plan;
    const commands = commandsAbout(head.id, session.flags);
    const result = resultOf(head, await engine.tally(), end, commands, this.#stop);
    this.#noteProgress();
    await engine.close();
    const { exit, totals } = result;
    const counts = Object.fromEntries(totals.map((total) => [total.end, total.count]));
    this.#plan.addEvent(runEndedEvent, { exit, ...counts });
    await this.#reporter.showResult({ ...result, sentNote: this.#sentNote });
    this.#progress.exit = exit;
    return exit;
  }
}

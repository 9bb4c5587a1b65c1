import type { BatchConnection } from '../../batch/connection.js';
import type { Engine } from '../../batch/engine.js';
import type { PostgresEngine } from '../../batch/engines/postgres-engine.js';
import type { EndTotal } from '../../batch/outcome.js';
import type { BatchRow, BoundPlan } from '../../batch/plan.js';
import type { Run } from '../../batch/run.js';
import type { RunEnd } from '../../batch/run-ports.js';
import { fail, thenClose } from '../../errors/index.js';
import type { Journal } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { checkApproval } from '../batch/approved.js';
import { checkOrders, wayText } from '../batch/bound.js';
import { bringHome } from '../batch/bring-home.js';
import { clockFault } from '../batch/clock-fault.js';
import { Counter } from '../batch/counter.js';
import { began } from '../batch/earlier-version.js';
import { checkConnection, checkPlace, refuseFound, refuseSent, takeOverAll } from '../batch/first-checks.js';
import { type RunFlags, readRunFlags, type WantedRun } from '../batch/flags.js';
import { holdPlan } from '../batch/locks.js';
import { checkNoneLost } from '../batch/older.js';
import { checkOnceMore } from '../batch/once-more.js';
import { checkPlanCaps, checkPlanRules, confirmBatch } from '../batch/permit.js';
import { connectionOf, localEngineOf } from '../batch/plan-engine.js';
import { RunBinding } from '../batch/run-binding.js';
import { type EngineFlags, startShared } from '../batch/shared.js';
import { keepOutcome, nothingSent, type RunProgress } from '../batch/storage-fault.js';
import { shownEnd, Telling } from '../batch/telling.js';
import { runTogether } from '../batch/together.js';
import { withPlan } from '../batch-plans.js';
import { checkEngine } from '../doctor/engine.js';
import { checkLive } from '../live/guard.js';
import { seconds } from '../seconds.js';
import { type Tools, warnOfClock } from '../talk.js';
import { withSession } from '../with-session.js';

export type RunCommand = 'batch run' | 'batch resume';

const ended = 'run ended';

/** Sends what is left of a plan, and settles what is open. */
export async function runBatch(name: string, command: RunCommand, flags: RunFlags & EngineFlags, runtime: Runtime): Promise<number> {
  return runPlan(flags.pay === true ? await payPlan(name, command, flags, runtime) : name, command, flags, runtime);
}

/** The second step of a plan of checks, frozen; its id. */
function payPlan(name: string, command: RunCommand, flags: RunFlags, runtime: Runtime): Promise<string> {
  return withSession(flags, runtime, (session, report) =>
    withPlan(name, command, runtime, async (plan, journal) => {
      checkPlace(plan.head, session);
      const { payPlanOf } = await import('../batch/pay.js');
      return payPlanOf(plan, journal, { options: flags, session, report, runtime });
    }),
  );
}

async function runPlan(name: string, command: RunCommand, flags: RunFlags & EngineFlags, runtime: Runtime): Promise<number> {
  const wanted = readRunFlags(flags, command);
  seconds('--wait-timeout', flags.waitTimeout, 3600);
  return withSession(flags, runtime, (session, report) => {
    const progress = nothingSent();
    const resume = `paycli batch resume ${name}${wayText(flags)}${session.flags}`;
    return keepOutcome(progress, resume, report, () =>
      withPlan(name, command, runtime, async (plan, journal) => {
        const tools: Tools = { options: flags, session, report, runtime };
        beforeAnything(plan, command, tools);
        if (flags.dryRun === true) return (await import('../batch/dry-run.js')).dryRun(plan, journal, tools);
        const lock = await holdPlan(plan.head, runtime);
        return thenClose(
          () => new Desk(plan, journal, { command, wanted, flags, progress }, tools).run(),
          () => lock.release(),
        );
      }),
    );
  });
}

function beforeAnything(plan: BoundPlan, command: RunCommand, tools: Tools): void {
  const { options, session, runtime } = tools;
  const { head } = plan;
  const row = operationById(head.operation);
  checkPlace(head, session);
  if (command === 'batch resume' && !plan.events().some(({ what }) => what === began))
    throw fail('USAGE', { why: `plan ${head.id} was never run; \`paycli batch run ${head.id}\` begins it`, command });
  if (row.effect === 'money') checkEngine(runtime.processes);
  checkLive(row, options, session);
  if (row.effect !== 'read') warnOfClock(tools);
  if (row.effect !== 'read' && !session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
}

/** What the user asked for. */
interface Asked {
  readonly command: RunCommand;
  readonly wanted: WantedRun;
  readonly flags: RunFlags & EngineFlags;
  readonly progress: RunProgress;
}

/** One run of one plan, from its lock to its end. */
class Desk {
  readonly #plan: BoundPlan;
  readonly #journal: Journal;
  readonly #wanted: WantedRun;
  readonly #flags: RunFlags & EngineFlags;
  readonly #tools: Tools;
  readonly #counter: Counter;
  readonly #telling: Telling;
  readonly #command: RunCommand;
  readonly #progress: RunProgress;
  readonly #binding: RunBinding;
  /** The gate, where several machines send. */
  #shared: PostgresEngine | undefined;
  /** The first signal stops, the second one cuts what is on its way. */
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();

  constructor(plan: BoundPlan, journal: Journal, { command, wanted, flags, progress }: Asked, tools: Tools) {
    this.#plan = plan;
    this.#progress = progress;
    this.#journal = journal;
    this.#command = command;
    this.#wanted = wanted;
    this.#flags = flags;
    this.#tools = tools;
    this.#counter = new Counter(plan.head.file.path, plan.head.base, tools.runtime);
    this.#binding = new RunBinding(plan, journal, { command, flags, counter: this.#counter }, tools);
    this.#telling = new Telling(plan.head, tools.report, tools.runtime);
  }

  async run(): Promise<number> {
    const { runtime } = this.#tools;
    await checkApproval(this.#plan, this.#tools);
    this.#binding.check();
    if (this.#flags.afterRestore !== true) this.#counter.check(this.#journal);
    await checkPlanCaps(this.#plan, this.#tools, this.#journal);
    const connection = await this.#connection();
    await checkPlanRules(this.#plan, connection, this.#tools);
    await confirmBatch(this.#plan.head, this.#tools);
    const unlisten = runtime.processes.onStop((signal) => this.#onSignal(signal));
    if (connection.row.effect === 'read') return this.#ask(connection).finally(unlisten);
    const engine = await this.#engine(connection);
    return thenClose(
      async () => {
        await this.#look(connection, engine);
        if (this.#stop.signal.aborted) throw fail(this.#stop.signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
        this.#binding.keep();
        return this.#send(connection, engine);
      },
      () => {
        this.#telling.end();
        unlisten();
        return engine.close();
      },
    );
  }

  /** Questions move nothing, so there is nothing to look for, to note or to settle. */
  async #ask(connection: BatchConnection): Promise<number> {
    const { askRows } = await import('../batch/ask-rows.js');
    return askRows(this.#plan, connection, this.#wanted, this.#stop.signal, this.#tools);
  }

  #onSignal(signal: 'SIGINT' | 'SIGTERM'): void {
    const { report } = this.#tools;
    if (this.#stop.signal.aborted) this.#abort.abort(signal);
    else this.#stop.abort(signal);
    if (this.#abort.signal.aborted) return;
    report.warn(['stopping: what is on its way is waited for; once more ends that as well, and leaves those rows unknown']);
  }

  #connection(): Promise<BatchConnection> {
    return connectionOf(this.#plan, this.#tools, (parts) => (this.#shared ?? this.#journal).hash(parts));
  }

  async #engine(connection: BatchConnection): Promise<Engine> {
    if (this.#flags.engine === undefined) {
      this.#binding.checkJournal();
      return localEngineOf({ plan: this.#plan, journal: this.#journal, connection, rate: this.#wanted.rate }, this.#tools);
    }
    // Who goes on with a batch changes its rate only by a word.
    const rate = this.#command === 'batch resume' && this.#flags.rate === undefined ? undefined : this.#wanted.rate;
    this.#shared = await startShared(
      this.#plan,
      this.#flags,
      {
        ...{ command: this.#command, rate, stop: this.#stop.signal },
        admit: (engine, isThere, holds) => this.#binding.admit(engine, isThere, holds, connection),
      },
      this.#tools.runtime,
    );
    return this.#shared;
  }

  /** Nothing of it was sent so far, or not by the engine it is bound to. */
  get #isFresh(): boolean {
    return !this.#binding.isKnown || !this.#plan.events().some(({ what }) => what === began);
  }

  /** Whatever can be found out before the first row leaves. */
  async #look(connection: BatchConnection, engine: Engine): Promise<void> {
    const { session, report } = this.#tools;
    const ports = { plan: this.#plan, engine, connection, stop: this.#stop.signal };
    this.#telling.phase('asking the gateway whether it knows us');
    await checkConnection(connection, this.#plan.row(1)?.endpointId ?? '', session, this.#stop.signal);
    if (this.#flags.afterRestore === true) {
      const count = await takeOverAll(ports, (asked) =>
        this.#telling.phase(`asking about every row: ${asked} of ${this.#plan.head.count}`),
      );
      report.notes([`${count} rows were sent before this journal: written down, and not sent again`]);
      // In this order: cut off in between, the database that was left is refused here, and nobody works in this one.
      this.#binding.keep();
      await this.#shared?.keepServer();
      await this.#shared?.lookForMark();
      this.#note();
    } else {
      const isFresh = this.#isFresh;
      if (isFresh) {
        checkOrders(this.#plan, this.#journal);
        await refuseSent(this.#plan, engine);
      } else if (this.#shared !== undefined) await checkNoneLost(this.#plan, engine, this.#journal, this.#binding.here);
      this.#telling.phase('asking the gateway for a few of the orders');
      await refuseFound(ports, isFresh);
    }
  }

  /** How far it is, for whoever finds the journal or the database older than this. */
  #note(): void {
    this.#counter.note(this.#journal, this.#tools.report);
    const mark = this.#shared?.mark;
    if (mark !== undefined) this.#plan.keepSeen({ engine: this.#binding.here.engine, mark });
  }

  async #send(connection: BatchConnection, engine: Engine): Promise<number> {
    const [{ Run }, { endTotals, exitOf }] = await Promise.all([import('../../batch/run.js'), import('../../batch/outcome.js')]);
    const { session, runtime, report } = this.#tools;
    const { concurrency, rate } = this.#wanted;
    const { host, pid } = runtime.processes;
    this.#plan.addEvent(began, { command: this.#command, host, pid, concurrency, rate });
    let notedAt = runtime.clock.monotonic();
    const newRun = (): Run => {
      const run = new Run({
        ...{ plan: this.#plan, engine, connection, stop: this.#stop.signal, abort: this.#abort.signal },
        options: { ...this.#wanted, waitMs: this.#waitMs(), pauses: session.pauses },
        tell: (event) => {
          this.#telling.event(event);
          if (runtime.clock.monotonic() - notedAt < 1000) return;
          notedAt = runtime.clock.monotonic();
          this.#note();
        },
        leaving: () => {
          this.#progress.hasSent = true;
        },
        lookAt: (delivery) => clockFault(delivery, runtime.clock.now()),
        ...(connection.row.id === 'PAYOUT_V4_PAY'
          ? { before: (row: BatchRow) => checkOnceMore(row, connection, engine, this.#stop.signal) }
          : {}),
      });
      this.#telling.watch(run.figures);
      return run;
    };
    const running = this.#shared === undefined ? newRun().toEnd() : runTogether(this.#shared, newRun);
    const end = await running.finally(() => this.#note());
    this.#telling.phase('adding up');
    const totals = endTotals(this.#plan.head, await engine.tally());
    if (this.#shared !== undefined) await bringHome({ plan: this.#plan, engine, connection, journal: this.#journal });
    await this.#shared?.lookForMark();
    this.#note();
    await engine.close();
    const exit = end.refusal !== undefined && exitOf(totals) !== 8 ? end.refusal.exit : exitOf(totals);
    this.#plan.addEvent(ended, { exit, ...Object.fromEntries(totals.map((total) => [total.end, total.count])) });
    this.#telling.end();
    await report.show(shownEnd({ head: this.#plan.head, totals, why: this.#why(end), exit, next: this.#next(totals) }, report));
    this.#progress.exit = exit;
    return exit;
  }

  #waitMs(): number {
    const { options, session } = this.#tools;
    if (options.wait === false) return 0;
    return seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs;
  }

  #why({ halt }: RunEnd): string | undefined {
    if (halt !== undefined) return halt.why;
    return this.#stop.signal.aborted ? 'by a signal' : undefined;
  }

  #next(totals: readonly EndTotal[]): string | undefined {
    const { id } = this.#plan.head;
    const has = (...ends: readonly EndTotal['end'][]) => totals.some(({ end, count }) => count > 0 && ends.includes(end));
    const { flags } = this.#tools.session;
    const there = wayText(this.#flags);
    if (has('unknown', 'accepted', 'left', 'not_sent')) return `\`paycli batch resume ${id}${there}${flags}\``;
    return has('refused', 'declined') ? `\`paycli batch report ${id}\` lists them` : undefined;
  }
}

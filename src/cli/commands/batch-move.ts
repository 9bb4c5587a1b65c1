import { type Binding, type Bound, boundOf, type EngineWay, isSameEngine } from '../../batch/binding.js';
import { type BatchConnection, intentOfRow } from '../../batch/connection.js';
import type { Engine } from '../../batch/engine.js';
import type { GateView } from '../../batch/engines/postgres.js';
import { pageSize } from '../../batch/pages.js';
import type { BatchRow, BoundPlan } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Intent, Journal, State } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import {
  bindElsewhere,
  bindingOf,
  bindPlan,
  checkBound,
  databaseAt,
  elsewhereOf,
  moveText,
  ordersOf,
  thisMachine,
  wayText,
} from '../batch/bound.js';
import { bringHome, checkSettled } from '../batch/bring-home.js';
import { Counter } from '../batch/counter.js';
import { notMovable } from '../batch/earlier-version.js';
import { checkPlace } from '../batch/first-checks.js';
import { holdPlan } from '../batch/locks.js';
import { checkWhole } from '../batch/older.js';
import { connectionOf, localEngineOf } from '../batch/plan-engine.js';
import { type EngineFlags, rowKeyOf, startShared, viewShared } from '../batch/shared.js';
import { commandOn, rowsText, withPlan } from '../batch-plans.js';
import { checkLive } from '../live/guard.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { seconds } from '../seconds.js';
import type { Tools } from '../talk.js';
import { withSession } from '../with-session.js';

export interface MoveFlags extends CommonOptions, EngineFlags {
  readonly to?: string;
}

const command = 'batch move';
const open: readonly State[] = ['sending', 'unknown', 'accepted'];
const over: readonly State[] = ['done', 'declined', 'refused'];
const questionsPerSecond = 10;

/** Takes a plan from the engine it runs on to another one, with all that was sent of it. Sends nothing but questions. */
export async function runBatchMove(name: string, flags: MoveFlags, runtime: Runtime): Promise<number> {
  if (flags.to === undefined)
    throw fail('USAGE', { why: '--to is missing: local, or a database such as postgres://user@host/database', command });
  const to = flags.to;
  seconds('--wait-timeout', flags.waitTimeout, 3600);
  return withSession(flags, runtime, (session, report) =>
    withPlan(name, command, runtime, async (plan, journal) => {
      checkPlace(plan.head, session);
      checkLive(operationById('STATUS'), flags, session);
      if (!session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
      const lock = await holdPlan(plan.head, runtime);
      try {
        return await new PlanMove(plan, journal, { ...flags, to }, { options: flags, session, report, runtime }).run();
      } finally {
        lock.release();
      }
    }),
  );
}

/**
 * One move of one plan. The old engine is closed before the new one is opened, and what both know is written down before each step:
 * cut off anywhere, it goes on when it is run again, and in between neither of them sends.
 */
class PlanMove {
  readonly #plan: BoundPlan;
  readonly #journal: Journal;
  readonly #flags: MoveFlags & { readonly to: string };
  readonly #tools: Tools;
  readonly #stop = new AbortController();

  constructor(plan: BoundPlan, journal: Journal, flags: MoveFlags & { readonly to: string }, tools: Tools) {
    this.#plan = plan;
    this.#journal = journal;
    this.#flags = flags;
    this.#tools = tools;
  }

  async run(): Promise<number> {
    const { head } = this.#plan;
    const { runtime, report } = this.#tools;
    const counter = new Counter(head.file.path, head.base, runtime);
    const binding = bindingOf(this.#plan, this.#journal) ?? counter.binding(head.id);
    if (binding === undefined) throw notMovable(this.#plan);
    counter.checkMove(head.id, binding);
    const to = await this.#target(binding);
    const { movingTo } = binding;
    const isBack = isSameEngine(binding.engine, to.engine);
    if (isBack && movingTo === undefined) {
      // Where a move was cut off after its last step.
      counter.bind(head.id, binding, report);
      return this.#tell(binding, to, false);
    }
    if (movingTo !== undefined && !isBack && !isSameEngine(movingTo.engine, to.engine))
      throw refused(`plan ${head.id} is on its way to ${movingTo.shown}`, `finish that first: \`${moveText(head, movingTo)}\``);
    counter.check(this.#journal);
    const unlisten = runtime.processes.onStop((signal) => this.#stop.abort(signal));
    const connection = await connectionOf(this.#plan, this.#tools, (parts) => this.#journal.hash(parts));
    try {
      if (isBack && movingTo !== undefined) await this.#turnBack(binding, movingTo, connection);
      else if (binding.engine.kind === 'local') await this.#fromHere(binding, to, connection);
      else await this.#fromDatabase(binding, to, connection);
    } finally {
      unlisten();
      report.progress(undefined);
    }
    const now = this.#plan.binding();
    bindPlan(this.#plan, now, to);
    counter.bind(head.id, to, report);
    this.#plan.addEvent('moved', { from: binding.shown, to: to.shown });
    counter.note(this.#journal, report);
    return this.#tell(binding, to, true);
  }

  /** Where it is to go, told apart from all others. */
  async #target({ flags, movingTo }: Binding): Promise<Bound> {
    const { to, rowKeyFile, enginePasswordFile } = this.#flags;
    if (to === 'local') return thisMachine(this.#journal);
    const noted = movingTo?.flags.engine === to ? movingTo.flags : flags.engine === to ? flags : {};
    const way: EngineWay = {
      engine: to,
      ...definedOf({ rowKeyFile: rowKeyFile ?? noted.rowKeyFile ?? flags.rowKeyFile }),
      ...definedOf({ enginePasswordFile: enginePasswordFile ?? noted.enginePasswordFile }),
    };
    await rowKeyOf(way, command, this.#tools.runtime);
    const view = await viewShared(this.#plan.head.id, way, command, this.#tools.runtime);
    await view.close();
    return databaseAt(view.identity, way, this.#tools.runtime);
  }

  async #fromHere(binding: Binding, to: Bound, connection: BatchConnection): Promise<void> {
    const journal = this.#journal;
    if (!isSameEngine(binding.engine, thisMachine(journal).engine))
      throw refused(`plan ${this.#plan.head.id} ran with another journal than this one`, 'put that journal back');
    await this.#settle(await localEngineOf({ plan: this.#plan, journal, connection, rate: questionsPerSecond }, this.#tools), connection);
    this.#beginMove(binding, to);
    this.#giveAway(to, connection);
    await this.#putInto(to, async (rows) => this.#known(rows, connection));
  }

  async #fromDatabase(binding: Binding, to: Bound, connection: BatchConnection): Promise<void> {
    const { rowKeyFile, engine, enginePasswordFile } = this.#flags;
    const given = definedOf({ engine, rowKeyFile, enginePasswordFile: to.engine.kind === 'local' ? enginePasswordFile : undefined });
    const way = { ...binding.flags, ...given };
    const view = await this.#viewOf(binding, way);
    try {
      if (view.known?.movedTo === undefined) {
        await view.checkIdle();
        await checkWhole(this.#plan, view, this.#journal, { ...boundOf(binding), flags: way });
        if (view.known !== undefined) await this.#settle(await this.#engineAt(binding, way), connection);
      }
      this.#beginMove(binding, to);
      // Also where it says that it left: only what this key proves is believed.
      await view.leave(this.#plan.head, await rowKeyOf(way, command, this.#tools.runtime), to.shown);
      await this.#takeHome(view, connection);
      if (to.engine.kind === 'local') this.#journal.elsewhere.release(this.#plan.head.id);
      else await this.#putInto(to, (rows) => view.find(rows));
    } finally {
      await view.close();
    }
  }

  /** Before anything reached the new engine, the plan may stay where it was. */
  async #turnBack(binding: Binding, movingTo: Bound, connection: BatchConnection): Promise<void> {
    const { head } = this.#plan;
    if (movingTo.engine.kind === 'postgres') {
      const view = await this.#viewOf(movingTo, movingTo.flags);
      try {
        if (view.known !== undefined && view.known.movedTo === undefined)
          throw refused(`plan ${head.id} arrived at ${movingTo.shown} already`, `finish the move with \`${moveText(head, movingTo)}\``);
        await view.leave(head, await rowKeyOf(movingTo.flags, command, this.#tools.runtime), binding.shown);
      } finally {
        await view.close();
      }
    }
    if (binding.engine.kind === 'local') return this.#journal.elsewhere.release(head.id);
    this.#giveAway(binding, connection);
    await this.#putInto(binding, async () => new Map());
  }

  async #viewOf({ engine, shown, flags }: Bound, way: EngineFlags): Promise<GateView> {
    const view = await viewShared(this.#plan.head.id, way, command, this.#tools.runtime);
    if (isSameEngine(view.identity, engine)) return view;
    await view.close();
    if (way.engine === flags.engine) checkBound(this.#plan.head, { engine, shown, flags }, view.identity, 'resume', way);
    throw refused(`this is not the database that plan ${this.#plan.head.id} runs on (${shown})`, 'name its address with --engine');
  }

  #engineAt(binding: Binding, way: EngineFlags): Promise<Engine> {
    const { head } = this.#plan;
    const admit = (engine: Bound['engine']) => checkBound(head, boundOf(binding), engine, 'resume');
    return startShared(this.#plan, way, { command, rate: undefined, stop: this.#stop.signal, admit }, this.#tools.runtime);
  }

  /** Asks for what is open, and refuses when something stays so. */
  async #settle(engine: Engine, connection: BatchConnection): Promise<void> {
    const { Run } = await import('../../batch/run.js');
    const { session, options, report } = this.#tools;
    report.progress('asking for what is open');
    const { signal } = this.#stop;
    try {
      await new Run({
        ...{ plan: this.#plan, engine, connection, stop: signal, abort: signal },
        options: {
          ...{ concurrency: 4, mostRows: 0, mostUnknown: 1, pauses: session.pauses },
          waitMs: seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs,
        },
        tell: () => undefined,
      }).toEnd();
      if (signal.aborted) throw fail(signal.reason === 'SIGTERM' ? 'TERMINATED' : 'INTERRUPTED');
      const left = (await engine.tally()).filter(({ state }) => open.includes(state));
      if (left.length > 0) {
        const counts = left.map(({ state, count }) => `${count} ${state}`).join(', ');
        throw refused(
          `of plan ${this.#plan.head.id} ${counts}: what is open is settled where it was sent`,
          'see `paycli batch resume` and `paycli resolve`, then move it',
        );
      }
    } finally {
      await engine.close();
    }
  }

  /** From here on neither engine sends; only this command goes on. */
  #beginMove(binding: Binding, to: Bound): void {
    const { file, base, id } = this.#plan.head;
    const moving = { ...boundOf(binding), movingTo: to };
    if (binding.movingTo === undefined) bindPlan(this.#plan, this.#plan.binding(), moving);
    new Counter(file.path, base, this.#tools.runtime).bind(id, moving, this.#tools.report);
  }

  /** In one step with the proof that nothing of it is open here, this journal sends nothing of it any more. */
  #giveAway(to: Bound, connection: BatchConnection): void {
    const [plan, journal] = [this.#plan, this.#journal];
    journal.together(() => {
      const ended = new Set<number>();
      for (let from = 1; from <= plan.head.count; from += pageSize) {
        const rows = plan.rows(from, pageSize);
        for (const row of rows) checkSettled(row, connection, journal);
        for (const [number, { state }] of this.#known(rows, connection)) if (over.includes(state)) ended.add(number);
      }
      journal.elsewhere.bind(elsewhereOf(plan.head, to), ordersOf(plan, ended), true);
    });
  }

  #known(rows: readonly BatchRow[], connection: BatchConnection): ReadonlyMap<number, Intent> {
    const found = rows.map((row) => [row.number, this.#journal.find(intentOfRow(connection, row))] as const);
    return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
  }

  /** What was sent from the database, into this journal, before anything else may be. */
  async #takeHome(engine: GateView, connection: BatchConnection): Promise<void> {
    const keptOut = await bringHome({ plan: this.#plan, engine, connection, journal: this.#journal });
    if (keptOut.length === 0) return;
    throw refused(
      `row ${keptOut.slice(0, 5).join(', ')} cannot be written into this journal, where another request stands in its way`,
      'settle what `paycli journal list` shows of its order, then run this command again',
    );
  }

  async #putInto(to: Bound, sent: (rows: readonly BatchRow[]) => Promise<ReadonlyMap<number, Intent>>): Promise<void> {
    const { head } = this.#plan;
    const { runtime } = this.#tools;
    const admit = (engine: Bound['engine']) => checkBound(head, to, engine, 'resume');
    const engine = await startShared(this.#plan, to.flags, { command, rate: undefined, stop: this.#stop.signal, admit, sent }, runtime);
    await engine.close();
    bindElsewhere(this.#plan, this.#journal, to);
  }

  async #tell(from: Bound, to: Bound, isMoved: boolean): Promise<number> {
    const { head } = this.#plan;
    const next = commandOn('resume', head, wayText(to.flags));
    await this.#tools.report.show({
      document: {
        schema: 'paycli.batch-move/1',
        ok: true,
        ...{ plan: head.id, moved: isMoved, from: from.shown, to: to.shown, count: head.count, next },
      },
      text: () =>
        `plan ${head.id} of ${rowsText(head.count)} ${isMoved ? `was moved from ${from.shown}: it runs on ${to.shown}` : `runs on ${to.shown} already`}\nnext: \`${next}\`\n`,
    });
    return exits.ok;
  }
}

function definedOf(flags: Readonly<Record<string, string | undefined>>): EngineFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function refused(why: string, how: string): Error {
  return fail('BATCH_REFUSED', { why, how: `nothing was sent; ${how}` });
}

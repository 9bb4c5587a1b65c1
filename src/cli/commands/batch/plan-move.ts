import { type BatchConnection, intentForRow } from '../../../batch/connection.js';
import type { Engine } from '../../../batch/engine.js';
import {
  accessIn,
  type Binding,
  type BoundEngine,
  type EngineAccess,
  isSameEngine,
  withoutMove,
} from '../../../batch/engine-binding.js';
import type { GateView } from '../../../batch/engines/postgres/index.js';
import { type BatchRow, type BoundPlan, planPages, rowsOfPlan } from '../../../batch/plan.js';
import { exits, fail, stopError } from '../../../errors/index.js';
import { batchHeldError, finalStates, type Intent, type Journal, queryableStates } from '../../../journal/index.js';
import { seconds } from '../../core/flags.js';
import type { Tools } from '../../core/gateway-context.js';
import type { CommonOptions } from '../../core/options.js';
import {
  bindInJournal,
  bindingOf,
  bindPlan,
  checkBinding,
  checkOrdersElsewhere,
  describeDatabase,
  moveCommand,
  notMovableError,
  ordersOf,
  planElsewhere,
  shownAddress,
  thisMachine,
} from './engine-binding.js';
import { assertResolvedLocally, importResults } from './journal-sync.js';
import { batchCommand, engineFlagsText } from './named-commands.js';
import { rowsText } from './plan-files.js';
import { assertDatabaseComplete } from './restored-database.js';
import { connectionOf, localEngineOf } from './runner.js';
import { SentSidecar } from './sent-sidecar.js';
import { type EngineFlags, rowKeyOf, startShared, viewShared } from './shared-engine.js';

export interface MoveFlags extends CommonOptions, EngineFlags {
  readonly to?: string;
}

const command = 'batch move';
const questionsPerSecond = 10;

/**
 * One move of one plan. The old engine is closed before the new one is opened, and what both know is written down
 * before each step: cut off anywhere, it goes on when it is run again, and in between neither of them sends.
 */
export class PlanMove {
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
    this.#journal.planStates.check(head.id);
    const sidecar = new SentSidecar(head.file.path, head.base, runtime);
    const binding = bindingOf(this.#plan, this.#journal) ?? sidecar.binding(head.id);
    if (binding === undefined) throw notMovableError(this.#plan);
    sidecar.checkMove(head.id, binding);
    const to = await this.#target(binding);
    const { movingTo } = binding;
    const isBack = isSameEngine(binding.engine, to.engine);
    if (isBack && movingTo === undefined) {
      // Where a move was cut off after its last step.
      sidecar.bind(head.id, binding, report);
      return this.#show(binding, to, false);
    }
    if (movingTo !== undefined && !isBack && !isSameEngine(movingTo.engine, to.engine))
      throw fail('otherMoveUnfinished', { plan: head.id, to: movingTo.shown, move: moveCommand(head, movingTo) });
    sidecar.check(this.#journal);
    const unlisten = runtime.processes.onStop((signal) => this.#stop.abort(signal));
    const connection = await connectionOf(this.#plan, this.#tools, (parts) => this.#journal.hash(parts));
    try {
      if (isBack && movingTo !== undefined) await this.#cancelMove(binding, movingTo, connection);
      else if (binding.engine.kind === 'local') await this.#fromJournal(binding, to, connection);
      else await this.#fromDatabase(binding, to, connection);
    } finally {
      unlisten();
      report.progress(undefined);
    }
    const now = this.#plan.binding();
    bindPlan(this.#plan, now, to);
    sidecar.bind(head.id, to, report);
    this.#plan.addEvent('moved', { from: binding.shown, to: to.shown });
    sidecar.note(this.#journal, report);
    return this.#show(binding, to, true);
  }

  /** Where it is to go, told apart from all others. */
  async #target({ flags, movingTo }: Binding): Promise<BoundEngine> {
    const { to, rowKeyFile, enginePasswordFile } = this.#flags;
    if (to === 'local') return thisMachine(this.#journal);
    const isAt = (known: EngineAccess | undefined) => shownAddress(known?.engine ?? '') === shownAddress(to);
    const noted = isAt(movingTo?.flags) ? (movingTo?.flags ?? {}) : isAt(flags) ? flags : {};
    const way = accessIn({
      engine: to,
      rowKeyFile: rowKeyFile ?? noted.rowKeyFile ?? flags.rowKeyFile,
      enginePasswordFile: enginePasswordFile ?? noted.enginePasswordFile,
    });
    await rowKeyOf(way, command, this.#tools.runtime);
    const view = await viewShared(this.#plan.head.id, way, command, this.#tools.runtime);
    await view.close();
    return describeDatabase(view.identity, way, this.#tools.runtime);
  }

  async #fromJournal(binding: Binding, to: BoundEngine, connection: BatchConnection): Promise<void> {
    const journal = this.#journal;
    if (!isSameEngine(binding.engine, thisMachine(journal).engine))
      throw fail('planOfAnotherJournal', { plan: this.#plan.head.id });
    await this.#resolveOpenRows(
      await localEngineOf({ plan: this.#plan, journal, connection, rate: questionsPerSecond }, this.#tools),
      connection,
    );
    // Before anything is written down; and once more in one step with the end of sending from here.
    checkOrdersElsewhere(this.#plan, journal, this.#endedRows(connection));
    this.#beginMove(binding, to);
    this.#handOver(to, connection);
    await this.#uploadTo(to, async (rows) => this.#known(rows, connection));
  }

  async #fromDatabase(binding: Binding, to: BoundEngine, connection: BatchConnection): Promise<void> {
    const { rowKeyFile, engine, enginePasswordFile } = this.#flags;
    const given = accessIn({
      engine,
      rowKeyFile,
      enginePasswordFile: to.engine.kind === 'local' ? enginePasswordFile : undefined,
    });
    const way = { ...binding.flags, ...given };
    const view = await this.#viewOf(binding, way);
    try {
      if (view.known?.movedTo === undefined) {
        await view.checkIdle();
        const held = batchHeldError(this.#plan.head.id, (await view.stateChanges()).at(-1));
        if (held !== undefined) throw held;
        await assertDatabaseComplete(this.#plan, view, this.#journal, { ...withoutMove(binding), flags: way });
        if (view.known !== undefined) await this.#resolveOpenRows(await this.#engineAt(binding, way), connection);
      }
      this.#beginMove(binding, to);
      // Also where it says that it left: only what this key proves is believed.
      await view.closeBatch(this.#plan.head, await rowKeyOf(way, command, this.#tools.runtime), to.shown);
      await this.#importSent(view, connection);
      if (to.engine.kind === 'local') this.#journal.externalPlans.release(this.#plan.head.id);
      else await this.#uploadTo(to, (rows) => view.find(rows));
    } finally {
      await view.close();
    }
  }

  /** Before anything reached the new engine, the plan may stay where it was. */
  async #cancelMove(binding: Binding, movingTo: BoundEngine, connection: BatchConnection): Promise<void> {
    const { head } = this.#plan;
    if (movingTo.engine.kind === 'postgres') {
      const view = await this.#viewOf(movingTo, movingTo.flags);
      try {
        if (view.known !== undefined && view.known.movedTo === undefined)
          throw fail('planArrived', { plan: head.id, to: movingTo.shown, move: moveCommand(head, movingTo) });
        await view.closeBatch(head, await rowKeyOf(movingTo.flags, command, this.#tools.runtime), binding.shown);
      } finally {
        await view.close();
      }
    }
    if (binding.engine.kind === 'local') return this.#journal.externalPlans.release(head.id);
    this.#handOver(binding, connection);
    await this.#uploadTo(binding, async () => new Map());
  }

  async #viewOf({ engine, shown, flags }: BoundEngine, way: EngineFlags): Promise<GateView> {
    const view = await viewShared(this.#plan.head.id, way, command, this.#tools.runtime);
    if (isSameEngine(view.identity, engine)) return view;
    await view.close();
    if (way.engine === flags.engine)
      checkBinding(this.#plan.head, { engine, shown, flags }, view.identity, 'resume', way);
    throw fail('notDatabaseOfPlan', { plan: this.#plan.head.id, engine: shown });
  }

  #engineAt(binding: Binding, way: EngineFlags): Promise<Engine> {
    const { head } = this.#plan;
    const admit = (engine: BoundEngine['engine']) => checkBinding(head, withoutMove(binding), engine, 'resume');
    return startShared(
      this.#plan,
      way,
      { command, rate: undefined, stop: this.#stop.signal, admit },
      this.#tools.runtime,
    );
  }

  /** Asks for what is open, and refuses when something stays so. */
  async #resolveOpenRows(engine: Engine, connection: BatchConnection): Promise<void> {
    const { BatchRun } = await import('../../../batch/run/batch-run.js');
    const { session, options, report } = this.#tools;
    report.progress('checking the open rows');
    const { signal } = this.#stop;
    try {
      await new BatchRun({
        ...{ plan: this.#plan, engine, connection, stop: signal, abort: signal },
        options: {
          ...{ concurrency: 4, maxRows: 0, maxUnknown: 1, pauses: session.pauses },
          waitMs: seconds('--wait-timeout', options.waitTimeout, 3600) ?? session.waitMs,
        },
        onEvent: () => undefined,
      }).toEnd();
      if (signal.aborted) throw stopError(signal);
      const left = (await engine.tally()).filter(({ state }) => queryableStates.includes(state));
      if (left.length > 0) {
        const counts = left.map(({ state, count }) => `${count} ${state}`).join(', ');
        throw fail('rowsStillOpen', { plan: this.#plan.head.id, counts });
      }
    } finally {
      await engine.close();
    }
  }

  /** From here on neither engine sends; only this command goes on. */
  #beginMove(binding: Binding, to: BoundEngine): void {
    const { file, base, id } = this.#plan.head;
    const moving = { ...withoutMove(binding), movingTo: to };
    if (binding.movingTo === undefined) bindPlan(this.#plan, this.#plan.binding(), moving);
    new SentSidecar(file.path, base, this.#tools.runtime).bind(id, moving, this.#tools.report);
  }

  /** In one step with the proof that nothing of it is open here, this journal sends nothing of it any more. */
  #handOver(to: BoundEngine, connection: BatchConnection): void {
    const [plan, journal] = [this.#plan, this.#journal];
    journal.inOneTransaction(() => {
      for (const row of rowsOfPlan(plan)) assertResolvedLocally(row, connection, journal);
      const ended = this.#endedRows(connection);
      // A new engine would not know of them.
      checkOrdersElsewhere(plan, journal, ended);
      journal.externalPlans.bind(planElsewhere(plan.head, to), ordersOf(plan, ended), true);
    });
  }

  /** The numbers of those whose end this journal has. */
  #endedRows(connection: BatchConnection): ReadonlySet<number> {
    const ended = new Set<number>();
    for (const rows of planPages(this.#plan))
      for (const [number, { state }] of this.#known(rows, connection))
        if (finalStates.includes(state)) ended.add(number);
    return ended;
  }

  #known(rows: readonly BatchRow[], connection: BatchConnection): ReadonlyMap<number, Intent> {
    const found = rows.map((row) => [row.number, this.#journal.find(intentForRow(connection, row))] as const);
    return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
  }

  /** What was sent from the database, into this journal, before anything else may be. */
  async #importSent(engine: GateView, connection: BatchConnection): Promise<void> {
    const conflicting = await importResults({ plan: this.#plan, engine, connection, journal: this.#journal });
    if (conflicting.length === 0) return;
    throw fail('rowsNotImported', { rows: conflicting.slice(0, 5).join(', ') });
  }

  async #uploadTo(
    to: BoundEngine,
    sent: (rows: readonly BatchRow[]) => Promise<ReadonlyMap<number, Intent>>,
  ): Promise<void> {
    const { head } = this.#plan;
    const { runtime } = this.#tools;
    const admit = (engine: BoundEngine['engine']) => checkBinding(head, to, engine, 'resume');
    const engine = await startShared(
      this.#plan,
      to.flags,
      { command, rate: undefined, stop: this.#stop.signal, admit, sent },
      runtime,
    );
    await engine.close();
    bindInJournal(this.#plan, this.#journal, to);
  }

  async #show(from: BoundEngine, to: BoundEngine, isMoved: boolean): Promise<number> {
    const { head } = this.#plan;
    const resume = batchCommand('resume', head, engineFlagsText(to.flags));
    const next = `paycli batch show ${head.id}`;
    await this.#tools.report.show({
      document: {
        schema: 'paycli.batch-move/1',
        ok: true,
        ...{ plan: head.id, moved: isMoved, from: from.shown, to: to.shown, count: head.count, resume, next },
      },
      text: () =>
        `plan ${head.id} of ${rowsText(head.count)} ${isMoved ? `was moved from ${from.shown}: it runs on ${to.shown}` : `already runs on ${to.shown}`}\n\`${resume}\` sends the remaining rows\nnext: \`${next}\`\n`,
    });
    return exits.ok;
  }
}

import { type Binding, type Bound, type EngineIdentity, isSameEngine } from '../../batch/binding.js';
import type { Connection } from '../../batch/connection.js';
import type { BoundPlan } from '../../batch/plan.js';
import type { Journal } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { bindElsewhere, bindingOf, bindPlan, checkBound, checkKind, databaseAt, thisMachine } from './bound.js';
import { refuseMet } from './bring-home.js';
import type { EngineFlags } from './shared.js';

interface Asked {
  readonly command: 'batch run' | 'batch resume';
  readonly flags: EngineFlags;
}

/** The engine a plan is bound to, as one run finds it and leaves it. */
export class RunBinding {
  readonly #plan: BoundPlan;
  readonly #journal: Journal;
  readonly #flags: EngineFlags;
  readonly #runtime: Runtime;
  readonly #verb: 'run' | 'resume';
  /** When the run began; undefined when no row of the plan may have left. */
  readonly #found: Binding | undefined;
  /** The database that was opened. */
  #database: Bound | undefined;

  constructor(plan: BoundPlan, journal: Journal, { command, flags }: Asked, runtime: Runtime) {
    this.#plan = plan;
    this.#journal = journal;
    this.#flags = flags;
    this.#runtime = runtime;
    this.#verb = command === 'batch run' ? 'run' : 'resume';
    this.#found = bindingOf(plan, journal);
  }

  get isKnown(): boolean {
    return this.#found !== undefined;
  }

  /** As far as can be told before anything is opened. Throws BATCH_REFUSED. */
  check(): void {
    checkKind(this.#plan.head, this.#found, this.#flags, this.#verb);
  }

  /** Throws BATCH_REFUSED where another journal than this one sent rows; after a restore every row is asked about instead. */
  checkJournal(): void {
    if (this.#flags.afterRestore !== true) checkBound(this.#plan.head, this.#found, thisMachine(this.#journal).engine, this.#verb);
  }

  /**
   * Before the plan is put into a database, it is bound to it, and nothing of it is sent from this journal any more. Throws
   * BATCH_REFUSED.
   */
  admit(engine: EngineIdentity, isThere: boolean, connection: Connection): void {
    const [plan, journal] = [this.#plan, this.#journal];
    const here = databaseAt(engine, this.#flags, this.#runtime);
    this.#database = here;
    // A copy of the database may go on after every row was asked about.
    const isCopy = this.#flags.afterRestore === true && isThere;
    if (!isCopy) checkBound(plan.head, this.#found, engine, this.#verb);
    const bound = this.#found ?? here;
    // In one step: a single command under one of these ids comes before it and is found, or after it and is refused.
    journal.together(() => {
      bindElsewhere(plan, journal, bound);
      if (this.#found === undefined) refuseMet(plan, connection, journal);
    });
    if (plan.binding() === undefined) bindPlan(plan, undefined, bound);
  }

  /** Nothing stood in the way: from here on rows may leave, by this engine. */
  keep(): void {
    const [plan, journal] = [this.#plan, this.#journal];
    const here = this.#database ?? thisMachine(journal);
    const before = plan.binding();
    if (before !== undefined && isSameEngine(before.engine, here.engine)) return;
    // The plan's own file decides; where it alone is written, the next run brings the journal after it.
    bindPlan(plan, before, here);
    if (this.#database !== undefined) bindElsewhere(plan, journal, here);
  }
}

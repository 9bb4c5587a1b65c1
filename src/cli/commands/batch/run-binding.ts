import type { BatchConnection } from '../../../batch/connection.js';
import { type BoundEngine, type EngineIdentity, isSameBinding, isSameEngine } from '../../../batch/engine-binding.js';
import type { HoldsMark } from '../../../batch/engines/postgres/index.js';
import type { BoundPlan } from '../../../batch/plan.js';
import { fail } from '../../../errors/index.js';
import type { Journal } from '../../../journal/index.js';
import type { Tools } from '../../gateway.js';
import {
  bindInJournal,
  bindingOf,
  bindPlan,
  checkBinding,
  checkEngineKind,
  describeDatabase,
  thisMachine,
} from './engine-binding.js';
import { assertNotSentLocally } from './journal-sync.js';
import { batchCommand, engineFlagsText } from './named-commands.js';
import { assertDatabaseCurrent, closeOriginalDatabase, findOriginalDatabase } from './restored-database.js';
import type { SentSidecar } from './sent-sidecar.js';
import type { EngineFlags } from './shared-engine.js';

interface RunBindingOptions {
  readonly command: 'batch run' | 'batch resume';
  readonly flags: EngineFlags;
  /** The note beside the input file. */
  readonly sidecar: SentSidecar;
}

/** The engine a plan is bound to, as one run finds it and leaves it. */
export class RunBinding {
  readonly #plan: BoundPlan;
  readonly #journal: Journal;
  readonly #flags: EngineFlags;
  readonly #sidecar: SentSidecar;
  readonly #tools: Pick<Tools, 'report' | 'runtime'>;
  readonly #verb: 'run' | 'resume';
  /** When the run began; undefined when no row of the plan may have left. */
  #found: BoundEngine | undefined;
  /** As the note beside the input file says; it outlives a state folder that is restored from a backup. */
  readonly #noted: BoundEngine | undefined;
  /** The database that was opened. */
  #database: BoundEngine | undefined;

  constructor(
    plan: BoundPlan,
    journal: Journal,
    { command, flags, sidecar }: RunBindingOptions,
    tools: Pick<Tools, 'report' | 'runtime'>,
  ) {
    this.#plan = plan;
    this.#journal = journal;
    this.#flags = flags;
    this.#sidecar = sidecar;
    this.#tools = tools;
    this.#verb = command === 'batch run' ? 'run' : 'resume';
    this.#found = bindingOf(plan, journal);
    this.#noted = sidecar.binding(plan.head.id);
  }

  get isKnown(): boolean {
    return this.#found !== undefined;
  }

  /** The engine this run sends by. */
  get here(): BoundEngine {
    return this.#database ?? thisMachine(this.#journal);
  }

  /** As far as can be told before anything is opened. Throws BATCH_REFUSED. */
  check(): void {
    checkEngineKind(this.#plan.head, this.#found, this.#flags, this.#verb);
    this.#checkNoted(({ engine }) => (engine.kind === 'local') === (this.#flags.engine === undefined));
  }

  /**
   * Throws BATCH_REFUSED where another journal than this one sent rows; after a restore every row is asked about
   * instead.
   */
  checkJournal(): void {
    if (this.#flags.afterRestore !== true)
      checkBinding(this.#plan.head, this.#found, thisMachine(this.#journal).engine, this.#verb);
  }

  /**
   * Before the plan is put into a database, it is bound to it, and nothing of it is sent from this journal any more.
   * Throws BATCH_REFUSED.
   */
  async admit(engine: EngineIdentity, isThere: boolean, holds: HoldsMark, connection: BatchConnection): Promise<void> {
    const [plan, journal] = [this.#plan, this.#journal];
    const here = describeDatabase(engine, this.#flags, this.#tools.runtime);
    this.#database = here;
    // Another database may go on after every row was asked about, and only one: a copy closes the one that was left.
    if (this.#flags.afterRestore !== true || !(await this.#isOriginalClosed(here, isThere))) {
      checkBinding(plan.head, this.#found, engine, this.#verb, this.#flags);
      this.#checkNoted((noted) => isSameEngine(noted.engine, engine));
    }
    if (this.#flags.afterRestore !== true)
      await assertDatabaseCurrent(plan, this.#found ?? this.#noted, here, { isThere, holds });
    const bound = this.#found ?? here;
    // In one step: a single command under one of these ids comes before it and is found, or after it and is refused.
    journal.inOneTransaction(() => {
      bindInJournal(plan, journal, bound);
      if (this.#found === undefined) assertNotSentLocally(plan, connection, journal);
    });
    if (plan.binding() === undefined) bindPlan(plan, undefined, bound);
    if (this.#noted === undefined) this.#note(bound);
  }

  /** Whether nobody works any more in the database that the plan was put into. Throws BATCH_REFUSED, STORAGE. */
  async #isOriginalClosed(here: BoundEngine, isThere: boolean): Promise<boolean> {
    const { head } = this.#plan;
    for (const bound of [this.#found, this.#noted]) {
      if (bound?.engine.kind !== 'postgres' || isSameEngine(bound.engine, here.engine)) continue;
      const original = await findOriginalDatabase(head, bound, this.#flags, this.#tools);
      if (original === undefined) continue;
      try {
        if (!isThere) return false;
        await closeOriginalDatabase(head, original, here, this.#tools);
      } finally {
        await original.close();
      }
    }
    return true;
  }

  /** Nothing stood in the way: from here on rows may leave, by this engine. */
  confirm(): void {
    const [plan, journal] = [this.#plan, this.#journal];
    const { here } = this;
    const before = plan.binding();
    if (before !== undefined && isSameEngine(before.engine, here.engine)) {
      this.#note(before);
      return;
    }
    // The plan's own file decides; where it alone is written, the next run brings the journal after it.
    bindPlan(plan, before, here);
    if (this.#database !== undefined) bindInJournal(plan, journal, here);
    this.#note(here);
  }

  #note(binding: BoundEngine): void {
    const { head } = this.#plan;
    if (!isSameBinding(this.#sidecar.binding(head.id), binding))
      this.#sidecar.bind(head.id, binding, this.#tools.report);
  }

  #checkNoted(isHere: (noted: BoundEngine) => boolean): void {
    const [noted, { head }] = [this.#noted, this.#plan];
    if (noted === undefined || isHere(noted)) return;
    const { shown, flags } = noted;
    const careful = this.#flags.afterRestore === true ? ' --after-restore' : '';
    const resume = batchCommand(this.#verb, head, engineFlagsText(flags) + careful);
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} runs on ${shown}, as ${this.#sidecar.path} says: either that note or this state folder was restored from a backup`,
      how: `nothing was sent; continue with \`${resume}\`, or remove the note once you know that it is the older one`,
      plan: head.id,
      engine: shown,
    });
  }
}

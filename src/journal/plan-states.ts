import { fail, type PaycliError } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';

/** Whether rows of a batch may be begun. */
const batchStates = {
  running: 'its rows are sent',
  paused: 'a person paused it',
  cancelled: 'rows never sent are permanently cancelled',
} as const;

export type BatchState = keyof typeof batchStates;

/** A person alone leads back to `running`, and nothing leads out of `cancelled`. */
const moves: Readonly<Record<BatchState, readonly BatchState[]>> = {
  running: ['paused', 'cancelled'],
  paused: ['running', 'cancelled'],
  cancelled: [],
};

function mayMoveBatch(from: BatchState, to: BatchState): boolean {
  return moves[from].includes(to);
}

function isBatchState(word: string): word is BatchState {
  return Object.hasOwn(batchStates, word);
}

/** Who said what became of a batch. */
export interface BatchStateChange {
  readonly state: BatchState;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly host: string;
  readonly reason: string;
}

/** Undefined while rows may be begun; else what to throw. */
export function batchHeldError(batch: string, change: BatchStateChange | undefined): PaycliError | undefined {
  if (change === undefined || change.state === 'running') return undefined;
  const { state, by, host, reason } = change;
  const facts = { batch, host };
  if (state === 'paused')
    return fail('BATCH_LEFT', {
      why: `batch ${batch} was paused by ${by} on ${host}: ${reason}`,
      how: '`{again} --continue` sends the remaining rows',
      ...facts,
    });
  return fail('BATCH_LEFT', {
    why: `batch ${batch} was cancelled by ${by} on ${host}: ${reason}`,
    how: `\`paycli batch show ${batch}\` shows what was sent before; the other rows can be planned again`,
    ...facts,
  });
}

/** What it may change of the journal. */
interface PlanStatesPorts {
  readonly database: Database;
  change<T>(work: () => T): T;
  /** Adds a line to the chain that is about no entry. */
  line(what: string, facts: object): void;
  now(): number;
}

// Made when the first plan is stopped: most journals never have it.
const table = `
  CREATE TABLE IF NOT EXISTS plan_states (
    plan TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL
  ) WITHOUT ROWID;
`;

/** Whether rows of a plan may be begun by this journal; each change is a line of the chain. */
export class PlanStates {
  readonly #ports: PlanStatesPorts;

  constructor(ports: PlanStatesPorts) {
    this.#ports = ports;
  }

  /** The newest change; undefined for a plan that nobody ever stopped. */
  newest(plan: string): BatchStateChange | undefined {
    const row = this.#has() ? this.#ports.database.get('SELECT * FROM plan_states WHERE plan = ?', plan) : undefined;
    const state = String(row?.['state']);
    if (row === undefined || !isBatchState(state)) return undefined;
    return {
      ...{ state, at: Number(row['at']), by: String(row['who']) },
      ...{ host: String(row['host']), reason: String(row['reason']) },
    };
  }

  /** Throws BATCH_LEFT for a plan that was paused or cancelled. */
  check(plan: string): void {
    const held = batchHeldError(plan, this.newest(plan));
    if (held !== undefined) throw held;
  }

  /** What a plan is from here on; undefined where it is that already, or nothing leads there from what it is. */
  change(
    plan: string,
    to: BatchState,
    who: Pick<BatchStateChange, 'by' | 'host' | 'reason'>,
  ): BatchStateChange | undefined {
    const { database, change, line, now } = this.#ports;
    return change(() => {
      const from = this.newest(plan)?.state ?? 'running';
      if (!mayMoveBatch(from, to)) return undefined;
      if (!this.#has()) database.exec(table);
      const made: BatchStateChange = { state: to, at: now(), ...who };
      database.run(
        'INSERT OR REPLACE INTO plan_states VALUES (?, ?, ?, ?, ?, ?)',
        ...[plan, to, made.at, made.by, made.host, made.reason],
      );
      line(`plan ${to}`, { plan, from, ...who });
      return made;
    });
  }

  #has(): boolean {
    return this.#ports.database.get(tableSql) !== undefined;
  }
}

const tableSql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'plan_states'";

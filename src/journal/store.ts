import { isPaycliError } from '../errors/index.js';
import type { Clock, Database, Processes, Random } from '../runtime/ports.js';
import { recount } from './caps.js';
import type { Mark, Newest } from './mark.js';
import type { Request, Restored } from './port.js';
import { assignments, movedFields, valuesOf } from './rows.js';
import type { Secrets } from './secrets.js';
import type { State } from './states.js';

/** This process, as far as others need to tell whether it still runs. */
export type Process = Pick<Processes, 'pid' | 'host' | 'identity' | 'isAlive' | 'startOf'>;

interface StoreParts {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'letters'>;
  readonly secrets: Secrets;
  /** Undefined for a journal of a sandbox, where no money moves. */
  readonly mark: Mark | undefined;
  readonly process: Process;
  /** Who runs this, for the events. */
  readonly who: string;
}

/** An event to be added; see `Event`. */
export interface NewEvent {
  readonly request?: number | undefined;
  readonly from?: State;
  readonly to?: State;
  readonly reason: string;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** The open database, and the few ways in which anything is written to it. */
export class Store {
  readonly parts: StoreParts;
  readonly database: Database;
  /** This process, as requests name it. */
  readonly worker: string;
  restored: Restored | undefined;
  #fault: unknown;
  #added: Newest | undefined;
  #nonce = '';

  constructor(parts: StoreParts) {
    this.parts = parts;
    this.database = parts.database;
    this.worker = parts.random.letters(22);
  }

  now(): number {
    return this.parts.clock.now();
  }

  /**
   * One transaction, on disk when this returns. After a fault of the disk nothing more is written: a failed flush may
   * have lost data, and a second one would not report it.
   */
  change<T>(work: () => T): T {
    if (this.#fault !== undefined) throw this.#fault;
    this.#added = undefined;
    this.#nonce = this.parts.random.letters(16);
    try {
      const result = this.database.transaction(work);
      if (this.#added !== undefined && this.restored === undefined) this.parts.mark?.note(this.#added);
      return result;
    } catch (error) {
      if (isPaycliError(error) && error.code === 'STORAGE' && !isBusy(error.cause)) this.#fault = error;
      throw error;
    }
  }

  /** Within a change. */
  addEvent({ request, from, to, reason, facts = {} }: NewEvent): void {
    const [nonce, at] = [this.#nonce, this.now()];
    const { lastId } = this.database.run(
      `INSERT INTO event (nonce, request, from_state, to_state, at, who, reason, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[nonce, request ?? null, from ?? null, to ?? null, at, this.parts.who, reason, JSON.stringify(facts)],
    );
    this.#added = { event: lastId, nonce, at };
  }

  /** Within a change: moves a request that still is as it was, with its event and what it counts. */
  move(before: Request, after: Request, facts: NewEvent['facts']): void {
    const { id, state: from, attempt } = before;
    const { changes } = this.database.run(moveSql, ...valuesOf(movedFields, after), id, from, attempt);
    if (changes !== 1) throw new Error(`request ${id} changed within a transaction`);
    recount(this.database, before, after);
    this.addEvent({ request: id, from, to: after.state, reason: after.reason, facts });
  }

  /** Throws STORAGE where the mark could not be written. */
  flush(): void {
    if (this.restored === undefined) this.parts.mark?.catchUp();
  }

  /** Throws as `flush` does. */
  close(): void {
    try {
      this.flush();
    } finally {
      this.database.close();
    }
  }
}

const moveSql = `UPDATE request SET ${assignments(movedFields)}, ask_at = NULL WHERE id = ? AND state = ? AND attempt = ?`;

/** Another process is writing, which is no fault of the disk. */
function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && [5, 6].includes(Number(cause.errcode) & 0xff);
}

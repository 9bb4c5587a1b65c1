import { isPaycliError } from '../errors/index.js';
import type { Clock, Database, Processes, Random } from '../runtime/ports.js';
import { DayTotals } from './caps.js';
import type { Mark, Newest } from './mark.js';
import type { Restored } from './port.js';
import { changedColumns, type StoredRequest } from './rows.js';
import type { Secrets } from './secrets.js';
import type { State } from './states.js';

/** This process, as far as others need to tell whether it still runs. */
export type Process = Pick<Processes, 'pid' | 'host' | 'identity' | 'isAlive' | 'startOf'>;

export interface StoreParts {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
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

/** A request as it was and as it becomes. */
export interface Move {
  readonly before: StoredRequest;
  readonly after: StoredRequest;
  /** Kept with the event. */
  readonly facts: Readonly<Record<string, unknown>>;
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

  constructor(parts: StoreParts, worker: string) {
    this.parts = parts;
    this.database = parts.database;
    this.worker = worker;
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
  addEvents(events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    const [nonce, at] = [this.parts.random.letters(16), this.now()];
    const rows = events.map(({ facts = {}, ...event }) => ({ ...event, facts: JSON.stringify(facts) }));
    const { lastId } = this.database.run(
      `INSERT INTO event (nonce, request, from_state, to_state, at, who, reason, facts)
       SELECT ?, value ->> 'request', value ->> 'from', value ->> 'to', ?, ?, value ->> 'reason', value ->> 'facts'
       FROM json_each(?)`,
      ...[nonce, at, this.parts.who, JSON.stringify(rows)],
    );
    this.#added = { event: lastId, nonce, at };
  }

  /** Within a change: each request once, if it still is as it was, with its event and what it changes of the totals. */
  saveMoves(moves: readonly Move[]): void {
    if (moves.length === 0) return;
    const totals = new DayTotals();
    for (const { before, after } of moves) totals.replace(before, after);
    for (const row of totals.rows())
      this.database.run(
        `INSERT INTO spent VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (base, login, currency, day) DO UPDATE SET units = units + excluded.units`,
        ...row,
      );
    const rows = moves.map(({ before, after }) => ({
      ...changedColumns(after),
      was_state: before.state,
      was_attempt: before.attempt,
    }));
    const { changes } = this.database.run(saveSql, JSON.stringify(rows));
    if (changes !== moves.length) throw new Error('a request changed within a transaction of the journal');
    this.addEvents(
      moves.map(({ before, after: { id, state, reason }, facts }) => ({
        ...{ request: id, from: before.state, to: state, reason, facts },
      })),
    );
  }

  /** Throws STORAGE where the mark could not be written. */
  close(): void {
    try {
      if (this.restored === undefined) this.parts.mark?.catchUp();
    } finally {
      this.database.close();
    }
  }
}

const savedColumns = `state reason changed_at outcome order_id card4 attempt worker begun_at may_have_arrived elsewhere
  waits_for waits_since counted_day counted_units counted_currency`.split(/\s+/);

const saveSql = `UPDATE request SET ${savedColumns.map((name) => `${name} = row.value ->> '${name}'`).join(', ')}
  FROM json_each(?) AS row WHERE request.id = row.value ->> 'id'
    AND request.state = row.value ->> 'was_state' AND request.attempt = row.value ->> 'was_attempt'`;

/** Another process is writing, which is no fault of the disk. */
function isBusy(cause: unknown): boolean {
  return cause instanceof Error && 'errcode' in cause && [5, 6].includes(Number(cause.errcode) & 0xff);
}

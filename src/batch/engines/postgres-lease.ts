import type { Sender } from '../../journal/index.js';
import { sleepOrAbort } from '../../payments/sleep.js';
import type { Clock } from '../../runtime/ports.js';
import type { PostgresDatabase, Query } from './postgres-database.js';

/**
 * Twice the longest time a request may wait between its beginning and its first byte, which is 30 s: when a lease has run out,
 * nothing begun under it can leave any more.
 */
export const usualLeaseMs = 60_000;

/** A row whose worker still lives, in a statement about the gate. */
export const isHeld =
  'EXISTS (SELECT FROM paycli.workers AS holder WHERE holder.id = gate.worker AND holder.lease_until > clock_timestamp())';

/** This process as one of the workers of a batch. All times are the server's. */
export class Lease {
  readonly worker: string;
  readonly #database: PostgresDatabase;
  readonly #ms: number;
  readonly #over = new AbortController();

  private constructor(database: PostgresDatabase, worker: string, ms: number) {
    this.#database = database;
    this.worker = worker;
    this.#ms = ms;
  }

  static async take(database: PostgresDatabase, batch: string, { host, pid, version }: Sender, clock: Clock, ms: number): Promise<Lease> {
    const [made] = await database.query(
      `INSERT INTO paycli.workers (batch, host, pid, version, lease_until)
       VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 ms') RETURNING id`,
      [batch, host, pid, version, ms],
    );
    const lease = new Lease(database, String(made?.['id']), ms);
    void lease.#beat(clock);
    return lease;
  }

  /** Says in a statement whether the lease outlives what is begun now; if not, it has to be renewed in the same transaction. */
  get isFresh(): string {
    const until = `clock_timestamp() + interval '${Math.ceil((this.#ms * 2) / 3)} ms'`;
    return `EXISTS (SELECT FROM paycli.workers WHERE id = ${this.worker} AND lease_until > ${until})`;
  }

  async renew(query: Query = this.#database.query): Promise<void> {
    await query("UPDATE paycli.workers SET lease_until = clock_timestamp() + $2 * interval '1 ms' WHERE id = $1", [this.worker, this.#ms]);
  }

  /** Whether this worker has anything left to do. */
  async rest(resting: boolean): Promise<void> {
    await this.#database.query('UPDATE paycli.workers SET resting = $2 WHERE id = $1', [this.worker, resting]);
  }

  /** Lets everything go at once. Without the server the lease runs out by itself. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#database
      .transaction(async (query) => {
        await query("UPDATE paycli.gate SET worker = NULL WHERE worker = $1 AND state IN ('planned', 'not_sent')", [this.worker]);
        await query('UPDATE paycli.workers SET lease_until = clock_timestamp() WHERE id = $1', [this.worker]);
      })
      .catch(() => undefined);
  }

  // A beat that fails is made up for by the next one; rows cannot be begun without the server anyway.
  async #beat(clock: Clock): Promise<void> {
    while (!(await sleepOrAbort(clock, this.#ms / 4, this.#over.signal))) await this.renew().catch(() => undefined);
  }
}

import type { Sender } from '../../../journal/index.js';
import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';
import type { PostgresDatabase, Query } from './database.js';

/**
 * Twice the longest time between the record that a row may be sent and its sending, which is 30 s (see `maxDelayMs`):
 * once a lease has run out, nothing that was recorded under it can be sent any more.
 */
export const defaultLeaseMs = 60_000;

/** In a statement about the table `gate`: whether the worker of the row holds a lease that has not run out. */
export const isHeldSql =
  'EXISTS (SELECT FROM paycli.workers AS holder WHERE holder.id = gate.worker AND holder.lease_until > clock_timestamp())';

/**
 * This process as one of the workers of a batch: for the time of its lease its rows belong to it, and it renews the
 * lease as long as it runs. All times are those of the database server.
 */
export class Lease {
  readonly worker: string;
  readonly #database: PostgresDatabase;
  readonly #ms: number;
  readonly #ended = new AbortController();

  private constructor(database: PostgresDatabase, worker: string, ms: number) {
    this.#database = database;
    this.worker = worker;
    this.#ms = ms;
  }

  static async take(
    database: PostgresDatabase,
    batch: string,
    { host, pid, version }: Sender,
    clock: Clock,
    ms: number,
  ): Promise<Lease> {
    const [made] = await database.query(
      `INSERT INTO paycli.workers (batch, host, pid, version, lease_until)
       VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 ms') RETURNING id`,
      [batch, host, pid, version, ms],
    );
    const lease = new Lease(database, String(made?.['id']), ms);
    void lease.#renewRegularly(clock);
    return lease;
  }

  /**
   * In a statement: whether at least two thirds of the lease are left, so that it outlasts the sending of what is begun
   * now; if not, it has to be renewed in the same transaction.
   */
  get isFresh(): string {
    const until = `clock_timestamp() + interval '${Math.ceil((this.#ms * 2) / 3)} ms'`;
    return `EXISTS (SELECT FROM paycli.workers WHERE id = ${this.worker} AND lease_until > ${until})`;
  }

  async renew(query: Query = this.#database.query): Promise<void> {
    await query("UPDATE paycli.workers SET lease_until = clock_timestamp() + $2 * interval '1 ms' WHERE id = $1", [
      this.worker,
      this.#ms,
    ]);
  }

  /** Records that this worker has nothing to do, or has something again: others wait for it as long as it has. */
  async setResting(resting: boolean): Promise<void> {
    await this.#database.query('UPDATE paycli.workers SET resting = $2 WHERE id = $1', [this.worker, resting]);
  }

  /** Gives its unsent rows back and ends the lease at once. Where the server is away, the lease runs out by itself. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#database
      .transaction(async (query) => {
        await query("UPDATE paycli.gate SET worker = NULL WHERE worker = $1 AND state IN ('planned', 'not_sent')", [
          this.worker,
        ]);
        await query('UPDATE paycli.workers SET lease_until = clock_timestamp() WHERE id = $1', [this.worker]);
      })
      .catch(() => undefined);
  }

  // A renewal that fails is made up for by the next one; no row can be begun without the server anyway.
  async #renewRegularly(clock: Clock): Promise<void> {
    while (!(await sleepOrAbort(clock, this.#ms / 4, this.#ended.signal))) await this.renew().catch(() => undefined);
  }
}

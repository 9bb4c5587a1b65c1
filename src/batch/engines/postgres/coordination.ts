import type PgBoss from 'pg-boss';
import { fail } from '../../../errors/index.js';
import type { Sender } from '../../../journal/index.js';
import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';
import type { PostgresDatabase, Query, Values } from './database.js';
import { makeOnce } from './schema.js';

/**
 * Twice the longest time a request may wait between its beginning and its first byte, which is 30 s: when a lease has
 * run out, nothing begun under it can leave any more.
 */
export const defaultLeaseMs = 60_000;

/** A row whose worker still lives, in a statement about the gate. */
export const isHeldSql =
  'EXISTS (SELECT FROM paycli.workers AS holder WHERE holder.id = gate.worker AND holder.lease_until > \
clock_timestamp())';

/** This process as one of the workers of a batch. All times are the server's. */
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
   * Says in a statement whether the lease outlives what is begun now; if not, it has to be renewed in the same
   * transaction.
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

  /** Whether this worker has anything left to do. */
  async setResting(resting: boolean): Promise<void> {
    await this.#database.query('UPDATE paycli.workers SET resting = $2 WHERE id = $1', [this.worker, resting]);
  }

  /** Lets everything go at once. Without the server the lease runs out by itself. */
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

  // A beat that fails is made up for by the next one; rows cannot be begun without the server anyway.
  async #renewRegularly(clock: Clock): Promise<void> {
    while (!(await sleepOrAbort(clock, this.#ms / 4, this.#ended.signal))) await this.renew().catch(() => undefined);
  }
}

/**
 * One rate for all workers at a gateway: a row with tokens, which a worker takes a tenth of a second's worth at a time.
 */
export class SharedRate {
  readonly #database: PostgresDatabase;
  readonly #base: string;
  readonly #clock: Clock;
  /** Moments, by the monotonic clock, at which one more may leave. */
  #due: number[] = [];
  #previous: Promise<unknown> = Promise.resolve();

  constructor(database: PostgresDatabase, base: string, clock: Clock) {
    this.#database = database;
    this.#base = base;
    this.#clock = clock;
  }

  /** The newest word counts, for all workers. */
  async setRate(perSecond: number): Promise<void> {
    await this.#database.query(
      `INSERT INTO paycli.paces VALUES ($1, $2, 1, clock_timestamp()) ON CONFLICT (base) DO UPDATE SET per_second = \
excluded.per_second`,
      [this.#base, perSecond],
    );
  }

  /** False when stopped. One waits for its moment, the others wait for that one. */
  wait(stop: AbortSignal): Promise<boolean> {
    const turn = this.#previous.then(() => this.#wait(stop));
    this.#previous = turn.catch(() => undefined);
    return turn;
  }

  async #wait(stop: AbortSignal): Promise<boolean> {
    if (stop.aborted) return false;
    if (this.#due.length === 0) this.#due = await this.#take();
    const left = (this.#due.shift() ?? 0) - this.#clock.monotonic();
    return !(left > 0 ? await sleepOrAbort(this.#clock, left, stop) : stop.aborted);
  }

  /** Takes tokens, if need be ahead of time: then each is due when the row would have had it. */
  async #take(): Promise<number[]> {
    const [found] = await this.#database.query(
      `UPDATE paycli.paces SET filled_at = clock_timestamp(), tokens = least(lot, tokens + per_second
         * greatest(0, extract(epoch FROM clock_timestamp() - filled_at))) - lot
       FROM (SELECT base AS of, greatest(1, floor(per_second / 10)) AS lot FROM paycli.paces) AS lots
       WHERE base = $1 AND of = base RETURNING tokens, lot, per_second`,
      [this.#base],
    );
    const now = this.#clock.monotonic();
    if (found === undefined) return [now];
    const [tokens, lot, perSecond] = [Number(found['tokens']), Number(found['lot']), Number(found['per_second'])];
    return Array.from({ length: lot }, (_, at) => now + Math.max(0, ((at + 1 - lot - tokens) / perSecond) * 1000));
  }
}

/** Rows one job hands out: so few that two workers share a small batch too. */
export const chunkRows = 25;

/** A stretch of rows, both ends included. */
export interface Chunk {
  readonly first: number;
  readonly last: number;
}

const schema = 'paycli_jobs';
// Longer than any chunk takes: a job that runs out changes nothing, for the gate alone decides what is sent.
const expireInHours = 23;

/**
 * Hands out chunks by pg-boss so that workers do not grope for the same rows. Nothing depends on it: a chunk that comes
 * twice finds its rows begun, and rows of one that got lost are found by looking into the gate.
 */
export class ChunkQueue {
  readonly #database: PostgresDatabase;
  /** pg-boss on a connection of the caller. */
  readonly #over: (query: Query) => PgBoss;
  readonly #boss: PgBoss;
  readonly #name: string;
  #current: string | undefined;

  private constructor(database: PostgresDatabase, over: (query: Query) => PgBoss, name: string) {
    this.#database = database;
    this.#over = over;
    this.#boss = over((sql, values) => database.raw(sql, values));
    this.#name = name;
  }

  /** `makes` is true for who puts the batch in and so makes the tables that are not there yet. */
  static async open(database: PostgresDatabase, batch: string, makes: boolean): Promise<ChunkQueue> {
    const { default: Boss } = await import('pg-boss').catch((cause: unknown) => {
      throw fail('postgresPackagesMissing', {}, { cause });
    });
    if (makes) await makeOnce(database, schema, Boss.getConstructionPlans(schema));
    const over = (query: Query) => {
      const db = { executeSql: async (sql: string, values: Values) => ({ rows: await query(sql, values) }) };
      const boss = new Boss({ schema, supervise: false, schedule: false, migrate: makes, db });
      boss.on('error', () => {});
      return boss;
    };
    const queue = new ChunkQueue(database, over, `paycli-${batch}`);
    await database.guard(() => queue.#boss.start());
    return queue;
  }

  /** In a transaction of the caller, before any chunk is put. */
  async make(query: Query): Promise<void> {
    await this.#over(query).createQueue(this.#name, { name: this.#name, retryLimit: 0, expireInHours });
  }

  /** In a transaction of the caller, with the rows. */
  async put(chunks: readonly Chunk[], query: Query): Promise<void> {
    const jobs = chunks.map((data) => ({
      ...{ name: this.#name, data, retryLimit: 0, expireInSeconds: expireInHours * 3600 },
      // The order of the file.
      priority: -data.first,
    }));
    await this.#over(query).insert(jobs);
  }

  /** Removes it with all of its chunks; of a batch that lost it, nothing. */
  async remove(): Promise<void> {
    // pg-boss removes no queue that has jobs, and has no way to remove those that are done.
    await this.#database.query(`DELETE FROM ${schema}.job WHERE name = $1`, [this.#name]);
    await this.#database.guard(() => this.#boss.deleteQueue(this.#name));
  }

  /** The next one; what was taken before counts as done. Undefined when there is none. */
  take(): Promise<Chunk | undefined> {
    const before = this.#current;
    this.#current = undefined;
    return this.#database.guard(async () => {
      if (before !== undefined) await this.#boss.complete(this.#name, before);
      const [job] = await this.#boss.fetch<Chunk>(this.#name);
      this.#current = job?.id;
      return job?.data;
    });
  }
}

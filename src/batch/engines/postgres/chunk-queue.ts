import type PgBoss from 'pg-boss';
import type { PostgresDatabase, Query, Values } from './database.js';
import { postgresPackagesMissing } from './database-address.js';
import { makeOnce } from './schema.js';

/** How many rows one job has: so few that two workers share a small batch too. */
export const chunkRows = 25;

/** The row numbers from `first` to `last`, both included. */
export interface Chunk {
  readonly first: number;
  readonly last: number;
}

const schema = 'paycli_jobs';
// Longer than any chunk takes: a job that runs out changes nothing, for the gate alone decides what is sent.
const expireInHours = 23;

/**
 * Hands out chunks of rows by the job queue pg-boss, so that workers do not compete for the same rows. No payment
 * depends on it: a chunk handed out twice finds its rows begun, and the rows of a lost one are found in the table
 * `gate`.
 */
export class ChunkQueue {
  readonly #database: PostgresDatabase;
  /** pg-boss on a connection of the caller, such as that of its transaction. */
  readonly #bossOn: (query: Query) => PgBoss;
  readonly #boss: PgBoss;
  readonly #name: string;
  /** The job of the chunk that was taken last. */
  #current: string | undefined;

  private constructor(database: PostgresDatabase, bossOn: (query: Query) => PgBoss, name: string) {
    this.#database = database;
    this.#bossOn = bossOn;
    this.#boss = bossOn((sql, values) => database.raw(sql, values));
    this.#name = name;
  }

  /** `makesTables` is true for the one who puts the batch into the database: it creates the tables of pg-boss. */
  static async open(database: PostgresDatabase, batch: string, makesTables: boolean): Promise<ChunkQueue> {
    const { default: Boss } = await import('pg-boss').catch((cause: unknown) => {
      throw postgresPackagesMissing({ cause });
    });
    if (makesTables) await makeOnce(database, schema, Boss.getConstructionPlans(schema));
    const bossOn = (query: Query) => {
      const db = { executeSql: async (sql: string, values: Values) => ({ rows: await query(sql, values) }) };
      const boss = new Boss({ schema, supervise: false, schedule: false, migrate: makesTables, db });
      boss.on('error', () => {});
      return boss;
    };
    const queue = new ChunkQueue(database, bossOn, `paycli-${batch}`);
    await database.guard(() => queue.#boss.start());
    return queue;
  }

  /** Creates the queue, in a transaction of the caller, before any chunk is put. */
  async make(query: Query): Promise<void> {
    await this.#bossOn(query).createQueue(this.#name, { name: this.#name, retryLimit: 0, expireInHours });
  }

  /** Adds chunks, in the transaction of the caller that adds their rows. */
  async put(chunks: readonly Chunk[], query: Query): Promise<void> {
    const jobs = chunks.map((data) => ({
      ...{ name: this.#name, data, retryLimit: 0, expireInSeconds: expireInHours * 3600 },
      // The order of the file.
      priority: -data.first,
    }));
    await this.#bossOn(query).insert(jobs);
  }

  /** Removes the queue with all of its chunks; does nothing where there is none. */
  async remove(): Promise<void> {
    // pg-boss removes no queue that has jobs, and has no way to remove those that are done.
    await this.#database.query(`DELETE FROM ${schema}.job WHERE name = $1`, [this.#name]);
    await this.#database.guard(() => this.#boss.deleteQueue(this.#name));
  }

  /** The next chunk; the one taken before counts as done. Undefined when there is none. */
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

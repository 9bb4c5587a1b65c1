import type PgBoss from 'pg-boss';
import { missing, type PostgresDatabase, type Query, type Values } from './postgres-database.js';
import { makeOnce } from './postgres-tables.js';

/** Rows one job hands out. */
export const chunkRows = 100;

/** A stretch of rows, both ends included. */
export interface Chunk {
  readonly first: number;
  readonly last: number;
}

const schema = 'paycli_jobs';
// Longer than any chunk takes: a job that runs out changes nothing, for the gate alone decides what is sent.
const expireInHours = 23;

/**
 * Hands out chunks by pg-boss so that workers do not grope for the same rows. Nothing depends on it: a chunk that comes twice finds
 * its rows begun, and rows of one that got lost are found by looking into the gate.
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
      throw missing(cause);
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

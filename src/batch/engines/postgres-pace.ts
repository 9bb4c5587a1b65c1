import { sleepOrAbort } from '../../payments/sleep.js';
import type { Clock } from '../../runtime/ports.js';
import type { PostgresDatabase } from './postgres-database.js';

/** One rate for all workers at a gateway: a row with tokens, which a worker takes a tenth of a second's worth at a time. */
export class SharedPace {
  readonly #database: PostgresDatabase;
  readonly #base: string;
  readonly #clock: Clock;
  /** Moments, by the monotonic clock, at which one more may leave. */
  #due: number[] = [];
  #before: Promise<unknown> = Promise.resolve();

  constructor(database: PostgresDatabase, base: string, clock: Clock) {
    this.#database = database;
    this.#base = base;
    this.#clock = clock;
  }

  /** The newest word counts, for all workers. */
  async setRate(perSecond: number): Promise<void> {
    await this.#database.query(
      `INSERT INTO paycli.paces VALUES ($1, $2, 1, clock_timestamp()) ON CONFLICT (base) DO UPDATE SET per_second = excluded.per_second`,
      [this.#base, perSecond],
    );
  }

  /** False when stopped. One waits for its moment, the others wait for that one. */
  wait(stop: AbortSignal): Promise<boolean> {
    const turn = this.#before.then(() => this.#wait(stop));
    this.#before = turn.catch(() => undefined);
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

import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';
import type { PostgresDatabase } from './database.js';

/**
 * One rate for all workers at a gateway, as a token bucket in one row of the database: a worker takes at once the
 * tokens of a tenth of a second (a lot), each of which permits one request.
 */
export class SharedRate {
  readonly #database: PostgresDatabase;
  readonly #base: string;
  readonly #clock: Clock;
  /** Times, by the monotonic clock, at which one more request may be sent. */
  #due: number[] = [];
  /** The newest wait: the next one begins after it. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(database: PostgresDatabase, base: string, clock: Clock) {
    this.#database = database;
    this.#base = base;
    this.#clock = clock;
  }

  /** Sets the rate for all workers; the newest call counts. */
  async setRate(perSecond: number): Promise<void> {
    await this.#database.query(
      'INSERT INTO paycli.paces VALUES ($1, $2, 1, clock_timestamp()) ON CONFLICT (base) DO UPDATE SET per_second = excluded.per_second',
      [this.#base, perSecond],
    );
  }

  /** Waits until one more request may be sent, one caller after another; false when stopped. */
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

  /** Takes a lot, even before the bucket holds it: each token is then due when the bucket would have held it. */
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

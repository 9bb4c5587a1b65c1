import { sleepOrAbort } from '../../../payments/sleep.js';
import { chunkRows } from './chunk-queue.js';
import type { Query } from './database.js';
import type { EngineOptions, EngineParts } from './engine-parts.js';
import { isHeldSql, type Lease } from './lease.js';
import { hasOtherFollowUpSql, hasToWaitSql } from './order-rules.js';
import { hasFinalRow } from './row-queries.js';

const pollMs = 500;
/** Who starts a batch becomes one of its workers a moment after the batch is in the database. */
const mostLooksAlone = 4;

/**
 * Whether somebody is at work, and whether something was left behind; not what a worker gave up before it ended, and
 * rows that nobody has sent only if they may be sent ($3).
 */
const otherWorkersSql = `
  SELECT coalesce(bool_or(gate.worker <> $2 AND ${isHeldSql} AND rests IS NOT TRUE), false) AS busy,
    coalesce(bool_or(NOT ${isHeldSql} AND NOT ${hasToWaitSql} AND (state = 'sending' OR CASE state WHEN 'planned' THEN $3 ELSE rests IS NOT TRUE END)), false) AS free
  FROM paycli.gate LEFT JOIN LATERAL (SELECT resting AS rests FROM paycli.workers WHERE workers.id = gate.worker) AS own ON true
  WHERE gate.batch = $1 AND state IN ('planned', 'sending', 'unknown', 'accepted')`;

/** The rows that one worker may begin, and when it may. */
export class RowSupply {
  readonly #parts: EngineParts;
  readonly #options: Pick<EngineOptions, 'clock' | 'stop'>;
  readonly #lease: Lease;
  /** Held and not handed out yet. */
  #claimed: number[] = [];
  /** Handed out here and not begun since. */
  readonly #handedOut = new Set<number>();
  #previous: Promise<unknown> = Promise.resolve();
  #isCanaryPassed: boolean;
  #isResting = false;
  /** How often in a row no worker was there that could send the first row. */
  #looksAlone = 0;

  constructor(parts: EngineParts, options: Pick<EngineOptions, 'clock' | 'stop'>, lease: Lease) {
    this.#parts = parts;
    this.#options = options;
    this.#lease = lease;
    this.#isCanaryPassed = parts.isStarter;
  }

  get #head() {
    return this.#parts.known.head;
  }

  get #query(): Query {
    return this.#parts.database.query;
  }

  /** These were begun, or turned out to be another worker's. */
  wereBegun(numbers: readonly number[]): void {
    for (const number of numbers) this.#handedOut.delete(number);
  }

  /** One after another: what one finds is there for the next. At most `max`; none when there is nothing left. */
  next(max: number): Promise<readonly number[]> {
    const turn = this.#previous.then(() => this.#next(max));
    this.#previous = turn.catch(() => undefined);
    return turn;
  }

  async #next(max: number): Promise<readonly number[]> {
    if (this.#claimed.length === 0) this.#claimed = await this.#find();
    const given = this.#claimed.splice(0, max);
    for (const number of given) this.#handedOut.add(number);
    return given;
  }

  /** Waits while the rows that are left are other workers': one of them may end before its rows do. */
  async #find(): Promise<number[]> {
    const { clock, stop } = this.#options;
    while (!stop.aborted) {
      if (await this.#mayBegin()) {
        await this.setResting(false);
        for (let chunk = await this.#parts.queue.take(); chunk !== undefined; chunk = await this.#parts.queue.take()) {
          const held = await this.#claimFree(chunk.first, chunk.last);
          if (held.length > 0) return held;
        }
        const left = await this.#claimFree(1, this.#head.count);
        if (left.length > 0) return left;
      }
      if (!(await this.#mayComeFree())) return [];
      await sleepOrAbort(clock, pollMs, stop);
    }
    return [];
  }

  async #mayBegin(): Promise<boolean> {
    this.#isCanaryPassed ||= await hasFinalRow(this.#query, this.#head.id);
    return this.#isCanaryPassed;
  }

  /** Whether the other workers need not wait for this one. */
  async setResting(resting: boolean): Promise<void> {
    if (resting !== this.#isResting) await this.#lease.setResting(resting);
    this.#isResting = resting;
  }

  /**
   * What was proven not sent is tried again by those who joined later; who tried it would try for ever. What is this
   * worker's and was never handed out was lost with a connection.
   */
  async #claimFree(first: number, last: number): Promise<number[]> {
    const rows = await this.#query(
      `UPDATE paycli.gate SET worker = $2 WHERE id IN (
         SELECT id FROM paycli.gate WHERE batch = $1 AND number BETWEEN $3 AND $4
         AND (state = 'planned' OR (state = 'not_sent' AND changed_at < (SELECT joined_at FROM paycli.workers WHERE id = $2)))
         AND ((worker = $2 AND number <> ALL($5::int[])) OR NOT ${isHeldSql}) AND NOT ${hasToWaitSql}
         ORDER BY number LIMIT ${chunkRows} FOR UPDATE SKIP LOCKED
       ) RETURNING number`,
      [this.#head.id, this.#lease.worker, first, last, [...this.#handedOut]],
    );
    return rows.map(({ number }) => Number(number)).sort((one, other) => one - other);
  }

  /** Before the first row is final, whoever started the batch is waited for; not for others that wait like this one. */
  async #mayComeFree(): Promise<boolean> {
    if (!this.#isCanaryPassed) await this.setResting(true);
    const [found] = await this.#query(
      `SELECT EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state = 'planned') AS planned,
         EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state = 'planned'
           AND ((${isHeldSql} AND worker <> $2) OR ${hasOtherFollowUpSql(['sending'])})) AS held,
         EXISTS (SELECT FROM paycli.workers WHERE batch = $1 AND id <> $2 AND lease_until > clock_timestamp() AND NOT resting) AS led`,
      [this.#head.id, this.#lease.worker],
    );
    if (found?.['planned'] !== true) return false;
    if (found['held'] === true || this.#isCanaryPassed) return found['held'] === true;
    this.#looksAlone = found['led'] === true ? 0 : this.#looksAlone + 1;
    return this.#looksAlone < mostLooksAlone;
  }

  /** Waits until who started the batch is past its first row. */
  async waitForCanary(): Promise<void> {
    const { clock, stop } = this.#options;
    while (!(await this.#mayBegin()) && (await this.#mayComeFree()) && !(await sleepOrAbort(clock, pollMs, stop)));
  }

  /**
   * Waits, with nothing more to do, until no other worker has anything to do. True when one of them ended and left a
   * row behind that is to be taken up.
   */
  async waitForOtherWorkers(): Promise<boolean> {
    const { clock, stop } = this.#options;
    await this.setResting(true);
    while (!stop.aborted) {
      const mayBegin = await this.#mayBegin();
      const [found] = await this.#query(otherWorkersSql, [this.#head.id, this.#lease.worker, mayBegin]);
      if (found?.['busy'] !== true) {
        const isFree = found?.['free'] === true;
        if (isFree) await this.setResting(false);
        return isFree;
      }
      await sleepOrAbort(clock, pollMs, stop);
    }
    return false;
  }
}

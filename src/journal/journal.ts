import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, Random, SqlRow } from '../runtime/ports.js';
import { Chain } from './chain.js';
import { type Intent, intentFrom, type NewIntent, type Sender, type Sum } from './intent.js';
import { checkClock, checkLease, type Lease, type LeaseTerms, leasesIn, locked, longestLeaseMs, unlocked, used } from './leases.js';
import { checkDay, type DayLimit, dayOf } from './limits.js';
import { type Plan, type PlanOptions, planned } from './plan.js';
import { named } from './query.js';
import { JournalReader, type ReaderPorts } from './reader.js';
import { spentSince } from './spending.js';
import { mayMove, type State } from './states.js';
import { type Lag, TailNote } from './tail.js';
import type { Result, Terms } from './terms.js';
import { addIntent, correctIntent, draftOf, writeAttempt, writeEnd } from './writing.js';

export interface JournalPorts extends ReaderPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Of this process. */
  readonly sender: Sender;
}

/** Changes that become one transaction, and the fault of the disk that ended it. */
interface Group {
  fault: unknown;
}

/** What was intended and what became of it. Every change is on the disk when its function returns. */
export class Journal extends JournalReader {
  readonly #ports: JournalPorts;
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #note: TailNote;
  /** Set while several changes make one transaction. */
  #group: Group | undefined;

  constructor(ports: JournalPorts) {
    super(ports);
    this.#ports = ports;
    this.#database = ports.database;
    this.#chain = new Chain(ports.database);
    this.#note = new TailNote(ports);
  }

  /** Writes an intent down, or finds the one it repeats. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY or SAME_CONTENT_OPEN. */
  plan(intent: NewIntent, options: PlanOptions): Plan {
    const ports = { ...this.#ports, chain: this.#chain };
    const writer = {
      add: (wanted: NewIntent, sequence: number) => addIntent(draftOf(wanted, sequence, this.#ports), ports),
      correct: (earlier: Intent, wanted: NewIntent) => this.#known(correctIntent(earlier, wanted, ports)),
    };
    // Nothing may leave before it is begun, and then the note is written.
    return this.#change(() => planned(this.#database, named(intent), options, writer), 'next');
  }

  /** What `plan` would do. Nothing is written down: a new intent has the id 0. */
  foresee(intent: NewIntent, options: PlanOptions): Plan {
    const writer = {
      add: (wanted: NewIntent, sequence: number) => draftOf(wanted, sequence, this.#ports),
      correct: (earlier: Intent, wanted: NewIntent): Intent => ({ ...earlier, ...wanted }),
    };
    return planned(this.#database, named(intent), options, writer);
  }

  /**
   * From here on the request may leave. A resend alone leads out of `unknown`. Limits and lease are held against what other
   * processes have begun, in one step with the beginning. Throws INTENT_BUSY when another process was faster, CAP_EXCEEDED or LIVE_GUARD.
   */
  begin(intent: Intent, isResend = false, { counts = intent.sum, day, lease }: Terms = {}): Intent {
    return this.#change(() => {
      const row = this.#row(intent.id);
      const before = intentFrom(row);
      const { state, sender: other } = before;
      const isLegal = mayMove(state, 'sending') && (state !== 'unknown' || isResend);
      if (state !== intent.state || !isLegal)
        throw fail('INTENT_BUSY', { what: `order ${intent.orderId ?? intent.clientOrderId ?? ''}`, pid: other.pid });
      const { sender, clock } = this.#ports;
      const changedAt = clock.now();
      if (day !== undefined && counts !== undefined) this.checkDay(day, counts, intent.id);
      if (lease !== undefined) checkLease(this.leases(), lease, counts);
      writeAttempt(this.#database, row, { sender, at: changedAt, counts });
      const facts = { attempt: intent.attempts + 1, counts };
      this.#move(intent.id, [state, 'sending'], isResend ? 'sent again on purpose' : '', facts, changedAt);
      if (lease !== undefined) this.#move(undefined, ['', ''], used, { lease, entry: intent.id, counts });
      return { ...before, state: 'sending', attempts: before.attempts + 1, changedAt, reason: '', sender };
    });
  }

  /** Moves an intent on. Does nothing when it stands there or further already: somebody else learned of it first. */
  settle(id: number, to: State, { reason, orderId, outcome = {} }: Result): Intent {
    return this.#change(() => {
      const row = this.#row(id);
      const before = intentFrom(row);
      if (to === 'sending' || !mayMove(before.state, to)) return before;
      const mayHaveArrived = before.mayHaveArrived || (to !== 'not_sent' && to !== 'refused');
      const changedAt = this.#ports.clock.now();
      const kept = { ...before.outcome, ...outcome };
      const written = { to, at: changedAt, reason, outcome: kept, orderId, mayHaveArrived };
      writeEnd(this.#database, row, written);
      this.#move(id, [before.state, to], reason, { orderId, outcome });
      return { ...before, state: to, changedAt, reason, outcome: kept, orderId: before.orderId ?? orderId, mayHaveArrived };
    });
  }

  /**
   * Makes several changes one transaction: flushed once, with one note of the last line. A change that is refused is undone by
   * itself; when the disk fails, none of them was made, and this throws.
   */
  together<T>(work: () => T): T {
    return this.#change(() => {
      const outer = this.#group;
      const group: Group = { fault: undefined };
      this.#group = group;
      try {
        const result = work();
        if (group.fault !== undefined) throw group.fault;
        return result;
      } finally {
        this.#group = outer;
      }
    }, 'group');
  }

  /** Adds a line without a change of state, about an intent or about none. */
  note(id: number | undefined, what: string, facts: Readonly<Record<string, unknown>>): void {
    this.#change(() => {
      const state = id === undefined ? '' : this.#known(id).state;
      this.#move(id, [state, state], what, facts);
    });
  }

  /** Takes the chain as it is now for whole, which is written down. */
  acceptEnd(reason: string): void {
    this.#change(() => this.#move(undefined, ['', ''], 'taken as whole', { reason, count: this.#chain.end().count }));
  }

  /** Throws CAP_EXCEEDED when a sum does not fit into the day any more; `except` is the intent it is for. */
  checkDay(day: DayLimit, asked: Sum, except?: number): void {
    const since = dayOf(this.#ports.clock.now());
    checkDay(day, asked, since, spentSince(this.#database, day.profile, day.most.currency, since, except));
  }

  /** Leave to send without the login typed: what stands, and what stood in the last hours. Throws STORAGE when a line was changed. */
  leases(): Lease[] {
    return leasesIn(this.#database, this.#ports.clock.now());
  }

  /** Gives such leave for so many milliseconds. Throws LIVE_GUARD when the clock cannot be relied on. */
  unlock(terms: Omit<LeaseTerms, 'host' | 'until'>, forMs: number): Lease {
    return this.#change(() => {
      const now = this.#ports.clock.now();
      checkClock(this.#database, now);
      this.#move(undefined, ['', ''], unlocked, { ...named(terms), until: now + Math.min(forMs, longestLeaseMs) });
      const made = this.leases().at(-1);
      if (made === undefined) throw fail('INTERNAL', { why: 'the journal lost a lease', how: 'report it', sent: 'nothing was sent' });
      return made;
    });
  }

  /** Ends all that stand, at once. */
  lock(): Lease[] {
    return this.#change(() => {
      const standing = this.leases().filter(({ ended }) => ended !== 'locked' && ended !== 'expired');
      if (standing.length > 0) this.#move(undefined, ['', ''], locked, { leases: standing.map(({ id }) => id) });
      return standing;
    });
  }

  close(): void {
    this.#note.catchUp(() => this.#database.close());
  }

  #change<T>(work: () => T, lag: Lag = 'none'): T {
    if (this.#group !== undefined) return this.#inGroup(this.#group, work);
    const change = () => {
      this.#chain.forgetEnd();
      const { count } = this.#chain.end();
      const result = work();
      return { result, isLonger: this.#chain.end().count !== count };
    };
    const { result, isLonger } = this.#database.transaction(change);
    if (isLonger) this.#note.write(this.#chain.end(), lag);
    return result;
  }

  /** One change of a group: it alone is undone when it throws, unless the disk is at fault, which ends the group. */
  #inGroup<T>(group: Group, work: () => T): T {
    if (group.fault !== undefined) throw group.fault;
    try {
      this.#database.run('SAVEPOINT change');
      const result = work();
      this.#database.run('RELEASE change');
      return result;
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'STORAGE') group.fault = error;
      else this.#database.exec('ROLLBACK TO change; RELEASE change');
      this.#chain.forgetEnd();
      throw error;
    }
  }

  #known(id: number): Intent {
    return intentFrom(this.#row(id));
  }

  #row(id: number): SqlRow {
    const row = this.#database.get('SELECT * FROM intents WHERE id = ?', id);
    if (row === undefined)
      throw fail('INTERNAL', { why: 'the journal lost an entry', how: 'report it', sent: '`paycli journal verify` looks into it' });
    return row;
  }

  #move(
    intentId: number | undefined,
    [from, to]: readonly [string, string],
    reason: string,
    facts: object,
    at = this.#ports.clock.now(),
  ): void {
    const { sender } = this.#ports;
    this.#chain.add({ intentId, from, to, at, reason, facts: JSON.stringify({ ...sender, ...facts }) });
  }
}

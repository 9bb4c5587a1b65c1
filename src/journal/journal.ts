import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, Files, Random } from '../runtime/ports.js';
import { Chain, type Move, type Tail, tailOf } from './chain.js';
import { contentHash } from './content.js';
import { Elsewhere } from './elsewhere.js';
import { type Intent, intentFrom, type NewIntent, type Sender, type Sum, stateFrom } from './intent.js';
import { checkClock, checkLease, type Lease, type LeaseTerms, leasesIn, locked, longestLeaseMs, unlocked, used } from './leases.js';
import { checkDay, type DayLimit, dayOf } from './limits.js';
import { earlierEqual, type Plan, type PlanOptions, planned } from './plan.js';
import { type Filter, intentsBefore, intentsIn, type Place, usedIds } from './query.js';
import { Spending } from './spending.js';
import { mayMove, type State } from './states.js';
import { type Lag, readTail, TailNote } from './tail.js';
import type { Result, Terms } from './terms.js';
import { type Flaw, flawsOf } from './verify.js';
import { addIntent, correctIntent, draftOf } from './writing.js';

export interface JournalPorts {
  readonly database: Database;
  readonly files: Pick<Files, 'exists' | 'readText' | 'writeText'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Of this process. */
  readonly sender: Sender;
  /** Where the end of the chain is noted a second time. */
  readonly tailPath: string;
}

/** Changes that become one transaction, and the fault of the disk that ended it. */
interface Group {
  fault: unknown;
}

/** What was intended and what became of it. Every change is on the disk when its function returns. */
export class Journal {
  readonly #ports: JournalPorts;
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #note: TailNote;
  /** Orders that another engine may send. */
  readonly elsewhere: Elsewhere;
  /** Set while several changes make one transaction. */
  #group: Group | undefined;
  #spending: Spending | undefined;
  #key: string | undefined;

  constructor(ports: JournalPorts) {
    this.#ports = ports;
    this.#database = ports.database;
    this.#chain = new Chain(ports.database);
    this.#note = new TailNote(ports);
    const line = (what: string, facts: object) => this.#move(undefined, ['', ''], what, facts);
    this.elsewhere = new Elsewhere({ database: ports.database, change: (work) => this.#change(work), line });
  }

  /** Writes an intent down, or finds the one it repeats. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY or SAME_CONTENT_OPEN. */
  plan(intent: NewIntent, options: PlanOptions): Plan {
    const ports = { ...this.#ports, chain: this.#chain };
    const writer = {
      add: (wanted: NewIntent, sequence: number) => addIntent(draftOf(wanted, sequence, this.#ports), ports),
      correct: (earlier: Intent, wanted: NewIntent) => this.#known(correctIntent(earlier, wanted, ports)),
    };
    // Nothing may leave before it is begun, and then the note is written.
    return this.#change(() => planned(this.#database, intent, options, writer), 'next');
  }

  /** What `plan` would do. Nothing is written down: a new intent has the id 0. */
  foresee(intent: NewIntent, options: PlanOptions): Plan {
    const writer = {
      add: (wanted: NewIntent, sequence: number) => draftOf(wanted, sequence, this.#ports),
      correct: (earlier: Intent, wanted: NewIntent): Intent => ({ ...earlier, ...wanted }),
    };
    return planned(this.#database, intent, options, writer);
  }

  /**
   * From here on the request may leave. A resend alone leads out of `unknown`. Limits and lease are held against what other
   * processes have begun, in one step with the beginning. Throws INTENT_BUSY when another was faster, CAP_EXCEEDED, LIVE_GUARD, ORDER_ELSEWHERE.
   */
  begin(intent: Intent, isResend = false, { counts = intent.sum, day, lease, plan, isCopy = false }: Terms = {}): Intent {
    return this.#change(() => {
      const before = this.#known(intent.id);
      const { state, sender: other } = before;
      const isLegal = mayMove(state, 'sending') && (state !== 'unknown' || isResend);
      if (state !== intent.state || !isLegal)
        throw fail('INTENT_BUSY', { what: `order ${intent.orderId ?? intent.clientOrderId ?? ''}`, pid: other.pid });
      if (!isResend && !isCopy) this.elsewhere.check(before);
      const { sender, clock } = this.#ports;
      const changedAt = clock.now();
      if (day !== undefined && counts !== undefined) this.checkDay(day, counts, intent.id);
      if (lease !== undefined) checkLease(this.leases(), lease, counts);
      this.#database.run(
        "UPDATE intents SET state = 'sending', attempts = attempts + 1, changed_at = ?, reason = '', host = ?, pid = ?, version = ? WHERE id = ?",
        ...[changedAt, sender.host, sender.pid, sender.version, intent.id],
      );
      this.#move(intent.id, [state, 'sending'], isResend ? 'sent again on purpose' : '', { attempt: intent.attempts + 1, counts, plan });
      if (lease !== undefined) this.#move(undefined, ['', ''], used, { lease, entry: intent.id, counts });
      return { ...before, state: 'sending', attempts: before.attempts + 1, changedAt, reason: '', sender };
    });
  }

  /** Moves an intent on. Does nothing when it stands there or further already: somebody else learned of it first. */
  settle(id: number, to: State, { reason, orderId, outcome = {} }: Result): Intent {
    return this.#change(() => {
      const before = this.#known(id);
      if (to === 'sending' || !mayMove(before.state, to)) return before;
      const mayHaveArrived = before.mayHaveArrived || (to !== 'not_sent' && to !== 'refused');
      const changedAt = this.#ports.clock.now();
      const kept = { ...before.outcome, ...outcome };
      this.#database.run(
        `UPDATE intents SET state = ?, changed_at = ?, reason = ?, outcome = ?, order_id = coalesce(order_id, ?),
         may_have_arrived = max(may_have_arrived, ?) WHERE id = ?`,
        ...[to, changedAt, reason, JSON.stringify(kept)],
        ...[orderId ?? null, Number(mayHaveArrived), id],
      );
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

  /** The intent that this one repeats; undefined when it is new, or its key belongs to another content. */
  find(wanted: NewIntent): Intent | undefined {
    return earlierEqual(this.#database, wanted);
  }

  /** Adds a line without a change of state, about an intent or about none. */
  note(id: number | undefined, what: string, facts: Readonly<Record<string, unknown>>): void {
    this.#change(() => {
      const state = id === undefined ? '' : this.#known(id).state;
      this.#move(id, [state, state], what, facts);
    });
  }

  get(id: number): Intent | undefined {
    const row = this.#database.get('SELECT * FROM intents WHERE id = ?', id);
    return row === undefined ? undefined : intentFrom(row);
  }

  /** Where one stands that is there. */
  stateOf(id: number): State {
    return stateFrom(String(this.#database.get('SELECT state FROM intents WHERE id = ?', id)?.['state']));
  }

  /** Oldest first. */
  list(filter: Filter = {}): Intent[] {
    return intentsIn(this.#database, filter);
  }

  /** What a new request would meet: the intent under its key, or those of its kind on the same order. */
  before(wanted: Place): Intent[] {
    return intentsBefore(this.#database, wanted);
  }

  /** Which of these ids somebody used for an order here, at whatever gateway: only those can have met something. */
  used(clientOrderIds: readonly string[]): ReadonlySet<string> {
    return usedIds(this.#database, clientOrderIds);
  }

  /** The lines of an intent, or those about none. */
  moves(id: number | undefined): Move[] {
    return this.#chain.about(id);
  }

  /** All lines, oldest first. */
  chain(): Move[] {
    return this.#chain.all();
  }

  /** Its last line. */
  tail(): Tail {
    return tailOf(this.#database);
  }

  /** Whether it has this line, which an older copy has not. */
  holds({ count, hash }: Tail): boolean {
    return count === 0 || this.#database.get('SELECT hash FROM moves WHERE id = ?', count)?.['hash'] === hash;
  }

  /** Everything that is wrong with it; empty when nothing is. */
  flaws(): Flaw[] {
    return flawsOf(this.#database, readTail(this.#ports));
  }

  /** Takes the chain as it is now for whole, which is written down. */
  acceptEnd(reason: string): void {
    this.#change(() => this.#move(undefined, ['', ''], 'taken as whole', { reason, count: this.#chain.end().count }));
  }

  /** Keyed hash of what a request holds: two can be told apart, none can be read. */
  hash(parts: readonly string[]): string {
    this.#key ??= String(this.#database.get("SELECT value FROM meta WHERE name = 'content-key'")?.['value'] ?? '');
    return contentHash(this.#key, parts);
  }

  /** Minor units a profile sent since then; refusals and what was proven not sent left out. */
  spentSince(profile: string, since: number, currency: string): bigint {
    return this.#spentSince(since).total(this.#database, profile, currency);
  }

  /** Throws CAP_EXCEEDED when a sum does not fit into the day any more; `except` is the intent it is for. */
  checkDay(day: DayLimit, asked: Sum, except?: number): void {
    const since = dayOf(this.#ports.clock.now());
    checkDay(day, asked, since, this.#spentSince(since).total(this.#database, day.profile, day.most.currency, except));
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
      this.#move(undefined, ['', ''], unlocked, { ...terms, until: now + Math.min(forMs, longestLeaseMs) });
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

  #spentSince(since: number): Spending {
    if (this.#spending?.since !== since) this.#spending = new Spending(since);
    return this.#spending;
  }

  #change<T>(work: () => T, lag: Lag = 'none'): T {
    if (this.#group !== undefined) return this.#inGroup(this.#group, work);
    const change = () => {
      this.#chain.forgetEnd();
      const { count } = this.#chain.end();
      const result = work();
      return { result, isLonger: this.#chain.end().count !== count };
    };
    try {
      const { result, isLonger } = this.#database.transaction(change);
      if (isLonger) this.#note.write(this.#chain.end(), lag);
      return result;
    } catch (error) {
      // Lines that were undone may have been counted.
      this.#spending = undefined;
      throw error;
    }
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
      this.#spending = undefined;
      this.#chain.forgetEnd();
      throw error;
    }
  }

  #known(id: number): Intent {
    const intent = this.get(id);
    if (intent === undefined)
      throw fail('INTERNAL', { why: 'the journal lost an entry', how: 'report it', sent: '`paycli journal verify` looks into it' });
    return intent;
  }

  #move(intentId: number | undefined, [from, to]: readonly [string, string], reason: string, facts: object): void {
    const { clock, sender } = this.#ports;
    this.#chain.add({ intentId, from, to, at: clock.now(), reason, facts: JSON.stringify({ ...sender, ...facts }) });
  }
}

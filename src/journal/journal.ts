import { fail } from '../errors/index.js';
import type { Clock, Database, Files, Random } from '../runtime/ports.js';
import { addMove, type Move, moveFrom, moveTables, noTail, tailOf } from './chain.js';
import { contentHash } from './content.js';
import { type Intent, intentFrom, intentTables, lastingOf, type NewIntent, type Sender, type Sum } from './intent.js';
import { checkClock, checkLease, type Lease, type LeaseTerms, leasesIn, locked, longestLeaseMs, unlocked, used } from './leases.js';
import { checkDay, type DayLimit } from './limits.js';
import { type Plan, type PlanOptions, planned } from './plan.js';
import { type Filter, intentsIn, spentSince } from './query.js';
import { mayMove, type State } from './states.js';
import { readTail, writeTail } from './tail.js';
import { checkEnd, checkPages, type Flaw, flawsOf } from './verify.js';

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

/** What came of an attempt. */
export interface Result {
  /** In words of paycli. */
  readonly reason: string;
  /** The gateway's id of the order. */
  readonly orderId?: string | undefined;
  /** Fields of the reply that may be kept. */
  readonly outcome?: Readonly<Record<string, string>> | undefined;
}

/** On what an attempt may begin. */
export interface Terms {
  /** What it counts against limits; the sum of the intent when left out. */
  readonly counts?: Sum | undefined;
  readonly day?: DayLimit | undefined;
  /** The lease that stands in for the login. */
  readonly lease?: number | undefined;
}

export const journalVersion = 1;

/** Opens the journal, made at first use. Throws STORAGE when it is damaged, shortened or of another version. */
export function openJournal(ports: JournalPorts): Journal {
  const journal = openDamaged(ports);
  checkPages(ports.database);
  checkEnd(ports.database, readTail(ports));
  return journal;
}

/** The same whatever its condition, for those who look into it or repair it. */
export function openDamaged(ports: JournalPorts): Journal {
  const { database, random } = ports;
  const version = versionOf(database);
  if (version !== 0 && version !== journalVersion)
    throw fail('STORAGE', { what: 'the journal', why: 'another version of paycli made it', how: 'use the paycli that made it' });
  if (version === 0) {
    // First, so that a journal without this note is never a new one.
    writeTail(ports, noTail);
    database.transaction(() => {
      if (versionOf(database) !== 0) return;
      database.exec(intentTables);
      database.exec(moveTables);
      database.run('INSERT INTO meta VALUES (?, ?)', 'content-key', random.letters(43));
      database.exec(`PRAGMA user_version = ${journalVersion}`);
    });
  }
  return new Journal(ports);
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

/** What was intended and what became of it. Every change is on the disk when its function returns. */
export class Journal {
  readonly #ports: JournalPorts;
  readonly #database: Database;

  constructor(ports: JournalPorts) {
    this.#ports = ports;
    this.#database = ports.database;
  }

  /** Writes an intent down, or finds the one it repeats. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY or SAME_CONTENT_OPEN. */
  plan(intent: NewIntent, options: PlanOptions): Plan {
    const writer = {
      add: (wanted: NewIntent, sequence: number) => this.#add(wanted, sequence),
      correct: (earlier: Intent, wanted: NewIntent) => this.#correct(earlier, wanted),
    };
    return this.#change(() => planned(this.#database, intent, options, writer));
  }

  /** What `plan` would do. Nothing is written down: a new intent has the id 0. */
  foresee(intent: NewIntent, options: PlanOptions): Plan {
    const at = this.#ports.clock.now();
    const draft: Omit<Intent, keyof NewIntent | 'sequence'> = {
      ...{ id: 0, state: 'planned', attempts: 0, mayHaveArrived: false },
      ...{ madeAt: at, changedAt: at, reason: '', outcome: {}, sender: this.#ports.sender },
    };
    const writer = {
      add: (wanted: NewIntent, sequence: number): Intent => ({ ...wanted, ...draft, sequence }),
      correct: (earlier: Intent, wanted: NewIntent): Intent => ({ ...earlier, ...wanted }),
    };
    return planned(this.#database, intent, options, writer);
  }

  /**
   * From here on the request may leave. A resend alone leads out of `unknown`. Limits and lease are held against what other
   * processes have begun, in one step with the beginning. Throws INTENT_BUSY when another process was faster, CAP_EXCEEDED or LIVE_GUARD.
   */
  begin(intent: Intent, isResend = false, { counts = intent.sum, day, lease }: Terms = {}): Intent {
    return this.#change(() => {
      const { state, sender: other } = this.#known(intent.id);
      const isLegal = mayMove(state, 'sending') && (state !== 'unknown' || isResend);
      if (state !== intent.state || !isLegal)
        throw fail('INTENT_BUSY', { what: `order ${intent.orderId ?? intent.clientOrderId ?? ''}`, pid: other.pid });
      const { sender, clock } = this.#ports;
      if (day !== undefined && counts !== undefined) checkDay(this.#database, day, counts, clock.now(), intent.id);
      if (lease !== undefined) checkLease(this.leases(), lease, counts);
      this.#database.run(
        "UPDATE intents SET state = 'sending', attempts = attempts + 1, changed_at = ?, reason = '', host = ?, pid = ?, version = ? WHERE id = ?",
        ...[clock.now(), sender.host, sender.pid, sender.version, intent.id],
      );
      this.#move(intent.id, [state, 'sending'], isResend ? 'sent again on purpose' : '', { attempt: intent.attempts + 1, counts });
      if (lease !== undefined) this.#move(undefined, ['', ''], used, { lease, entry: intent.id, counts });
      return this.#known(intent.id);
    });
  }

  /** Moves an intent on. Does nothing when it stands there or further already: somebody else learned of it first. */
  settle(id: number, to: State, { reason, orderId, outcome = {} }: Result): Intent {
    return this.#change(() => {
      const before = this.#known(id);
      if (to === 'sending' || !mayMove(before.state, to)) return before;
      const mayHaveArrived = to !== 'not_sent' && to !== 'refused';
      this.#database.run(
        `UPDATE intents SET state = ?, changed_at = ?, reason = ?, outcome = ?, order_id = coalesce(order_id, ?),
         may_have_arrived = max(may_have_arrived, ?) WHERE id = ?`,
        ...[to, this.#ports.clock.now(), reason, JSON.stringify({ ...before.outcome, ...outcome })],
        ...[orderId ?? null, Number(mayHaveArrived), id],
      );
      this.#move(id, [before.state, to], reason, { orderId, outcome });
      return this.#known(id);
    });
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

  /** Oldest first. */
  list(filter: Filter = {}): Intent[] {
    return intentsIn(this.#database, filter);
  }

  /** The lines of an intent, or those about none. */
  moves(id: number | undefined): Move[] {
    const rows =
      id === undefined
        ? this.#database.all('SELECT * FROM moves WHERE intent_id IS NULL ORDER BY id')
        : this.#database.all('SELECT * FROM moves WHERE intent_id = ? ORDER BY id', id);
    return rows.map(moveFrom);
  }

  /** All lines, oldest first. */
  chain(): Move[] {
    return this.#database.all('SELECT * FROM moves ORDER BY id').map(moveFrom);
  }

  /** Everything that is wrong with it; empty when nothing is. */
  flaws(): Flaw[] {
    return flawsOf(this.#database, readTail(this.#ports));
  }

  /** Takes the chain as it is now for whole, which is written down. */
  acceptEnd(reason: string): void {
    this.#change(() => this.#move(undefined, ['', ''], 'taken as whole', { reason, count: tailOf(this.#database).count }));
  }

  /** Keyed hash of what a request holds: two can be told apart, none can be read. */
  hash(parts: readonly string[]): string {
    const key = this.#database.get("SELECT value FROM meta WHERE name = 'content-key'")?.['value'];
    return contentHash(String(key ?? ''), parts);
  }

  /** Minor units a profile sent since then; refusals and what was proven not sent left out. */
  spentSince(profile: string, since: number, currency: string): bigint {
    return spentSince(this.#database, profile, since, currency);
  }

  /** Throws CAP_EXCEEDED when a sum does not fit into the day any more; `except` is the intent it is for. */
  checkDay(day: DayLimit, asked: Sum, except?: number): void {
    checkDay(this.#database, day, asked, this.#ports.clock.now(), except);
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
      if (made === undefined) throw fail('INTERNAL', { why: 'the journal lost a lease', sent: 'nothing was sent' });
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
    this.#database.close();
  }

  #change<T>(work: () => T): T {
    const before = tailOf(this.#database);
    const result = this.#database.transaction(work);
    const tail = tailOf(this.#database);
    if (tail.count !== before.count) writeTail(this.#ports, tail);
    return result;
  }

  #known(id: number): Intent {
    const intent = this.get(id);
    if (intent === undefined) throw fail('INTERNAL', { why: 'the journal lost an entry', sent: '`paycli journal verify` looks into it' });
    return intent;
  }

  #move(intentId: number | undefined, [from, to]: readonly [string, string], reason: string, facts: object): void {
    const { clock, sender } = this.#ports;
    addMove(this.#database, { intentId, from, to, at: clock.now(), reason, facts: JSON.stringify({ ...sender, ...facts }) });
  }

  #add(intent: NewIntent, sequence: number): Intent {
    const { clock, sender } = this.#ports;
    const at = clock.now();
    const lasting = lastingOf({ ...intent, sequence, madeAt: at });
    const { lastId } = this.#database.run(
      `INSERT INTO intents (key, kind, operation, effect, base, endpoint_id, login, profile, class, client_order_id, sequence, minor, currency,
       last_four, content, made_at, order_id, changed_at, host, pid, version, state, attempts, may_have_arrived, reason, outcome)
       VALUES (${lasting.map(() => '?').join(', ')}, ?, ?, ?, ?, ?, 'planned', 0, 0, '', '{}')`,
      ...lasting,
      ...[intent.orderId ?? null, at, sender.host, sender.pid, sender.version],
    );
    this.#vouch(lastId, '', '', lasting);
    return this.#known(lastId);
  }

  #correct({ id, madeAt, sequence, state }: Intent, intent: NewIntent): Intent {
    this.#database.run(
      `UPDATE intents SET operation = ?, content = ?, minor = ?, currency = ?, last_four = ?, effect = ?, login = ?, profile = ?, class = ?,
       state = 'planned' WHERE id = ?`,
      ...[intent.operation, intent.content, intent.sum?.minor ?? null, intent.sum?.currency ?? null, intent.lastFour ?? null],
      ...[intent.effect, intent.login, intent.profile, intent.class, id],
    );
    this.#vouch(id, state, 'corrected after a refusal', lastingOf({ ...intent, sequence, madeAt }));
    return this.#known(id);
  }

  /** The line that says what an intent holds. */
  #vouch(intentId: number, from: string, reason: string, lasting: readonly unknown[]): void {
    const facts = JSON.stringify(lasting);
    addMove(this.#database, { intentId, from, to: 'planned', at: this.#ports.clock.now(), reason, facts });
  }
}

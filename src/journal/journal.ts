import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, Random } from '../runtime/ports.js';
import { type AttemptResult, type SendLimits, waitingReason } from './attempt.js';
import { Chain, factsIn } from './chain.js';
import { HeadCheckpoint, type Lag } from './chain-head.js';
import { ExternalPlans } from './external-plans.js';
import type { Intent, NewIntent, Sender, Sum } from './intent.js';
import {
  checkClock,
  checkLease,
  type Lease,
  type LeaseTerms,
  leasesIn,
  locked,
  maxLeaseMs,
  unlocked,
  used,
} from './leases.js';
import { acceptAsIs } from './missing-entries.js';
import { describeIntent, type Plan, type PlanOptions, planIntent, refuseConcurrent } from './plan.js';
import { PlanStates } from './plan-states.js';
import { withGatewayName } from './query.js';
import { JournalReader, type ReaderPorts } from './reader.js';
import { checkDay, type DayLimit, dayOf, spentSince } from './spending.js';
import { contradicts, mayMove, type State, settledManually } from './states.js';
import { addIntent, correctIntent, draftOf, writeAttempt, writeEnd } from './write-intent.js';

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
  readonly #checkpoint: HeadCheckpoint;
  /** Orders that another engine may send. */
  readonly externalPlans: ExternalPlans;
  /** Plans that were paused or withdrawn. */
  readonly planStates: PlanStates;
  /** Set while several changes make one transaction. */
  #group: Group | undefined;
  /** Intents that this transaction lets leave. */
  #begun: Intent[] = [];

  /** `isShort`: lines that were written are missing, which the note goes on to say until `acceptEnd`. */
  constructor(ports: JournalPorts, isShort = false) {
    super(ports);
    this.#ports = ports;
    this.#database = ports.database;
    this.#chain = new Chain(ports.database);
    this.#checkpoint = new HeadCheckpoint(ports, isShort);
    const line = (what: string, facts: object) => this.#addLine(undefined, ['', ''], what, facts);
    const change = <T>(work: () => T): T => this.#change(work);
    this.externalPlans = new ExternalPlans({ database: ports.database, change, line });
    this.planStates = new PlanStates({ database: ports.database, change, line, now: () => ports.clock.now() });
  }

  /**
   * Writes an intent down, or finds the one it repeats. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY or
   * SAME_CONTENT_OPEN.
   */
  plan(intent: NewIntent, options: PlanOptions): Plan {
    const ports = { ...this.#ports, chain: this.#chain };
    const writer = {
      add: (wanted: NewIntent, sequence: number) => addIntent(draftOf(wanted, sequence, this.#ports), ports),
      correct: (earlier: Intent, wanted: NewIntent) => this.#known(correctIntent(earlier, wanted, ports)),
    };
    // Nothing may leave before it is begun, and then the note is written.
    return this.#change(() => planIntent(this.#database, withGatewayName(intent), options, writer), 'next');
  }

  /** What `plan` would do. Nothing is written down: a new intent has the id 0. */
  preview(intent: NewIntent, options: PlanOptions): Plan {
    const writer = {
      add: (wanted: NewIntent, sequence: number) => draftOf(wanted, sequence, this.#ports),
      correct: (earlier: Intent, wanted: NewIntent): Intent => ({ ...earlier, ...wanted }),
    };
    return planIntent(this.#database, withGatewayName(intent), options, writer);
  }

  /**
   * From here on the request may leave. A resend alone leads out of `unknown`. Limits, lease and other follow-ups of
   * the same order are held against what other processes have begun, in one step with the beginning. Throws INTENT_BUSY
   * when another process was faster, ORDER_BUSY, ORDER_ELSEWHERE, CAP_EXCEEDED, LIVE_GUARD or STORAGE; then nothing may
   * leave, and the intent is as it was or `not_sent`.
   */
  begin(
    intent: Intent,
    isResend = false,
    { counts = intent.sum, day, lease, plan, isCopy = false, copyOf }: SendLimits = {},
  ): Intent {
    return this.#change(() => {
      const before = this.#known(intent.id);
      const { state, sender: other } = before;
      const isLegal = mayMove(state, 'sending') && (state !== 'unknown' || isResend);
      if (state !== intent.state || !isLegal)
        throw fail('INTENT_BUSY', { what: `order ${intent.orderId ?? intent.clientOrderId ?? ''}`, pid: other.pid });
      if (plan !== undefined) this.planStates.check(plan);
      if (!isResend && !isCopy) this.externalPlans.check(before);
      const { sender, clock } = this.#ports;
      const changedAt = clock.now();
      if (!isCopy) refuseConcurrent(this.#database, before);
      if (day !== undefined && counts !== undefined) this.checkDay(day, counts, intent.id);
      if (lease !== undefined) checkLease(this.leases(), lease, counts);
      writeAttempt(this.#database, before, { sender, at: changedAt, counts });
      const facts = { attempt: intent.attempts + 1, counts, plan, copyOf };
      this.#addLine(intent.id, [state, 'sending'], isResend ? 'sent again on purpose' : '', facts, changedAt);
      if (lease !== undefined) this.#addLine(undefined, ['', ''], used, { lease, entry: intent.id, counts });
      const begun: Intent = {
        ...before,
        state: 'sending',
        attempts: before.attempts + 1,
        changedAt,
        reason: '',
        sender,
      };
      // A copy tells of what left elsewhere.
      if (!isCopy) this.#begun.push(begun);
      return begun;
    });
  }

  /**
   * Moves an intent on. Does nothing when it stands there or further already: somebody else learned of it first.
   * Evidence that contradicts a settled outcome makes it a `conflict`, unless a person has judged the same evidence
   * before. What an open one waits for its payer to do is noted when it changes.
   */
  settle(id: number, to: State, result: AttemptResult): Intent {
    return this.#change(() => {
      const before = this.#known(id);
      if (before.state === 'accepted' && to === 'accepted') return this.#noteWaiting(before, result);
      // What a process lost says nothing against what another one learned; what the gateway says of itself does.
      if (before.state === 'accepted' && to === 'unknown' && result.isUnknownAtGateway !== true) return before;
      if (before.state === 'conflict' || contradicts(before, to)) return this.#contradicted(before, to, result);
      return to !== 'sending' && to !== 'conflict' && mayMove(before.state, to)
        ? this.#advance(before, to, result)
        : before;
    });
  }

  /**
   * Writes down what a person says became of an intent whose outcome is open or in conflict. `known` is how that person
   * saw it: throws INTENT_BUSY when it has moved on since.
   */
  settleManually(known: Intent, to: 'done' | 'declined', facts: Readonly<Record<string, unknown>>): Intent {
    return this.#change(() => {
      const before = this.#known(known.id);
      if (before.state !== known.state || before.attempts !== known.attempts || !mayMove(before.state, to))
        throw fail('INTENT_BUSY', { what: describeIntent(before), pid: before.sender.pid });
      return this.#advance(before, to, { reason: settledManually }, { ...facts, from: before.state });
    });
  }

  #noteWaiting(before: Intent, { waitsFor }: AttemptResult): Intent {
    const known = this.waiting(before)?.for ?? 'nothing';
    if (waitsFor !== undefined && waitsFor !== known)
      this.#addLine(before.id, [before.state, before.state], waitingReason(waitsFor), { waitsFor });
    return before;
  }

  #advance(
    before: Intent,
    to: State,
    { reason, orderId, outcome = {}, waitsFor }: AttemptResult,
    facts: object = {},
  ): Intent {
    const mayHaveArrived = before.mayHaveArrived || (to !== 'not_sent' && to !== 'refused');
    const changedAt = this.#ports.clock.now();
    const kept = { ...before.outcome, ...outcome };
    writeEnd(this.#database, before, { to, at: changedAt, reason, outcome: kept, orderId, mayHaveArrived });
    const waits = to === 'accepted' && waitsFor !== 'nothing' ? { waitsFor } : {};
    this.#addLine(before.id, [before.state, to], reason, { orderId, outcome, ...waits, ...facts }, changedAt);
    return {
      ...before,
      state: to,
      changedAt,
      reason,
      outcome: kept,
      orderId: before.orderId ?? orderId,
      mayHaveArrived,
    };
  }

  /** Each kind of evidence raises a conflict once: what a person has seen and closed is not raised anew. */
  #contradicted(before: Intent, evidence: State, result: AttemptResult): Intent {
    const { id, state } = before;
    if (this.linesAbout(id).some(({ to, facts }) => to === 'conflict' && factsIn(facts)['evidence'] === evidence))
      return before;
    if (state !== 'conflict')
      return this.#advance(
        before,
        'conflict',
        { ...result, reason: `${state} (${before.reason}), but ${result.reason}` },
        { evidence },
      );
    this.#addLine(id, [state, state], result.reason, { evidence });
    return before;
  }

  /**
   * Makes several changes one transaction: flushed once, with one note of the last line. A change that is refused is
   * undone by itself; when the disk fails, none of them was made, and this throws.
   */
  inOneTransaction<T>(work: () => T): T {
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
      this.#addLine(id, [state, state], what, facts);
    });
  }

  /** Takes the chain as it is now for whole, which is written down. */
  acceptEnd(reason: string): void {
    this.#checkpoint.isHeld = false;
    this.#change(() => this.#addLine(undefined, ['', ''], 'taken as whole', { reason, ...acceptAsIs(this.#database) }));
  }

  /** Throws CAP_EXCEEDED when a sum does not fit into the day any more; `except` is the intent it is for. */
  checkDay(day: DayLimit, asked: Sum, except?: number): void {
    const since = dayOf(this.#ports.clock.now());
    checkDay(day, asked, since, spentSince(this.#database, day.profile, day.most.currency, since, except));
  }

  /**
   * Leave to send without the login typed: what stands, and what stood in the last hours. Throws STORAGE when a line
   * was changed.
   */
  leases(): Lease[] {
    return leasesIn(this.#database, this.#ports.clock.now());
  }

  /** Gives such leave for so many milliseconds. Throws LIVE_GUARD when the clock cannot be relied on. */
  unlock(terms: Omit<LeaseTerms, 'host' | 'until'>, forMs: number): Lease {
    return this.#change(() => {
      const now = this.#ports.clock.now();
      checkClock(this.#database, now);
      this.#addLine(undefined, ['', ''], unlocked, {
        ...withGatewayName(terms),
        until: now + Math.min(forMs, maxLeaseMs),
      });
      const made = this.leases().at(-1);
      if (made === undefined) throw fail('leaseLost');
      return made;
    });
  }

  /** Ends all that stand, at once. */
  lock(): Lease[] {
    return this.#change(() => {
      const active = this.leases().filter(({ ended }) => ended !== 'locked' && ended !== 'expired');
      if (active.length > 0) this.#addLine(undefined, ['', ''], locked, { leases: active.map(({ id }) => id) });
      return active;
    });
  }

  close(): void {
    this.#checkpoint.catchUp(() => this.#database.close());
  }

  #change<T>(work: () => T, lag: Lag = 'none'): T {
    if (this.#group !== undefined) return this.#inGroup(this.#group, work);
    const change = () => {
      this.#begun = [];
      this.#chain.forgetEnd();
      const { count } = this.#chain.end();
      const result = work();
      return { result, isLonger: this.#chain.end().count !== count };
    };
    const { result, isLonger } = this.#database.transaction(change);
    if (isLonger) this.#noteEnd(lag);
    return result;
  }

  /**
   * Without the note nothing may leave, so what was begun is not sent, and that is written down as far as the disk
   * allows.
   */
  #noteEnd(lag: Lag): void {
    try {
      this.#checkpoint.write(this.#chain.end(), lag);
    } catch (error) {
      const begun = this.#begun.splice(0);
      try {
        if (begun.length > 0) this.#database.transaction(() => this.#markNotSent(begun));
      } catch {
        // They stay `sending`: the next command that meets one asks the gateway, and sends nothing.
      }
      throw error;
    }
  }

  #markNotSent(begun: readonly Intent[]): void {
    this.#chain.forgetEnd();
    for (const { id, attempts } of begun) {
      const before = this.#known(id);
      // One that was undone within its group may be another process's by now.
      const { host, pid } = before.sender;
      const isOurs = before.attempts === attempts && host === this.#ports.sender.host && pid === this.#ports.sender.pid;
      if (before.state === 'sending' && isOurs)
        this.#advance(before, 'not_sent', {
          reason: 'the journal entry could not be completed, so the request was not sent',
        });
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
      this.#chain.forgetEnd();
      throw error;
    }
  }

  #known(id: number): Intent {
    const intent = this.get(id);
    if (intent === undefined) throw fail('entryLost');
    return intent;
  }

  #addLine(
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

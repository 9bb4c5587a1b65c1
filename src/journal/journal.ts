import { fail, isPaycliError } from '../errors/index.js';
import type { Clock, Database, Random } from '../runtime/ports.js';
import { type AttemptResult, type SendLimits, waitingReason } from './attempt.js';
import { Chain, factsIn } from './chain.js';
import { HeadCheckpoint, type Lag } from './checkpoint.js';
import type { Intent, NewIntent, Sender, Sum } from './intent.js';
import { describeIntent } from './intent-text.js';
import { type Plan, type PlanOptions, planIntent, refuseConcurrent } from './plan.js';
import { PlanStates } from './plan-states.js';
import { withGatewayName } from './query.js';
import { JournalReader, type ReaderPorts } from './reader.js';
import { checkDay, type DayLimit, dayOf, spentSince } from './spending.js';
import { contradicts, mayBeFound, mayEnd, mayMove, type State, settledManually } from './states.js';
import { addIntent, correctIntent, draftOf, writeAttempt, writeEnd } from './write-intent.js';

export interface JournalPorts extends ReaderPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** This process. */
  readonly sender: Sender;
}

/** Several changes that make one transaction; `fault` is the disk error that ended it. */
interface Group {
  fault: unknown;
}

/** Records each request before it is sent, and its outcome. A change is on disk when its function returns. */
export class Journal extends JournalReader {
  readonly #ports: JournalPorts;
  readonly #database: Database;
  readonly #chain: Chain;
  readonly #checkpoint: HeadCheckpoint;
  /** Plans that were paused or cancelled. */
  readonly planStates: PlanStates;
  /** Set while several changes make one transaction. */
  #group: Group | undefined;
  /** Intents whose requests may be sent once this transaction is committed. */
  #begun: Intent[] = [];

  /** `isShort`: written lines are missing; the checkpoint keeps showing that until `acceptEnd`. */
  constructor(ports: JournalPorts, isShort = false) {
    super(ports);
    this.#ports = ports;
    this.#database = ports.database;
    this.#chain = new Chain(ports.database);
    this.#checkpoint = new HeadCheckpoint(ports, isShort);
    const line = (what: string, facts: object) => this.#addLine(undefined, ['', ''], what, facts);
    const change = <T>(work: () => T): T => this.#change(work);
    this.planStates = new PlanStates({ database: ports.database, change, line, now: () => ports.clock.now() });
  }

  /**
   * Records an intent, or finds the one it repeats. Throws INTENT_DIFFERS, INTENT_BUSY, ORDER_BUSY, SAME_CONTENT_OPEN
   * or SAME_CONTENT_SENT.
   */
  plan(intent: NewIntent, options: PlanOptions): Plan {
    const ports = { ...this.#ports, chain: this.#chain };
    const writer = {
      add: (wanted: NewIntent, sequence: number) => addIntent(draftOf(wanted, sequence, this.#ports), ports),
      correct: (earlier: Intent, wanted: NewIntent) => this.#known(correctIntent(earlier, wanted, ports)),
    };
    // Nothing is sent before `begin`, which writes the checkpoint.
    return this.#change(() => planIntent(this.#database, withGatewayName(intent), options, writer), 'next');
  }

  /** What `plan` would do. Records nothing: a new intent has the id 0. */
  preview(intent: NewIntent, options: PlanOptions): Plan {
    const writer = {
      add: (wanted: NewIntent, sequence: number) => draftOf(wanted, sequence, this.#ports),
      correct: (earlier: Intent, wanted: NewIntent): Intent => ({ ...earlier, ...wanted }),
    };
    return planIntent(this.#database, withGatewayName(intent), options, writer);
  }

  /**
   * From here on the request may be sent. Only a resend leads out of `unknown`. Limits and other follow-ups of the
   * same order are checked against what other processes have begun, in the same transaction. Throws INTENT_BUSY
   * when another process was faster, what `refuseConcurrent` throws, CAP_EXCEEDED or STORAGE; then nothing may be sent, and the intent is unchanged or `not_sent`.
   */
  begin(
    intent: Intent,
    isResend = false,
    { counts = intent.sum, day, plan, isUnique, repeatSince, isCopy = false, callbackTo }: SendLimits = {},
  ): Intent {
    return this.#change(() => {
      const before = this.#known(intent.id);
      const { state, sender: other } = before;
      const isLegal = mayMove(state, 'sending') && (state !== 'unknown' || isResend);
      // A whole attempt of another process may have ended in the same state, as a resend whose reply was lost, too.
      if (state !== intent.state || before.attempts !== intent.attempts || !isLegal)
        throw fail('INTENT_BUSY', { what: `order ${intent.orderId ?? intent.clientOrderId ?? ''}`, pid: other.pid });
      if (plan !== undefined) this.planStates.check(plan);
      const { sender, clock } = this.#ports;
      const changedAt = clock.now();
      if (!isCopy) refuseConcurrent(this.#database, before, { isUnique: isUnique === true && !isResend, repeatSince });
      if (day !== undefined && counts !== undefined) this.checkDay(day, counts, intent.id);
      writeAttempt(this.#database, before, { sender, at: changedAt, counts });
      const facts = { attempt: intent.attempts + 1, counts, plan, callbackTo };
      this.#addLine(intent.id, [state, 'sending'], isResend ? 'sent again on purpose' : '', facts, changedAt);
      const next = { state: 'sending', attempts: before.attempts + 1, changedAt, reason: '', sender } as const;
      const begun: Intent = { ...before, ...next };
      // A copy records what was sent before this journal began.
      if (!isCopy) this.#begun.push(begun);
      return begun;
    });
  }

  /**
   * Records the result of an attempt. Does nothing when the intent is in that state or a later one already: another
   * process recorded it first. Evidence that contradicts a final outcome makes it a `conflict`, unless a person has
   * judged the same evidence before. While it is pending, a change of the step expected from the payer is recorded. The
   * result of an earlier `attempt` than the newest is only noted: it says nothing of the newest.
   */
  recordResult(id: number, to: State, result: AttemptResult, attempt?: number): Intent {
    return this.#change(() => {
      const before = this.#known(id);
      if (attempt !== undefined && attempt !== before.attempts) {
        const { state } = before;
        this.#addLine(id, [state, state], `result of attempt ${attempt}: ${to}`, { why: result.reason });
        return before;
      }
      if (before.state === 'accepted' && to === 'accepted') return this.#noteWaiting(before, result);
      // A reply lost here does not undo an `accepted` that another process got; the gateway's own `unknown` does.
      if (before.state === 'accepted' && to === 'unknown' && result.isUnknownAtGateway !== true) return before;
      const isFound = result.isElsewhere === true && mayBeFound(before.state, to);
      if (before.state === 'conflict' || (!isFound && contradicts(before, to, result.isNamed)))
        return this.#contradicted(before, to, result);
      return isFound || mayEnd(before.state, to) ? this.#advance(before, to, result) : before;
    });
  }

  /**
   * Records a person's decision about an intent whose outcome is open or in conflict. `known` is the intent as that
   * person saw it: throws INTENT_BUSY when it has changed since.
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

  /** Each kind of evidence raises a conflict once: one that a person has closed is not raised again. */
  #contradicted(before: Intent, evidence: State, result: AttemptResult): Intent {
    const { id, state } = before;
    if (this.linesAbout(id).some(({ to, facts }) => to === 'conflict' && factsIn(facts)['evidence'] === evidence))
      return before;
    if (state !== 'conflict')
      return this.#advance(
        before,
        'conflict',
        { ...result, reason: `${before.reason === '' ? '' : `${state} (${before.reason}), but `}${result.reason}` },
        { evidence },
      );
    this.#addLine(id, [state, state], result.reason, { evidence });
    return before;
  }

  /**
   * Makes several changes one transaction: flushed once, with one checkpoint. A change that is refused is rolled back
   * alone; when the disk fails, none of them is made, and this throws.
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

  /** Accepts the chain as complete as it is now, and records that. */
  acceptEnd(reason: string): void {
    this.#checkpoint.isHeld = false;
    this.#change(() => this.#addLine(undefined, ['', ''], 'taken as whole', { reason }));
  }

  /** Throws CAP_EXCEEDED when a sum exceeds what is left of the day's limit; `except` is the intent it is for. */
  checkDay(day: DayLimit, sum: Sum, except?: number): void {
    const since = dayOf(this.#ports.clock.now());
    checkDay(day, sum, since, spentSince(this.#database, day.profile, day.max.currency, since, except));
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
      return { result, hasNewLines: this.#chain.end().count !== count };
    };
    const { result, hasNewLines } = this.#database.transaction(change);
    if (hasNewLines) this.#writeCheckpoint(lag);
    return result;
  }

  /**
   * Nothing may be sent without the checkpoint: when it cannot be written, what was begun is recorded as `not_sent`, as
   * far as the disk allows.
   */
  #writeCheckpoint(lag: Lag): void {
    try {
      this.#checkpoint.write(this.#chain.end(), lag);
    } catch (error) {
      const begun = this.#begun.splice(0);
      try {
        if (begun.length > 0) this.#database.transaction(() => this.#markNotSent(begun));
      } catch {
        // They stay `sending`: the next command that finds one asks the gateway, and sends nothing.
      }
      throw error;
    }
  }

  #markNotSent(begun: readonly Intent[]): void {
    this.#chain.forgetEnd();
    for (const { id, attempts } of begun) {
      const before = this.#known(id);
      // One that was rolled back within its group may belong to another process by now.
      const { host, pid } = before.sender;
      const isOurs = before.attempts === attempts && host === this.#ports.sender.host && pid === this.#ports.sender.pid;
      if (before.state === 'sending' && isOurs)
        this.#advance(before, 'not_sent', {
          reason: 'the journal entry could not be completed, so the request was not sent',
        });
    }
  }

  /** One change of a group: rolled back alone when it throws; a disk error ends the group. */
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
    if (intent === undefined)
      throw fail('INTERNAL', {
        why: 'an entry of the journal is missing',
        how: 'report this',
        sent: '`paycli journal --verify` checks it',
      });
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

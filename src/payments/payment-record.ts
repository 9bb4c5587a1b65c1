import { isPaycliError, type PaycliError } from '../errors/index.js';
import type { Intent, Journal, SendLimits, State } from '../journal/index.js';
import type { Operation } from '../spec/index.js';
import type { Classified } from './classify.js';
import type { Evidence } from './evidence.js';
import { applyStatus, evidenceFrom, type OutcomeStore, recordAnswer, type StatusResult } from './status-query.js';
import { abandoned, type Transition } from './transitions.js';

type Fields = ReadonlyMap<string, string>;

/** Records one request in the journal, from before its first byte to the last evidence of its outcome. */
export class PaymentRecord {
  readonly journal: Journal;
  /** Storage that failed after something was sent: reported at the end, as the outcome must still be shown. */
  fault: PaycliError | undefined;
  /** The state that the journal failed to record. */
  unrecorded: State | undefined;
  #intent: Intent;
  readonly #minorDigits: string;
  readonly #limits: SendLimits;
  readonly #store: OutcomeStore;

  /**
   * `minorDigits` is the assumption of the profile about the digits of an amount; `limits` are checked again when it
   * begins.
   */
  constructor(journal: Journal, intent: Intent, minorDigits: string, limits: SendLimits = {}) {
    this.journal = journal;
    this.#intent = intent;
    this.#minorDigits = minorDigits;
    this.#limits = limits;
    this.#store = {
      recordResult: (_, to, result) => this.#recordResult({ to, result }),
      remark: (_, what, why) => this.#remark(what, why),
      onOrder: ({ base }, order) => this.#guarded(() => this.journal.list({ base, order })),
    };
  }

  get intent(): Intent {
    return this.#intent;
  }

  /**
   * From here on the request may be sent; that is on disk when this returns. Throws STORAGE, CAP_EXCEEDED and what else
   * `Journal.begin` throws.
   */
  begin(): void {
    this.#intent = this.journal.begin(this.#intent, this.#intent.state === 'unknown', this.#limits);
  }

  /** Records the result of the attempt. */
  recordResult(transition: Transition, { class: kind }: Classified, row: Operation): void {
    this.#recordResult(transition);
    if (row.answers !== undefined && kind === 'accepted') this.#recordPayerStep();
  }

  /** The payer's step was uploaded, so the order no longer waits for it; status shows the next one. */
  #recordPayerStep(): void {
    const { base, orderId: order } = this.#intent;
    if (order === undefined) return;
    this.#guarded(() => {
      for (const { id, kind, state } of this.journal.list({ base, order }))
        if (kind === 'opening' && state === 'accepted')
          this.journal.recordResult(id, 'accepted', { reason: '', waitsFor: 'nothing' });
    });
  }

  /** The process that sent it ended before it recorded the outcome. */
  markAbandoned(): void {
    if (this.#intent.state === 'sending') this.#recordResult(abandoned);
  }

  /** What a status answer proves about it, with nothing recorded. */
  evidence(fields: Fields): Promise<Evidence> {
    return evidenceFrom(this.#intent, fields, this.#store, this.#minorDigits);
  }

  /** Records what a status of its order proves about it. */
  async applyStatus(fields: Fields): Promise<Evidence> {
    const { evidence } = await applyStatus(this.#intent, fields, this.#store, this.#minorDigits);
    return evidence;
  }

  /** Records what any answer to a status query proves about it. */
  recordAnswer(answer: Classified): Promise<StatusResult> {
    return recordAnswer(this.#intent, answer, this.#store, this.#minorDigits);
  }

  /** Does not throw when the disk fails; see `fault`. */
  close(): void {
    this.#guarded(() => this.journal.close());
  }

  #remark(what: string, why: string): void {
    this.#guarded(() => this.journal.note(this.#intent.id, what, { why }));
  }

  #recordResult({ to, result }: Transition): Intent {
    const updated = this.#guarded(() => this.journal.recordResult(this.#intent.id, to, result, this.#intent.attempts));
    this.unrecorded = updated === undefined ? to : undefined;
    this.#intent = updated ?? this.#intent;
    return this.#intent;
  }

  /** Undefined when the storage failed, which is kept as `fault`. */
  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.fault ??= error;
      return undefined;
    }
  }
}

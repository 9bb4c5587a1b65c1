import { isPaycliError, type PaycliError } from '../errors/index.js';
import type { Classified } from '../gateway/classify.js';
import type { Evidence } from '../gateway/evidence.js';
import { intentOf } from '../gateway/intents.js';
import { abandoned, evidenceIn, type Move, moveAfter, moveBy, orderIn } from '../gateway/moves.js';
import type { Intent, Journal, NewIntent, Plan, Sender, State, Terms } from '../journal/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import type { Operation } from '../spec/index.js';
import { refusalElsewhere } from './elsewhere.js';
import { isRunning, openUserJournal } from './journal.js';
import { permit } from './live/permit.js';
import type { Origins } from './live/statement.js';
import type { Fields } from './present/meaning.js';
import { takeApproval } from './resend.js';
import type { Session } from './session.js';
import type { Tools } from './talk.js';

export interface PlanFlags {
  /** --again */
  readonly again: boolean;
  /** The client order id was made up. */
  readonly isGenerated: boolean;
  readonly origins: Origins;
}

/** What the journal has to do with one request, from before its first byte to the last that was learned about it. */
export class Recording {
  readonly journal: Journal;
  /** Storage that failed after something was sent: told at the end, for the outcome must still be shown. */
  fault: PaycliError | undefined;
  /** Where it stands, though the journal does not know it. */
  unkept: State | undefined;
  #intent: Intent;
  readonly #minorDigits: string;
  readonly #terms: Terms;

  constructor(journal: Journal, intent: Intent, minorDigits: string, terms: Terms = {}) {
    this.journal = journal;
    this.#intent = intent;
    this.#minorDigits = minorDigits;
    this.#terms = terms;
  }

  get intent(): Intent {
    return this.#intent;
  }

  /** From here on the request may leave: on the disk when this returns. */
  begin(): void {
    this.#intent = this.journal.begin(this.#intent, this.#intent.state === 'unknown', this.#terms);
  }

  /** What became of the attempt. */
  came(classified: Classified, row: Operation): void {
    this.#settle(moveAfter(classified, row));
    if (row.records.request?.startsWith('Tds') === true && classified.class === 'accepted') this.#payerHasAnswered();
  }

  /** What the payer did was uploaded, so the order no longer waits for that; what comes next, status tells. */
  #payerHasAnswered(): void {
    const { base, orderId: order } = this.#intent;
    if (order === undefined) return;
    const settle = () => {
      for (const { id, kind, state } of this.journal.list({ base, order }))
        if (kind === 'opening' && state === 'accepted') this.journal.settle(id, 'accepted', { reason: '', waitsFor: 'nothing' });
    };
    this.#kept(settle);
  }

  /** The process that sent it ended before it could say what came of it. */
  abandon(): void {
    this.#settle(abandoned);
  }

  /** What a status answer proves about it. */
  evidence(fields: Fields): Evidence {
    const { base, endpointId } = this.#intent;
    const order = orderIn(this.#intent, fields);
    let others: readonly Intent[] | undefined = [];
    if (order !== undefined) others = this.#kept(() => this.journal.list({ base, endpointId, order }));
    if (others === undefined) return { proves: 'nothing', reason: 'the journal cannot be read' };
    return evidenceIn(this.#intent, fields, others, this.#minorDigits);
  }

  /** Takes a status answer into account. */
  learn(fields: Fields): Evidence {
    const evidence = this.evidence(fields);
    const move = moveBy(this.#intent, evidence, fields);
    if (move === undefined) this.remark('status proves nothing', evidence.reason);
    else this.#settle(move);
    return evidence;
  }

  /** The gateway knows no such order. That may be true only for now. */
  noRecord(reason: string): void {
    this.remark('no record', reason);
  }

  remark(what: string, reason: string): void {
    this.#kept(() => this.journal.note(this.#intent.id, what, { why: reason }));
  }

  /** Never fails for the disk's sake; see `fault`. */
  close(): void {
    this.#kept(() => this.journal.close());
  }

  #settle({ to, result }: Move): void {
    const settled = this.#kept(() => this.journal.settle(this.#intent.id, to, result));
    this.unkept = settled === undefined ? to : undefined;
    this.#intent = settled ?? this.#intent;
  }

  /** Undefined when the storage failed, which is kept as `fault`. */
  #kept<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.fault ??= error;
      return undefined;
    }
  }
}

export interface Planned {
  readonly recording: Recording;
  readonly do: Plan['do'];
}

/**
 * Writes a request down before anything of it leaves, once caps and the user allow it; undefined for a read. What was sent
 * before, and is only asked about or shown, needs no leave. Throws what `Journal.plan` and `permit` throw, ORDER_ELSEWHERE and STORAGE.
 */
export async function planSending(unsigned: Unsigned, tools: Tools, flags: PlanFlags): Promise<Planned | undefined> {
  const { session, runtime } = tools;
  if (unsigned.row.effect === 'read') return undefined;
  const journal = await openUserJournal(runtime);
  try {
    const wanted = wantedIntent(unsigned, session, journal);
    const options = { ...flags, isAlive: (sender: Sender) => isRunning(sender, runtime) };
    const allow = ({ intent }: Plan) => permit(unsigned, { journal, tools, except: intent.id, origins: flags.origins });
    // Not written down yet: who does not go on may correct the request under the same order id.
    const foreseen = journal.foresee(wanted, options);
    const elsewhere = foreseen.do === 'send' ? journal.elsewhere.find(wanted) : undefined;
    if (elsewhere !== undefined) throw await refusalElsewhere(unsigned, elsewhere, tools);
    const early = wayOf(foreseen, journal, runtime) === 'send' ? await allow(foreseen) : undefined;
    const plan = journal.plan(wanted, options);
    const way = wayOf(plan, journal, runtime);
    const terms = way === 'send' ? (early ?? (await allow(plan))) : {};
    return { recording: new Recording(journal, plan.intent, session.assume['minor-digits'], terms), do: way };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** An approved resend is sent where the journal alone would only ask. */
function wayOf(plan: Plan, journal: Journal, { clock }: Runtime): Plan['do'] {
  const isResend = plan.do === 'ask' && plan.intent.state === 'unknown' && takeApproval(journal, plan.intent, clock.now());
  return isResend ? 'send' : plan.do;
}

function wantedIntent(unsigned: Unsigned, session: Session, journal: Journal): NewIntent {
  const place = { base: session.place, login: session.login, profile: session.name, class: session.class };
  const wanted = intentOf(unsigned, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('a read is not written down');
  return wanted;
}

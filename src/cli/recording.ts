import { isPaycliError, type PaycliError } from '../errors/index.js';
import type { Classified } from '../gateway/classify.js';
import { type Evidence, evidenceFor } from '../gateway/evidence.js';
import { intentOf } from '../gateway/intents.js';
import { keptFields } from '../gateway/kept.js';
import type { Intent, Journal, NewIntent, State } from '../journal/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import { type Operation, replyField, statusOf } from '../spec/index.js';
import { isRunning, openUserJournal } from './journal.js';
import type { Fields } from './present/meaning.js';
import { takeApproval } from './resend.js';
import type { Session } from './session.js';

export interface PlanFlags {
  /** --again */
  readonly again: boolean;
  /** The client order id was made up. */
  readonly isGenerated: boolean;
}

/** What the journal has to do with one request, from before its first byte to the last that was learned about it. */
export class Recording {
  readonly journal: Journal;
  /** Storage that failed after something was sent: told at the end, for the outcome must still be shown. */
  fault: PaycliError | undefined;
  #intent: Intent;
  readonly #minorDigits: string;

  constructor(journal: Journal, intent: Intent, minorDigits: string) {
    this.journal = journal;
    this.#intent = intent;
    this.#minorDigits = minorDigits;
  }

  get intent(): Intent {
    return this.#intent;
  }

  /** From here on the request may leave: on the disk when this returns. */
  begin(): void {
    this.#intent = this.journal.begin(this.#intent, this.#intent.state === 'unknown');
  }

  /** What became of the attempt. */
  came(classified: Classified, row: Operation): void {
    const { fields, reason } = classified;
    this.#settle(stateAfter(classified, row), fields, reason);
  }

  /** The process that sent it ended before it could say what came of it. */
  abandon(): void {
    this.#settle('unknown', undefined, 'the process that sent it ended before it could tell');
  }

  /** What a status answer proves about it. */
  evidence(fields: Fields, bySerial: boolean): Evidence {
    const { base, endpointId, orderId } = this.#intent;
    const named = orderId ?? replyField(fields, 'orderId');
    const others = named === undefined ? [] : this.journal.list({ base, endpointId, order: named });
    return evidenceFor(this.#intent, fields, {
      others: others.filter(({ id }) => id !== this.#intent.id),
      bySerial,
      minorDigits: this.#minorDigits,
    });
  }

  /** Takes a status answer into account. */
  learn(fields: Fields, bySerial: boolean): Evidence {
    const evidence = this.evidence(fields, bySerial);
    if (evidence.proves === 'nothing') this.remark('status proves nothing', evidence.reason);
    else this.#settle(evidence.proves === 'open' ? 'accepted' : evidence.proves, fields, evidence.reason);
    return evidence;
  }

  /** The gateway knows no such order. That may be true only for now. */
  noRecord(reason: string): void {
    this.remark('no record', reason);
  }

  remark(what: string, reason: string): void {
    this.#kept(() => this.journal.note(this.#intent.id, what, { why: reason }));
  }

  close(): void {
    this.journal.close();
  }

  #settle(to: State, fields: Fields | undefined, reason: string): void {
    const orderId = fields === undefined ? undefined : replyField(fields, 'orderId');
    const outcome = fields === undefined ? {} : keptFields(fields);
    this.#kept(() => {
      this.#intent = this.journal.settle(this.#intent.id, to, { reason, orderId, outcome });
    });
  }

  #kept(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.fault ??= error;
    }
  }
}

export interface Planned {
  readonly recording: Recording;
  readonly do: 'send' | 'ask' | 'show';
}

/** Writes a request down before anything of it leaves; undefined for a read. Throws what `Journal.plan` throws, and STORAGE. */
export async function planSending(unsigned: Unsigned, session: Session, flags: PlanFlags, runtime: Runtime): Promise<Planned | undefined> {
  if (unsigned.row.effect === 'read') return undefined;
  const journal = await openUserJournal(runtime);
  try {
    const wanted = wantedIntent(unsigned, session, journal);
    const plan = journal.plan(wanted, { ...flags, isAlive: (sender) => isRunning(sender, runtime) });
    const isResend = plan.do === 'ask' && plan.intent.state === 'unknown' && takeApproval(journal, plan.intent, runtime.clock.now());
    const recording = new Recording(journal, plan.intent, session.assume['minor-digits']);
    return { recording, do: isResend ? 'send' : plan.do };
  } catch (error) {
    journal.close();
    throw error;
  }
}

function wantedIntent(unsigned: Unsigned, session: Session, journal: Journal): NewIntent {
  const place = { base: session.place, login: session.login, profile: session.name, class: session.class };
  const wanted = intentOf(unsigned, place, (parts) => journal.hash(parts));
  if (wanted === undefined) throw new Error('a read is not written down');
  return wanted;
}

function stateAfter({ class: kind, fields }: Classified, row: Operation): State {
  switch (kind) {
    case 'accepted':
      return isOverWhenAccepted(row) ? 'done' : acceptedState(fields ?? new Map());
    case 'refused':
      return 'refused';
    case 'not-sent':
    case 'certificate':
      return 'not_sent';
    default:
      return 'unknown';
  }
}

/** A card reference, a recurring payment and an upload are there once they are accepted; no status follows. */
function isOverWhenAccepted({ effect, opens, records }: Operation): boolean {
  return (effect === 'write' && !opens) || records.reply === 'CreateRecurringPaymentResponse';
}

function acceptedState(fields: Fields): State {
  const facts = statusOf(replyField(fields, 'status') ?? '');
  return facts?.final === true ? (facts.success ? 'done' : 'declined') : 'accepted';
}

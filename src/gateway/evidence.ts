import type { Intent } from '../journal/index.js';
import { type OperationId, replyField, statusOf } from '../spec/index.js';
import { digitsOf, readAmount } from '../wire/amount.js';

type Fields = ReadonlyMap<string, string>;

/** What a status answer proves about one intent. `open` proves that the gateway has it; `nothing` proves nothing. */
export interface Evidence {
  readonly proves: 'done' | 'declined' | 'open' | 'nothing';
  /** In words of paycli. */
  readonly reason: string;
}

export interface EvidenceFacts {
  /** Other intents of the same order, as the journal knows them. */
  readonly others: readonly Intent[];
  /** True when status was asked by the serial number of this very request's reply (A42). */
  readonly bySerial: boolean;
  /** The value of A04. */
  readonly minorDigits: string;
}

interface Named {
  /** Words of transaction-type that name the operation (A17). */
  readonly types: readonly string[];
  /** What order-stage must begin with, and must not, where the type is shared. */
  readonly stage?: string;
  readonly notStage?: string;
}

/** How a status answer names each operation whose outcome it can tell. */
const names: Partial<Readonly<Record<OperationId, Named>>> = {
  SALE: { types: ['sale'] },
  PREAUTH: { types: ['preauth'] },
  ACCOUNT_VERIFICATION: { types: ['account_verification'] },
  REBILL: { types: ['sale', 'rebill'] },
  PAYOUT: { types: ['payout'] },
  PAYOUT_V4_CHECK: { types: ['payout'], stage: 'payout_check' },
  PAYOUT_V4_PAY: { types: ['payout'], notStage: 'payout_check' },
  TRANSFER_V4: { types: ['transfer'] },
  PAN_ELIGIBILITY_SEND: { types: ['pan_eligibility'] },
  SALEFORM: { types: ['sale'] },
  PREAUTHFORM: { types: ['preauth'] },
  PAYMENTFORM: { types: ['sale', 'preauth'] },
  PAYOUTFORM: { types: ['payout'] },
  ACCOUNT_VERIFICATION_FORM: { types: ['account_verification'] },
  CAPTURE: { types: ['capture'] },
  VOID: { types: ['void'] },
  RETURN: { types: ['reversal', 'cancel'] },
};

/** Operations whose outcome no status answer tells; only other evidence settles them. */
export function isBeyondStatus(operation: string): boolean {
  return !Object.hasOwn(names, operation);
}

/** Whether a transaction of this type can be what an operation made. */
export function isOfType(operation: string, type: string): boolean {
  return Object.entries(names).some(([known, { types }]) => known === operation && types.includes(type));
}

/**
 * Holds a status answer against an intent. An opening operation is settled by its order; a follow-up only by an answer that
 * names it and cannot be about an earlier one: an older `approved` of the same order proves nothing.
 */
export function evidenceFor(intent: Intent, fields: Fields, facts: EvidenceFacts): Evidence {
  const named = Object.entries(names).find(([operation]) => operation === intent.operation)?.[1];
  if (named === undefined) return nothing('status cannot tell the outcome of this operation');
  const amount = amountIn(fields, intent, facts);
  if (intent.kind === 'opening') return forOpening(intent, fields, { named, amount, isAlone: facts.others.length === 0 });
  const doubt = doubtOf(intent, fields, named, facts);
  return doubt === undefined ? byWord(fields) : nothing(doubt);
}

interface OpeningFacts {
  readonly named: Named;
  readonly amount: AmountIn;
  /** No later request on this order is known. */
  readonly isAlone: boolean;
}

function forOpening({ sum, operation }: Intent, fields: Fields, { named, amount, isAlone }: OpeningFacts): Evidence {
  // A46: a rebill may charge another of the amounts it was given.
  const isFixed = sum !== undefined && operation !== 'REBILL';
  if (isFixed && amount.initial !== undefined && amount.initial !== BigInt(sum.minor))
    return nothing('the order with this id is about another amount');
  const isSilent = !fields.has('transaction-type') && !fields.has('order-stage');
  if (isNamed(fields, named) || (isSilent && isAlone)) return byWord(fields);
  return { proves: 'open', reason: 'the order is there; status speaks of a later transaction' };
}

/** Why an answer need not be about this follow-up; undefined when it is. */
function doubtOf(intent: Intent, fields: Fields, named: Named, facts: EvidenceFacts): string | undefined {
  if (!isNamed(fields, named)) return 'status speaks of another transaction of this order';
  if (facts.bySerial) return undefined;
  const { sum, operation } = intent;
  const earlier = facts.others.filter(
    (other) => other.operation === operation && other.id !== intent.id && ['accepted', 'done', 'declined', 'unknown'].includes(other.state),
  );
  const amount = amountIn(fields, intent, facts);
  if (operation === 'RETURN' && statusOf(fields.get('status') ?? '')?.success === true) return returnDoubt(intent, amount, earlier);
  if (earlier.length > 0) return 'status may speak of an earlier one of the same kind';
  if (sum !== undefined && amount.own !== undefined && amount.own !== BigInt(sum.minor)) return 'status speaks of another amount';
  return undefined;
}

/** The sum of all returns must have grown by exactly this one beyond what the journal knows. */
function returnDoubt({ sum }: Intent, { returned }: AmountIn, earlier: readonly Intent[]): string | undefined {
  if (returned === undefined) return 'status does not say how much was returned';
  if (earlier.some(({ state }) => state === 'accepted' || state === 'unknown')) return 'another return of this order is open as well';
  const before = earlier
    .filter(({ state }) => state === 'done')
    .map((other) => (other.sum === undefined ? undefined : BigInt(other.sum.minor)));
  if (before.includes(undefined)) return 'an earlier return took the whole amount';
  const known = before.reduce((total: bigint, minor) => total + (minor ?? 0n), 0n);
  const grown = returned - known;
  if (sum === undefined) return grown > 0n ? undefined : 'the sum of the returns did not grow';
  return grown === BigInt(sum.minor) ? undefined : 'the sum of the returns did not grow by this amount';
}

function isNamed(fields: Fields, { types, stage, notStage }: Named): boolean {
  const type = fields.get('transaction-type')?.toLowerCase();
  const at = fields.get('order-stage')?.toLowerCase() ?? '';
  if (type !== undefined && !types.includes(type)) return false;
  if (type === undefined && at === '') return false;
  return (stage === undefined || at.startsWith(stage)) && (notStage === undefined || !at.startsWith(notStage));
}

function byWord(fields: Fields): Evidence {
  const word = replyField(fields, 'status') ?? '';
  const facts = statusOf(word);
  // A29: a check ends when the payout is validated; its status word stays processing.
  if (fields.get('order-stage')?.toLowerCase() === 'payout_check_validated')
    return { proves: 'done', reason: 'status: the payout is checked' };
  if (facts?.final === true) return { proves: facts.success ? 'done' : 'declined', reason: `status: ${word}` };
  return { proves: 'open', reason: facts === undefined ? 'status gives a word paycli does not know' : `status: ${word}` };
}

interface AmountIn {
  readonly own: bigint | undefined;
  readonly initial: bigint | undefined;
  readonly returned: bigint | undefined;
}

function amountIn(fields: Fields, { sum, endpointId }: Intent, { minorDigits }: EvidenceFacts): AmountIn {
  const currency = fields.get('currency') ?? sum?.currency ?? '';
  const digits = digitsOf(currency, minorDigits, endpointId);
  const read = (name: string): bigint | undefined => {
    const reading = readAmount(fields.get(name) ?? '', currency, digits);
    return reading.ok ? reading.minor : undefined;
  };
  return { own: read('amount'), initial: read('initial-amount') ?? read('amount'), returned: read('total-reversal-amount') };
}

function nothing(reason: string): Evidence {
  return { proves: 'nothing', reason };
}

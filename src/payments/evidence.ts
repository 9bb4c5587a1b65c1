import { type Intent, reachedStates } from '../journal/index.js';
import {
  isUnknownWord,
  movesOf,
  type Operation,
  operations,
  provenBy,
  rebill,
  replyField,
  type StatusName,
  statusOf,
} from '../spec/index.js';
import { isOfFollowUp } from '../spec/transaction-words.js';
import { type AmountIn, amountIn, isOtherCurrency, type UnitsOf, unitsWith } from './status-amounts.js';

type Fields = ReadonlyMap<string, string>;

/** What a status answer proves about one intent. `open`: the gateway has it; `conflict`: it approved something else. */
export interface Evidence {
  readonly proves: 'done' | 'declined' | 'conflict' | 'open' | 'nothing';
  /** In words of paycli. */
  readonly reason: string;
  /** The status of this request, where it does not say whether money moved. */
  readonly unknownStatus?: string;
  /** The status is that of a later transaction of the order, and says nothing else of this request. */
  readonly isOfLater?: true;
}

export interface EvidenceFacts {
  /** Other intents of the same order, as the journal knows them. */
  readonly others: readonly Intent[];
  /** True when status was asked by the serial number of this very request's reply (A42). */
  readonly bySerial: boolean;
  /** The value of A04. */
  readonly minorDigits: string;
}

/** True for operations whose outcome no status answer shows; only other evidence resolves them. */
export function isBeyondStatus(operation: string): boolean {
  return rowOf(operation)?.namedByStatus === undefined;
}

/** What a request may have done whose outcome is unknown. */
export function possibleEffect(operation: string): string {
  const row = rowOf(operation);
  if (row?.effect === 'write' && row.opens) return 'an order may have been made, which by itself moves no money';
  return (row && tokens[row.records.reply]) ?? 'money may have moved';
}

const tokens: Readonly<Partial<Record<Operation['records']['reply'], string>>> = {
  CardRefAsyncResponse: 'a card reference may have been made',
  CardRefV4AsyncResponse: 'a card reference may have been made',
  CreateRecurringPaymentResponse: 'a recurring payment may have been registered',
};

/** Whether a transaction of this type can be what an operation made. */
export function isOfType(operation: string, type: string): boolean {
  return rowOf(operation)?.namedByStatus?.types.includes(type) === true;
}

/** Whether a status answer describes a transaction that this operation makes. */
export function isAboutOperation(operation: string, fields: Fields): boolean {
  const named = rowOf(operation)?.namedByStatus;
  return named !== undefined && isNamed(fields, named);
}

/**
 * Compares a status answer with an intent. An opening operation is resolved by its order; a follow-up only by an answer
 * that names it and cannot be about an earlier one: an older `approved` of the same order proves nothing.
 */
export function evidenceFor(intent: Intent, fields: Fields, facts: EvidenceFacts): Evidence {
  const named = rowOf(intent.operation)?.namedByStatus;
  if (named === undefined) return nothing('status cannot show the outcome of this operation');
  const amount = amountIn(fields, intent, facts);
  const units = unitsWith(facts.minorDigits);
  if (intent.kind === 'opening')
    return forOpening(intent, fields, {
      ...{ named, amount, requested: units(intent), isOtherCurrency: isOtherCurrency(intent, fields) },
      others: facts.others,
    });
  const doubt = doubtOf(intent, fields, named, facts);
  if (doubt !== undefined) return nothing(doubt);
  const evidence = byStatusWord(fields);
  const matched = facts.bySerial ? undefined : matchedWords(intent);
  return matched === undefined ? evidence : { ...evidence, reason: `${evidence.reason}; ${matched}` };
}

/**
 * How a follow-up was matched with an answer that does not name it. Undefined for one that takes effect once on an
 * order, such as a void: it makes no difference then who sent it. Only without a serial number of its own could it be
 * that the request never arrived, and what the gateway shows came from elsewhere.
 */
function matchedWords({ operation, outcome }: Intent): string | undefined {
  if (!mayRepeat(operation)) return undefined;
  const why =
    serialIn(outcome) === undefined
      ? `no reply gave its serial number, and an identical ${commandOf(operation)} from another machine would look the same`
      : 'the gateway gave no status for its serial number';
  return `matched by operation and amount: ${why}`;
}

/** A part of the amount may be captured or returned several times on one order. */
function mayRepeat(operation: string): boolean {
  return movesOf(operation) === 'returns' || movesOf(operation) === 'captures';
}

/**
 * Whether to query the gateway for the status of exactly this follow-up, whose own reply had a serial number (A42):
 * where an answer that does not name it would resolve it, and where it is pending and the answer is of another one, of
 * its kind and final, or of another kind, as another machine may have sent.
 */
export function needsOwnStatus(
  { kind, state, operation, outcome }: Intent,
  { proves }: Evidence,
  fields: Fields,
): boolean {
  const serial = serialIn(outcome);
  if (kind !== 'follow-up' || serial === undefined || !mayRepeat(operation)) return false;
  if (replyField(fields, 'bySerial') === serial) return false;
  const isOfAnother = isAboutOperation(operation, fields)
    ? statusOf(replyField(fields, 'status') ?? '')?.final === true
    : isOfFollowUp(fields);
  const isHidden = state === 'accepted' && proves === 'nothing' && isOfAnother;
  return isHidden || ((proves === 'done' || proves === 'declined') && state !== proves);
}

function serialIn(outcome: Intent['outcome']): string | undefined {
  return outcome['serial-number'];
}

/** Whether an outcome in the journal was only matched by operation and amount; the words of every version. */
export function wasMatchedByAmount(reason: string): boolean {
  return reason.includes('matched by operation');
}

interface OpeningFacts {
  readonly named: StatusName;
  readonly amount: AmountIn;
  /** The amount of the request. */
  readonly requested: bigint | undefined;
  readonly isOtherCurrency: boolean;
  /** Other requests on this order. */
  readonly others: readonly Intent[];
}

function forOpening(
  { operation }: Intent,
  fields: Fields,
  { named, amount, requested, isOtherCurrency, others }: OpeningFacts,
): Evidence {
  // A46: a rebill may charge another of the amounts it was given.
  const isFixed = requested !== undefined && operation !== rebill.id;
  const isAboutOpening = isNamed(fields, named);
  const namesNone = !fields.has('transaction-type') && !fields.has('order-stage');
  // A later transaction has its own amount.
  const initial = isAboutOpening || namesNone ? amount.initial : amount.ofOrder;
  if (isFixed && initial !== undefined && initial !== requested)
    return nothing('the order with this id has a different amount');
  if (isOtherCurrency) return nothing('the order with this id has a different currency');
  if (isAboutOpening || (namesNone && others.length === 0)) return byStatusWord(fields);
  const proof = followUpProof(operation, fields, others);
  if (proof !== undefined) return { proves: 'done', reason: proof, isOfLater: true };
  const later = { proves: 'open', reason: 'the order exists; its status describes a later transaction' } as const;
  return followUpNamed(operation, fields) === undefined ? later : { ...later, isOfLater: true };
}

/**
 * Why the follow-up that status describes, or one that the journal has as done, proves that its order was approved
 * ("A return is allowed only when the original transaction is in a final successful status"); undefined when none does.
 */
function followUpProof(operation: string, fields: Fields, others: readonly Intent[]): string | undefined {
  const allowed = provenBy(operation);
  const known = others.find((other) => other.state === 'done' && allowed.some((id) => id === other.operation));
  if (known !== undefined) return `its ${commandOf(known.operation)} was approved, so the order itself was approved`;
  if (statusOf(replyField(fields, 'status') ?? '')?.success !== true) return undefined;
  const named = followUpNamed(operation, fields);
  return named === undefined
    ? undefined
    : `status: its ${commandOf(named)} is approved, so the order itself was approved`;
}

/** The operation that may follow on this one and that status describes. */
export function followUpNamed(operation: string, fields: Fields): string | undefined {
  return provenBy(operation).find((id) => {
    const name = rowOf(id)?.namedByStatus;
    return name !== undefined && isNamed(fields, name);
  });
}

function commandOf(operation: string): string {
  return rowOf(operation)?.command ?? operation;
}

/** Undefined for a request by hand, which the journal records by its path. */
function rowOf(operation: string): Operation | undefined {
  return operations.find(({ id }) => id === operation);
}

/** Why an answer may not be about this follow-up; undefined when it is. */
function doubtOf(intent: Intent, fields: Fields, named: StatusName, facts: EvidenceFacts): string | undefined {
  if (!isNamed(fields, named)) return 'the status describes another transaction of this order';
  if (facts.bySerial) return undefined;
  if (isOtherCurrency(intent, fields)) return 'the status shows a different currency';
  const { operation, sum, state } = intent;
  // Any amount that another request moved would match one for the whole order.
  if (sum === undefined && (state === 'refused' || state === 'not_sent'))
    return 'the request did not take effect; the status describes another one';
  const units = unitsWith(facts.minorDigits);
  const others = facts.others.filter(
    (other) => other.operation === operation && other.id !== intent.id && reachedStates.includes(other.state),
  );
  const amount = amountIn(fields, intent, facts);
  const isSuccess = statusOf(replyField(fields, 'status') ?? '')?.success === true;
  if (movesOf(operation) === 'returns' && isSuccess)
    return returnDoubt(intent, amount, others, { units, whole: wholeOf(amount, facts.others, units) });
  if (others.length > 0) return 'the status may describe an earlier request for the same operation';
  if (!mayRepeat(operation)) return undefined;
  // It resolves nothing, and makes the request doubtful at most.
  if (isUnknownWord(replyField(fields, 'status') ?? '')) return undefined;
  // This one has returned nothing yet, and no other return of this journal has.
  if (movesOf(operation) === 'returns' && (amount.returned ?? 0n) > 0n)
    return 'the gateway shows a return that is not in this journal';
  return amountDoubt(intent, amount, facts.others, units);
}

/** The answer must show the amount of the request; one without an amount is for the whole order. */
function amountDoubt(intent: Intent, amount: AmountIn, others: readonly Intent[], units: UnitsOf): string | undefined {
  const requested = units(intent);
  const expected = requested ?? wholeOf(amount, others, units);
  if (amount.own === undefined || expected === undefined) return 'the status does not show the amount';
  if (amount.own === expected) return undefined;
  return requested === undefined
    ? `the status shows a partial ${commandOf(intent.operation)}, and this request was for the full amount`
    : 'the status shows a different amount';
}

/** The amount of the order, by the answer or the request that made it. */
function wholeOf({ ofOrder }: AmountIn, others: readonly Intent[], units: UnitsOf): bigint | undefined {
  const opening = others.find(({ kind }) => kind === 'opening');
  return ofOrder ?? (opening === undefined ? undefined : units(opening));
}

/**
 * The returned total must exceed the returns that the journal has as done by exactly this one. Beside another one whose
 * outcome is open it could be either, until status names it by its serial number.
 */
function returnDoubt(
  intent: Intent,
  { own, returned }: AmountIn,
  others: readonly Intent[],
  { units, whole }: { readonly units: UnitsOf; readonly whole: bigint | undefined },
): string | undefined {
  if (returned === undefined) return 'the status does not say how much was returned';
  const done = others.filter(({ state }) => state === 'done');
  if (done.some(({ sum }) => sum === undefined)) return 'an earlier return was for the full amount';
  if (others.some(({ state }) => state !== 'done' && state !== 'declined'))
    return 'another return of this order is also pending';
  const increase = returned - done.reduce((sum, each) => sum + (units(each) ?? 0n), 0n);
  if (increase <= 0n) return 'the total that the gateway shows as returned does not include this return';
  const requested = units(intent);
  // Somebody else may have returned a part.
  if (requested === undefined)
    return returned === whole
      ? undefined
      : 'not everything was returned, and this request was for the full remaining amount';
  if (increase !== requested)
    return 'the returned total increased, but not by this amount: there may be a return that is not in this journal';
  return own === undefined || own === requested
    ? undefined
    : 'the status shows a return of a different amount: the total may have increased by returns not in this journal';
}

function isNamed(fields: Fields, { types, stage, notStage }: StatusName): boolean {
  const type = replyField(fields, 'transactionType')?.toLowerCase();
  const at = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (type !== undefined && !types.includes(type)) return false;
  if (type === undefined && at === '') return false;
  return (stage === undefined || at.startsWith(stage)) && (notStage === undefined || !at.startsWith(notStage));
}

function byStatusWord(fields: Fields): Evidence {
  const word = replyField(fields, 'status') ?? '';
  const facts = statusOf(word);
  // A29: a check ends when the payout is validated; its status word stays processing.
  if (replyField(fields, 'stage')?.toLowerCase() === 'payout_check_validated')
    return { proves: 'done', reason: 'status: payout validated' };
  if (facts?.final === true) return { proves: facts.success ? 'done' : 'declined', reason: `status: ${word}` };
  return {
    proves: 'open',
    reason: facts === undefined ? 'unknown status word' : `status: ${word}`,
    ...(isUnknownWord(word) ? { unknownStatus: word } : {}),
  };
}

function nothing(reason: string): Evidence {
  return { proves: 'nothing', reason };
}

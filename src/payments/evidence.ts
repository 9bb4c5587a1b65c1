import type { NewRequest, Request } from '../journal/port.js';
import { pendingStates, reachedStates } from '../journal/states.js';
import {
  commandOf,
  isFinal,
  isSuccess,
  isUnknownWord,
  movesOf,
  type Operation,
  operations,
  provenBy,
  rebill,
  replyField,
  statusOf,
} from '../spec/index.js';
import { isOfFollowUp } from '../spec/transaction-words.js';
import { isCurrency, readSum, toUnits } from '../wire/amount.js';
import { orderWords } from './words.js';

export type Fields = ReadonlyMap<string, string>;

/** What a status answer proves about one request. `pending`: the gateway has it; `conflict`: it approved something else. */
export interface Proof {
  readonly proves: 'done' | 'declined' | 'conflict' | 'pending' | 'nothing';
  /** In words of paycli. */
  readonly reason: string;
  /** The answer names this very request, and not only its order. */
  readonly isOwn: boolean;
  /** The status of this request, where it does not say whether money moved. */
  readonly unknownStatus?: string;
  /** The status is that of a later transaction of the order, and says nothing else of this request. */
  readonly isOfLater?: true;
  /** It does not name the request: operation and amount were compared, which an equal one from elsewhere would fit. */
  readonly isMatched?: true;
}

/** The end of the reason where an answer did not name the request. */
export const matchedByAmount = 'matched by operation and amount';

/** Undefined for a request by hand, which is recorded by its path. */
export function rowOf(operation: string): Operation | undefined {
  return operations.find(({ id }) => id === operation);
}

/** True for operations whose outcome no status answer shows; only other evidence settles them. */
export function isBeyondStatus(operation: string): boolean {
  return rowOf(operation)?.namedByStatus === undefined;
}

/** Whether a status answer describes a transaction that this operation makes. */
export function isAboutOperation(operation: string, fields: Fields): boolean {
  const { types, stage = '', notStage } = rowOf(operation)?.namedByStatus ?? {};
  const type = replyField(fields, 'transactionType')?.toLowerCase();
  const at = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (types === undefined || (type === undefined ? at === '' : !types.includes(type))) return false;
  return at.startsWith(stage) && (notStage === undefined || !at.startsWith(notStage));
}

/** Amounts in an answer, in ten-thousandths of the currency. */
interface AmountsIn {
  /** Of the transaction that the answer is about. */
  readonly own: bigint | undefined;
  /** Of the first transaction of the order. */
  readonly ofOrder: bigint | undefined;
  readonly returned: bigint | undefined;
}

/** `minorDigits` is the value of A04. */
export function amountsIn(
  fields: Fields,
  { sum, endpoint }: Pick<Request, 'sum' | 'endpoint'>,
  minorDigits: string,
): AmountsIn {
  const told = replyField(fields, 'currency') ?? '';
  const currency = isCurrency(told) ? told : (sum?.currency ?? '');
  const read = (name: string): bigint | undefined => {
    const shown = readSum(withoutEndZeros(fields.get(name) ?? ''), currency, minorDigits, endpoint);
    return shown && toUnits(shown);
  };
  // Zero says nothing.
  const readOrNone = (name: string) =>
    read(name) ?? (currency !== '' && /[^\s0.]/.test(fields.get(name) ?? '') ? unreadable : undefined);
  return { own: readOrNone('amount'), ofOrder: readOrNone('initial-amount'), returned: read('total-reversal-amount') };
}

/** What cannot be read as an amount may be any: it equals none. */
const unreadable = -1n;

/** `10.4200` is `10.42`, which every currency with two digits has. */
function withoutEndZeros(text: string): string {
  return text
    .trim()
    .replace(/^(\d+)\.(\d*?)0*$/, (_, whole: string, part: string) => (part === '' ? whole : `${whole}.${part}`));
}

export function unitsOf({ sum }: NewRequest): bigint | undefined {
  return sum === undefined ? undefined : toUnits(sum);
}

/** Only a code that is one for certain counts against it. */
function isOtherCurrency({ sum }: NewRequest, fields: Fields): boolean {
  const shown = (replyField(fields, 'currency') ?? '').trim().toUpperCase();
  return sum !== undefined && shown !== sum.currency && isCurrency(shown);
}

/** Whether an answer names this request. A gateway may ignore the serial number of a query (A42). */
function isOwnIn({ kind, operation, orderId, outcome = {} }: Asked, fields: Fields): boolean {
  const own = kind === 'payment' ? orderId : outcome['serial-number'];
  const named = replyField(fields, kind === 'payment' ? 'orderId' : 'bySerial');
  return own !== undefined && own === named && isAboutOperation(operation, fields);
}

/**
 * Compares a status answer with a request. A payment is settled by its order; a follow-up only by an answer that names
 * it and cannot be about an earlier one: an older `approved` of the same order proves nothing. `others` are those of
 * the same order, which may hold the request itself.
 */
export function prove(request: Asked, fields: Fields, others: readonly Request[], minorDigits: string): Proof {
  const isOwn = isOwnIn(request, fields);
  const otherwise = isOwn ? approvedOtherwise(request, fields, minorDigits) : undefined;
  if (otherwise !== undefined) return { proves: 'conflict', reason: otherwise, isOwn };
  if (isBeyondStatus(request.operation)) return nothing('status cannot show the outcome of this operation');
  const shown: Shown = {
    ...{ fields, isOwn, beside: others.filter(({ id }) => id !== request.id) },
    amounts: amountsIn(fields, request, minorDigits),
    isAbout: isAboutOperation(request.operation, fields),
  };
  if (request.kind === 'payment') return provePayment(request, shown);
  const doubt = isOwn ? undefined : doubtAbout(request, shown);
  if (doubt !== undefined) return nothing(doubt);
  const proof = { ...byStatusWord(fields), isOwn };
  return isOwn || !mayRepeat(request.operation)
    ? proof
    : { ...proof, isMatched: true, reason: `${proof.reason}; ${matchedByAmount}` };
}

/** A request that an answer is compared with; it may not be recorded yet. */
type Asked = NewRequest & Partial<Pick<Request, 'id' | 'state' | 'outcome'>>;

/** An answer beside a request. */
interface Shown {
  readonly fields: Fields;
  readonly amounts: AmountsIn;
  /** It describes a transaction that the operation of the request makes. */
  readonly isAbout: boolean;
  readonly isOwn: boolean;
  readonly beside: readonly Request[];
}

/** What was approved where it is another amount or currency than was sent. A46: a rebill may charge another amount. */
export function approvedOtherwise(request: Asked, fields: Fields, minorDigits: string): string | undefined {
  const requested = unitsOf(request);
  if (!isSuccess(replyField(fields, 'status') ?? '') || request.operation === rebill.id || requested === undefined)
    return undefined;
  const { own, ofOrder } = amountsIn(fields, request, minorDigits);
  const shown = request.kind === 'payment' ? [own, ofOrder] : [own];
  const isSame = shown.every((amount) => amount === undefined || amount === requested);
  return isSame && !isOtherCurrency(request, fields)
    ? undefined
    : `the gateway approved another amount or currency than was sent: ${orderWords(fields)}`;
}

/** Captures and returns may be made several times on one order, each of a part. */
function mayRepeat(operation: string): boolean {
  return movesOf(operation) === 'returns' || movesOf(operation) === 'captures';
}

function provePayment(request: Asked, { fields, amounts, beside, isAbout, isOwn }: Shown): Proof {
  const { operation } = request;
  const requested = unitsOf(request);
  const namesNone = !fields.has('transaction-type') && !fields.has('order-stage');
  // A later transaction has its own amount.
  const opened = isAbout || namesNone ? (amounts.ofOrder ?? amounts.own) : amounts.ofOrder;
  // A46: a rebill may charge another of the amounts it was given.
  const isFixed = requested !== undefined && operation !== rebill.id;
  if (isFixed && opened !== undefined && opened !== requested)
    return nothing('the order with this id has a different amount');
  if (isOtherCurrency(request, fields)) return nothing('the order with this id has a different currency');
  if (isAbout || (namesNone && beside.length === 0)) return { ...byStatusWord(fields), isOwn };
  const reason = provenByFollowUp(operation, fields, beside);
  if (reason !== undefined) return { proves: 'done', reason, isOwn, isOfLater: true };
  const later = followUpNamed(operation, fields) === undefined ? {} : ({ isOfLater: true } as const);
  return { proves: 'pending', reason: 'the order exists; its status describes a later transaction', isOwn, ...later };
}

/**
 * What an order proves that the gateway has under the client order id of a payment: undefined unless it is that payment,
 * by operation (or a follow-up on it), currency, endpoint, card and its amount at first.
 */
export function samePayment(wanted: NewRequest, fields: Fields, minorDigits: string): Proof | undefined {
  const { operation, endpoint, card4 } = wanted;
  const isAbout = isAboutOperation(operation, fields);
  const { own, ofOrder } = amountsIn(fields, wanted, minorDigits);
  const opened = ofOrder ?? (isAbout ? own : undefined);
  const shownCard = /\d{4}$/.exec(fields.get('last-four-digits') ?? '')?.[0];
  const isSame =
    (replyField(fields, 'endpointId') ?? endpoint) === endpoint &&
    !isOtherCurrency(wanted, fields) &&
    opened !== undefined &&
    opened === unitsOf(wanted) &&
    (shownCard === undefined || card4 === undefined || shownCard === card4) &&
    (isAbout || followUpNamed(operation, fields) !== undefined);
  const proof = isSame ? prove(wanted, fields, [], minorDigits) : undefined;
  return proof?.proves === 'nothing' ? undefined : proof;
}

/**
 * Why the follow-up that status describes, or one that is recorded as done, proves that its order was approved ("A
 * return is allowed only when the original transaction is in a final successful status"); undefined when none does.
 */
function provenByFollowUp(operation: string, fields: Fields, beside: readonly Request[]): string | undefined {
  const allowed = provenBy(operation);
  const known = beside.find((other) => other.state === 'done' && allowed.some((id) => id === other.operation));
  const named = isSuccess(replyField(fields, 'status') ?? '') ? followUpNamed(operation, fields) : undefined;
  const proving = known?.operation ?? named;
  return proving === undefined
    ? undefined
    : `its ${commandOf(proving) ?? proving} was approved, so the order itself was approved`;
}

function followUpNamed(operation: string, fields: Fields): string | undefined {
  return provenBy(operation).find((id) => isAboutOperation(id, fields));
}

/** Why an answer that does not name this follow-up may be about another one; undefined when it is about this. */
function doubtAbout(request: Asked, { fields, amounts, beside, isAbout }: Shown): string | undefined {
  if (!isAbout) return 'the status describes another transaction of this order';
  if (isOtherCurrency(request, fields)) return 'the status shows a different currency';
  const { operation, state } = request;
  const word = replyField(fields, 'status') ?? '';
  // Another request that was made elsewhere would match it, or any one for the whole order.
  if (state === 'refused' || state === 'not_sent')
    return 'the request did not take effect; the status describes another one';
  const others = beside.filter((other) => other.operation === operation && reachedStates.includes(other.state));
  const isReturn = movesOf(operation) === 'returns';
  const payment = beside.find(({ kind }) => kind === 'payment');
  const whole = amounts.ofOrder ?? (payment && unitsOf(payment));
  if (isReturn && isSuccess(word)) return doubtAboutReturn(request, { ...amounts, ofOrder: whole }, others);
  if (others.length > 0) return 'the status may describe an earlier request for the same operation';
  // It settles nothing, and makes the request doubtful at most.
  if (!mayRepeat(operation) || isUnknownWord(word)) return undefined;
  if (isReturn && isFinal(word)) return 'a return that was declined may be another one';
  if (isReturn && (amounts.returned ?? 0n) > 0n) return 'the gateway shows a return that is not in this journal';
  const expected = unitsOf(request) ?? whole;
  if (amounts.own === undefined || expected === undefined) return 'the status does not show the amount';
  return amounts.own === expected ? undefined : 'the status shows a different amount';
}

/**
 * The total must exceed the returns that are recorded as done by exactly this one. Beside another pending return only
 * an answer that names the request tells them apart; one without an amount must have returned the whole order.
 */
function doubtAboutReturn(
  request: Asked,
  { own, ofOrder, returned }: AmountsIn,
  others: readonly Request[],
): string | undefined {
  if (returned === undefined) return 'the status does not say how much was returned';
  if (others.some(({ state }) => state === 'conflict' || pendingStates.includes(state)))
    return 'another return of this order is pending as well';
  const done = others.filter(({ state }) => state === 'done').map(unitsOf);
  if (done.some((units) => units === undefined)) return 'an earlier return was for the full amount';
  const increase = returned - done.reduce<bigint>((total, units) => total + (units ?? 0n), 0n);
  if (increase <= 0n) return 'the total that the gateway shows as returned does not include this return';
  const requested = unitsOf(request);
  if (requested === undefined)
    return returned === ofOrder ? undefined : 'not everything was returned, and this request was for the full amount';
  if (increase !== requested)
    return 'the returned total increased by another amount: there may be a return from elsewhere';
  return own === undefined || own === requested ? undefined : 'the status shows a return of a different amount';
}

/**
 * Whether to query the status of exactly this follow-up, whose own reply had a serial number (A42): where an answer
 * that does not name it would settle it, and where it is pending and the answer is of another one.
 */
export function needsOwnStatus(request: Request, { proves, isOwn }: Proof, fields: Fields): boolean {
  const { kind, state, operation, outcome } = request;
  if (kind !== 'follow-up' || outcome['serial-number'] === undefined || isOwn || !mayRepeat(operation)) return false;
  const isOfAnother = isAboutOperation(operation, fields)
    ? isFinal(replyField(fields, 'status') ?? '')
    : isOfFollowUp(fields);
  const isHidden = state === 'accepted' && proves === 'nothing' && isOfAnother;
  return isHidden || ((proves === 'done' || proves === 'declined') && state !== proves);
}

/** What the status word alone proves of what it is about. */
export function byStatusWord(fields: Fields): Omit<Proof, 'isOwn'> {
  const word = replyField(fields, 'status') ?? '';
  const facts = statusOf(word);
  // A29: a check ends when the payout is validated; its status word stays processing.
  if (replyField(fields, 'stage')?.toLowerCase() === 'payout_check_validated')
    return { proves: 'done', reason: 'status: payout validated' };
  if (facts?.final === true) return { proves: facts.success ? 'done' : 'declined', reason: `status: ${word}` };
  const reason = facts === undefined ? 'unknown status word' : `status: ${word}`;
  return { proves: 'pending', reason, ...(isUnknownWord(word) ? { unknownStatus: word } : {}) };
}

export function nothing(reason: string): Proof {
  return { proves: 'nothing', reason, isOwn: false };
}

/**
 * Whether the newest transaction that a status shows is one that this operation makes and none of `own` explains: another
 * machine, or what is lost of this journal, may have made the very one that is to be made.
 */
export function isMadeElsewhere(
  request: Pick<NewRequest, 'operation' | 'endpoint' | 'sum'>,
  fields: Fields,
  own: readonly Request[],
  minorDigits: string,
): boolean {
  const facts = statusOf(replyField(fields, 'status') ?? '');
  const isDeclined = facts?.final === true && !facts.success;
  if (isDeclined || !isAboutOperation(request.operation, fields)) return false;
  const { own: shown } = amountsIn(fields, request, minorDigits);
  return !own.some((each) => {
    const units = unitsOf(each);
    const isAlike = shown === undefined || units === undefined || units === shown;
    return each.operation === request.operation && reachedStates.includes(each.state) && isAlike;
  });
}

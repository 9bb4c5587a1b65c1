import {
  digitsOfSum,
  type Intent,
  lastReturnOfAll,
  type Sum,
  sumOfWhole,
  withoutEffectStates,
} from '../../journal/index.js';
import type { Assume } from '../../spec/assumptions.js';
import {
  captureOperation,
  isFinal,
  isSuccess,
  movesOf,
  replyField,
  returnOperation,
  voidOperation,
} from '../../spec/index.js';
import type { TransactionKind } from '../../spec/lifecycle.js';
import { transactionKindIn } from '../../spec/transaction-words.js';
import { decimalText, fractionOf, isDecimal, unitsOf } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';

/**
 * What became of the amount of a hold, or of an order that may be one, as decimal text; undefined where neither the
 * status nor the journal shows it. Several machines may have worked on it, and the status has one total for what was
 * released of the hold and what was returned of the capture, beside the newest transaction (A42).
 */
export interface HoldAmounts {
  readonly captured: string | undefined;
  /** Something was captured, whether or not it is known how much. */
  readonly isCaptured: boolean;
  readonly released: string | undefined;
  readonly returned: string | undefined;
  /** All that was released or returned. */
  readonly total: string;
  /** What may be left to return or release, and the most that it may be. */
  readonly left: string | undefined;
  readonly leftAtMost: string;
}

/**
 * Reads a status reply together with the requests of the journal, oldest first. `held` is the amount of the order as
 * decimal text.
 */
export function readHold(
  held: string,
  fields: Fields,
  requests: readonly Intent[],
  assume: Pick<Assume, 'captures-per-hold'>,
): HoldAmounts {
  const evidence = evidenceIn(held, fields, requests, assume['captures-per-hold'] === 'one');
  const { total, digits } = evidence;
  const captured = capturedOf(evidence);
  const amounts = captured === undefined ? ofUnknown(evidence) : ofCaptured(captured, evidence);
  const text = (amount: bigint | undefined) =>
    amount === undefined ? undefined : decimalText(largest(amount, 0n), digits);
  return {
    captured: text(amounts.captured),
    isCaptured: amounts.isCaptured,
    released: text(amounts.released),
    returned: text(amounts.returned),
    total: text(total) ?? '',
    left: text(amounts.left),
    leftAtMost: text(amounts.leftAtMost) ?? '',
  };
}

/** All amounts are in units of the last of `digits` after the point. */
interface Evidence {
  readonly digits: number;
  readonly held: bigint;
  /** All that was released or returned. */
  readonly total: bigint;
  /** What was released and returned for certain. */
  readonly released: bigint;
  readonly returned: bigint;
  readonly own: OwnMoves;
  readonly newest: Newest;
  /** The most that was released before the capture from here, where its reply shows it. */
  readonly mostBefore: bigint | undefined;
  /** A hold is captured once (A34). */
  readonly isOnce: boolean;
}

function evidenceIn(held: string, fields: Fields, requests: readonly Intent[], isOnce: boolean): Evidence {
  const digits = digitsOf(held, fields, requests);
  const newest = newestOf(fields, requests, digits);
  const own = ownMoves(requests, digits);
  const foreign = newest.isApproved && !newest.isOwn ? newest.amount : 0n;
  const released = own.released + (newest.kind === 'cancel' ? foreign : 0n);
  const returned = own.returned + (newest.kind === 'reversal' ? foreign : 0n);
  const shown = amountIn(fields, 'total-reversal-amount', digits);
  return {
    ...{ digits, held: unitsOf(held, digits), released, returned, own, newest, isOnce },
    total: largest(shown, own.released + own.returned + own.untyped, released + returned),
    mostBefore: releasedBefore(requests, isOnce, digits),
  };
}

interface AmountsInUnits {
  readonly captured: bigint | undefined;
  readonly isCaptured: boolean;
  readonly released: bigint | undefined;
  readonly returned: bigint | undefined;
  readonly left: bigint | undefined;
  readonly leftAtMost: bigint;
}

/** Where it is not known how much was captured, and perhaps not whether anything was. */
function ofUnknown({ held, total, released, returned, own, newest }: Evidence): AmountsInUnits {
  const isKnown = released + returned === total && !own.isVague;
  const leftAtMost = newest.isOwnWhole ? 0n : held - total;
  return {
    captured: newest.isOwnWhole && isKnown ? returned : undefined,
    isCaptured: isCapturedBy(newest) || own.returned > 0n || own.captured > 0n || own.isCaptureVague,
    released: isKnown ? released : undefined,
    returned: isKnown ? returned : undefined,
    left: leftAtMost > 0n ? undefined : 0n,
    leftAtMost,
  };
}

/** Where it is known how much was captured: nothing, or an amount of which the total is partly a return. */
function ofCaptured(captured: bigint, evidence: Evidence): AmountsInUnits {
  const { held, total, released, own, newest, mostBefore, isOnce } = evidence;
  if (captured === 0n) {
    const left = held - total;
    return { captured, isCaptured: false, released: total, returned: 0n, left, leftAtMost: left };
  }
  const mostReleased = largest(own.released, smallest(held - captured, mostBefore));
  const least = largest(evidence.returned, total - mostReleased);
  // After the newest transaction there is none.
  const isCaptureNewest = isOnce && newest.kind === 'capture' && newest.isApproved;
  const most = isCaptureNewest ? least : smallest(captured, total - released);
  const isKnown = !own.isVague && (newest.isOwnWhole || least >= most);
  const returned = newest.isOwnWhole ? captured : least;
  return {
    ...{ captured, isCaptured: true },
    released: isKnown ? total - returned : undefined,
    returned: isKnown ? returned : undefined,
    left: isKnown || newest.isOwnWhole ? captured - returned : undefined,
    leftAtMost: captured - returned,
  };
}

/** What requests from here returned, but what they released for certain, as decimal text like `like`. */
export function returnedFromHere(requests: readonly Intent[], like: string): string {
  const digits = digitsOf(like, new Map(), requests);
  const { returned, untyped } = ownMoves(requests, digits);
  return decimalText(returned + untyped, digits);
}

/**
 * What was captured; undefined where that is not known. A gateway accepts a capture or a void only of a hold that was
 * not captured, and a return of captured money only where there was some, whatever became of it then.
 */
function capturedOf({ newest, own, isOnce }: Evidence): bigint | undefined {
  const { kind, isApproved, isOpen, isOwn, amount } = newest;
  if (isOnce && kind === 'capture' && isApproved) return amount;
  if (own.isCaptureVague) return undefined;
  // Without a query the journal's own opening request stands for the newest transaction.
  const isJournal = kind === 'preauth' || (kind === 'capture' && isOwn);
  if (own.captured > 0n) return isOnce || isJournal ? own.captured : undefined;
  if (kind === 'reversal' || own.returned > 0n) return undefined;
  if (kind === 'capture' && isApproved) return undefined;
  return kind === 'preauth' || kind === 'cancel' || isOpen || isOwn ? 0n : undefined;
}

/** Whether a transaction of this kind, or a capture that was approved, shows that something was captured. */
function isCapturedBy({ kind, isApproved }: Newest): boolean {
  return kind === 'reversal' || (kind === 'capture' && isApproved);
}

/** What requests from here moved for certain. */
interface OwnMoves {
  readonly captured: bigint;
  /** A capture without a known amount, such as one that was settled manually. */
  readonly isCaptureVague: boolean;
  readonly released: bigint;
  readonly returned: bigint;
  /** Returns that may be either: no reply names their kind. */
  readonly untyped: bigint;
  /** One of the returns has no known amount. */
  readonly isVague: boolean;
}

function ownMoves(requests: readonly Intent[], digits: number): OwnMoves {
  const done = requests.filter(({ state }) => state === 'done');
  const firstCapture = done.findIndex(({ operation }) => movesOf(operation) === 'captures');
  const isAfterCapture = (at: number) => firstCapture !== -1 && at > firstCapture;
  const moves = done.map((request, at) => ({ ...request, type: typeOf(request), part: partOf(request, digits), at }));
  const captures = moves.filter(({ operation }) => movesOf(operation) === 'captures');
  const returns = moves.filter(({ operation }) => movesOf(operation) === 'returns');
  const sumOf = (some: typeof moves) => some.reduce((total, { part = 0n }) => total + part, 0n);
  const isReturned = ({ type, at }: (typeof moves)[number]) =>
    type === 'reversal' || (type !== 'cancel' && isAfterCapture(at));
  return {
    captured: sumOf(captures),
    isCaptureVague: captures.some(({ part }) => part === undefined),
    released: sumOf(returns.filter(({ type }) => type === 'cancel')),
    returned: sumOf(returns.filter(isReturned)),
    untyped: sumOf(returns.filter((each) => each.type !== 'cancel' && !isReturned(each))),
    isVague: returns.some(({ part }) => part === undefined),
  };
}

/** The transaction that the status describes. */
interface Newest {
  readonly kind: TransactionKind;
  readonly amount: bigint;
  readonly isApproved: boolean;
  /** Not final yet. */
  readonly isOpen: boolean;
  /** A request from here may have made it. */
  readonly isOwn: boolean;
  /** It is the last return from here, of all that was left of what was captured. */
  readonly isOwnWhole: boolean;
}

const operationOf: Partial<Readonly<Record<TransactionKind, string>>> = {
  ...{ capture: captureOperation.id, cancel: returnOperation.id, reversal: returnOperation.id, void: voidOperation.id },
};

function newestOf(fields: Fields, requests: readonly Intent[], digits: number): Newest {
  const kind = transactionKindIn(fields);
  const status = replyField(fields, 'status') ?? 'processing';
  const amount = amountIn(fields, 'amount', digits);
  const isOne = (request: Intent) => {
    if (request.operation !== operationOf[kind] || withoutEffectStates.includes(request.state)) return false;
    const type = typeOf(request);
    const id = request.outcome['processor-tx-id'];
    const shown = replyField(fields, 'processorId');
    if (id !== undefined && shown !== undefined && type === kind) return id === shown;
    const part = partOf(request, digits);
    return (type === undefined || type === kind) && (part === undefined || part === amount);
  };
  const isApproved = isSuccess(status);
  const last = lastReturnOfAll(requests);
  return {
    ...{ kind, amount, isApproved, isOpen: !isFinal(status), isOwn: requests.some(isOne) },
    isOwnWhole: isApproved && kind === 'reversal' && last !== undefined && isOne(last),
  };
}

/**
 * The most that was released before the capture from here, by the reply to it: returns may be in its total as well.
 * With several captures of one hold it says nothing.
 */
function releasedBefore(requests: readonly Intent[], isOnce: boolean, digits: number): bigint | undefined {
  const own = requests.find(
    (request) => movesOf(request.operation) === 'captures' && request.state === 'done' && typeOf(request) === 'capture',
  );
  const total = own?.outcome['total-reversal-amount'];
  return isOnce && total !== undefined && isDecimal(total) ? unitsOf(total, digits) : undefined;
}

/** The amount of a request, or what it moved where it named none and a reply shows it. */
function partOf(request: Intent, digits: number): bigint | undefined {
  const sum = request.sum ?? sumOfWhole(request);
  return sum === undefined ? undefined : inDigits(sum, digits);
}

function inDigits(sum: Sum, digits: number): bigint {
  return BigInt(sum.minor) * 10n ** BigInt(digits - digitsOfSum(sum));
}

function typeOf({ outcome }: Intent): string | undefined {
  return outcome['transaction-type']?.toLowerCase();
}

/** Zero for an amount that the reply does not have. */
function amountIn(fields: Fields, name: string, digits: number): bigint {
  const text = fields.get(name) ?? '';
  return isDecimal(text) ? unitsOf(text, digits) : 0n;
}

/** How many digits after the point hold every amount. */
function digitsOf(held: string, fields: Fields, requests: readonly Intent[]): number {
  const texts = [held, replyField(fields, 'amount') ?? '', replyField(fields, 'totalReversed') ?? ''].filter(isDecimal);
  const replies = requests.map(({ outcome }) => outcome['total-reversal-amount'] ?? '').filter(isDecimal);
  const sums = requests.map((each) => each.sum ?? sumOfWhole(each)).filter((sum) => sum !== undefined);
  return Math.max(...[...texts, ...replies].map(fractionOf), ...sums.map(digitsOfSum));
}

function largest(...amounts: readonly bigint[]): bigint {
  return amounts.reduce((most, each) => (each > most ? each : most));
}

function smallest(one: bigint, other: bigint | undefined): bigint {
  return other === undefined || one < other ? one : other;
}

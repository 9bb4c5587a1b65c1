import { fail } from '../errors/index.js';
import { movesOf, operations, takesMoney } from '../spec/index.js';
import type { Intent, NewIntent, Sum } from './intent.js';
import { sumText, unitsOf } from './spending.js';
import { unresolvedStates } from './states.js';

/** What the requests of the journal moved, in the smallest unit of the order's currency. */
export interface Moved {
  /** The amount of the opening request, where it was accepted. */
  readonly opened: bigint;
  readonly captured: bigint;
  /** Captures whose outcome is open. */
  readonly capturing: bigint;
  /** Returned before anything was captured, or voided. */
  readonly released: bigint;
  readonly returned: bigint;
  /** Returns whose outcome is open. */
  readonly pending: bigint;
  /** What a void whose outcome is open would release. */
  readonly voiding: bigint;
  /** What was gone already when a return took all that was left, beyond the requests of the journal. */
  readonly goneBefore: bigint;
  /** A return gave back what no request of the journal captured, so how much of the hold was captured is not known. */
  readonly isCapturedElsewhere: boolean;
}

// The transactions that only a hold has; by transaction-type.
const typesOfHolds: readonly string[] = ['preauth', 'capture', 'void', 'cancel'];

/** Whether this request made a hold; of a payment form, which may sell at once, the gateway says it. */
export function isHold({ operation, outcome }: Pick<Intent, 'operation' | 'outcome'>): boolean {
  const types = operations.find(({ id }) => id === operation)?.namedByStatus?.types ?? [];
  const isOne = types.length === 1 || typesOfHolds.includes(outcome['transaction-type']?.toLowerCase() ?? '');
  return isOne && types.includes('preauth');
}

/**
 * Adds up the requests on one order, oldest first; one without an amount counts for all that is left. Undefined where
 * the opening request is missing or has no amount, or takes no money, such as a payout.
 */
export function movedIn(requests: readonly Intent[]): Moved | undefined {
  const opening = requests.find(({ kind }) => kind === 'opening');
  const row = operations.find(({ id }) => id === opening?.operation);
  if (opening?.sum === undefined || row === undefined || !takesMoney(row)) return undefined;
  const whole = opening.state === 'done' || opening.state === 'accepted' ? BigInt(opening.sum.minor) : 0n;
  const isPaid = opening.state === 'done' && !isHold(opening);
  const none = { captured: 0n, capturing: 0n, released: 0n, returned: 0n, pending: 0n, voiding: 0n };
  return requests.reduce<Moved>((moved, request) => withRequest(moved, request, partOf(request, opening.sum)), {
    ...{ ...none, goneBefore: 0n, isCapturedElsewhere: false },
    opened: whole,
    captured: isPaid ? whole : 0n,
  });
}

/**
 * What follow-ups of an order moved whose opening request is not in the journal, in the unit of their amounts.
 * Undefined where the amount of one of them is not known.
 */
export function movedByFollowUps(followUps: readonly Intent[]): Moved | undefined {
  const counted = followUps.filter(({ state }) => state === 'done' || unresolvedStates.includes(state));
  const known = counted.map((each) => ({ ...each, part: each.sum ?? sumOfWhole(each) }));
  const ofAmount = known.filter(
    ({ operation }) => movesOf(operation) === 'returns' || movesOf(operation) === 'captures',
  );
  if (ofAmount.some(({ part }) => part === undefined)) return undefined;
  const total = (isOne: (each: (typeof known)[number]) => boolean) =>
    ofAmount.filter(isOne).reduce((sum, { part }) => sum + BigInt(part?.minor ?? 0), 0n);
  const isRelease = ({ outcome }: Intent) => outcome['transaction-type']?.toLowerCase() === 'cancel';
  return {
    ...{ opened: 0n, voiding: 0n, goneBefore: 0n, isCapturedElsewhere: false },
    captured: total(({ operation, state }) => movesOf(operation) === 'captures' && state === 'done'),
    capturing: total(({ operation, state }) => movesOf(operation) === 'captures' && state !== 'done'),
    released: total((each) => movesOf(each.operation) === 'returns' && each.state === 'done' && isRelease(each)),
    returned: total((each) => movesOf(each.operation) === 'returns' && each.state === 'done' && !isRelease(each)),
    pending: total(({ operation, state }) => movesOf(operation) === 'returns' && state !== 'done'),
  };
}

/** The amount of a request in the unit of its order; undefined for one of all that is left, as long as nothing says. */
function partOf(request: Intent, ofOrder: Sum | undefined): bigint | undefined {
  if (request.sum !== undefined) return BigInt(request.sum.minor);
  const own = sumOfWhole(request);
  if (own === undefined || ofOrder === undefined || own.currency !== ofOrder.currency) return undefined;
  return unitsOf(own) / unitsOf({ ...ofOrder, minor: '1' });
}

/**
 * What a request for all that was left moved, as the gateway said once it was done: another machine may have returned a
 * part before.
 */
export function sumOfWhole({ operation, state, sum, outcome }: Intent): Sum | undefined {
  const { amount = '', currency, 'transaction-type': type = '' } = outcome;
  const types = operations.find(({ id }) => id === operation)?.namedByStatus?.types ?? [];
  const isTold = state === 'done' && isOfWhole({ operation, sum }) && types.includes(type.toLowerCase());
  const [, digits = '', fraction = ''] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(amount) ?? [];
  if (!isTold || digits === '' || currency === undefined) return undefined;
  return { minor: String(BigInt(digits + fraction)), currency, digits: fraction.length };
}

/** Whether a request moved this sum, or all that was left where none is given; of a done one the gateway said it. */
export function movesSameAmount(earlier: Intent, sum: Sum | undefined): boolean {
  const took = earlier.sum ?? (sum === undefined ? undefined : sumOfWhole(earlier));
  if (took === undefined || sum === undefined) return took === sum;
  return took.currency === sum.currency && unitsOf(took) === unitsOf(sum);
}

function withRequest(moved: Moved, request: Intent, part: bigint | undefined): Moved {
  const { operation, state } = request;
  const isWhole = isOfWhole(request);
  const { opened, captured, capturing, released, returned, pending } = moved;
  const isOpen = unresolvedStates.includes(state);
  // Whatever became of it, the gateway took it for a return of captured money.
  const isOfCaptured = movesOf(operation) === 'returns' && captured === 0n && isReversal(request);
  const isCapturedElsewhere = moved.isCapturedElsewhere || isOfCaptured;
  if (!isOpen && state !== 'done') return { ...moved, isCapturedElsewhere };
  switch (movesOf(operation)) {
    case 'captures': {
      const toCapture = part ?? opened - released - captured;
      return isOpen ? { ...moved, capturing: capturing + toCapture } : { ...moved, captured: captured + toCapture };
    }
    case 'returns': {
      const left = captured > 0n ? captured - returned - pending : opened - released - pending;
      if (isOpen) return { ...moved, pending: pending + (part ?? left), isCapturedElsewhere };
      if (isOfCaptured) return { ...moved, returned: returned + (part ?? 0n), isCapturedElsewhere };
      const goneBefore = isWhole && part !== undefined ? atLeastZero(left - part) : moved.goneBefore;
      return captured > 0n
        ? { ...moved, returned: returned + (part ?? left), goneBefore }
        : { ...moved, released: released + (part ?? left), goneBefore };
    }
    case 'releases':
      return isOpen
        ? { ...moved, voiding: opened - released }
        : { ...moved, captured: 0n, returned: 0n, released: opened, voiding: 0n };
    default:
      return moved;
  }
}

/** Whether something was captured, but by no request of the journal, which then does not know how much. */
export function isCaptureUnknown({ captured, isCapturedElsewhere }: Moved): boolean {
  return isCapturedElsewhere && captured === 0n;
}

/** Whether the gateway called it a return of money that was captured; one of a hold is a cancel. */
function isReversal({ outcome }: Intent): boolean {
  return outcome['transaction-type']?.toLowerCase() === 'reversal';
}

/**
 * The newest follow-up where it was a return of all that was left of what was captured: nothing is left after it,
 * however much that was.
 */
export function lastReturnOfAll(requests: readonly Intent[]): Intent | undefined {
  const last = requests.findLast(({ kind, state }) => kind === 'follow-up' && state === 'done');
  const isReturn = last !== undefined && movesOf(last.operation) === 'returns';
  return isReturn && last.sum === undefined && isReversal(last) ? last : undefined;
}

/** Whether a request moves all that is left of its order. */
export function isOfWhole({ operation, sum }: Pick<Intent, 'operation' | 'sum'>): boolean {
  return sum === undefined && (movesOf(operation) === 'returns' || movesOf(operation) === 'captures');
}

/** Captured, not returned, and not in a return or void whose outcome is open. */
function returnable({ captured, returned, pending, voiding, goneBefore }: Moved): bigint {
  return atLeastZero(captured - returned - pending - voiding - goneBefore);
}

/** What a return may still give back: of what was captured, else of the hold, without what may be captured of it. */
export function leftToReturn(moved: Moved): bigint {
  const { opened, captured, capturing, released, pending, voiding, goneBefore } = moved;
  return captured > 0n
    ? returnable(moved)
    : atLeastZero(opened - released - pending - capturing - voiding - goneBefore);
}

/** What a capture may still take of the hold; a pending return of a hold releases it. */
export function leftToCapture(moved: Moved): bigint {
  const { opened, captured, capturing, released, pending, voiding, goneBefore } = moved;
  const releasing = captured > 0n ? 0n : pending + goneBefore;
  return atLeastZero(opened - released - captured - capturing - voiding - releasing);
}

function atLeastZero(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}

/**
 * A gateway may accept a second return while a first one is processing, and carry out both. So while a return of the
 * order is pending, another one needs an amount, and at most what remains beside it; captures alike. Once nothing is
 * pending, the gateway knows what is left. `requests` are those on the order, without this one, oldest first. Throws
 * AMOUNT_PENDING.
 */
export function refuseBeyondPending({ operation, sum, orderId }: FollowUp, requests: readonly Intent[]): void {
  const beside = pendingBeside(operation, requests);
  if (beside === undefined) return;
  const { left, ...words } = beside;
  const isOfAnother = left !== undefined && sum?.currency !== left.currency;
  if (sum !== undefined && (left === undefined || isOfAnother || BigInt(sum.minor) <= BigInt(left.minor))) return;
  throw fail('AMOUNT_PENDING', { order: orderId, ...words, left: left === undefined ? undefined : sumText(left) });
}

type FollowUp = Pick<NewIntent, 'operation' | 'sum' | 'orderId'>;

/** What is pending on an order beside another return or capture. */
interface PendingBeside {
  readonly verb: 'return' | 'capture';
  /** The amounts, for people. */
  readonly pending: string;
  /** What may still be moved; undefined where the journal does not know the order. */
  readonly left: Sum | undefined;
}

/** Undefined where nothing of this operation is pending. */
export function pendingBeside(operation: string, requests: readonly Intent[]): PendingBeside | undefined {
  const pending = requests.filter((each) => each.operation === operation && each.state === 'accepted');
  if (pending.length === 0 || (movesOf(operation) !== 'returns' && movesOf(operation) !== 'captures')) return undefined;
  return {
    verb: movesOf(operation) === 'returns' ? 'return' : 'capture',
    pending: pending.map(amountOf).join(', '),
    left: leftInJournal(operation, requests),
  };
}

/** What a return or a capture of this order may still move. Undefined where the journal does not know the order. */
export function leftInJournal(operation: string, requests: readonly Intent[]): Sum | undefined {
  const moved = movedIn(requests);
  const opening = requests.find(({ kind }) => kind === 'opening')?.sum;
  if (moved === undefined || opening === undefined || isCaptureUnknown(moved)) return undefined;
  return { ...opening, minor: String(movesOf(operation) === 'returns' ? leftToReturn(moved) : leftToCapture(moved)) };
}

function amountOf({ sum }: Intent): string {
  return sum === undefined ? 'the full remaining amount' : sumText(sum);
}

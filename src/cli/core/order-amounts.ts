import { digitsOfSum, type Intent, movedIn, type State, wasSettledManually } from '../../journal/index.js';
import type { Assume } from '../../spec/assumptions.js';
import { isUnknownWord, type OperationId } from '../../spec/index.js';
import { legality, type OrderFacts } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';
import { difference, fractionOf, isDecimal, isZero, larger } from './decimal-amounts.js';
import { isOpeningGuessed } from './order-facts.js';

/** Money of an order as decimal text, as the gateway writes it; null where unknown. */
export interface Amounts {
  readonly currency: string | null;
  /** The amount of the opening request. */
  readonly amount: string;
  readonly captured: string | null;
  /** Released from the hold by returns before any capture. */
  readonly released: string | null;
  /** The rest of the hold after a capture, where it is released (A34) or has expired. */
  readonly restReleased: string | null;
  /** The rest of the hold after a capture, where it may be captured. */
  readonly leftToCapture: string | null;
  /** Returned after capture. */
  readonly returned: string | null;
  /** What the gateway shows as released or returned beyond the requests of this journal. */
  readonly returnedElsewhere: string | null;
  /** Of returns whose outcome is open. */
  readonly pending: string | null;
  /** Captured, not returned, and not about to be. */
  readonly left: string | null;
}

const returnable: readonly OrderFacts['opened'][] = ['sale', 'preauth', 'rebill'];

/**
 * From a status reply, which describes the newest transaction, and the follow-ups in the journal. Undefined where the
 * reply has no amount.
 */
export function amountsOf(
  fields: Fields,
  facts: OrderFacts,
  requests: readonly Intent[],
  assume: Assume,
): Amounts | undefined {
  const amount = fields.get('initial-amount') ?? fields.get('amount');
  if (amount === undefined || !isDecimal(amount)) return undefined;
  const nothing = decimalText(0n, fractionOf(amount));
  const reversed = fields.get('total-reversal-amount') ?? '';
  const totalReversal = isDecimal(reversed) ? reversed : nothing;
  const currency = fields.get('currency') ?? null;
  // Payouts and transfers are never captured or returned.
  if (!returnable.includes(facts.opened)) return { ...unknownAmounts, currency, amount };
  const isGuess = isOpeningGuessed(fields, requests);
  const captured = isGuess ? undefined : capturedOf(amount, fields, facts, requests);
  const released = isGuess ? undefined : releasedOf(totalReversal, amount, facts, requests);
  const reported = released !== undefined ? difference(totalReversal, released) : isGuess ? totalReversal : undefined;
  const moved = movedIn(requests);
  const own = (minor: bigint | undefined) => decimalText(minor ?? 0n, digitsIn(requests));
  // The journal may know of a return that status does not show, such as one that was settled manually.
  const returned = reported === undefined ? undefined : larger(reported, own(moved?.returned));
  const pending = own(moved?.pending);
  const elsewhere = returnedElsewhere(totalReversal, requests);
  return {
    ...{ currency, amount },
    captured: captured ?? null,
    released: released ?? null,
    ...restOf(amount, captured, released, facts, assume),
    returned: returned ?? null,
    returnedElsewhere: elsewhere ?? null,
    pending: moved === undefined ? null : pending,
    left:
      captured === undefined || returned === undefined
        ? null
        : larger(difference(difference(captured, returned), pending), nothing),
  };
}

const unknownAmounts: Omit<Amounts, 'currency' | 'amount'> = {
  ...{ captured: null, released: null, restReleased: null, leftToCapture: null },
  ...{ returned: null, returnedElsewhere: null, pending: null, left: null },
};

/** The rest of a hold of which a part was captured. */
function restOf(
  amount: string,
  captured: string | undefined,
  released: string | undefined,
  { opened, hold, voided }: OrderFacts,
  assume: Assume,
): Pick<Amounts, 'restReleased' | 'leftToCapture'> {
  const isHold = opened === 'preauth' && voided === 'no';
  if (!isHold || captured === undefined || released === undefined || isZero(captured))
    return { restReleased: null, leftToCapture: null };
  const held = difference(amount, released);
  const rest = difference(larger(held, captured), captured);
  const mayCapture = assume['captures-per-hold'] === 'many' && hold === 'live';
  return mayCapture ? { restReleased: null, leftToCapture: rest } : { restReleased: rest, leftToCapture: null };
}

/**
 * Of the total that the gateway shows as released or returned, what no request of the journal explains. One without an
 * amount counts for all that was left, so this is the least. Undefined where the journal does not know how much one of
 * its requests returned.
 */
export function returnedElsewhere(total: string, requests: readonly Intent[]): string | undefined {
  const moved = movedIn(requests);
  const returns = requests.filter(({ operation, state }) => operation === 'RETURN' && mayHaveMoved.includes(state));
  if (moved === undefined && returns.some(({ sum }) => sum === undefined)) return undefined;
  const sums = returns.reduce((sum, each) => sum + BigInt(each.sum?.minor ?? 0), 0n);
  const own = moved === undefined ? sums : moved.released + moved.returned + moved.pending;
  const explained = decimalText(own, digitsIn(requests));
  return difference(larger(total, explained), explained);
}

/** The largest total of returns in the replies that the journal has kept. */
export function lastTotalReturned(requests: readonly Intent[]): string | undefined {
  const totals = requests.map(({ outcome }) => outcome['total-reversal-amount'] ?? '').filter(isDecimal);
  return totals.reduce<string | undefined>((max, each) => (max === undefined ? each : larger(max, each)), undefined);
}

const mayHaveMoved: readonly State[] = ['sending', 'unknown', 'accepted', 'done', 'conflict'];

/** Of the amounts in the journal; the gateway may write them with fewer. */
function digitsIn(requests: readonly Intent[]): number {
  const sum = requests.map((each) => each.sum).find((each) => each !== undefined);
  return sum === undefined ? 0 : digitsOfSum(sum);
}

function capturedOf(
  amount: string,
  fields: Fields,
  { opened, status, captured, voided, returned }: OrderFacts,
  requests: readonly Intent[],
): string | undefined {
  const nothing = decimalText(0n, fractionOf(amount));
  if (voided === 'yes') return nothing;
  const isPaid = requests.some(
    ({ kind, state, reason }) => kind === 'opening' && state === 'done' && wasSettledManually(reason),
  );
  if (isUnknownWord(status) && !isPaid) return undefined;
  if (status !== 'approved' && !isPaid) return nothing;
  if (opened !== 'preauth') return amount;
  if (captured === 'nothing') return nothing;
  const moved = movedIn(requests);
  if (moved !== undefined && moved.captured > 0n) return decimalText(moved.captured, digitsIn(requests));
  const part = fields.get('amount');
  const isCapture = fields.get('transaction-type')?.toLowerCase() === 'capture';
  if (isCapture && part !== undefined && isDecimal(part)) return part;
  return captured === 'all' && returned === 'nothing' ? amount : undefined;
}

/** What was released from a hold. Once part of it was captured, only the journal knows. */
function releasedOf(
  totalReversal: string,
  amount: string,
  { opened, captured }: OrderFacts,
  requests: readonly Intent[],
): string | undefined {
  const nothing = decimalText(0n, fractionOf(amount));
  if (opened !== 'preauth' || isZero(totalReversal)) return nothing;
  if (captured === 'nothing') return totalReversal;
  const moved = movedIn(requests);
  return moved === undefined || moved.captured === 0n ? undefined : decimalText(moved.released, digitsIn(requests));
}

/**
 * The amount of a capture or return that names none: of a hold everything not released, else everything captured and
 * not returned. Undefined where unknown, such as for the rest of a partly captured hold.
 */
export function remainderOf(isCapture: boolean, amounts: Amounts, facts: OrderFacts): string | undefined {
  const { opened, status, captured, hold, voided } = facts;
  const { amount, released, left } = amounts;
  const isHeld =
    opened === 'preauth' && status === 'approved' && captured === 'nothing' && hold === 'live' && voided === 'no';
  if (isHeld) return released === null ? undefined : difference(amount, released);
  return isCapture ? undefined : (left ?? undefined);
}

const onlyReturnKnown = 'the status shows only a return; what was authorized and captured before is not known here';

/** Why an operation is not possible on an order now; undefined when it is. */
export function whyNotPossible(
  id: OperationId,
  facts: OrderFacts,
  amounts: Amounts | undefined,
  assume: Assume,
): string | undefined {
  // A known sale is captured in full. Status names a return alike after a captured hold.
  const isGuess = facts.opened === 'sale' && facts.status === 'approved' && amounts?.captured === null;
  return isGuess && (id === 'CAPTURE' || id === 'VOID') ? onlyReturnKnown : legality(id, facts, assume);
}

export function amountsText(amounts: Amounts): string {
  const { currency, amount, captured, released, restReleased, leftToCapture, returned, pending, left } = amounts;
  const unit = currency === null ? '' : ` ${currency}`;
  const isCaptured = captured === null || !isZero(captured);
  const parts = [
    amount + unit,
    ...(captured === null ? [] : [`captured ${captured}`]),
    ...(isNothing(released) ? [] : [`released ${released}`]),
    ...(isNothing(restReleased) ? [] : [`rest of the hold released ${restReleased}`]),
    ...(isNothing(leftToCapture) ? [] : [`left to capture ${leftToCapture}`]),
    ...(returned === null || !isCaptured ? [] : [`returned ${returned}`]),
    ...(isNothing(pending) ? [] : [`return of ${pending} pending`]),
    ...(left === null || !isCaptured ? [] : [`left to return ${left}`]),
  ];
  return parts.join(', ');
}

function isNothing(amount: string | null): boolean {
  return amount === null || isZero(amount);
}

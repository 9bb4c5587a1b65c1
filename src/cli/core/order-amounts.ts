import {
  doubtfulStates,
  type Intent,
  movedIn,
  spentStates,
  sumOfWhole,
  unresolvedStates,
  wasSettledManually,
} from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Assume } from '../../spec/assumptions.js';
import {
  captureOperation,
  isFinal,
  isUnknownWord,
  movesOf,
  type OperationId,
  replyField,
  returnOperation,
  voidOperation,
} from '../../spec/index.js';
import { legality, type OrderFacts } from '../../spec/lifecycle.js';
import { transactionKindIn } from '../../spec/transaction-words.js';
import { decimalText, difference, fractionOf, isDecimal, isZero, larger } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';
import type { Session } from '../session.js';
import { readHold, returnedFromHere } from './hold-amounts.js';
import { amountOfOrder, digitsIn, isOpeningGuessed, knownOrder } from './order-facts.js';
import type { OrderIds } from './order-requests.js';
import { withSettlement } from './settled-status.js';

/**
 * Money of an order as decimal text, as the gateway writes it; null where unknown. What a request moves whose outcome
 * is open is apart: it counts neither as moved nor as left.
 */
export interface Amounts {
  readonly currency: string | null;
  /** The amount of the opening request. */
  readonly amount: string;
  readonly captured: string | null;
  /** Of captures whose outcome is open. */
  readonly capturePending: string | null;
  /** Released from the hold by returns before any capture. */
  readonly released: string | null;
  /** The rest of the hold after a capture: released with it (A34), or expired (A33) where there may be several. */
  readonly restReleased: string | null;
  /** What may be captured of the hold. */
  readonly leftToCapture: string | null;
  /** Returned after capture. */
  readonly returned: string | null;
  /** What the gateway shows as released or returned beyond the requests of this journal. */
  readonly returnedElsewhere: string | null;
  /** Of returns whose outcome is open. */
  readonly pending: string | null;
  /** Of a void whose outcome is open. */
  readonly voidPending: string | null;
  /** What a return may give back: of what was captured, else of the hold. */
  readonly left: string | null;
  /** The most that it may be. */
  readonly leftAtMost: string | null;
}

/** The state and the amounts of an order by a status reply and the journal's requests on it; see `knownOrder`. */
export async function orderByStatus(
  fields: Fields,
  ids: OrderIds,
  requests: readonly Intent[],
  tools: { readonly session: Session; readonly runtime: Runtime },
): Promise<{ readonly facts: OrderFacts; readonly amounts: Amounts | undefined }> {
  const { facts } = await knownOrder(fields, ids, requests, tools);
  return { facts, amounts: amountsOf(fields, facts, requests, tools.session.assume) };
}

const returnable: readonly OrderFacts['opened'][] = ['sale', 'preauth', 'rebill'];

/**
 * From a status reply, which describes the newest transaction, and the follow-ups in the journal. Undefined where the
 * amount of the order is not known.
 */
export function amountsOf(
  reply: Fields,
  facts: OrderFacts,
  requests: readonly Intent[],
  assume: Assume,
): Amounts | undefined {
  const { fields } = withSettlement(reply, requests);
  const amount = amountOfOrder(fields, requests);
  if (amount === undefined) return undefined;
  const nothing = decimalText(0n, fractionOf(amount));
  const reversed = replyField(fields, 'totalReversed') ?? '';
  const totalReversal = isDecimal(reversed) ? reversed : nothing;
  const currency = replyField(fields, 'currency') ?? null;
  // Payouts and transfers are never captured or returned.
  if (!returnable.includes(facts.opened)) return { ...unknownAmounts, currency, amount };
  const open = openAmounts(amount, fields, requests);
  const settled = settledOf(amount, totalReversal, { fields, facts, requests, assume });
  const { captured, released, returned } = settled;
  const rest = leftOf(amount, settled, open, facts, assume);
  const left = rest.left ?? (settled.leftAtMost !== undefined && isZero(settled.leftAtMost) ? nothing : null);
  return {
    ...{ currency, amount },
    captured: captured ?? null,
    released: released ?? null,
    ...open,
    ...rest,
    returned: returned ?? null,
    returnedElsewhere: returnedElsewhere(totalReversal, requests) ?? null,
    left,
    leftAtMost: left ?? (settled.leftAtMost === undefined ? null : lessOpen(settled.leftAtMost, open)),
  };
}

function lessOpen(amount: string, { pending, voidPending }: OpenAmounts): string {
  return [pending, voidPending].reduce<string>((rest, part) => (part === null ? rest : difference(rest, part)), amount);
}

const unknownAmounts: Omit<Amounts, 'currency' | 'amount'> = {
  ...{ captured: null, capturePending: null, released: null, restReleased: null, leftToCapture: null },
  ...{ returned: null, returnedElsewhere: null, pending: null, voidPending: null, left: null, leftAtMost: null },
};

type OpenAmounts = Pick<Amounts, 'pending' | 'capturePending' | 'voidPending'>;

/** What is neither done nor declined yet: of the requests in the journal, and of the transaction in the status. */
function openAmounts(amount: string, fields: Fields, requests: readonly Intent[]): OpenAmounts {
  const moved = movedIn(requests);
  const kind = isFinal(replyField(fields, 'status') ?? '') ? undefined : transactionKindIn(fields);
  const part = replyField(fields, 'amount') ?? '';
  const atGateway = (isOne: boolean) => (isOne && isDecimal(part) ? part : undefined);
  const most = (operation: OperationId, own: bigint | undefined, gateways: string | undefined) => {
    const known = own ?? sumOfOpen(operation, requests);
    const text = known === undefined ? undefined : decimalText(known, digitsIn(requests));
    return gateways === undefined ? (text ?? null) : larger(text ?? gateways, gateways);
  };
  return {
    capturePending: most(captureOperation.id, moved?.capturing, atGateway(kind === 'capture')),
    pending: most(returnOperation.id, moved?.pending, atGateway(kind === 'cancel' || kind === 'reversal')),
    voidPending: most(voidOperation.id, moved?.voiding, kind === 'void' ? amount : undefined),
  };
}

/** Where the journal does not have the opening request; undefined where that leaves an amount unknown. */
function sumOfOpen(operation: OperationId, requests: readonly Intent[]): bigint | undefined {
  const open = requests.filter((each) => each.operation === operation && unresolvedStates.includes(each.state));
  if (open.length === 0 || open.some(({ sum }) => sum === undefined)) return undefined;
  return open.reduce((total, { sum }) => total + BigInt(sum?.minor ?? 0), 0n);
}

interface Settled {
  readonly captured: string | undefined;
  readonly released: string | undefined;
  readonly returned: string | undefined;
  /** What can be returned at most, where it is not known how much. */
  readonly leftAtMost?: string;
}

interface OrderEvidence {
  readonly fields: Fields;
  readonly facts: OrderFacts;
  readonly requests: readonly Intent[];
  readonly assume: Assume;
}

/** What became of the amount of an order. */
function settledOf(amount: string, total: string, { fields, facts, requests, assume }: OrderEvidence): Settled {
  const { opened, status, voided } = facts;
  const nothing = decimalText(0n, fractionOf(amount));
  if (voided === 'yes') return { captured: nothing, released: total, returned: nothing };
  const isPaid = requests.some(
    ({ kind, state, reason }) => kind === 'opening' && state === 'done' && wasSettledManually(reason),
  );
  if (isUnknownWord(status) && !isPaid)
    return { captured: undefined, released: nothing, returned: opened === 'preauth' ? nothing : total };
  if (status !== 'approved' && !isPaid) return { captured: nothing, released: total, returned: nothing };
  const isGuess = isOpeningGuessed(fields, requests);
  if (opened === 'preauth' || isGuess) {
    const hold = readHold(amount, fields, requests, assume);
    // A sale was captured in full.
    return isGuess ? { ...hold, captured: undefined } : hold;
  }
  // The journal may know of a return that status does not show, such as one that was settled manually.
  return { captured: amount, released: nothing, returned: larger(total, returnedFromHere(requests, amount)) };
}

/** What is left of an order: of a hold, until a part of it was captured, the hold itself. */
function leftOf(
  amount: string,
  { captured, released, returned }: Settled,
  open: OpenAmounts,
  { opened, status, hold, voided }: OrderFacts,
  assume: Assume,
): Pick<Amounts, 'restReleased' | 'leftToCapture' | 'left'> {
  const nothing = decimalText(0n, fractionOf(amount));
  const less = (from: string, ...parts: readonly (string | null)[]) =>
    parts.reduce<string>((rest, part) => difference(rest, part ?? nothing), from);
  const unknown = { restReleased: null, leftToCapture: null, left: null };
  if (captured === undefined) return unknown;
  const { pending, capturePending, voidPending } = open;
  const isHold = opened === 'preauth' && voided === 'no';
  const isLive = isHold && status === 'approved' && hold === 'live';
  if (isZero(captured)) {
    const held =
      isLive && released !== undefined ? less(amount, released, pending, capturePending, voidPending) : nothing;
    const isOnce = assume['captures-per-hold'] === 'one' && !isNothing(capturePending);
    return { restReleased: null, leftToCapture: isLive && !isOnce ? held : null, left: held };
  }
  const left = returned === undefined ? null : less(captured, returned, pending, voidPending);
  if (!isHold || released === undefined) return { ...unknown, left };
  const rest = less(amount, released, captured, capturePending, voidPending);
  const isOnce = assume['captures-per-hold'] === 'one';
  if (isLive && !isOnce) return { restReleased: null, leftToCapture: rest, left };
  return isOnce || hold === 'rest-expired' ? { restReleased: rest, leftToCapture: null, left } : { ...unknown, left };
}

/**
 * Of the total that the gateway shows as released or returned, what no request of the journal explains. One without an
 * amount counts for all that was left, so this is the least. Undefined where the journal does not know how much one of
 * its requests returned.
 */
export function returnedElsewhere(total: string, requests: readonly Intent[]): string | undefined {
  const moved = movedIn(requests);
  const returns = requests.filter(
    ({ operation, state }) => movesOf(operation) === 'returns' && spentStates.includes(state),
  );
  const known = returns.map((each) => each.sum ?? sumOfWhole(each));
  if (moved === undefined && known.some((sum) => sum === undefined)) return undefined;
  const sums = known.reduce((total, sum) => total + BigInt(sum?.minor ?? 0), 0n);
  const own = moved === undefined ? sums : moved.released + moved.returned + moved.pending;
  const explained = decimalText(own, digitsIn(requests));
  return difference(total, explained);
}

/** The largest total of returns in the replies that the journal has kept. */
export function lastTotalReturned(requests: readonly Intent[]): string | undefined {
  const totals = requests.map(({ outcome }) => outcome['total-reversal-amount'] ?? '').filter(isDecimal);
  return totals.reduce<string | undefined>((max, each) => (max === undefined ? each : larger(max, each)), undefined);
}

/**
 * The amount of a capture or return that names none: of a hold everything not released, else everything captured and
 * not returned. Undefined where unknown, and where nothing may be captured.
 */
export function remainderOf(isCapture: boolean, amounts: Amounts): string | undefined {
  return (isCapture ? amounts.leftToCapture : amounts.left) ?? undefined;
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
  return isGuess && (movesOf(id) === 'captures' || movesOf(id) === 'releases')
    ? onlyReturnKnown
    : legality(id, facts, assume);
}

/** For people; the requests say whether an open amount is pending at the gateway, or its outcome is unknown. */
export function amountsText(amounts: Amounts, requests: readonly Intent[], assume: Assume): string {
  const { currency, amount, captured, released, restReleased, leftToCapture, returned, left, leftAtMost } = amounts;
  const unit = currency === null ? '' : ` ${currency}`;
  const isCaptured = captured === null || !isZero(captured);
  const open = openTexts(amounts, requests);
  const parts = [
    amount + unit,
    ...(captured === null ? [] : [`captured ${captured}`]),
    ...open.capture,
    ...(isNothing(released) ? [] : [`released ${released}`]),
    ...(isNothing(restReleased) ? [] : [`rest of the hold ${restText(restReleased, assume)}`]),
    ...(isNothing(leftToCapture) ? [] : [`remaining to capture ${leftToCapture}`]),
    ...(returned === null || !isCaptured ? [] : [`returned ${returned}`]),
    ...open.other,
    ...(isCaptured ? refundableTexts(left, leftAtMost) : []),
  ];
  return parts.join(', ');
}

function refundableTexts(left: string | null, most: string | null): readonly string[] {
  if (left !== null) return [`refundable ${left}`];
  return most === null ? [] : [`refundable at most ${most}`];
}

/** Where a hold is captured once, the capture released the rest before it could expire. */
function restText(rest: string | null, assume: Assume): string {
  return assume['captures-per-hold'] === 'one' ? `released ${rest} (A34)` : `expired ${rest} (A33)`;
}

function openTexts({ pending, capturePending, voidPending }: OpenAmounts, requests: readonly Intent[]) {
  const word = (operation: OperationId) =>
    requests.some((each) => each.operation === operation && doubtfulStates.includes(each.state))
      ? 'unknown'
      : 'pending';
  return {
    capture: isNothing(capturePending) ? [] : [`capture of ${capturePending} ${word(captureOperation.id)}`],
    other: [
      ...(isNothing(pending) ? [] : [`return of ${pending} ${word(returnOperation.id)}`]),
      ...(isNothing(voidPending) ? [] : [`void ${word(voidOperation.id)}`]),
    ],
  };
}

function isNothing(amount: string | null): boolean {
  return amount === null || isZero(amount);
}

import { type Intent, movedIn, wasSettledManually } from '../../journal/index.js';
import { isUnknownWord } from '../../spec/index.js';
import type { OrderFacts } from '../../spec/lifecycle.js';
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
  /** Released from the hold before any capture. */
  readonly released: string | null;
  /** Returned after capture. */
  readonly returned: string | null;
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
export function amountsOf(fields: Fields, facts: OrderFacts, requests: readonly Intent[]): Amounts | undefined {
  const amount = fields.get('initial-amount') ?? fields.get('amount');
  if (amount === undefined || !isDecimal(amount)) return undefined;
  const nothing = decimalText(0n, fractionOf(amount));
  const reversed = fields.get('total-reversal-amount') ?? '';
  const totalReversal = isDecimal(reversed) ? reversed : nothing;
  const currency = fields.get('currency') ?? null;
  // Payouts and transfers are never captured or returned.
  if (!returnable.includes(facts.opened))
    return { currency, amount, captured: null, released: null, returned: null, pending: null, left: null };
  const isGuess = isOpeningGuessed(fields, requests);
  const captured = isGuess ? undefined : capturedOf(amount, fields, facts, requests);
  const released = isGuess ? undefined : releasedOf(totalReversal, amount, facts, requests);
  const reported = released !== undefined ? difference(totalReversal, released) : isGuess ? totalReversal : undefined;
  const moved = movedIn(requests);
  const digits = fractionOf(amount);
  // The journal may know of a return that status does not show, such as one that was settled manually.
  const returned = reported === undefined ? undefined : larger(reported, decimalText(moved?.returned ?? 0n, digits));
  const pending = decimalText(moved?.pending ?? 0n, digits);
  return {
    ...{ currency, amount },
    captured: captured ?? null,
    released: released ?? null,
    returned: returned ?? null,
    pending: moved === undefined ? null : pending,
    left:
      captured === undefined || returned === undefined
        ? null
        : larger(difference(difference(captured, returned), pending), nothing),
  };
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
  if (moved !== undefined && moved.captured > 0n) return decimalText(moved.captured, fractionOf(amount));
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
  return moved === undefined || moved.captured === 0n ? undefined : decimalText(moved.released, fractionOf(amount));
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

export function amountsText({ currency, amount, captured, released, returned, pending, left }: Amounts): string {
  const unit = currency === null ? '' : ` ${currency}`;
  const isCaptured = captured === null || !isZero(captured);
  const parts = [
    amount + unit,
    ...(captured === null ? [] : [`captured ${captured}`]),
    ...(released === null || isZero(released) ? [] : [`released ${released}`]),
    ...(returned === null || !isCaptured ? [] : [`returned ${returned}`]),
    ...(pending === null || isZero(pending) ? [] : [`return of ${pending} pending`]),
    ...(left === null || !isCaptured ? [] : [`left to return ${left}`]),
  ];
  return parts.join(', ');
}

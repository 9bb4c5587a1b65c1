import type { Intent } from '../../journal/index.js';
import type { OrderFacts } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';

/** Money of an order as decimal text, as the gateway writes it; null where nobody told. */
export interface Amounts {
  readonly currency: string | null;
  /** What the order was made for. */
  readonly amount: string;
  readonly captured: string | null;
  readonly returned: string;
  /** Captured and not returned. */
  readonly left: string | null;
}

/**
 * By the reply to a status request, which speaks of the newest transaction, and by the captures that the journal has.
 * Undefined where the reply names no amount.
 */
export function amountsOf(fields: Fields, facts: OrderFacts, requests: readonly Intent[]): Amounts | undefined {
  const amount = fields.get('initial-amount') ?? fields.get('amount');
  if (amount === undefined || !isDecimal(amount)) return undefined;
  const told = fields.get('total-reversal-amount') ?? '';
  const returned = isDecimal(told) ? told : decimalText(0n, fractionOf(amount));
  const captured = capturedOf(amount, fields, facts, requests);
  return {
    currency: fields.get('currency') ?? null,
    amount,
    captured: captured ?? null,
    returned,
    left: captured === undefined ? null : difference(captured, returned),
  };
}

function capturedOf(
  amount: string,
  fields: Fields,
  { opened, status, captured, voided }: OrderFacts,
  requests: readonly Intent[],
): string | undefined {
  const nothing = decimalText(0n, fractionOf(amount));
  if (voided === 'yes' || status !== 'approved') return nothing;
  if (opened !== 'preauth' || captured === 'all') return amount;
  if (captured === 'nothing') return nothing;
  const done = requests.filter(({ operation, state, sum }) => operation === 'CAPTURE' && state === 'done' && sum);
  if (done.length > 0)
    return decimalText(
      done.reduce((all, { sum }) => all + BigInt(sum?.minor ?? 0), 0n),
      fractionOf(amount),
    );
  const part = fields.get('amount');
  const isCapture = fields.get('transaction-type')?.toLowerCase() === 'capture';
  return isCapture && part !== undefined && isDecimal(part) ? part : undefined;
}

/**
 * What a capture, or else a return, without an amount comes to: of a hold all that was not released, else all that was
 * captured and not returned. Undefined where it cannot be told, such as for the rest of a hold captured in part.
 */
export function remainderOf(isCapture: boolean, amounts: Amounts, facts: OrderFacts): string | undefined {
  const { opened, status, captured, hold, voided } = facts;
  const { amount, returned, left } = amounts;
  const isHeld =
    opened === 'preauth' && status === 'approved' && captured === 'nothing' && hold === 'live' && voided === 'no';
  if (isHeld) return difference(amount, returned);
  return isCapture ? undefined : (left ?? undefined);
}

export function amountsText({ currency, amount, captured, returned, left }: Amounts): string {
  const unit = currency === null ? '' : ` ${currency}`;
  const parts = [
    amount + unit,
    ...(captured === null ? [] : [`captured ${captured}`]),
    `returned ${returned}`,
    ...(left === null ? [] : [`left ${left}`]),
  ];
  return parts.join(', ');
}

function isDecimal(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,3})?$/.test(text);
}

function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function difference(from: string, part: string): string {
  const digits = Math.max(fractionOf(from), fractionOf(part));
  const units = (text: string) => BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)));
  return decimalText(units(from) - units(part), digits);
}

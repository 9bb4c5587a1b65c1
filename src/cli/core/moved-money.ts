import type { Intent } from '../../journal/index.js';
import { decimalText } from '../../wire/amount.js';

/** What the requests of the journal moved, in the smallest unit of the order's currency. */
export interface Moved {
  readonly captured: bigint;
  /** Returned before anything was captured. */
  readonly released: bigint;
  readonly returned: bigint;
  /** Returns whose outcome is open. */
  readonly pending: bigint;
}

/**
 * Adds up the requests on one order, oldest first; one without an amount counts for all that is left. Undefined where
 * the opening request is missing or has no amount.
 */
export function movedIn(requests: readonly Intent[]): Moved | undefined {
  const opening = requests.find(({ kind }) => kind === 'opening');
  if (opening?.sum === undefined) return undefined;
  const whole = opening.state === 'done' || opening.state === 'accepted' ? BigInt(opening.sum.minor) : 0n;
  const isHold = opening.operation === 'PREAUTH';
  const isPaid = opening.state === 'done' && !isHold;
  let moved: Moved = { captured: isPaid ? whole : 0n, released: 0n, returned: 0n, pending: 0n };
  for (const { operation, state, sum } of requests) {
    const part = sum === undefined ? undefined : BigInt(sum.minor);
    const { captured, released, returned, pending } = moved;
    const remaining = captured > 0n ? captured - returned - pending : whole - released - pending;
    if (operation === 'RETURN' && isOpen(state)) moved = { ...moved, pending: pending + (part ?? remaining) };
    if (state !== 'done') continue;
    if (operation === 'VOID') moved = { captured: 0n, released: whole, returned: 0n, pending };
    if (operation === 'CAPTURE') moved = { ...moved, captured: captured + (part ?? whole - released - captured) };
    if (operation === 'RETURN' && captured > 0n) moved = { ...moved, returned: returned + (part ?? remaining) };
    if (operation === 'RETURN' && captured === 0n) moved = { ...moved, released: released + (part ?? remaining) };
  }
  return moved;
}

/** Captured, not returned and not in a pending return. */
export function returnable({ captured, returned, pending }: Moved): bigint {
  return captured > returned + pending ? captured - returned - pending : 0n;
}

function isOpen(state: Intent['state']): boolean {
  return state === 'sending' || state === 'unknown' || state === 'accepted';
}

/** Whether decimal text means no money. */
export function isZero(text: string): boolean {
  return /^[0.]+$/.test(text);
}

/** Whether text is an amount as the gateway writes it. */
export function isDecimal(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,3})?$/.test(text);
}

/** How many digits an amount has after the point. */
export function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** One decimal amount less another. */
export function difference(from: string, part: string): string {
  const digits = Math.max(fractionOf(from), fractionOf(part));
  return decimalText(unitsOf(from, digits) - unitsOf(part, digits), digits);
}

/** The larger of two decimal amounts; the first where they are equal. */
export function larger(one: string, other: string): string {
  const digits = Math.max(fractionOf(one), fractionOf(other));
  return unitsOf(other, digits) > unitsOf(one, digits) ? other : one;
}

function unitsOf(text: string, digits: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(digits - fractionOf(text)));
}

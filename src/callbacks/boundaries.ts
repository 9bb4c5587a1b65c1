import { statusOf } from '../spec/index.js';
import type { ParsedCallback } from './parse-callback.js';
import type { Verdict } from './verify.js';

/**
 * Whether the journal has an order with both ids: `yes`; `partly`: it has one of the ids, and that order has no other
 * one recorded; `no`: it has neither, or they are of different orders.
 */
export type Known = (orderId: string, clientOrderId: string) => 'yes' | 'partly' | 'no';

// No gateway writes longer ids; in one, not every split is looked up.
const maxSplits = 64;

/**
 * The checksum of a callback covers its texts without anything between them (A24): `77` and `7c` have the same one as
 * `777` and `c`. So a checksum that fits proves the ids only where an order of the journal has them, or where there is
 * no other way to split the text.
 */
export function withKnownIds(verdict: Verdict, read: ParsedCallback, known: Known): Verdict {
  if (verdict.verified !== 'fits') return verdict;
  const { status, orderId, clientOrderId } = read;
  const match = known(orderId, clientOrderId);
  if (match === 'yes') return verdict;
  const others = otherSplits(orderId, clientOrderId);
  // Otherwise there may be splits that are not looked up: also between status and order id, or more than the limit.
  const areSplitsKnown = statusOf(status) !== undefined && /^\d+$/.test(orderId) && others.length < maxSplits;
  const otherMatch = areSplitsKnown ? others.find(([order, client]) => known(order, client) !== 'no') : undefined;
  if (areSplitsKnown && otherMatch === undefined && (match === 'partly' || others.length === 0)) return verdict;
  const what =
    otherMatch === undefined
      ? 'the journal has no order with these ids'
      : 'it also matches another order of the journal';
  return {
    verified: 'no-order',
    why: `${verdict.why}, but ${what}, and the checksum (control) does not prove where one id ends and the next \
begins: compare both ids with your own order, or query the status`,
  };
}

/** Other pairs with the same text. Order ids of a gateway are numbers. */
function otherSplits(orderId: string, clientOrderId: string): (readonly [string, string])[] {
  const text = `${orderId}${clientOrderId}`;
  const digits = Math.min(/^\d*/.exec(text)?.[0].length ?? 0, text.length - 1, maxSplits + 1);
  return Array.from({ length: digits }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const).filter(
    ([id]) => id !== orderId,
  );
}

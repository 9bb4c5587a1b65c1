import { statusOf } from '../spec/index.js';
import type { ParsedCallback } from './parse-callback.js';
import type { Verdict } from './verify.js';

/**
 * How well a pair of ids is known here: `yes`: both are of one order; `partly`: one is, and the other was never
 * learned; `no`: neither is, or they are of different orders.
 */
export type Known = (orderId: string, clientOrderId: string) => 'yes' | 'partly' | 'no';

// Whoever writes an id longer than this is no gateway, and is not looked up at each of its places.
const mostPlaces = 64;

/**
 * The checksum of a callback covers its texts without anything between them (A24): `77` and `7c` have the same one as
 * `777` and `c`. So a checksum that fits proves the ids only where an order of the journal has them, or where there is
 * no other way to cut the text.
 */
export function withKnownIds(verdict: Verdict, read: ParsedCallback, known: Known): Verdict {
  if (verdict.verified !== 'fits') return verdict;
  const { status, orderId, clientOrderId } = read;
  const own = known(orderId, clientOrderId);
  if (own === 'yes') return verdict;
  const others = otherCuts(orderId, clientOrderId);
  const isPlain = statusOf(status) !== undefined && /^\d+$/.test(orderId) && others.length < mostPlaces;
  const rival = isPlain ? others.find(([order, client]) => known(order, client) !== 'no') : undefined;
  if (isPlain && rival === undefined && (own === 'partly' || others.length === 0)) return verdict;
  const what =
    rival === undefined ? 'the journal has no order with these ids' : 'it also matches another order of the journal';
  return {
    verified: 'no-order',
    why: `${verdict.why}, but ${what}, and the control does not prove where one id ends and the next begins: compare \
both ids with your own order, or query the status`,
  };
}

/** Other pairs with the same text. Order ids of a gateway are numbers. */
function otherCuts(orderId: string, clientOrderId: string): (readonly [string, string])[] {
  const text = `${orderId}${clientOrderId}`;
  const digits = Math.min(/^\d*/.exec(text)?.[0].length ?? 0, text.length - 1, mostPlaces + 1);
  return Array.from({ length: digits }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const).filter(
    ([id]) => id !== orderId,
  );
}

import type { Known } from '../../../callbacks/boundaries.js';
import type { Journal } from '../../../journal/index.js';

/** How well the journal knows both ids of an order at this gateway. */
export function knownIn(journal: Journal | undefined, place: string): Known {
  return (orderId, clientOrderId) => {
    const entries = [orderId, clientOrderId].flatMap((order) => journal?.list({ base: place, order }) ?? []);
    const has = (one: string | undefined, other: string) => one === other;
    const maybe = (one: string | undefined, other: string) => one === undefined || one === other;
    if (entries.some((entry) => has(entry.orderId, orderId) && has(entry.clientOrderId, clientOrderId))) return 'yes';
    // A contradiction anywhere weighs more than an id that was not learned.
    const isPart =
      entries.length > 0 && entries.every((entry) => maybe(entry.orderId, orderId) && maybe(entry.clientOrderId, clientOrderId));
    return isPart ? 'partly' : 'no';
  };
}

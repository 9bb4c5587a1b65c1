import { type EntryPlace, journalEntryOf } from '../payments/journal-entry.js';
import type { Unsigned } from '../signing/index.js';
import type { NewRequest } from '../store/port.js';
import { digitsOf } from '../wire/amount.js';

/**
 * A request as the journal stores it; undefined for a read, which is not recorded. `hash` is the journal's keyed one;
 * card number, security code, incidental texts and the client order id do not go into it.
 */
export function describeRequest(
  unsigned: Unsigned,
  place: EntryPlace,
  hash: (parts: readonly string[]) => string,
): NewRequest | undefined {
  const entry = journalEntryOf(unsigned, place, hash);
  if (entry === undefined) return undefined;
  const { kind, sum, endpointId, lastFour, payer: _, ...same } = entry;
  const digits = sum === undefined ? undefined : (sum.digits ?? digitsOf(sum.currency, 'iso4217', endpointId));
  return {
    ...same,
    kind: kind === 'opening' ? 'payment' : kind,
    endpoint: endpointId,
    card4: lastFour,
    sum: sum === undefined || digits === undefined ? undefined : { ...sum, digits },
  };
}

import { replyNames } from '../spec/index.js';
import { withoutAddresses, withoutCardNumbers, withoutSecurityCodes } from '../wire/redact.js';

// What a later command shows of a reply. Addresses of pages are left out: whoever has one may act on the order.
const kept: ReadonlySet<string> = new Set([
  ...[replyNames.type, replyNames.serial, replyNames.clientOrderId, replyNames.orderId, replyNames.endpointId, replyNames.status].flat(),
  ...[replyNames.cardRef, replyNames.recurring, replyNames.errorMessage, replyNames.errorCode].flat(),
  ...['transaction-type', 'order-stage', 'amount', 'currency', 'initial-amount', 'total-reversal-amount'],
  ...['card-type', 'last-four-digits', 'approval-code', 'processor-tx-id', 'paynet-processing-date'],
]);

const mostCharacters = 500;

/** The fields of a reply that may be written down, without anything that could be a card number or opens a page, cut to a line or two. */
export function keptFields(fields: ReadonlyMap<string, string>): Record<string, string> {
  const own = [...fields].filter(([name]) => kept.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, masked(name, value).slice(0, mostCharacters)]));
}

// Ids may be long numbers.
const ids: ReadonlySet<string> = new Set(
  [replyNames.orderId, replyNames.clientOrderId, replyNames.serial, replyNames.recurring, replyNames.cardRef].flat(),
);

function masked(name: string, value: string): string {
  return ids.has(name) ? value : withoutSecurityCodes(withoutCardNumbers(withoutAddresses(value)));
}

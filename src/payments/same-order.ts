import type { Intent } from '../journal/index.js';
import { amountIn, followUpNamed, isAboutOperation, isOtherCurrency, unitsWith } from './evidence.js';

/**
 * Whether an order that the gateway has under the client order id of a payment is that payment: the same operation, or
 * a follow-up on it, with the same currency, endpoint and amount at first.
 */
export function compareOrder(
  intent: Intent,
  fields: ReadonlyMap<string, string>,
  minorDigits: string,
): 'same' | 'different' | 'not comparable' {
  const { operation, endpointId } = intent;
  const endpoint = fields.get('end-point-id') ?? endpointId;
  if (endpoint !== endpointId || isOtherCurrency(intent, fields)) return 'different';
  const isOwn = isAboutOperation(operation, fields);
  const { ofOrder, own } = amountIn(fields, intent, { minorDigits });
  // A later transaction has its own amount.
  const opened = ofOrder ?? (isOwn ? own : undefined);
  const requested = unitsWith(minorDigits)(intent);
  // A46: a rebill may charge another of the amounts it was given.
  if (operation !== 'REBILL' && opened !== undefined && opened !== requested) return 'different';
  if (!isOwn && followUpNamed(operation, fields) === undefined)
    return fields.has('transaction-type') ? 'different' : 'not comparable';
  return opened === undefined ? 'not comparable' : 'same';
}

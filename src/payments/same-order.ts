import { cardOf, type Intent } from '../journal/index.js';
import { isSuccess, type Operation, rebill, replyField } from '../spec/index.js';
import type { Classified } from './classify.js';
import { followUpNamed, isAboutOperation } from './evidence.js';
import { isLastingFailure } from './failure.js';
import { storableFields } from './journal-entry.js';
import { amountIn, isOtherCurrency, unitsWith } from './status-amounts.js';

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
  const endpoint = replyField(fields, 'endpointId') ?? endpointId;
  if (endpoint !== endpointId || isOtherCurrency(intent, fields)) return 'different';
  const isOwn = isAboutOperation(operation, fields);
  const { ofOrder, own } = amountIn(fields, intent, { minorDigits });
  // A later transaction has its own amount.
  const opened = ofOrder ?? (isOwn ? own : undefined);
  const requested = unitsWith(minorDigits)(intent);
  if (opened !== undefined && opened !== requested) return 'different';
  // Another card or account is another payment.
  const card = cardOf({ lastFour: undefined, outcome: Object.fromEntries(fields) });
  if (card !== undefined && intent.lastFour !== undefined && card !== intent.lastFour) return 'different';
  if (!isOwn && followUpNamed(operation, fields) === undefined)
    return fields.has('transaction-type') ? 'different' : 'not comparable';
  return opened === undefined ? 'not comparable' : 'same';
}

/** Whether an operation makes, registers or opens a page for a payment that status finds by its client order id. */
export function isPaymentInStatus({ opens, fields, namedByStatus }: Operation): boolean {
  return opens && 'amount' in fields && namedByStatus !== undefined;
}

/** What was approved where it is another amount or currency than was sent. A46: a rebill may charge another amount. */
export function approvedOtherwise(
  intent: Intent,
  minorDigits: string,
  fields: ReadonlyMap<string, string> = new Map(Object.entries(intent.outcome)),
): string | undefined {
  const requested = unitsWith(minorDigits)(intent);
  if (!isSuccess(replyField(fields, 'status') ?? '') || intent.operation === rebill.id || requested === undefined)
    return undefined;
  const { own, ofOrder } = amountIn(fields, intent, { minorDigits });
  const amounts = intent.kind === 'opening' ? [own, ofOrder] : [own];
  const isSame = amounts.every((amount) => amount === undefined || amount === requested);
  return isSame && !isOtherCurrency(intent, fields)
    ? undefined
    : `the gateway approved another amount or currency than was sent: ${orderWords(fields)}`;
}

/** Whether the answer about an id that nothing is known to have been sent with says that there is no such order. */
export function showsNoOrder(answer: Classified): boolean {
  const { class: kind, status, fields } = answer;
  if (fields === undefined || replyField(fields, 'orderId') !== undefined) return false;
  return kind === 'refused' ? !isLastingFailure(answer) : status === 200;
}

/** An order that the gateway has, in short. */
export function orderWords(fields: ReadonlyMap<string, string>): string {
  const shown = storableFields(fields);
  const names = ['transaction-type', 'initial-amount', 'amount', 'currency', 'status', 'end-point-id'];
  return names.flatMap((name) => (shown[name] === undefined ? [] : [`${name} ${shown[name]}`])).join(', ');
}

import { controlChecksum, controlEncoding } from '../../signing/index.js';
import { isSuccess } from '../../spec/index.js';
import { transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import { cardById } from '../cards.js';
import { merchantOf } from '../merchants.js';
import { outcomeOf } from '../outcomes.js';
import { filled } from '../reply.js';
import type { Stay } from './progress.js';

/** Where the customer's browser goes in the end; undefined when the merchant named no place. */
export function returnAddress({ order, visit, opening }: Stay): string | undefined {
  const chosen = isSuccess(opening.status) ? visit.successUrl : visit.failUrl;
  return chosen ?? order.redirectUrl;
}

/** A26: what the browser posts there. Not the truth about the order: whoever it is sent by could have made it up but for the control. */
export function returnFields({ store, terms, order, opening }: Stay): readonly Pair[] {
  const { status, outcome, kind, amount, doneAt } = opening;
  const cardId = order.cardId ?? order.destinationId;
  const card = cardId === undefined ? undefined : cardById(store, cardId);
  const { message, code } = isSuccess(status) ? {} : outcomeOf(outcome);
  const key = merchantOf(store, order.endpointId)?.controlKey ?? '';
  return filled([
    ['status', status],
    ['orderid', order.id],
    ['merchant_order', order.clientOrderId],
    ['client_orderid', order.clientOrderId],
    ['type', transactionKinds[kind].type],
    ['amount', amount === undefined ? undefined : decimalText(amount, order.digits)],
    ['error_code', code],
    ['error_message', message],
    ['bin', card?.bin],
    ['last-four-digits', card?.lastFour],
    ['card-type', card?.brand],
    ['card-holder-name', card?.holder],
    ['processor-tx-id', doneAt === undefined ? undefined : opening.processorId],
    ['merchantdata', order.merchantData],
    ['control', controlChecksum([status, order.id, order.clientOrderId], key, { encoding: controlEncoding(terms.assume) })],
  ]);
}

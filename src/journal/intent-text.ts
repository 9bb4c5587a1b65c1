import { fail, type PaycliError, shellWord } from '../errors/index.js';
import { fitsKind, operations } from '../spec/index.js';
import type { Intent } from './intent.js';
import { sumText } from './spending.js';
import { doubtfulStates, stateClause } from './states.js';

/** A request of the journal in words, for a message, such as `return of 10.00 EUR on order 123`. */
export function describeIntent({ id, operation, sum, orderId, clientOrderId }: Intent): string {
  const command = operations.find((row) => row.id === operation)?.command ?? operation;
  const of = sum === undefined ? '' : ` of ${sumText(sum)}`;
  const name = orderId ?? clientOrderId;
  return `${command}${of} ${name === undefined ? `without an order id (journal entry ${id})` : `on order ${name}`}`;
}

/**
 * The name to give to `resolve`: the gateway order id, else the client order id, else the number of the journal entry.
 * A request by hand may have no id, or one that no command takes.
 */
export function intentName({ id, orderId, clientOrderId }: Intent): string {
  const ofGateway = orderId !== undefined && fitsKind('gatewayId', orderId) ? orderId : undefined;
  return ofGateway ?? clientOrderId ?? String(id);
}

/** The error ORDER_BUSY for a request that must wait, as this one is in doubt. */
export function orderBusy(request: Intent): PaycliError {
  return fail('ORDER_BUSY', {
    order: intentName(request),
    what: describeIntent(request),
    clause: stateClause(request.state),
  });
}

/**
 * What the error INTENT_DIFFERS advises, by the names of its message's parts: to resolve or see the earlier payment,
 * and once that is final to choose another client order id. Before that, another id would let the payment through
 * twice.
 */
export function wayOutOf(earlier: Intent): Readonly<Record<string, string>> {
  const name = shellWord(intentName(earlier));
  if (doubtfulStates.includes(earlier.state)) return { resolve: `paycli resolve ${name}` };
  return earlier.state === 'accepted' ? { see: `paycli order ${name}` } : { flag: '--client-order-id' };
}

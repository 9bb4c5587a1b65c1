import { fail, type PaycliError, shellWord } from '../errors/index.js';
import {
  accountVerification,
  captureOperation,
  createRecurring,
  fitsKind,
  operations,
  payoutCheck,
  returnOperation,
  voidOperation,
} from '../spec/index.js';
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

const effects: Readonly<Record<string, string>> = {
  [returnOperation.id]: 'refunded',
  [captureOperation.id]: 'captured',
  [voidOperation.id]: 'voided',
  [payoutCheck.id]: 'checked',
  [accountVerification.id]: 'verified',
  [createRecurring.id]: 'registered',
};

// The transactions that only a hold has; by transaction-type.
const typesOfHolds: readonly string[] = ['preauth', 'capture', 'void', 'cancel'];

/** Whether this request made a hold; of a payment form, which may sell at once, the gateway says it. */
function isHold({ operation, outcome }: Pick<Intent, 'operation' | 'outcome'>): boolean {
  const types = operations.find(({ id }) => id === operation)?.namedByStatus?.types ?? [];
  const isOne = types.length === 1 || typesOfHolds.includes(outcome['transaction-type']?.toLowerCase() ?? '');
  return isOne && types.includes('preauth');
}

/** What a person recorded of a request, in the word of its operation: `refunded` or `not refunded` for a return. */
export function settledWord({ operation, state, outcome }: Pick<Intent, 'operation' | 'state' | 'outcome'>): string {
  const word = effects[operation] ?? (isHold({ operation, outcome }) ? 'held' : 'paid');
  return state === 'done' ? word : `not ${word}`;
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

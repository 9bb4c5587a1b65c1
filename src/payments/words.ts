import { fail, type PaycliError, shellWord } from '../errors/index.js';
import type { Request, Sum } from '../journal/port.js';
import { inDoubtStates, type State } from '../journal/states.js';
import { commandOf, fitsKind } from '../spec/index.js';
import { decimalText } from '../wire/amount.js';
import { storableFields } from './request.js';

/** Such as `10.42 EUR`. */
export function sumText({ minor, digits, currency }: Sum): string {
  return `${decimalText(BigInt(minor), digits)} ${currency}`;
}

/** Money for programs. */
export function moneyDocument({ minor, digits, currency }: Sum) {
  return { minor, digits, currency, text: decimalText(BigInt(minor), digits) };
}

/** A request in words, for a message, such as `return of 10.00 EUR on order 123`. */
export function describe({ id, operation, sum, orderId, clientOrderId }: Request): string {
  const command = commandOf(operation) ?? operation;
  const of = sum === undefined ? '' : ` of ${sumText(sum)}`;
  const name = orderId ?? clientOrderId;
  return `${command}${of} ${name === undefined ? `without an order id (journal entry ${id})` : `on order ${name}`}`;
}

/**
 * The name to give to `resolve`: the gateway order id, else the client order id, else the number of the journal entry.
 * A request by hand may have no id, or one that no command takes.
 */
export function nameOf({ id, orderId, clientOrderId }: Pick<Request, 'id' | 'orderId' | 'clientOrderId'>): string {
  const ofGateway = orderId !== undefined && fitsKind('gatewayId', orderId) ? orderId : undefined;
  return ofGateway ?? clientOrderId ?? String(id);
}

const clauses: Partial<Record<State, string>> = {
  sending: 'is still being sent, or its process ended before it recorded the outcome',
  unknown: 'has an unknown outcome',
  conflict: 'is in conflict: a person has to decide',
};

/** A state as the end of a sentence about a request. */
export function stateClause(state: State): string {
  return clauses[state] ?? `is ${state}`;
}

/** The error ORDER_BUSY for a request that must wait, as this one is in doubt. */
export function orderBusy(request: Request): PaycliError {
  return fail('ORDER_BUSY', { order: nameOf(request), what: describe(request), clause: stateClause(request.state) });
}

/**
 * The error ORDER_ID_USED: another payment has this client order id. It has to be resolved or seen first; once that is
 * final, another id may be chosen. Before that, another id would let the payment through twice.
 */
export function idUsed(earlier: Request): PaycliError {
  const { state, clientOrderId: order = '' } = earlier;
  const name = shellWord(nameOf(earlier));
  const open = state === 'accepted' ? { see: `paycli order ${name}` } : { flag: '--client-order-id' };
  const way = inDoubtStates.includes(state) ? { resolve: `paycli resolve ${name}` } : open;
  return fail('ORDER_ID_USED', { order, what: `${describe(earlier)}, ${state}`, ...way });
}

/** The error for a payment that an earlier one equals, whatever their ids. */
export function equalPayment(equal: Request): PaycliError {
  const { state, profile } = equal;
  const facts = { order: nameOf(equal), state, profile, again: '--again', how: '--again sends it' };
  return fail(state === 'done' ? 'SAME_CONTENT_SENT' : 'SAME_CONTENT_OPEN', facts);
}

/** The same at another endpoint of the merchant. */
export function sentElsewhere({ state, endpoint, ...earlier }: Request): PaycliError {
  const code = inDoubtStates.includes(state) ? 'SAME_CONTENT_OPEN' : 'SAME_CONTENT_SENT';
  return fail(code, { order: nameOf(earlier), state: `${state} at endpoint ${endpoint}` });
}

/** The error for a request that is a row of a batch: only the batch sends it. */
export function rowOfBatch({ batch = '', number, clientOrderId, orderId }: Request): PaycliError {
  return fail('CONFIRMATION_NEEDED', {
    why: `order ${clientOrderId ?? orderId ?? ''} is row ${number} of batch ${batch}, which sends it`,
    how: `nothing was sent; \`paycli batch show ${batch}\` shows the row; \`paycli batch cancel ${batch}\` frees it`,
  });
}

/**
 * The error for a row of a batch that is paused, stopped or cancelled; `who` says by whom, and `again` what
 * continues it, where that is known.
 */
export function batchHeld(batch: string, state: string, who = state, again = `paycli batch run ${batch}`): PaycliError {
  const how =
    state === 'cancelled'
      ? `\`paycli batch show ${batch}\` shows what was sent before; the other rows can be planned again`
      : `\`${again}${state === 'paused' ? ' --continue' : ''}\` sends the remaining rows`;
  return fail('BATCH_LEFT', { why: `batch ${batch} was ${who}`, how, batch });
}

/** An order that the gateway has, in short. */
export function orderWords(fields: ReadonlyMap<string, string>): string {
  const shown = storableFields(fields);
  const names = ['transaction-type', 'initial-amount', 'amount', 'currency', 'status', 'end-point-id'];
  return names.flatMap((name) => (shown[name] === undefined ? [] : [`${name} ${shown[name]}`])).join(', ');
}

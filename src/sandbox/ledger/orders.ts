import type { SqlRow } from '../../runtime/ports.js';
import { opensForm } from '../../spec/index.js';
import { nextOf, number, optionalNumber, optionalText, type Store, text } from './store.js';

/** What one payment and all its follow-ups have in common. */
export interface Order {
  readonly id: string;
  readonly login: string;
  readonly endpointId: string;
  readonly clientOrderId: string;
  readonly amount: bigint | undefined;
  readonly currency: string | undefined;
  /** Fraction digits of its currency. */
  readonly digits: number;
  readonly redirectUrl: string | undefined;
  /** Names its hosted page, when it has one. */
  readonly pageToken: string | undefined;
  /** The operation that made it. */
  readonly operation: string;
  readonly madeAt: number;
  /** Callback address for the first transaction only. */
  readonly callbackUrl: string | undefined;
  /** Callback address for every transaction. */
  readonly notifyUrl: string | undefined;
  readonly description: string | undefined;
  readonly merchantData: string | undefined;
  readonly cardId: number | undefined;
  /** The card that receives the money. */
  readonly destinationId: number | undefined;
}

/** True for an order that began as a hosted form, where the gateway itself runs every step with the customer. */
export function isHosted({ operation }: Order): boolean {
  return opensForm(operation);
}

type NewOrder = Omit<Order, 'id'>;

export function addOrder(store: Store, made: NewOrder): Order {
  const id = String(nextOf(store, 'order'));
  store.database.run(
    `INSERT INTO orders (id, login, endpoint_id, client_order_id, amount, currency, digits, redirect_url, page_token,
       operation, made_at, callback_url, notify_url, description, merchant_data, card_id, destination_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    made.login,
    made.endpointId,
    made.clientOrderId,
    made.amount === undefined ? null : String(made.amount),
    made.currency ?? null,
    made.digits,
    made.redirectUrl ?? null,
    made.pageToken ?? null,
    made.operation,
    made.madeAt,
    made.callbackUrl ?? null,
    made.notifyUrl ?? null,
    made.description ?? null,
    made.merchantData ?? null,
    made.cardId ?? null,
    made.destinationId ?? null,
  );
  return { id, ...made };
}

/** Undefined also when the order belongs to another merchant. */
export function orderById({ database }: Store, login: string, id: string): Order | undefined {
  return orderFrom(database.get('SELECT * FROM orders WHERE id = ? AND login = ?', id, login));
}

/** An order of any merchant. */
export function orderOfAnyMerchant({ database }: Store, id: string): Order | undefined {
  return orderFrom(database.get('SELECT * FROM orders WHERE id = ?', id));
}

/** The newest order with a request under this id (A20, A41). */
export function orderByClientId({ database }: Store, login: string, clientOrderId: string): Order | undefined {
  const newest = 'SELECT order_id FROM transactions WHERE login = ? AND client_order_id = ? ORDER BY id DESC LIMIT 1';
  return orderFrom(database.get(`SELECT * FROM orders WHERE id = (${newest})`, login, clientOrderId));
}

export function orderByPage({ database }: Store, token: string): Order | undefined {
  return orderFrom(database.get('SELECT * FROM orders WHERE page_token = ?', token));
}

function orderFrom(row: SqlRow | undefined): Order | undefined {
  if (row === undefined) return undefined;
  const amount = optionalText(row, 'amount');
  return {
    id: text(row, 'id'),
    login: text(row, 'login'),
    endpointId: text(row, 'endpoint_id'),
    clientOrderId: text(row, 'client_order_id'),
    amount: amount === undefined ? undefined : BigInt(amount),
    currency: optionalText(row, 'currency'),
    digits: number(row, 'digits'),
    redirectUrl: optionalText(row, 'redirect_url'),
    pageToken: optionalText(row, 'page_token'),
    operation: text(row, 'operation'),
    madeAt: number(row, 'made_at'),
    callbackUrl: optionalText(row, 'callback_url'),
    notifyUrl: optionalText(row, 'notify_url'),
    description: optionalText(row, 'description'),
    merchantData: optionalText(row, 'merchant_data'),
    cardId: optionalNumber(row, 'card_id'),
    destinationId: optionalNumber(row, 'destination_id'),
  };
}

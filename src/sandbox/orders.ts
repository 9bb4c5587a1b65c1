import { opensForm, statuses, threeDSecureFlows } from '../spec/index.js';
import { type Step, stageOf, steps, type TransactionKind, transactionKinds } from '../spec/lifecycle.js';
import { queueCallbacks } from './callbacks/outbox.js';
import { recordEvent } from './log.js';
import type { OutcomeName } from './outcomes.js';
import { nextNumber, type Store } from './store.js';
import { integer, key, minor, type NewRow, numbered, optional, type Row, Table, text, word } from './table.js';

/** What one payment and all its follow-ups have in common. */
export const orders = new Table('orders', {
  id: key,
  login: text,
  endpointId: text,
  clientOrderId: text,
  amount: optional(minor),
  currency: optional(text),
  /** Fraction digits of its currency. */
  digits: integer,
  redirectUrl: optional(text),
  /** The operation that made it. */
  operation: text,
  madeAt: integer,
  /** Callback address for the first transaction only. */
  callbackUrl: optional(text),
  /** Callback address for every transaction. */
  notifyUrl: optional(text),
  description: optional(text),
  merchantData: optional(text),
  cardId: optional(integer),
  /** The card that receives the money. */
  destinationId: optional(integer),
});
export type Order = Row<typeof orders>;

const transactionColumns = {
  id: numbered,
  orderId: text,
  login: text,
  clientOrderId: text,
  kind: word(transactionKinds),
  amount: optional(minor),
  status: word(statuses),
  /** Its outcome once it is due. */
  outcome: text,
  step: word(steps),
  /** Undefined while another party has to act first, and once it is final. */
  dueAt: optional(integer),
  /** A33: when what is left of an approved hold lapses; undefined once it has. */
  lapsesAt: optional(integer),
  madeAt: integer,
  doneAt: optional(integer),
  processorId: text,
  approvalCode: text,
  /** 3-D Secure: the ids of the 3DS server and of the ACS, and the result. */
  tdsId: optional(text),
  acsId: optional(text),
  tdsResult: optional(text),
  /** What callbacks repeat of its request (A24, A45); kept only where there are callbacks. */
  email: optional(text),
  phone: optional(text),
  comment: optional(text),
};
/** The things done to an order. The first one opens it. */
export const transactions = new Table('transactions', transactionColumns, [
  'INDEX transactions_of_order ON @ (order_id)',
  'INDEX transactions_of_client ON @ (login, client_order_id)',
  'INDEX transactions_due ON @ (due_at) WHERE due_at IS NOT NULL',
  'INDEX transactions_lapsing ON @ (lapses_at) WHERE lapses_at IS NOT NULL',
]);
export type Transaction = Row<typeof transactions>;

/** The transaction that a reply was about, by the serial number of the reply (A42). */
export const serials = new Table('serials', { serial: key, transactionId: integer });

/** True while a payer has to act: a customer who never comes back from the bank has left the form as well. */
export function waitsForPayer({ status, step }: Pick<Transaction, 'status' | 'step'>): boolean {
  return status === 'processing' && 'payer' in steps[step];
}

/** True for an order that began as a hosted form, where the gateway itself runs every step with the customer. */
export function isHosted({ operation }: Pick<Order, 'operation'>): boolean {
  return opensForm(operation);
}

export function addOrder(store: Store, made: Omit<NewRow<typeof orders>, 'id'>): Order {
  return orders.add(store, { ...made, id: String(nextNumber(store, 'order')) });
}

/** An order of any merchant. Throws for an unknown id. */
export function requireOrder(store: Store, id: string): Order {
  const order = orders.get(store, 'WHERE id = ?', id);
  if (order === undefined) throw new Error(`the sandbox has no order ${id}`);
  return order;
}

/** Undefined also when the order belongs to another merchant. */
export function orderById(store: Store, login: string, id: string): Order | undefined {
  return orders.get(store, 'WHERE id = ? AND login = ?', id, login);
}

/** An order of any merchant by the gateway's id, else the newest under the client's. */
export function orderByAnyId(store: Store, name: string): Order | undefined {
  const newest = 'SELECT order_id FROM transactions WHERE client_order_id = ? ORDER BY id DESC LIMIT 1';
  return orders.get(store, `WHERE id = ? OR id = (${newest}) ORDER BY id <> ?`, name, name, name);
}

/** The newest order with a request under this id (A20, A41). */
export function orderByClientId(store: Store, login: string, clientOrderId: string): Order | undefined {
  const newest = 'SELECT order_id FROM transactions WHERE login = ? AND client_order_id = ? ORDER BY id DESC LIMIT 1';
  return orders.get(store, `WHERE id = (${newest})`, login, clientOrderId);
}

interface NewTransaction {
  readonly kind: TransactionKind;
  readonly clientOrderId: string;
  readonly amount?: bigint | undefined;
  readonly outcome: OutcomeName;
  readonly step: Step;
  readonly dueAt?: number | undefined;
  /** Of the reply to its request; undefined for a transaction without a request. */
  readonly serial?: string | undefined;
  /** Those of its request. */
  readonly values?: Readonly<Record<string, string>>;
}

const threeDSecureSteps: ReadonlySet<string> = new Set(Object.values(threeDSecureFlows).map((flow) => flow.step));

export function addTransaction(
  store: Store,
  order: Order,
  { kind, clientOrderId, amount, outcome, step, dueAt, serial, values = {} }: NewTransaction,
): Transaction {
  const { random, clock } = store;
  const { id: orderId, login, callbackUrl, notifyUrl } = order;
  const { email, phone, comment } = callbackUrl === undefined && notifyUrl === undefined ? {} : values;
  const processorId = `SANDBOX-${String(random.below(1_000_000_000)).padStart(9, '0')}`;
  const approvalCode = String(random.below(1_000_000)).padStart(6, '0');
  const [tdsId, acsId] = threeDSecureSteps.has(step) ? [random.uuid(), random.uuid()] : [];
  const made = transactions.add(store, {
    ...{ orderId, login, clientOrderId, kind, amount, status: 'processing', outcome, step, dueAt },
    ...{ madeAt: clock.now(), processorId, approvalCode, tdsId, acsId, email, phone, comment },
  });
  if (serial !== undefined) linkSerial(store, serial, made.id);
  if (dueAt !== undefined) queueCallbacks(store, order, made, made.madeAt);
  return made;
}

/** Remembers which transaction a reply with this serial number was about (A42). */
export function linkSerial(store: Store, serial: string, transactionId: number): void {
  serials.insert(store, { serial, transactionId });
}

interface StepChange {
  readonly step: Step;
  readonly outcome?: OutcomeName;
  readonly tdsResult?: string | undefined;
  readonly dueAt?: number;
}

/** Moves a processing transaction to another step, or plans its end. */
export function changeStep(store: Store, transaction: Transaction, change: StepChange): void {
  const { id, orderId, kind, login } = transaction;
  transactions.update(store, id, { tdsResult: undefined, dueAt: undefined, ...change });
  if (change.dueAt !== undefined)
    queueCallbacks(store, requireOrder(store, orderId), { ...transaction, ...change }, store.clock.now());
  recordEvent(store, { kind: 'stage', login, orderId, title: stageOf(kind, 'processing', change.step) });
}

/** In the order they were made. */
export function transactionsOf(store: Store, orderId: string): Transaction[] {
  return transactions.all(store, 'WHERE order_id = ? ORDER BY id', orderId);
}

/** Requests that opened something, by the id of the client, with the form of their replies (A20). */
export const openings = new Table('openings', { login: key, clientOrderId: key, operation: text, reply: text });

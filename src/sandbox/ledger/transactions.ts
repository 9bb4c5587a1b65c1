import type { SqlRow } from '../../runtime/ports.js';
import { type StatusWord, statuses, threeDSecureFlows } from '../../spec/index.js';
import { type Step, stageOf, type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import { recordEvent } from './events.js';
import type { Order } from './orders.js';
import type { OutcomeName } from './outcomes.js';
import { number, numberOfSerial, optionalNumber, optionalText, type Store, text } from './store.js';

/** One thing done to an order. The first one opens it. */
export interface Transaction {
  readonly id: number;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly kind: TransactionKind;
  readonly amount: bigint | undefined;
  readonly status: StatusWord;
  /** Its outcome once it is due. */
  readonly outcome: string;
  readonly step: Step;
  /** The number in the serial number of the reply to the request that made it. */
  readonly serial: number | undefined;
  readonly madeAt: number;
  readonly doneAt: number | undefined;
  readonly processorId: string;
  readonly approvalCode: string;
  /** 3-D Secure: the ids of the 3DS server and of the ACS, and the result. */
  readonly tdsId: string | undefined;
  readonly acsId: string | undefined;
  readonly tdsResult: string | undefined;
}

interface NewTransaction {
  readonly kind: TransactionKind;
  readonly clientOrderId: string;
  readonly amount?: bigint | undefined;
  readonly outcome: OutcomeName;
  readonly step: Step;
  /** Undefined while another party has to act first. */
  readonly dueAt?: number | undefined;
  /** The serial number of the reply to its request; undefined for a transaction without a request. */
  readonly serial?: string | undefined;
  /** True when that request also created the order. */
  readonly isOpening?: boolean;
}

export function addTransaction(store: Store, order: Order, made: NewTransaction): Transaction {
  const added = newTransaction(store, order, made);
  const { clientOrderId, dueAt, isOpening = false } = made;
  const hasCallback = order.callbackUrl !== undefined || order.notifyUrl !== undefined;
  store.database.run(
    `INSERT INTO transactions (id, order_id, login, client_order_id, kind, amount, status, outcome, step, serial,
       is_opening, is_told, due_at, made_at, processor_id, approval_code, tds_id, acs_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    added.id,
    order.id,
    order.login,
    clientOrderId,
    added.kind,
    added.amount === undefined ? null : String(added.amount),
    added.status,
    added.outcome,
    added.step,
    added.serial ?? null,
    Number(isOpening),
    Number(hasCallback),
    dueAt ?? null,
    added.madeAt,
    added.processorId,
    added.approvalCode,
    added.tdsId ?? null,
    added.acsId ?? null,
  );
  if (hasCallback && dueAt !== undefined) addCallbackNote(store, 'planned', added.id, added.madeAt);
  return added;
}

function newTransaction(
  store: Store,
  order: Order,
  { kind, clientOrderId, amount, outcome, step, serial }: NewTransaction,
): Transaction {
  const { random, clock } = store;
  const processorId = `SANDBOX-${String(random.below(1_000_000_000)).padStart(9, '0')}`;
  const approvalCode = String(random.below(1_000_000)).padStart(6, '0');
  const [tdsId, acsId] = threeDSecureSteps.has(step) ? [random.uuid(), random.uuid()] : [];
  return {
    id: lastTransactionId(store) + 1,
    orderId: order.id,
    clientOrderId,
    kind,
    amount,
    status: 'processing',
    outcome,
    step,
    serial: serial === undefined ? undefined : numberOfSerial(serial),
    madeAt: clock.now(),
    doneAt: undefined,
    processorId,
    approvalCode,
    tdsId,
    acsId,
    tdsResult: undefined,
  };
}

/** The id of the newest transaction; 0 without any. */
export function lastTransactionId({ database }: Pick<Store, 'database'>): number {
  return number(database.get('SELECT max(id) AS id FROM transactions') ?? {}, 'id');
}

function recordStage(store: Store, of: { readonly login: string; readonly orderId: string }, stage: string): void {
  recordEvent(store, { ...of, kind: 'stage', title: stage });
}

interface StepChange {
  readonly step: Step;
  readonly outcome?: OutcomeName;
  readonly tdsResult?: string;
  readonly dueAt?: number;
}

export function changeStep(store: Store, { id, orderId, kind, madeAt }: Transaction, change: StepChange): void {
  const callbackPending = 'SELECT id FROM transactions WHERE id = ? AND is_told AND due_at IS NULL';
  if (change.dueAt !== undefined && store.database.get(callbackPending, id) !== undefined)
    addCallbackNote(store, 'planned', id, madeAt);
  const row = store.database.get(
    'UPDATE transactions SET step = ?, outcome = coalesce(?, outcome), tds_result = ?, due_at = ? WHERE id = ? RETURNING login',
    change.step,
    change.outcome ?? null,
    change.tdsResult ?? null,
    change.dueAt ?? null,
    id,
  );
  recordStage(store, { login: text(row ?? {}, 'login'), orderId }, stageOf(kind, 'processing', change.step));
}

/** In the order they were made. */
export function transactionsOf({ database }: Store, orderId: string): Transaction[] {
  return database.all('SELECT * FROM transactions WHERE order_id = ? ORDER BY id', orderId).map(transactionFrom);
}

/** Throws for an unknown id. */
export function transactionById({ database }: Store, id: number): Transaction {
  return transactionFrom(database.get('SELECT * FROM transactions WHERE id = ?', id) ?? {});
}

/** Remembers which transaction a further reply with this serial number was about (A42). */
export function linkSerial({ database }: Store, serial: string, transaction: Transaction): void {
  database.run('INSERT INTO serials VALUES (?, ?)', numberOfSerial(serial) ?? null, transaction.id);
}

/** The transaction of an order that a reply with this serial number was about. */
export function transactionOfSerial(
  { database }: Store,
  transactions: readonly Transaction[],
  serial: string,
): Transaction | undefined {
  const wanted = numberOfSerial(serial);
  if (wanted === undefined) return undefined;
  const made = transactions.find((each) => each.serial === wanted);
  if (made !== undefined) return made;
  const target = optionalNumber(
    database.get('SELECT transaction_id FROM serials WHERE number = ?', wanted) ?? {},
    'transaction_id',
  );
  return transactions.find(({ id }) => id === target);
}

/** The operation that made an order under this client order id; undefined when none did. */
export function openingOperation({ database }: Store, login: string, clientOrderId: string): string | undefined {
  const first =
    'SELECT order_id FROM transactions WHERE login = ? AND client_order_id = ? AND is_opening ORDER BY id LIMIT 1';
  const orderId = optionalText(database.get(first, login, clientOrderId) ?? {}, 'order_id');
  return orderId === undefined
    ? undefined
    : text(database.get('SELECT operation FROM orders WHERE id = ?', orderId) ?? {}, 'operation');
}

function transactionFrom(row: SqlRow): Transaction {
  const amount = optionalText(row, 'amount');
  return {
    id: number(row, 'id'),
    orderId: text(row, 'order_id'),
    clientOrderId: text(row, 'client_order_id'),
    kind: kindFrom(row),
    amount: amount === undefined ? undefined : BigInt(amount),
    status: parseWord(statuses, text(row, 'status')),
    outcome: text(row, 'outcome'),
    step: parseWord(steps, text(row, 'step')),
    serial: optionalNumber(row, 'serial'),
    madeAt: number(row, 'made_at'),
    doneAt: optionalNumber(row, 'done_at'),
    processorId: text(row, 'processor_id'),
    approvalCode: text(row, 'approval_code'),
    tdsId: optionalText(row, 'tds_id'),
    acsId: optionalText(row, 'acs_id'),
    tdsResult: optionalText(row, 'tds_result'),
  };
}

export function kindFrom(row: SqlRow): TransactionKind {
  return parseWord(transactionKinds, text(row, 'kind'));
}

const threeDSecureSteps: ReadonlySet<string> = new Set(Object.values(threeDSecureFlows).map((flow) => flow.step));

const steps: Readonly<Record<Step, true>> = {
  none: true,
  form: true,
  method: true,
  frictionless: true,
  challenge: true,
  pareq: true,
  simplified: true,
  validating: true,
  validated: true,
};

function parseWord<Word extends string>(words: Readonly<Record<Word, unknown>>, word: string): Word {
  if (isKnownWord(words, word)) return word;
  throw new Error(`the sandbox file holds an unknown word: ${word}`);
}

function isKnownWord<Word extends string>(words: Readonly<Record<Word, unknown>>, word: string): word is Word {
  return Object.hasOwn(words, word);
}

export const noteTables = `
  CREATE TABLE callback_notes (id INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id INTEGER NOT NULL, at INTEGER NOT NULL, stage TEXT NOT NULL);
  CREATE INDEX callback_notes_at ON callback_notes (at);
`;

/**
 * Written in the same transaction that plans a status or makes it final; notes become callbacks at the next update of
 * the state, so that ending the process loses none. Only for orders with a callback address.
 */
export function addCallbackNote(
  { database }: Store,
  stage: 'planned' | 'final',
  transactionId: number,
  at: number,
): void {
  database.run('INSERT INTO callback_notes (transaction_id, at, stage) VALUES (?, ?, ?)', transactionId, at, stage);
}

import type { SqlRow } from '../../runtime/ports.js';
import { type StatusWord, statuses, threeDSecureFlows } from '../../spec/index.js';
import { type Step, stageOf, type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import { number, optionalNumber, optionalText, text } from '../columns.js';
import type { Happened } from '../due.js';
import { record } from '../events.js';
import { type OutcomeName, outcomeOf } from '../outcomes.js';
import { numberOfSerial, type Store } from '../store.js';
import type { Order } from './orders.js';

/** One thing done to an order. The first one opens it. */
export interface Transaction {
  readonly id: number;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly kind: TransactionKind;
  readonly amount: bigint | undefined;
  readonly status: StatusWord;
  /** What it comes to once it is due. */
  readonly outcome: string;
  readonly step: Step;
  readonly madeAt: number;
  readonly doneAt: number | undefined;
  readonly processorId: string;
  readonly approvalCode: string;
  /** 3-D Secure: the id of the server's side, that of the issuer's, and what came of it. */
  readonly tdsId: string | undefined;
  readonly acsId: string | undefined;
  readonly tdsResult: string | undefined;
}

export interface NewTransaction {
  readonly kind: TransactionKind;
  readonly clientOrderId: string;
  readonly amount?: bigint | undefined;
  readonly outcome: OutcomeName;
  readonly step: Step;
  /** Undefined while somebody else has to act first. */
  readonly dueAt?: number | undefined;
}

export function addTransaction(store: Store, order: Order, made: NewTransaction): Transaction {
  const { database, random, clock } = store;
  const { kind, clientOrderId, amount, outcome, step, dueAt } = made;
  const processorId = `SANDBOX-${String(random.below(1_000_000_000)).padStart(9, '0')}`;
  const approvalCode = String(random.below(1_000_000)).padStart(6, '0');
  const [tdsId, acsId] = isAuthentication(step) ? [random.uuid(), random.uuid()] : [];
  const madeAt = clock.now();
  const { lastId } = database.run(
    `INSERT INTO transactions (order_id, login, client_order_id, kind, amount, status, outcome, step, is_told, due_at, made_at, processor_id, approval_code, tds_id, acs_id)
     VALUES (?, ?, ?, ?, ?, 'processing', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    order.id,
    order.login,
    clientOrderId,
    kind,
    amount === undefined ? null : String(amount),
    outcome,
    step,
    Number(order.callbackUrl !== undefined || order.notifyUrl !== undefined),
    dueAt ?? null,
    madeAt,
    processorId,
    approvalCode,
    tdsId ?? null,
    acsId ?? null,
  );
  const given = {
    id: lastId,
    orderId: order.id,
    clientOrderId,
    kind,
    amount,
    outcome,
    step,
    madeAt,
    processorId,
    approvalCode,
    tdsId,
    acsId,
  };
  return { ...given, status: 'processing', doneAt: undefined, tdsResult: undefined };
}

/** Makes everything final whose time has come by `until`, each at its own time and in that order; says what happened. */
export function settleDue(store: Store, until: number): Happened[] {
  const { database } = store;
  const due = 'SELECT id, order_id, login, kind, outcome, due_at FROM transactions WHERE due_at <= ? ORDER BY due_at, id';
  return database.all(due, until).map((row) => {
    const { status } = outcomeOf(text(row, 'outcome'));
    const [id, at, orderId] = [number(row, 'id'), number(row, 'due_at'), text(row, 'order_id')];
    const kind = among(transactionKinds, text(row, 'kind'));
    // A29: a check that succeeds is not the end of a payout.
    const isChecked = kind === 'payout-check' && status === 'approved';
    if (isChecked) database.run("UPDATE transactions SET step = 'validated', due_at = NULL WHERE id = ?", id);
    else database.run("UPDATE transactions SET status = ?, step = 'none', due_at = NULL, done_at = ? WHERE id = ?", status, at, id);
    const stage = stageOf(kind, isChecked ? 'processing' : status, isChecked ? 'validated' : 'none');
    noteStage({ ...store, clock: { ...store.clock, now: () => at } }, { login: text(row, 'login'), orderId }, stage);
    return { at, what: `order ${orderId}: ${stage}` };
  });
}

function noteStage(store: Store, of: { readonly login: string; readonly orderId: string }, stage: string): void {
  record(store, { ...of, kind: 'stage', title: stage });
}

export interface StepChange {
  readonly step: Step;
  readonly outcome?: OutcomeName;
  readonly tdsResult?: string;
  readonly dueAt?: number;
}

export function changeStep(store: Store, { id, orderId, kind }: Transaction, change: StepChange): void {
  const row = store.database.get(
    'UPDATE transactions SET step = ?, outcome = coalesce(?, outcome), tds_result = ?, due_at = ? WHERE id = ? RETURNING login',
    change.step,
    change.outcome ?? null,
    change.tdsResult ?? null,
    change.dueAt ?? null,
    id,
  );
  noteStage(store, { login: text(row ?? {}, 'login'), orderId }, stageOf(kind, 'processing', change.step));
}

/** In the order they were made. */
export function transactionsOf({ database }: Store, orderId: string): Transaction[] {
  return database.all('SELECT * FROM transactions WHERE order_id = ? ORDER BY id', orderId).map(transactionFrom);
}

/** Throws for an id nobody gave out. */
export function transactionById({ database }: Store, id: number): Transaction {
  return transactionFrom(database.get('SELECT * FROM transactions WHERE id = ?', id) ?? {});
}

/** Remembers which transaction a reply with this serial number was about (A42). */
export function noteSerial({ database }: Store, serial: string, transaction: Transaction): void {
  database.run('INSERT INTO serials VALUES (?, ?)', numberOfSerial(serial) ?? null, transaction.id);
}

export function serialTarget({ database }: Store, serial: string): number | undefined {
  const found = database.get('SELECT transaction_id FROM serials WHERE number = ?', numberOfSerial(serial) ?? null);
  return optionalNumber(found ?? {}, 'transaction_id');
}

function transactionFrom(row: SqlRow): Transaction {
  const amount = optionalText(row, 'amount');
  return {
    id: number(row, 'id'),
    orderId: text(row, 'order_id'),
    clientOrderId: text(row, 'client_order_id'),
    kind: among(transactionKinds, text(row, 'kind')),
    amount: amount === undefined ? undefined : BigInt(amount),
    status: among(statuses, text(row, 'status')),
    outcome: text(row, 'outcome'),
    step: among(steps, text(row, 'step')),
    madeAt: number(row, 'made_at'),
    doneAt: optionalNumber(row, 'done_at'),
    processorId: text(row, 'processor_id'),
    approvalCode: text(row, 'approval_code'),
    tdsId: optionalText(row, 'tds_id'),
    acsId: optionalText(row, 'acs_id'),
    tdsResult: optionalText(row, 'tds_result'),
  };
}

function isAuthentication(step: Step): boolean {
  return Object.values(threeDSecureFlows).some((flow) => flow.step === step);
}

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

function among<Word extends string>(words: Readonly<Record<Word, unknown>>, word: string): Word {
  if (isAmong(words, word)) return word;
  throw new Error(`the sandbox file holds an unknown word: ${word}`);
}

function isAmong<Word extends string>(words: Readonly<Record<Word, unknown>>, word: string): word is Word {
  return Object.hasOwn(words, word);
}

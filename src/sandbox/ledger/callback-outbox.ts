import { createHash } from 'node:crypto';
import type { SqlRow } from '../../runtime/ports.js';
import { isFinal } from '../../spec/index.js';
import { type Order, orderOfAnyMerchant } from './orders.js';
import { outcomeOf } from './outcomes.js';
import type { DueSource } from './scheduled-changes.js';
import { number, optionalNumber, optionalText, type Store, text } from './store.js';
import { type Transaction, transactionById, transactionsOf } from './transactions.js';

export const callbackTables = `
  CREATE TABLE callbacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id INTEGER NOT NULL, order_id TEXT NOT NULL, login TEXT NOT NULL, url TEXT NOT NULL,
    status TEXT NOT NULL, script TEXT NOT NULL, state TEXT NOT NULL, made_at INTEGER NOT NULL, due_at INTEGER, attempts INTEGER NOT NULL
  );
  CREATE INDEX callbacks_due ON callbacks (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX callbacks_of_order ON callbacks (order_id, id);
  CREATE TABLE callback_attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, callback_id INTEGER NOT NULL, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    status INTEGER, reply TEXT, reason TEXT, duration_ms INTEGER
  );
  CREATE INDEX attempts_of_callback ON callback_attempts (callback_id, id);
`;

/** `pending` while an attempt is planned or running, then one of the others permanently. */
export type CallbackState = 'pending' | 'delivered' | 'given-up' | 'withheld';

/** Turns the notes about final transactions into callbacks, by the script of their order. */
export const callbackQueue: DueSource = {
  due: 'SELECT min(at) FROM callback_notes',
  run(store, at) {
    const notes = store.database.all('SELECT * FROM callback_notes WHERE at <= ? ORDER BY at, id', at);
    store.database.run('DELETE FROM callback_notes WHERE at <= ?', at);
    const lines = notes.flatMap((note) => {
      const transaction = transactionById(store, number(note, 'transaction_id'));
      const order = orderOfAnyMerchant(store, transaction.orderId);
      if (order === undefined) return [];
      return note['stage'] === 'final'
        ? enqueue(store, order, transaction, at)
        : enqueueEarly(store, order, transaction, at);
    });
    return lines.map((what) => ({ at, what }));
  },
};

function enqueue(store: Store, order: Order, transaction: Transaction, at: number): string[] {
  const chosen = scriptFor(store, order.login, order.clientOrderId);
  // What an attacker sent before changes nothing about the true one.
  const script = chosen === 'forged' || chosen === 'other-order' ? 'normal' : chosen;
  const { status } = transaction;
  const early = 'SELECT id FROM callbacks WHERE transaction_id = ? AND script = ? AND status = ?';
  if (store.database.get(early, transaction.id, 'before-response', status) !== undefined) return [];
  return addressesFor(store, order, transaction).flatMap((url) => {
    const times = script === 'twice' ? [at, at] : script === 'again' ? [at, at + againAfterMs] : [at];
    return times.map((time) => addCallback(store, order, { transaction, url, status, script, at: time }));
  });
}

/** Under `before-response` the callback reports the planned outcome, if that is final; a forged one an approval. */
function enqueueEarly(store: Store, order: Order, transaction: Transaction, at: number): string[] {
  const script = scriptFor(store, order.login, order.clientOrderId);
  if (transaction.status !== 'processing') return [];
  if (script === 'forged' || script === 'other-order')
    return addressesFor(store, order, transaction).map((url) =>
      addCallback(store, order, { transaction, url, status: 'approved', script, at }),
    );
  if (script !== 'before-response') return [];
  const { status } = outcomeOf(transaction.outcome);
  // A29: a check that succeeds is not the end of a payout.
  if (!isFinal(status) || (transaction.kind === 'payout-check' && status === 'approved')) return [];
  return addressesFor(store, order, transaction).map((url) =>
    addCallback(store, order, { transaction, url, status, script: 'before-response', at }),
  );
}

/** The first transaction of an order is reported to both addresses, a later one only to `notify_url`. */
function addressesFor(store: Store, { id, callbackUrl, notifyUrl }: Order, transaction: Transaction): string[] {
  const isFirst = transactionsOf(store, id)[0]?.id === transaction.id;
  const addresses = [isFirst ? callbackUrl : undefined, notifyUrl].filter((url) => url !== undefined);
  return [...new Set(addresses)];
}

interface NewCallback {
  readonly transaction: Transaction;
  readonly url: string;
  readonly status: string;
  readonly script: ScriptName;
  readonly at: number;
}

/** Between two callbacks of which the first counts as unanswered. */
const againAfterMs = 1000;
const delays: Partial<Readonly<Record<ScriptName, number>>> = { swapped: 10_000, late: 3_600_000 };

function addCallback(
  { database }: Store,
  { id, login }: Order,
  { transaction, url, status, script, at }: NewCallback,
): string {
  const state: CallbackState = script === 'never' ? 'withheld' : 'pending';
  database.run(
    'INSERT INTO callbacks (transaction_id, order_id, login, url, status, script, state, made_at, due_at, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
    transaction.id,
    id,
    login,
    url,
    status,
    script,
    state,
    at,
    script === 'never' ? null : at + (delays[script] ?? 0),
  );
  return `order ${id}: a callback (${status}) is ${state}`;
}

/** How the callbacks of an order are delivered. Later ones of the same order follow the same script. */
export const scripts = {
  normal: 'once the transaction is final, retried until answered with 200',
  'before-response': 'when the request is accepted, before its reply is sent',
  twice: 'twice, with the same fields',
  swapped: 'ten seconds late, the newest of an order first',
  late: 'an hour late on the sandbox clock',
  again: 'twice, a second apart, as if the answer to the first had been lost',
  'wrong-control': 'with a wrong checksum (control)',
  forged: 'once accepted, an approval with a wrong checksum (control); the real one follows',
  altered: 'with a status other than the one its checksum (control) covers',
  'other-order': 'once accepted, the approval of another order; the real one follows',
  never: 'not at all',
} as const satisfies Record<string, string>;

export type ScriptName = keyof typeof scripts;

export const scriptTables = `
  CREATE TABLE callback_scripts (login TEXT NOT NULL, client_order_id TEXT NOT NULL, script TEXT NOT NULL, PRIMARY KEY (login, client_order_id)) WITHOUT ROWID;
`;

export function isScriptName(word: string): word is ScriptName {
  return Object.hasOwn(scripts, word);
}

/** Sets the script of one order, which need not exist yet. */
export function setScript({ database }: Store, login: string, clientOrderId: string, script: ScriptName): void {
  database.run(
    'INSERT INTO callback_scripts VALUES (?, ?, ?) ON CONFLICT (login, client_order_id) DO UPDATE SET script = excluded.script',
    login,
    clientOrderId,
    script,
  );
}

/** Assigns every order without a script one, from the seed and its client order id; undefined ends that. */
export function setScriptSeed({ database }: Store, seed: string | undefined): void {
  database.run("DELETE FROM meta WHERE name = 'callback-seed'");
  if (seed !== undefined) database.run("INSERT INTO meta VALUES ('callback-seed', ?)", seed);
}

/** Sets the script of every order that has none of its own; undefined ends that. */
export function setScriptForAll({ database }: Store, script: ScriptName | undefined): void {
  database.run("DELETE FROM meta WHERE name = 'callback-script'");
  if (script !== undefined) database.run("INSERT INTO meta VALUES ('callback-script', ?)", script);
}

export function scriptFor({ database }: Store, login: string, clientOrderId: string): ScriptName {
  const row = database.get(
    'SELECT script FROM callback_scripts WHERE login = ? AND client_order_id = ?',
    login,
    clientOrderId,
  );
  const own = optionalText(row ?? {}, 'script');
  const everyone = "SELECT value FROM meta WHERE name = 'callback-script'";
  const set = own ?? optionalText(database.get(everyone) ?? {}, 'value');
  if (set !== undefined) return isScriptName(set) ? set : 'normal';
  const seed = optionalText(database.get("SELECT value FROM meta WHERE name = 'callback-seed'") ?? {}, 'value');
  return seed === undefined ? 'normal' : scriptFromSeed(seed, clientOrderId);
}

function scriptFromSeed(seed: string, clientOrderId: string): ScriptName {
  const names = Object.keys(scripts).filter(isScriptName);
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, clientOrderId]))
    .digest();
  return names[digest.readUInt32BE(0) % names.length] ?? 'normal';
}

export const echoTables = `
  CREATE TABLE callback_echoes (transaction_id INTEGER PRIMARY KEY, email TEXT, phone TEXT, comment TEXT);
`;

/** What callbacks repeat of a request (A24). */
export interface EchoedFields {
  readonly email: string | undefined;
  readonly phone: string | undefined;
  /** Of a follow-up (A45). */
  readonly comment: string | undefined;
}

/** Stores them when the order has a callback address. */
export function storeEchoedFields(
  store: Store,
  order: Order,
  { id }: Transaction,
  values: Readonly<Record<string, string>>,
): void {
  const { email = null, phone = null, comment = null } = values;
  const hasCallback = order.callbackUrl !== undefined || order.notifyUrl !== undefined;
  if (!hasCallback || (email === null && phone === null && comment === null)) return;
  store.database.run('INSERT INTO callback_echoes VALUES (?, ?, ?, ?)', id, email, phone, comment);
}

export function echoedFieldsOf({ database }: Store, { id }: Transaction): EchoedFields {
  const row = database.get('SELECT * FROM callback_echoes WHERE transaction_id = ?', id) ?? {};
  return {
    email: optionalText(row, 'email'),
    phone: optionalText(row, 'phone'),
    comment: optionalText(row, 'comment'),
  };
}

/** One attempt in the delivery log. */
export interface StoredAttempt {
  /** On the sandbox clock, and on the machine's. */
  readonly at: string;
  readonly machineAt: string;
  readonly status: number | null;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly milliseconds: number | null;
}

export interface StoredCallback {
  readonly id: number;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  readonly url: string;
  readonly script: string;
  readonly state: string;
  readonly madeAt: string;
  /** When the next attempt is due; null when none is. */
  readonly dueAt: string | null;
  readonly attempts: readonly StoredAttempt[];
}

/** The outbox with its delivery log, oldest first; of one order when its id, or its client order id, is given. */
export function listCallbacks({ database }: Store, order?: string): StoredCallback[] {
  const all = 'SELECT callbacks.*, orders.client_order_id FROM callbacks JOIN orders ON orders.id = callbacks.order_id';
  const rows =
    order === undefined
      ? database.all(`${all} ORDER BY callbacks.id`)
      : database.all(`${all} WHERE orders.id = ? OR orders.client_order_id = ? ORDER BY callbacks.id`, order, order);
  return rows.map((row) => ({
    id: number(row, 'id'),
    orderId: text(row, 'order_id'),
    clientOrderId: text(row, 'client_order_id'),
    status: text(row, 'status'),
    url: text(row, 'url'),
    script: text(row, 'script'),
    state: text(row, 'state'),
    madeAt: timeText(number(row, 'made_at')),
    dueAt: row['due_at'] === null ? null : timeText(number(row, 'due_at')),
    attempts: database
      .all('SELECT * FROM callback_attempts WHERE callback_id = ? ORDER BY id', number(row, 'id'))
      .map(attemptFrom),
  }));
}

function attemptFrom(row: SqlRow): StoredAttempt {
  return {
    at: timeText(number(row, 'at')),
    machineAt: timeText(number(row, 'machine_at')),
    status: optionalNumber(row, 'status') ?? null,
    reply: optionalText(row, 'reply') ?? null,
    reason: optionalText(row, 'reason') ?? null,
    milliseconds: optionalNumber(row, 'duration_ms') ?? null,
  };
}

/** A moment as RFC 3339, without needless zeros. */
export function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

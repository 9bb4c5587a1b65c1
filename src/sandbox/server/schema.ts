import { basename } from 'node:path';
import { fail } from '../../errors/index.js';
import { findingTables } from '../audit/findings.js';
import { recurringTables } from '../effects/recurring.js';
import { callbackTables, echoTables, scriptTables } from '../ledger/callback-outbox.js';
import { eventTables } from '../ledger/events.js';
import { holdTables } from '../ledger/scheduled-changes.js';
import { type Counter, number, type Store, storeVersion, text } from '../ledger/store.js';
import { noteTables } from '../ledger/transactions.js';
import { visitTables } from '../ledger/visits.js';

// Random starts: a new sandbox must not repeat ids of an older one that a journal still has.
const firstValues: Readonly<Record<Counter, readonly [least: number, spread: number]>> = {
  order: [10_000_000, 80_000_000],
  serial: [0x1000, 0xff_ffff],
  'card-ref': [100_000, 800_000],
  recurring: [100_000, 800_000],
};

// Amounts are minor units as text: sixteen digits do not fit into a number. Card numbers are never stored in full: see
// cards.ts. No foreign keys on orders and transactions: each would cost a lookup per row.
const coreTables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE merchants (login TEXT PRIMARY KEY, control_key TEXT NOT NULL, public_key TEXT, private_key TEXT) WITHOUT ROWID;
  CREATE TABLE endpoints (id TEXT PRIMARY KEY, login TEXT NOT NULL REFERENCES merchants, currency TEXT) WITHOUT ROWID;
  CREATE TABLE cards (
    id INTEGER PRIMARY KEY, bin TEXT NOT NULL, last_four TEXT NOT NULL, brand TEXT NOT NULL,
    month TEXT, year TEXT, holder TEXT, digest TEXT NOT NULL UNIQUE
  );
  CREATE TABLE card_refs (ref TEXT PRIMARY KEY, login TEXT NOT NULL, card_id INTEGER NOT NULL REFERENCES cards) WITHOUT ROWID;
  CREATE TABLE orders (
    id TEXT PRIMARY KEY, login TEXT NOT NULL, endpoint_id TEXT NOT NULL, client_order_id TEXT NOT NULL,
    amount TEXT, currency TEXT, digits INTEGER NOT NULL, redirect_url TEXT, page_token TEXT,
    operation TEXT NOT NULL, made_at INTEGER NOT NULL, callback_url TEXT, notify_url TEXT, description TEXT, merchant_data TEXT,
    card_id INTEGER, destination_id INTEGER
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX orders_by_page ON orders (page_token) WHERE page_token IS NOT NULL;
  CREATE TABLE transactions (
    id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, login TEXT NOT NULL, client_order_id TEXT NOT NULL,
    kind TEXT NOT NULL, amount TEXT, status TEXT NOT NULL, outcome TEXT NOT NULL, step TEXT NOT NULL,
    serial INTEGER, is_opening INTEGER NOT NULL, is_told INTEGER NOT NULL, due_at INTEGER, made_at INTEGER NOT NULL, done_at INTEGER, processor_id TEXT NOT NULL, approval_code TEXT NOT NULL,
    tds_id TEXT, acs_id TEXT, tds_result TEXT
  );
  CREATE INDEX transactions_of_order ON transactions (order_id);
  CREATE INDEX transactions_of_client ON transactions (login, client_order_id);
  CREATE INDEX transactions_due ON transactions (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE serials (number INTEGER PRIMARY KEY, transaction_id INTEGER NOT NULL);
  CREATE TABLE openings (
    login TEXT NOT NULL, client_order_id TEXT NOT NULL, operation TEXT NOT NULL, reply TEXT NOT NULL, PRIMARY KEY (login, client_order_id)
  ) WITHOUT ROWID;
  CREATE TABLE nonces (login TEXT NOT NULL, nonce TEXT NOT NULL, stamp INTEGER NOT NULL, PRIMARY KEY (login, nonce)) WITHOUT ROWID;
  CREATE INDEX nonces_by_age ON nonces (stamp);
  CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT, outcome TEXT NOT NULL, login TEXT NOT NULL, client_order_id TEXT, order_id TEXT
  );
`;

const schema: readonly string[] = [
  coreTables,
  eventTables,
  visitTables,
  findingTables,
  holdTables,
  recurringTables,
  noteTables,
  callbackTables,
  echoTables,
  scriptTables,
];

/** Creates the tables at first use, then calls `fill`, in one transaction. */
export function createTables(store: Store, fill: () => void): void {
  const { database, random } = store;
  if (isPrepared(store)) return;
  database.transaction(() => {
    // Another process may have been first.
    if (isPrepared(store)) return;
    for (const tables of schema) database.exec(tables);
    database.exec(`PRAGMA user_version = ${storeVersion}`);
    database.run('INSERT INTO meta VALUES (?, ?)', 'card-digest-key', random.letters(43));
    database.run('INSERT INTO meta VALUES (?, ?)', 'instance', random.uuid());
    for (const [name, [min, spread]] of Object.entries(firstValues))
      database.run('INSERT INTO counters VALUES (?, ?)', name, min + random.below(spread));
    fill();
  });
}

/** Throws STORAGE for a file made by another version of paycli. */
function isPrepared({ database }: Store): boolean {
  const found = number(database.get('PRAGMA user_version') ?? {}, 'user_version');
  if (found === 0 || found === storeVersion) return found === storeVersion;
  const file = String(database.get('PRAGMA database_list')?.['file'] ?? '');
  throw fail('STORAGE', {
    what: 'the sandbox file',
    why: 'it was made by another version of paycli',
    how: `run \`paycli sandbox reset --all --name ${basename(file, '.db')}\``,
    name: basename(file, '.db'),
  });
}

const keptAtReset = "'meta', 'counters', 'merchants', 'endpoints', 'sqlite_sequence'";

/** Deletes everything but merchants, endpoints, keys and counters. */
export function resetStore({ database, random }: Store): void {
  database.transaction(() => {
    // Rows that refer to each other are deleted table by table.
    database.exec('PRAGMA defer_foreign_keys = ON');
    database.run("UPDATE meta SET value = ? WHERE name = 'instance'", random.uuid());
    const names = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN (${keptAtReset})`;
    for (const row of database.all(names)) database.exec(`DELETE FROM ${text(row, 'name')}`);
  });
}

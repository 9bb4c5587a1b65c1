import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';

/** In the head of the file: says that it is a journal of this format. */
const applicationId = 0x70_61_79_6a;
const format = 1;

/** A condition in these very words is what SQLite needs to use the index of the few pending requests. */
export const pendingSql = "state IN ('sending', 'unknown', 'accepted')";

const tables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE batch (
    id TEXT PRIMARY KEY, digest TEXT NOT NULL, head TEXT NOT NULL, state TEXT NOT NULL, canary TEXT NOT NULL, rate REAL,
    rows_left INTEGER, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE approval (
    batch TEXT NOT NULL REFERENCES batch, digest TEXT NOT NULL, total TEXT NOT NULL, role TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE request (
    id INTEGER PRIMARY KEY, batch TEXT REFERENCES batch, number INTEGER,
    kind TEXT NOT NULL, operation TEXT NOT NULL, effect TEXT NOT NULL, base TEXT NOT NULL, endpoint TEXT NOT NULL,
    login TEXT NOT NULL, profile TEXT NOT NULL, class TEXT NOT NULL, client_order_id TEXT, order_id TEXT,
    minor TEXT, currency TEXT, digits INTEGER, card4 TEXT, content TEXT NOT NULL, payment TEXT,
    state TEXT NOT NULL, attempt INTEGER NOT NULL, worker TEXT, created_at INTEGER NOT NULL, begun_at INTEGER,
    changed_at INTEGER NOT NULL, ask_at INTEGER, reason TEXT NOT NULL, outcome TEXT NOT NULL,
    may_have_arrived INTEGER NOT NULL, is_elsewhere INTEGER NOT NULL, waits_for TEXT, waits_since INTEGER,
    counted_day INTEGER, counted_units TEXT, counted_currency TEXT
  ) STRICT;
  CREATE UNIQUE INDEX one_payment_per_id ON request (client_order_id, base, login)
    WHERE kind = 'payment' AND state <> 'cancelled';
  CREATE UNIQUE INDEX one_follow_up_in_doubt ON request (base, order_id)
    WHERE kind = 'follow-up' AND effect = 'money' AND state IN ('sending', 'unknown');
  CREATE UNIQUE INDEX request_of_batch ON request (batch, number) WHERE batch IS NOT NULL;
  CREATE INDEX request_of_order ON request (order_id, base) WHERE order_id IS NOT NULL;
  CREATE INDEX request_of_client ON request (client_order_id) WHERE client_order_id IS NOT NULL;
  CREATE INDEX request_by_payment ON request (payment) WHERE payment IS NOT NULL;
  CREATE INDEX request_by_content ON request (content) WHERE payment IS NULL;
  CREATE INDEX request_pending ON request (state) WHERE ${pendingSql};
  -- Beside the requests, whose rows are written anew with each change: copies of it would stay in free pages.
  CREATE TABLE payload (request INTEGER PRIMARY KEY REFERENCES request, encrypted TEXT NOT NULL) STRICT;
  CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, nonce TEXT NOT NULL, request INTEGER REFERENCES request, from_state TEXT,
    to_state TEXT, at INTEGER NOT NULL, who TEXT NOT NULL, reason TEXT NOT NULL, facts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX event_of_request ON event (request);
  CREATE TABLE seen (
    id INTEGER PRIMARY KEY, base TEXT NOT NULL, order_id TEXT NOT NULL, login TEXT NOT NULL, profile TEXT NOT NULL,
    class TEXT NOT NULL, client_order_id TEXT, status TEXT NOT NULL, type TEXT, minor TEXT, currency TEXT, digits INTEGER,
    card4 TEXT, at INTEGER NOT NULL, outcome TEXT NOT NULL, UNIQUE (base, order_id)
  ) STRICT;
  CREATE TABLE spent (
    base TEXT NOT NULL, login TEXT NOT NULL, currency TEXT NOT NULL, day INTEGER NOT NULL, units INTEGER NOT NULL,
    PRIMARY KEY (base, login, currency, day)
  ) STRICT;
  CREATE TABLE worker (
    worker TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, boot TEXT NOT NULL, started TEXT NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT;
`;

/** Makes the tables of a new file; `meta` gives what is kept with them. Throws STORAGE for a file of another format. */
export function prepareTables(database: Database, meta: () => Readonly<Record<string, string>>): void {
  // Payloads that are purged must not stay readable in free pages.
  database.exec('PRAGMA secure_delete = ON');
  if (isOurs(database)) return;
  database.transaction(() => {
    if (isOurs(database)) return;
    database.exec(tables);
    for (const [name, value] of Object.entries(meta())) database.run('INSERT INTO meta VALUES (?, ?)', name, value);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}`);
  });
}

const headSql = `SELECT count(*) AS objects, (SELECT application_id FROM pragma_application_id) AS id,
  (SELECT user_version FROM pragma_user_version) AS version FROM sqlite_master`;

/** False for a file without anything in it. */
function isOurs(database: Database): boolean {
  // One statement: another process may be making the tables.
  const { id, version, objects } = database.get(headSql) ?? {};
  if (id === applicationId && version === format) return true;
  if (id === 0 && version === 0 && objects === 0) return false;
  throw fail('STORAGE', {
    what: 'the journal',
    why: 'its file has another format',
    how: 'use the version of paycli that made it, or move the file away and keep it',
  });
}

/** What is kept with the tables under this name. */
export function readMeta(database: Database, name: string): string {
  return String(database.get('SELECT value FROM meta WHERE name = ?', name)?.['value'] ?? '');
}

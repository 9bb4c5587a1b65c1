import { fail } from '../errors/index.js';
import type { Database, SqlRow } from '../runtime/ports.js';
import { masked, replySealContext, sealCallback } from './rows.js';
import type { Seal } from './seal.js';
import type { NewCallback, RawCallback } from './stored-callback.js';

const version = 2;
const columns = `id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, place TEXT NOT NULL, order_id TEXT NOT NULL,
    client_order_id TEXT NOT NULL, status TEXT NOT NULL, type TEXT NOT NULL, verified TEXT NOT NULL, why TEXT NOT NULL,
    sealed TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, repeat_of INTEGER, repeats INTEGER NOT NULL,
    last_at INTEGER NOT NULL, owed_to TEXT, asked_at INTEGER, asked_status TEXT, asked_says TEXT, conflicts TEXT NOT NULL,
    profile TEXT, class TEXT,
    UNIQUE (key, digest)`;
const tables = `
  CREATE TABLE callbacks (${columns});
  CREATE INDEX callbacks_of_order ON callbacks (order_id);
  CREATE INDEX callbacks_of_client ON callbacks (client_order_id);
  CREATE INDEX callbacks_owed ON callbacks (id) WHERE owed_to IS NOT NULL;
  CREATE TABLE forwards (
    id INTEGER PRIMARY KEY, callback_id INTEGER NOT NULL REFERENCES callbacks, at INTEGER NOT NULL, url TEXT NOT NULL,
    status INTEGER, reply TEXT NOT NULL, reason TEXT, ms INTEGER NOT NULL
  );
  CREATE INDEX forwards_of_callback ON forwards (callback_id);
`;

/** Creates the tables, or seals what an earlier version stored in clear. Throws STORAGE. */
export function prepareTables(database: Database, seal: Seal): void {
  const found = versionOf(database);
  if (found === version) return;
  if (found !== 0 && found !== 1) throw fail('madeByAnotherVersion', { what: 'the callback history' });
  if (found === 1) sealAll(database, seal);
  else makeTables(database);
}

function makeTables(database: Database): void {
  database.transaction(() => {
    if (versionOf(database) !== 0) return;
    database.exec(tables);
    database.exec(`PRAGMA user_version = ${version}`);
  });
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

/**
 * The process may die after any step, so the version number is written last, once free pages hold nothing of the clear
 * text either. A listener of the earlier version that still runs cannot store any more, so the gateway sends again
 * until it is replaced.
 */
function sealAll(database: Database, seal: Seal): void {
  database.exec('PRAGMA secure_delete = ON');
  database.transaction(() => {
    if (versionOf(database) !== 1 || !namesIn(database, 'callbacks').includes('body')) return;
    for (const column of ['profile', 'class'])
      if (!namesIn(database, 'callbacks').includes(column))
        database.exec(`ALTER TABLE callbacks ADD COLUMN ${column} TEXT`);
    database.exec('ALTER TABLE callbacks RENAME COLUMN body TO sealed');
    for (const { id } of database.all('SELECT id FROM callbacks')) sealRow(database, Number(id), seal);
    for (const { id } of database.all("SELECT id FROM forwards WHERE reply <> ''"))
      sealReply(database, Number(id), seal);
    for (const column of ['method', 'target', 'content_type'])
      database.exec(`ALTER TABLE callbacks DROP COLUMN ${column}`);
  });
  database.exec('VACUUM');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.exec(`PRAGMA user_version = ${version}`);
}

function namesIn(database: Database, table: string): readonly string[] {
  return database.all(`PRAGMA table_info(${table})`).map(({ name }) => String(name));
}

function sealRow(database: Database, id: number, seal: Seal): void {
  const row = database.get('SELECT * FROM callbacks WHERE id = ?', id) ?? {};
  const text = (name: string) => String(row[name] ?? '');
  const raw = rawOf(row);
  const about = {
    status: text('status'),
    type: text('type'),
    orderId: text('order_id'),
    clientOrderId: text('client_order_id'),
  };
  const [key = ''] = keysOf(seal, text('place'), { ...about, verified: text('verified') });
  const [digest = ''] = digestsOf(seal, raw);
  database.run(
    `UPDATE callbacks SET sealed = ?, key = ?, digest = ?, order_id = ?, client_order_id = ?, status = ?, type = ?, asked_says = ?, conflicts = ?
     WHERE id = ?`,
    ...[sealCallback({ ...about, raw }, digest, seal), key, digest],
    ...[about.orderId, about.clientOrderId, about.status, about.type].map(masked),
    ...[text('asked_says'), text('conflicts')].map(masked),
    id,
  );
}

function rawOf(row: SqlRow): RawCallback {
  const contentType = row['content_type'] ?? undefined;
  return {
    method: String(row['method']),
    target: String(row['target']),
    contentType: contentType === undefined ? undefined : String(contentType),
    body: Buffer.from(String(row['sealed']), 'base64'),
  };
}

function sealReply(database: Database, id: number, seal: Seal): void {
  const row = database.get('SELECT callback_id, reply FROM forwards WHERE id = ?', id) ?? {};
  const sealed = seal.seal(String(row['reply']), replySealContext(Number(row['callback_id'])));
  database.run('UPDATE forwards SET reply = ? WHERE id = ?', sealed, id);
}

type About = Pick<NewCallback, 'status' | 'type' | 'orderId' | 'clientOrderId'> & { readonly verified: string };

/** The keys that callbacks with the same content about one order share. A forged one must not block the real one. */
export function keysOf(
  seal: Seal,
  place: string,
  { verified, status, type, orderId, clientOrderId }: About,
): readonly string[] {
  return seal.hashes(['key', place, verified, status, type, orderId, clientOrderId]);
}

/** Keyed hashes over the bytes of a callback. */
export function digestsOf(seal: Seal, { method, target, contentType = '', body }: RawCallback): readonly string[] {
  return seal.hashes(['bytes', method, target, contentType, Buffer.from(body).toString('base64')]);
}

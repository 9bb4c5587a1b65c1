import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
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

/** Creates the tables. Throws STORAGE for those of another version. */
export function prepareTables(database: Database): void {
  const found = versionOf(database);
  if (found === version) return;
  if (found !== 0)
    throw fail('STORAGE', {
      what: 'the callback history',
      why: 'it was made by another version of paycli',
      how: 'use that version of paycli',
    });
  makeTables(database);
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

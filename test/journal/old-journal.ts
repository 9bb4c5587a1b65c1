import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

// As the first version made it, copied by hand: the present program must not be asked what it once was.
const tables = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE intents (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, operation TEXT NOT NULL, effect TEXT NOT NULL,
    base TEXT NOT NULL, endpoint_id TEXT NOT NULL, login TEXT NOT NULL, profile TEXT NOT NULL, class TEXT NOT NULL,
    client_order_id TEXT, order_id TEXT, sequence INTEGER NOT NULL, minor TEXT, currency TEXT, last_four TEXT, content TEXT NOT NULL,
    made_at INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, may_have_arrived INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, version TEXT NOT NULL
  );
  CREATE INDEX intents_of_order ON intents (base, endpoint_id, order_id);
  CREATE INDEX intents_of_client ON intents (client_order_id);
  CREATE INDEX intents_by_content ON intents (content);
  CREATE INDEX intents_open ON intents (state) WHERE state IN ('planned', 'sending', 'unknown', 'accepted');
  CREATE TABLE moves (
    id INTEGER PRIMARY KEY, intent_id INTEGER, from_state TEXT NOT NULL, to_state TEXT NOT NULL, at INTEGER NOT NULL,
    reason TEXT NOT NULL, facts TEXT NOT NULL, hash TEXT NOT NULL
  );
  CREATE INDEX moves_of_intent ON moves (intent_id);
  CREATE INDEX moves_to_sending ON moves (at) WHERE to_state = 'sending';
  CREATE TRIGGER moves_stay BEFORE UPDATE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never changed'); END;
  CREATE TRIGGER moves_last BEFORE DELETE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never removed'); END;
  INSERT INTO meta VALUES ('content-key', 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk');
  PRAGMA user_version = 1;
`;

/** A sale that was sent by the first version. */
export interface OldSale {
  readonly base: string;
  readonly clientOrderId: string;
  readonly state: 'planned' | 'sending' | 'unknown' | 'done' | 'refused' | 'declined';
  readonly minor?: string;
  readonly currency?: string;
  readonly content?: string;
  /** A return on this order instead. */
  readonly onOrder?: string;
  readonly at?: number;
}

/** A journal as the first version left it, with these entries, numbered from 1. */
export function makeOldJournal(folder: string, sales: readonly OldSale[]): void {
  const path = join(folder, 'journal.db');
  const database = new DatabaseSync(path);
  database.exec(tables);
  let end = { count: 0, hash: '' };
  const line = (intent: number, from: string, to: string, at: number, facts: string) => {
    const made = [end.count + 1, intent, from, to, at, '', facts];
    const hash = createHash('sha256')
      .update(`${end.hash}\n${JSON.stringify(made)}`)
      .digest('hex');
    database.prepare('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(...made, hash);
    end = { count: end.count + 1, hash };
  };
  sales.forEach((sale, index) => {
    const {
      base,
      clientOrderId,
      state,
      minor = '1042',
      currency = 'USD',
      content = 'content-1',
      onOrder,
      at = Date.UTC(2030, 0, 7, 12),
    } = sale;
    const id = index + 1;
    const key = onOrder === undefined ? [base, '4001', clientOrderId] : [base, '4001', 'RETURN', onOrder, 1];
    const kind = onOrder === undefined ? ['opening', 'SALE'] : ['follow-up', 'RETURN'];
    const place = [base, '4001', 'shop', 'shop-test', 'test', clientOrderId];
    const lasting = [JSON.stringify(key), ...kind, 'money', ...place, 1, minor, currency, null, content, at];
    const isSent = state !== 'planned';
    database
      .prepare(`INSERT INTO intents VALUES (${'?, '.repeat(26)}?)`)
      .run(
        ...[
          id,
          JSON.stringify(key),
          ...kind,
          'money',
          ...place,
          onOrder ?? null,
          1,
          minor,
          currency,
          null,
          content,
          at,
        ],
        ...[state, Number(isSent), Number(isSent && state !== 'refused'), at + 2, '', '{}', 'here', 1, '0.1.0'],
      );
    line(id, '', 'planned', at, JSON.stringify(lasting));
    const sender = { host: 'here', pid: 1, version: '0.1.0' };
    if (isSent)
      line(id, 'planned', 'sending', at + 1, JSON.stringify({ ...sender, attempt: 1, counts: { minor, currency } }));
    if (isSent && state !== 'sending') line(id, 'sending', state, at + 2, JSON.stringify({ ...sender, outcome: {} }));
  });
  database.close();
  writeFileSync(`${path}.tail.json`, JSON.stringify(end), { mode: 0o600 });
}

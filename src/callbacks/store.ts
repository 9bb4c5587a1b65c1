import { fail } from '../errors/index.js';
import type { Secrets } from '../journal/secrets.js';
import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import { withoutCardData as masked } from '../wire/mask.js';

/** The result of verifying the checksum. `no-key`: there was no key to verify it with. */
export type Verified = 'fits' | 'wrong' | 'no-key';

/** A callback as it was received, byte for byte. */
export interface RawCallback {
  readonly method: string;
  /** Path and query of the request, unchanged. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

export interface NewCallback {
  /** The gateway it is from, as in the journal. */
  readonly place: string;
  /** Of the listener that received it. */
  readonly profile: string;
  /** Of that profile, as it was then: sandbox, test or live. */
  readonly class: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  /** Empty when it named none. */
  readonly type: string;
  readonly verified: Verified;
  /** Why it is wrong, or which key it fits; in paycli's words, never in the callback's. */
  readonly why: string;
  readonly raw: RawCallback;
  /** The handler it still has to be forwarded to; undefined for none. */
  readonly forwardTo: string | undefined;
}

/** The answer to a status query that a callback led to. */
export interface StatusAnswer {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The status word; undefined when the query gave none. */
  readonly status: string | undefined;
  /** The answer in words, for people. */
  readonly says: string;
}

/** One attempt to forward a callback to a handler. */
export interface ForwardAttempt {
  readonly at: number;
  readonly url: string;
  /** HTTP status of its answer; undefined without one. */
  readonly status: number | undefined;
  /** The first bytes of that answer, fit to be shown. */
  readonly reply: string;
  readonly reason: string | undefined;
  readonly ms: number;
}

/** Why an attempt does not count as received; undefined where it does. */
export function handlerFault({ status, reason }: Pick<ForwardAttempt, 'status' | 'reason'>): string | undefined {
  if (status === 200 && reason === undefined) return undefined;
  return status === undefined ? 'the handler did not answer' : `the handler answered HTTP ${status}`;
}

export interface StoredCallback extends Omit<NewCallback, 'raw'> {
  /** Undefined when the key that encrypted it is missing. */
  readonly raw: RawCallback | undefined;
  /** Grows with every callback; never given twice. */
  readonly id: number;
  /** When it was first received, in milliseconds since 1970. */
  readonly at: number;
  /** How often the same bytes were received again, and when last. */
  readonly repeats: number;
  readonly lastAt: number;
  /** The last answer; undefined while status was not queried. */
  readonly asked: StatusAnswer | undefined;
  /** What does not agree with the journal or with status, each in words. */
  readonly conflicts: readonly string[];
  readonly forwards: readonly ForwardAttempt[];
}

/** The result of storing a callback. */
export interface Saved {
  readonly callback: StoredCallback;
  /**
   * `repeat`: the same bytes are stored already; `over`: too many with its status, type and ids are, each with other
   * content.
   */
  readonly as: 'new' | 'repeat' | 'over';
}

interface CallbackFilter {
  /** Either id of an order. */
  readonly order?: string | undefined;
  readonly place?: string | undefined;
  readonly profile?: string | undefined;
  /** Only those that were not yet forwarded when their listener ended. */
  readonly isOwed?: true | undefined;
  /** The newest `limit` ones. */
  readonly limit?: number | undefined;
}

const version = 4;
// What came from outside is encrypted; columns hold masked copies, to be listed and searched.
const tables = `
  CREATE TABLE callback (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, place TEXT NOT NULL, profile TEXT NOT NULL, class TEXT NOT NULL,
    order_id TEXT NOT NULL, client_order_id TEXT NOT NULL, status TEXT NOT NULL, type TEXT NOT NULL,
    verified TEXT NOT NULL, why TEXT NOT NULL, sealed TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL,
    repeats INTEGER NOT NULL DEFAULT 0, last_at INTEGER NOT NULL, owed_to TEXT,
    asked TEXT, conflicts TEXT NOT NULL DEFAULT '[]', forwards TEXT,
    UNIQUE (key, digest)
  ) STRICT;
  CREATE INDEX callback_of_order ON callback (order_id);
  CREATE INDEX callback_of_client ON callback (client_order_id);
  CREATE INDEX callback_owed ON callback (id) WHERE owed_to IS NOT NULL;
`;

// Whoever saw one callback can forge others with its checksum, which does not cover all fields.
const maxVariants = 20;

/** Opens the history of callbacks, created at first use. Throws STORAGE. */
export function openCallbackStore(database: Database, secrets: Secrets): CallbackStore {
  const found = database.transaction(() => {
    const before = Number(database.get('PRAGMA user_version')?.['user_version']);
    if (before !== 0) return before;
    database.exec(`${tables} PRAGMA user_version = ${version}`);
    return version;
  });
  if (found === version) return new CallbackStore(database, secrets);
  throw fail('STORAGE', {
    what: 'the callback history',
    why: 'it was made by another version of paycli',
    how: 'use that version of paycli',
  });
}

/** Every callback received, with the results of handling it. A change is on disk when its function returns. */
export class CallbackStore {
  readonly #database: Database;
  readonly #secrets: Secrets;

  constructor(database: Database, secrets: Secrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Stores a callback, or counts it where it is stored already. */
  save(callback: NewCallback, at: number): Saved {
    const { orderId, clientOrderId, status, type, verified, why, raw, profile } = callback;
    const place = gatewayName(callback.place);
    // Part of the key is whether it verified, so that forged callbacks do not use up the number of genuine ones.
    const key = this.#secrets.hash(['key', place, verified, status, type, orderId, clientOrderId]);
    const content = contentOf(callback);
    const digest = this.#secrets.hash(['bytes', raw.method, raw.target, raw.contentType ?? '', content.body]);
    const sealed = this.#secrets.encrypt(JSON.stringify(content), digest);
    return this.#database.transaction(() => {
      const same = this.#database.get('SELECT id FROM callback WHERE key = ? AND digest = ?', key, digest);
      if (same !== undefined) {
        const id = Number(same['id']);
        this.#database.run('UPDATE callback SET repeats = repeats + 1, last_at = ? WHERE id = ?', at, id);
        return { callback: this.#known(id), as: 'repeat' };
      }
      const known = this.#database.get('SELECT min(id) AS id, count(*) AS count FROM callback WHERE key = ?', key);
      if (Number(known?.['count']) >= maxVariants) return { callback: this.#known(Number(known?.['id'])), as: 'over' };
      const { lastId } = this.#database.run(
        `INSERT INTO callback (at, last_at, place, profile, class, order_id, client_order_id, status, type, verified, why,
         sealed, key, digest, owed_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[at, at, place, profile, callback.class],
        ...[orderId, clientOrderId, status, type].map(masked),
        ...[verified, why, sealed, key, digest, callback.forwardTo ?? null],
      );
      return { callback: this.#known(lastId), as: 'new' };
    });
  }

  get(id: number): StoredCallback | undefined {
    const row = this.#database.get('SELECT * FROM callback WHERE id = ?', id);
    return row === undefined ? undefined : callbackFrom(row, this.#secrets);
  }

  /** Oldest first. */
  list({ order, place, profile, isOwed, limit }: CallbackFilter = {}): StoredCallback[] {
    const ids = order === undefined ? undefined : JSON.stringify([order, masked(order)]);
    const among = 'IN (SELECT value FROM json_each(?))';
    const conditions: readonly (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
      [`(order_id ${among} OR client_order_id ${among})`, ids, ids],
      ['place = ?', place === undefined ? undefined : gatewayName(place)],
      ['profile = ?', profile],
      ['owed_to IS NOT NULL AND ?', isOwed && 1],
    ];
    const applied = conditions.filter(([, value]) => value !== undefined);
    const where = ['true', ...applied.map(([sql]) => sql)].join(' AND ');
    const values = applied.flatMap(([, ...bound]) => bound).filter((value) => value !== undefined);
    const newest = `SELECT * FROM callback WHERE ${where} ORDER BY id DESC LIMIT ?`;
    const rows = this.#database.all(newest, ...values, limit ?? -1);
    return rows.reverse().map((row) => callbackFrom(row, this.#secrets));
  }

  recordStatusAnswer(id: number, { at, status, says }: StatusAnswer): void {
    const asked = { at, status: status && masked(status), says: masked(says) };
    this.#database.run('UPDATE callback SET asked = ? WHERE id = ?', JSON.stringify(asked), id);
  }

  /** Adds what does not agree; a conflict that is known already is not added again. */
  addConflicts(id: number, conflicts: readonly string[]): void {
    if (conflicts.length === 0) return;
    this.#database.transaction(() => {
      const all = new Set([...this.#known(id).conflicts, ...conflicts.map(masked)]);
      this.#database.run('UPDATE callback SET conflicts = ? WHERE id = ?', JSON.stringify([...all]), id);
    });
  }

  /** Records the answer of a handler; from then on it is not forwarded again. */
  recordForward(id: number, attempt: ForwardAttempt): void {
    this.#database.transaction(() => {
      const all = JSON.stringify([...this.#known(id).forwards, attempt]);
      const sealed = this.#secrets.encrypt(all, aboutForwards(id));
      this.#database.run('UPDATE callback SET forwards = ? WHERE id = ?', sealed, id);
      this.#database.run('UPDATE callback SET owed_to = NULL WHERE id = ? AND owed_to = ?', id, attempt.url);
    });
  }

  /** How many with a wrong checksum are stored. */
  countWrong(): number {
    return Number(this.#database.get("SELECT count(*) AS count FROM callback WHERE verified = 'wrong'")?.['count']);
  }

  close(): void {
    this.#database.close();
  }

  #known(id: number): StoredCallback {
    const callback = this.get(id);
    if (callback === undefined) throw new Error('the callback history has lost an entry');
    return callback;
  }
}

/** What is encrypted of a callback: its bytes, and the fields read from them. */
function contentOf({ raw, orderId, clientOrderId, status, type }: NewCallback) {
  const { method, target, contentType, body } = raw;
  return {
    ...{ method, target, contentType, body: Buffer.from(body).toString('base64') },
    ...{ orderId, clientOrderId, status, type },
  };
}

const aboutForwards = (id: number) => `forwards of callback ${id}`;

function callbackFrom(row: SqlRow, secrets: Secrets): StoredCallback {
  const text = (name: string) => String(row[name]);
  const decrypted = (name: string, about: string) => {
    const json = row[name] === null ? undefined : secrets.decrypt(text(name), about);
    return json === undefined ? undefined : JSON.parse(json);
  };
  const id = Number(row['id']);
  const { method, target, contentType, body, ...fields } = decrypted('sealed', text('digest')) ?? {};
  const raw: RawCallback | undefined =
    body === undefined ? undefined : { method, target, contentType, body: Buffer.from(body, 'base64') };
  const verified = text('verified');
  return {
    id,
    at: Number(row['at']),
    place: text('place'),
    profile: text('profile'),
    class: text('class'),
    orderId: text('order_id'),
    clientOrderId: text('client_order_id'),
    status: text('status'),
    type: text('type'),
    // A changed word proves nothing.
    verified: verified === 'fits' || verified === 'no-key' ? verified : 'wrong',
    why: text('why'),
    raw,
    forwardTo: row['owed_to'] === null ? undefined : text('owed_to'),
    repeats: Number(row['repeats']),
    lastAt: Number(row['last_at']),
    asked: row['asked'] === null ? undefined : JSON.parse(text('asked')),
    conflicts: JSON.parse(text('conflicts')),
    forwards: decrypted('forwards', aboutForwards(id)) ?? [],
    // The originals go before their masked copies.
    ...fields,
  };
}

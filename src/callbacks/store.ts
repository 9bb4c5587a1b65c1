import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import { callbackFrom, forwardFrom, masked, replySealContext, sealCallback } from './rows.js';
import type { Seal } from './seal.js';
import type { ForwardAttempt, NewCallback, StatusAnswer, StoredCallback } from './stored-callback.js';

export type { Seal } from './seal.js';
export type {
  ForwardAttempt,
  NewCallback,
  RawCallback,
  StatusAnswer,
  StoredCallback,
  Verified,
} from './stored-callback.js';

import { digestsOf, keysOf, prepareTables } from './tables.js';

interface CallbackFilter {
  /** Either id of an order. */
  readonly order?: string | undefined;
  /** Only those first received at or after this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only those with a greater id. */
  readonly after?: number | undefined;
  readonly place?: string | undefined;
  readonly profile?: string | undefined;
  /** The newest `limit` ones. */
  readonly limit?: number | undefined;
}

/** The result of storing a callback. */
export interface Saved {
  readonly callback: StoredCallback;
  /**
   * `new`; `repeat`: the same bytes are stored already; `variant`: the same status, type and ids with other content;
   * `over`: a variant beyond `maxVariants`, which is not stored.
   */
  readonly as: 'new' | 'repeat' | 'variant' | 'over';
}

// Whoever saw one callback can forge others with its checksum, which does not cover all fields.
const maxVariants = 20;

/** Opens the history of callbacks, created at first use. Throws STORAGE. */
export function openCallbackStore(database: Database, seal: Seal): CallbackStore {
  prepareTables(database);
  return new CallbackStore(database, seal);
}

/** Every callback received, with the results of handling it. A change is on disk when its function returns. */
export class CallbackStore {
  readonly #database: Database;
  readonly #seal: Seal;

  constructor(database: Database, seal: Seal) {
    this.#database = database;
    this.#seal = seal;
  }

  /** Stores a callback, or counts it where it is stored already. */
  save(callback: NewCallback, at: number): Saved {
    const { orderId, clientOrderId, status, type, verified, why, raw, forwardTo, profile = null } = callback;
    const place = gatewayName(callback.place);
    // Part of the key is whether it verified, so that a forged callback does not pass for a variant of the genuine one.
    const about = { verified, status, type, orderId, clientOrderId };
    const allKeys = keysOf(this.#seal, place, about);
    const [key = ''] = allKeys;
    const keys = JSON.stringify(allKeys);
    const digests = digestsOf(this.#seal, raw);
    const [digest = ''] = digests;
    const sealed = sealCallback(callback, digest, this.#seal);
    return this.#database.transaction(() => {
      const same = this.#database.get(
        `SELECT id FROM callbacks WHERE ${keyIs} AND ${digestIs}`,
        keys,
        JSON.stringify(digests),
      );
      if (same !== undefined) {
        this.#database.run(
          'UPDATE callbacks SET repeats = repeats + 1, last_at = ? WHERE id = ?',
          at,
          Number(same['id']),
        );
        return { callback: this.#known(Number(same['id'])), as: 'repeat' };
      }
      const known = this.#database.get(`SELECT min(id) AS id, count(*) AS count FROM callbacks WHERE ${keyIs}`, keys);
      const first = known?.['id'] ?? null;
      if (Number(known?.['count']) >= maxVariants) return { callback: this.#known(Number(first)), as: 'over' };
      const { lastId } = this.#database.run(
        `INSERT INTO callbacks (at, place, order_id, client_order_id, status, type, verified, why, sealed, key, digest,
         repeat_of, repeats, last_at, owed_to, conflicts, profile, class)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, '[]', ?, ?)`,
        ...[at, place, ...[orderId, clientOrderId, status, type].map(masked), verified, why, sealed],
        ...[key, digest, first, at, forwardTo ?? null, profile, callback.class ?? null],
      );
      return { callback: this.#known(lastId), as: first === null ? 'new' : 'variant' };
    });
  }

  get(id: number): StoredCallback | undefined {
    const row = this.#database.get('SELECT * FROM callbacks WHERE id = ?', id);
    return row === undefined ? undefined : this.#callbackFrom(row);
  }

  /** Oldest first. */
  list({ order, since, after, place, profile, limit }: CallbackFilter = {}): StoredCallback[] {
    const conditions: (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
      [`(order_id ${orderIs} OR client_order_id ${orderIs})`, idsOf(order), idsOf(order)],
      ['at >= ?', since],
      ['id > ?', after],
      ['profile = ?', profile],
      place === undefined ? ['true', undefined] : [placeIs, gatewayName(place)],
    ];
    const applied = conditions.filter(([, value]) => value !== undefined);
    const where = ['true', ...applied.map(([sql]) => sql)].join(' AND ');
    const values = applied.flatMap(([, ...bound]) => bound).filter((value) => value !== undefined);
    const newest = `SELECT * FROM callbacks WHERE ${where} ORDER BY id DESC LIMIT ?`;
    return this.#database
      .all(`SELECT * FROM (${newest}) ORDER BY id`, ...values, limit ?? -1)
      .map((row) => this.#callbackFrom(row));
  }

  /** Callbacks that were stored but not yet forwarded when their listener ended. */
  notForwarded(place: string): StoredCallback[] {
    const rows = this.#database.all(
      `SELECT * FROM callbacks WHERE owed_to IS NOT NULL AND ${placeIs} ORDER BY id`,
      gatewayName(place),
    );
    return rows.map((row) => this.#callbackFrom(row));
  }

  /** Whether a callback on this order with a wrong checksum has led to a status query before. */
  wasQueriedForWrong(place: string, orderId: string, clientOrderId: string): boolean {
    const asked = `SELECT id FROM callbacks WHERE ${placeIs} AND verified = 'wrong' AND asked_at IS NOT NULL
      AND (order_id = ? OR client_order_id = ?) LIMIT 1`;
    return this.#database.get(asked, gatewayName(place), masked(orderId), masked(clientOrderId)) !== undefined;
  }

  recordStatusAnswer(id: number, { at, status, says }: StatusAnswer): void {
    this.#database.run(
      'UPDATE callbacks SET asked_at = ?, asked_status = ?, asked_says = ? WHERE id = ?',
      at,
      maskedOrNull(status),
      masked(says),
      id,
    );
  }

  /** Adds what does not agree; a conflict that is known already is not added again. */
  addConflicts(id: number, conflicts: readonly string[]): void {
    if (conflicts.length === 0) return;
    this.#database.transaction(() => {
      const all = new Set([...this.#known(id).conflicts, ...conflicts.map(masked)]);
      this.#database.run('UPDATE callbacks SET conflicts = ? WHERE id = ?', JSON.stringify([...all]), id);
    });
  }

  /** Records the answer of a handler; from then on it is not forwarded again. */
  recordForward(id: number, { at, url, status, reply, reason, ms }: ForwardAttempt): void {
    this.#database.transaction(() => {
      const insert =
        'INSERT INTO forwards (callback_id, at, url, status, reply, reason, ms) VALUES (?, ?, ?, ?, ?, ?, ?)';
      const sealed = reply === '' ? '' : this.#seal.seal(reply, replySealContext(id));
      this.#database.run(insert, id, at, url, status ?? null, sealed, reason ?? null, ms);
      this.#database.run('UPDATE callbacks SET owed_to = NULL WHERE id = ? AND owed_to = ?', id, url);
    });
  }

  /** How many with a wrong checksum are stored. */
  countWrong(): number {
    return Number(
      this.#database.get("SELECT count(*) AS count FROM callbacks WHERE verified = 'wrong'")?.['count'] ?? 0,
    );
  }

  /** How many are sealed with a key that is missing. */
  unreadable(): number {
    const one = 'SELECT sealed, digest FROM callbacks GROUP BY substr(sealed, 1, 16)';
    const lost = this.#database
      .all(one)
      .filter(({ sealed, digest }) => this.#seal.open(String(sealed), String(digest)) === undefined);
    const ids = JSON.stringify(lost.map(({ sealed }) => String(sealed).slice(0, 16)));
    const count =
      'SELECT count(*) AS count FROM callbacks WHERE substr(sealed, 1, 16) IN (SELECT value FROM json_each(?))';
    return lost.length === 0 ? 0 : Number(this.#database.get(count, ids)?.['count']);
  }

  /** The id of the newest callback; 0 when there is none. */
  newest(): number {
    return Number(this.#database.get('SELECT max(id) AS id FROM callbacks')?.['id'] ?? 0);
  }

  close(): void {
    this.#database.close();
  }

  #known(id: number): StoredCallback {
    const callback = this.get(id);
    if (callback === undefined) throw new Error('the callback history has lost an entry');
    return callback;
  }

  #callbackFrom(row: SqlRow): StoredCallback {
    const forwards = this.#database.all('SELECT * FROM forwards WHERE callback_id = ? ORDER BY id', Number(row['id']));
    return { ...callbackFrom(row, this.#seal), forwards: forwards.map((each) => forwardFrom(each, this.#seal)) };
  }
}

const placeIs = 'place = ?';
const keyIs = 'key IN (SELECT value FROM json_each(?))';
const digestIs = 'digest IN (SELECT value FROM json_each(?))';
const orderIs = 'IN (SELECT value FROM json_each(?))';

function idsOf(order: string | undefined): string | undefined {
  return order === undefined ? undefined : JSON.stringify([order, masked(order)]);
}

function maskedOrNull(text: string | undefined): string | null {
  return text === undefined ? null : masked(text);
}

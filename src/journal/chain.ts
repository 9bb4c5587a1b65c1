import { createHash } from 'node:crypto';
import type { Database, SqlRow } from '../runtime/ports.js';

/**
 * Every change of the journal as a line that only ever is added. Each holds a hash over itself and the hash of the line
 * before it, so that a changed or removed line shows.
 */
export interface Move {
  readonly id: number;
  /** Undefined for what is about no intent, such as a lease. */
  readonly intentId: number | undefined;
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason: string;
  /** JSON. */
  readonly facts: string;
  readonly hash: string;
}

export const moveTables = `
  CREATE TABLE moves (
    id INTEGER PRIMARY KEY, intent_id INTEGER, from_state TEXT NOT NULL, to_state TEXT NOT NULL, at INTEGER NOT NULL,
    reason TEXT NOT NULL, facts TEXT NOT NULL, hash TEXT NOT NULL
  );
  CREATE INDEX moves_of_intent ON moves (intent_id);
  CREATE INDEX moves_to_sending ON moves (at) WHERE to_state = 'sending';
  CREATE TRIGGER moves_stay BEFORE UPDATE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never changed'); END;
  CREATE TRIGGER moves_last BEFORE DELETE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never removed'); END;
`;

/** The end of the chain. */
export interface Tail {
  readonly count: number;
  readonly hash: string;
}

export const noTail: Tail = { count: 0, hash: '' };

export type NewMove = Omit<Move, 'id' | 'hash'>;

/** The chain as one process adds to it, in transactions of the caller. */
export class Chain {
  readonly #database: Database;
  #end: Tail | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  add(move: NewMove): void {
    const { count, hash: before } = this.end();
    const made: Omit<Move, 'hash'> = { ...move, id: count + 1 };
    const hash = hashOf(made, before);
    const { id, intentId, from, to, at, reason, facts } = made;
    this.#database.run('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)', id, intentId ?? null, from, to, at, reason, facts, hash);
    this.#end = { count: id, hash };
  }

  /** Read once in a transaction: nobody else adds to it meanwhile. */
  end(): Tail {
    this.#end ??= tailOf(this.#database);
    return this.#end;
  }

  /** The lines about an intent, or those about none. */
  about(intentId: number | undefined): Move[] {
    const sql = `SELECT * FROM moves WHERE intent_id ${intentId === undefined ? 'IS NULL' : '= ?'} ORDER BY id`;
    return this.#database.all(sql, ...(intentId === undefined ? [] : [intentId])).map(moveFrom);
  }

  all(): Move[] {
    return this.#database.all('SELECT * FROM moves ORDER BY id').map(moveFrom);
  }

  /** Where a transaction begins, and when lines were undone. */
  forgetEnd(): void {
    this.#end = undefined;
  }
}

export function tailOf(database: Database): Tail {
  const row = database.get('SELECT id, hash FROM moves ORDER BY id DESC LIMIT 1');
  return row === undefined ? noTail : { count: Number(row['id']), hash: String(row['hash']) };
}

export function hashOf({ id, intentId, from, to, at, reason, facts }: Omit<Move, 'hash'>, before: string): string {
  return createHash('sha256')
    .update(`${before}\n${JSON.stringify([id, intentId ?? null, from, to, at, reason, facts])}`, 'utf8')
    .digest('hex');
}

export function moveFrom(row: SqlRow): Move {
  const intentId = row['intent_id'];
  return {
    id: Number(row['id']),
    intentId: intentId === null || intentId === undefined ? undefined : Number(intentId),
    from: String(row['from_state']),
    to: String(row['to_state']),
    at: Number(row['at']),
    reason: String(row['reason']),
    facts: String(row['facts']),
    hash: String(row['hash']),
  };
}

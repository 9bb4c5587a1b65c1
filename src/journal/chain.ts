import { hash as digest } from 'node:crypto';
import type { Database, SqlRow } from '../runtime/ports.js';
import { pageSize, pagesOf, rowsOf, textsOf } from './rows.js';

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

  /** Where a transaction begins, and when lines were undone. */
  forgetEnd(): void {
    this.#end = undefined;
  }
}

/** The columns of a line. */
export const moveColumns = ['id', 'intent_id', 'from_state', 'to_state', 'at', 'reason', 'facts', 'hash'] as const;

const pageQuery = 'SELECT * FROM moves WHERE id > ? ORDER BY id LIMIT ?';

/** The lines from this one on, oldest first, a page at a time. */
export function* movePages(database: Database, first = 1): Generator<Move[]> {
  for (const rows of pagesOf((after, most) => rowsOf(database, moveColumns, pageQuery, after, most), first - 1)) yield rows.map(moveFrom);
}

// The text that the hash is over, as SQLite writes it. Where it writes another than `hashOf`, the line fits no hash, and the caller looks.
const hashedText = `json_array(${moveColumns.slice(0, -1).join(', ')}) || hash`;

/**
 * Follows the links of a page of lines behind `end` without making an object of each, which takes most of the time. The new end, `end`
 * itself behind the last line, and undefined where a link does not fit or cannot be followed like this.
 */
export function followPage(database: Database, end: Tail): Tail | undefined {
  let { count, hash } = end;
  for (const line of textsOf(database, hashedText, pageQuery, end.count, pageSize) ?? [undefined]) {
    count += 1;
    const text = line?.slice(0, -hashLength);
    if (line === undefined || text?.startsWith(`[${count},`) !== true) return undefined;
    const next = digest('sha256', `${hash}\n${text}`, 'hex');
    if (!line.endsWith(next)) return undefined;
    hash = next;
  }
  return count === end.count ? end : { count, hash };
}

const hashLength = 64;

/** The lines about an intent, or those about none. */
export function movesAbout(database: Database, intentId: number | undefined): Move[] {
  const sql = `SELECT * FROM moves WHERE intent_id ${intentId === undefined ? 'IS NULL' : '= ?'} ORDER BY id`;
  return database.all(sql, ...(intentId === undefined ? [] : [intentId])).map(moveFrom);
}

/** How many lines there are. */
export function moveCount(database: Database): number {
  return Number(database.get('SELECT count(*) AS count FROM moves')?.['count'] ?? 0);
}

export function tailOf(database: Database): Tail {
  const row = database.get('SELECT id, hash FROM moves ORDER BY id DESC LIMIT 1');
  return row === undefined ? noTail : { count: Number(row['id']), hash: String(row['hash']) };
}

export function hashOf({ id, intentId, from, to, at, reason, facts }: Omit<Move, 'hash'>, before: string): string {
  // At once: an object for each of many lines would hold memory that V8 does not see.
  return digest('sha256', `${before}\n${JSON.stringify([id, intentId ?? null, from, to, at, reason, facts])}`, 'hex');
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

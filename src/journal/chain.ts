import { hash as digest } from 'node:crypto';
import type { Database, SqlRow } from '../runtime/ports.js';
import { pagesOf, rowsOf } from './sql-pages.js';

/**
 * A change of the journal, as a line that is only ever appended. It holds a hash over itself and the hash of the line
 * before it, so that a changed or removed line is detected.
 */
export interface ChainLine {
  readonly id: number;
  /** Undefined for what is about no intent, such as a plan. */
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

export const chainTables = `
  CREATE TABLE moves (
    id INTEGER PRIMARY KEY, intent_id INTEGER, from_state TEXT NOT NULL, to_state TEXT NOT NULL, at INTEGER NOT NULL,
    reason TEXT NOT NULL, facts TEXT NOT NULL, hash TEXT NOT NULL
  );
  CREATE INDEX moves_of_intent ON moves (intent_id);
  CREATE TRIGGER moves_stay BEFORE UPDATE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never changed'); END;
  CREATE TRIGGER moves_last BEFORE DELETE ON moves BEGIN SELECT RAISE(ABORT, 'moves are never removed'); END;
`;

/** The end of the chain. */
export interface ChainHead {
  readonly count: number;
  readonly hash: string;
}

export const emptyHead: ChainHead = { count: 0, hash: '' };

/** What a line says, without its place in the chain. */
export type LineText = Omit<ChainLine, 'id' | 'intentId' | 'hash'>;

type NewChainLine = Omit<ChainLine, 'id' | 'hash'>;

/** The chain as one process adds to it, in transactions of the caller. */
export class Chain {
  readonly #database: Database;
  #end: ChainHead | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  add(move: NewChainLine): void {
    const { count, hash: before } = this.end();
    const made: Omit<ChainLine, 'hash'> = { ...move, id: count + 1 };
    const hash = hashOf(made, before);
    const { id, intentId, from, to, at, reason, facts } = made;
    this.#database.run(
      'INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      id,
      intentId ?? null,
      from,
      to,
      at,
      reason,
      facts,
      hash,
    );
    this.#end = { count: id, hash };
  }

  /** Read once in a transaction: nobody else adds to it meanwhile. */
  end(): ChainHead {
    this.#end ??= headOf(this.#database);
    return this.#end;
  }

  /** To be called at the start of a transaction, and when lines were rolled back. */
  forgetEnd(): void {
    this.#end = undefined;
  }
}

/** The columns of a line. */
const lineColumns = ['id', 'intent_id', 'from_state', 'to_state', 'at', 'reason', 'facts', 'hash'] as const;

const pageQuery = 'SELECT * FROM moves WHERE id > ? ORDER BY id LIMIT ?';

/** The lines, oldest first, a page at a time. */
export function* linePages(database: Database): Generator<ChainLine[]> {
  for (const rows of pagesOf((after, max) => rowsOf(database, lineColumns, pageQuery, after, max), 0))
    yield rows.map(lineFromRow);
}

/** The lines about an intent, or those about none. */
export function linesAbout(database: Database, intentId: number | undefined): ChainLine[] {
  const sql = `SELECT * FROM moves WHERE intent_id ${intentId === undefined ? 'IS NULL' : '= ?'} ORDER BY id`;
  return database.all(sql, ...(intentId === undefined ? [] : [intentId])).map(lineFromRow);
}

/** How many lines there are. */
export function lineCount(database: Database): number {
  return Number(database.get('SELECT count(*) AS count FROM moves')?.['count'] ?? 0);
}

export function headOf(database: Database): ChainHead {
  const row = database.get('SELECT id, hash FROM moves ORDER BY id DESC LIMIT 1');
  return row === undefined ? emptyHead : { count: Number(row['id']), hash: String(row['hash']) };
}

export function hashOf({ id, intentId, from, to, at, reason, facts }: Omit<ChainLine, 'hash'>, before: string): string {
  // One-shot: a Hash object for each of many lines would hold memory that V8 does not account for.
  return digest('sha256', `${before}\n${JSON.stringify([id, intentId ?? null, from, to, at, reason, facts])}`, 'hex');
}

function lineFromRow(row: SqlRow): ChainLine {
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

/** Facts of a line. */
export type Facts = Readonly<Record<string, unknown>>;

export function factsIn(json: string): Facts {
  const value: unknown = JSON.parse(json);
  return isFacts(value) ? value : {};
}

export function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null;
}

import type { Database, SqlValue } from '../runtime/ports.js';

export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/** Tables a server adds to with nearly every request. */
export type RowTable = 'orders' | 'transactions' | 'events';
export type NewRow = readonly SqlValue[];

/**
 * What requests answered in one transaction share. Nobody else can write meanwhile, so what was read once stays true, and what
 * only grows is written once, at the end. It knows no undoing of one request: whoever needs that throws `Undo`.
 */
export interface Group {
  next(name: Counter | 'transaction'): number;
  /** What `read` gave when it was first asked for under this name, or what was learnt since. Only for what no request changes unseen. */
  remember<T>(name: string, read: () => T): T;
  learn(name: string, value: unknown): void;
  forget(name: string): void;
  /** Adds a row that is written before anything is read again, and at the end at the latest. */
  add(table: RowTable, row: NewRow): void;
  /** The state without the rows that wait to be written. */
  readonly before: Database;
}

/** The work of one request has to be undone, so the group has to be answered one by one. */
export class Undo extends Error {}

import type { Store } from '../store.js';

export const noteTables = `
  CREATE TABLE callback_notes (id INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id INTEGER NOT NULL, at INTEGER NOT NULL, stage TEXT NOT NULL);
  CREATE INDEX callback_notes_at ON callback_notes (at);
`;

/**
 * Written in the very transaction that plans a status or makes it final; notes become callbacks when the state is next brought up
 * to date. So no moment to end the process at loses one. Only for transactions somebody is to be told about.
 */
export function noteForCallback({ database }: Store, stage: 'planned' | 'final', transactionId: number, at: number): void {
  database.run('INSERT INTO callback_notes (transaction_id, at, stage) VALUES (?, ?, ?)', transactionId, at, stage);
}

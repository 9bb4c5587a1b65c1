import type { Database } from '../runtime/ports.js';

/**
 * Who paid, by a keyed hash of the e-mail address; the address itself is not kept. A table beside the entries, added to
 * a journal of an earlier version with its first payer: an older paycli reads it all the same, and no line covers it.
 */
export const payerTable = `
  CREATE TABLE IF NOT EXISTS payers (intent_id INTEGER PRIMARY KEY, email TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS payers_by_email ON payers (email);
`;

/** What is hashed of an address: upper or lower case and blanks around it make no difference. */
export function payerParts(email: string): readonly string[] {
  return ['e-mail address of the payer', email.trim().toLowerCase()];
}

/** Records the payer of an order, or removes one that is no longer given; in a transaction of the caller. */
export function writePayer(database: Database, intentId: number, payer: string | undefined): void {
  if (payer !== undefined) {
    if (!hasPayers(database)) database.exec(payerTable);
    database.run('INSERT OR REPLACE INTO payers VALUES (?, ?)', intentId, payer);
  } else if (hasPayers(database)) database.run('DELETE FROM payers WHERE intent_id = ?', intentId);
}

/** False in a journal that no version with payers has written to. */
export function hasPayers(database: Database): boolean {
  return database.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'payers'") !== undefined;
}

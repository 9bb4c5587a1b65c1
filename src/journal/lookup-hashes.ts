import type { Database } from '../runtime/ports.js';
import type { NewIntent } from './intent.js';

/**
 * Keyed hashes by which entries are found: of the payer's e-mail address, and of what identifies a payment whatever its
 * client order id. The texts themselves are not kept. Tables beside the entries; no line covers them.
 */
export const lookupTables = `
  CREATE TABLE IF NOT EXISTS payers (intent_id INTEGER PRIMARY KEY, email TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS payers_by_email ON payers (email);
  CREATE TABLE IF NOT EXISTS payments (intent_id INTEGER PRIMARY KEY, payment TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS payments_by_hash ON payments (payment);
`;

/** What is hashed of an address: upper or lower case and blanks around it make no difference. */
export function payerParts(email: string): readonly string[] {
  return ['e-mail address of the payer', email.trim().toLowerCase()];
}

/** Records the hashes of an entry, or removes one that is no longer given; in a transaction of the caller. */
export function writeLookupHashes(
  database: Database,
  intentId: number,
  { payer, payment }: Pick<NewIntent, 'payer' | 'payment'>,
): void {
  const hashes = { payers: payer, payments: payment };
  for (const table of ['payers', 'payments'] as const) {
    const hash = hashes[table];
    if (hash !== undefined) {
      if (!hasTable(database, table)) database.exec(lookupTables);
      database.run(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`, intentId, hash);
    } else if (hasTable(database, table)) database.run(`DELETE FROM ${table} WHERE intent_id = ?`, intentId);
  }
}

/** False in a journal that no version with this table has written to. */
export function hasTable(database: Database, table: 'payers' | 'payments'): boolean {
  return database.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table) !== undefined;
}

/** The hash of the payment of a request, also of one that was read from the journal. */
export function paymentOf(
  database: Database,
  { id, payment }: NewIntent & { readonly id?: number },
): string | undefined {
  if (payment !== undefined || id === undefined || !hasTable(database, 'payments')) return payment;
  const stored = database.get('SELECT payment FROM payments WHERE intent_id = ?', id)?.['payment'];
  return stored === undefined || stored === null ? undefined : String(stored);
}

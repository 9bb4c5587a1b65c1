import { optionalText } from '../columns.js';
import type { Order } from '../ledger/orders.js';
import type { Transaction } from '../ledger/transactions.js';
import type { Store } from '../store.js';

export const echoTables = `
  CREATE TABLE callback_echoes (transaction_id INTEGER PRIMARY KEY, email TEXT, phone TEXT, comment TEXT);
`;

/** What callbacks repeat of a request (A24). */
export interface Echo {
  readonly email: string | undefined;
  readonly phone: string | undefined;
  /** Of a follow-up (A45). */
  readonly comment: string | undefined;
}

/** Keeps it for as long as somebody may be told. */
export function keepEcho(store: Store, order: Order, { id }: Transaction, values: Readonly<Record<string, string>>): void {
  const { email = null, phone = null, comment = null } = values;
  const isTold = order.callbackUrl !== undefined || order.notifyUrl !== undefined;
  if (!isTold || (email === null && phone === null && comment === null)) return;
  store.database.run('INSERT INTO callback_echoes VALUES (?, ?, ?, ?)', id, email, phone, comment);
}

export function echoOf({ database }: Store, { id }: Transaction): Echo {
  const row = database.get('SELECT * FROM callback_echoes WHERE transaction_id = ?', id) ?? {};
  return { email: optionalText(row, 'email'), phone: optionalText(row, 'phone'), comment: optionalText(row, 'comment') };
}

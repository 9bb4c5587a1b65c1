import { fail, suggest } from '../errors/index.js';
import { number, optionalText, text } from './columns.js';
import { builtinLogin } from './identity.js';
import { queueable } from './outcomes.js';
import type { Store } from './store.js';

/** Whose next request an outcome waits for. */
export interface QueueTarget {
  /** The merchant; that of the order, or the built-in one, when left out. */
  readonly login?: string | undefined;
  /** Only a request with this client order id. */
  readonly clientOrderId?: string | undefined;
  /** Only a follow-up on this order. */
  readonly orderId?: string | undefined;
}

/** Puts an outcome in the queue of one merchant. Throws USAGE. */
export function queueOutcome({ database }: Store, name: string, target: QueueTarget = {}): void {
  if (!Object.hasOwn(queueable, name))
    throw refused(
      `${name.slice(0, 40)} is no outcome${suggest(name, Object.keys(queueable), `; known: ${Object.keys(queueable).join(', ')}`)}`,
    );
  const { orderId, clientOrderId } = target;
  const owner =
    orderId === undefined ? undefined : optionalText(database.get('SELECT login FROM orders WHERE id = ?', orderId) ?? {}, 'login');
  if (orderId !== undefined && (owner === undefined || (target.login ?? owner) !== owner))
    throw refused(`this sandbox has no order ${orderId} of that merchant`);
  const login = target.login ?? owner ?? builtinLogin;
  if (database.get('SELECT login FROM merchants WHERE login = ?', login) === undefined)
    throw refused(`this sandbox has no merchant ${login}; \`paycli sandbox status\` lists those there are`);
  const insert = 'INSERT INTO queue (outcome, login, client_order_id, order_id) VALUES (?, ?, ?, ?)';
  database.run(insert, name, login, clientOrderId ?? null, orderId ?? null);
}

function refused(why: string): Error {
  return fail('USAGE', { why, command: 'sandbox outcomes' });
}

export interface Queued {
  /** Undefined for what the request itself asked for. */
  readonly id: number | undefined;
  readonly name: string;
}

export interface QueueAsker {
  readonly login: string;
  readonly clientOrderId: string;
  readonly orderId: string;
  /** Outcomes the request can have. */
  readonly allowed: () => readonly string[];
}

/** The oldest outcome waiting for a request; one queued for its very ids goes before one for anything of the merchant. */
export function queuedFor({ database, group }: Store, { login, clientOrderId, orderId, allowed }: QueueAsker): Queued | undefined {
  // Mostly nothing is queued. What is taken out meanwhile only makes it emptier.
  if (group?.remember('queue', () => group.before.get('SELECT id FROM queue LIMIT 1') === undefined) === true) return undefined;
  const row = database
    .all(
      `SELECT * FROM queue WHERE login = ? AND (client_order_id IS NULL OR client_order_id = ?) AND (order_id IS NULL OR order_id = ?)
       ORDER BY client_order_id IS NULL AND order_id IS NULL, id`,
      login,
      clientOrderId,
      orderId,
    )
    .find((candidate) => allowed().includes(text(candidate, 'outcome')));
  return row === undefined ? undefined : { id: number(row, 'id'), name: text(row, 'outcome') };
}

export function dropQueued({ database }: Store, { id }: Queued): void {
  if (id !== undefined) database.run('DELETE FROM queue WHERE id = ?', id);
}

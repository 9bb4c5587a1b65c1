import type { SqlRow } from '../../runtime/ports.js';
import type { Order } from './orders.js';
import { number, optionalNumber, optionalText, type Store, text } from './store.js';
import type { Transaction } from './transactions.js';

/** The customer's visit to an order's pages: a hosted form, 3-D Secure, or both in turn. */
export interface Visit {
  readonly token: string;
  readonly orderId: string;
  /** The token in every form of its pages. */
  readonly csrf: string;
  /** A32: when the wait for the payer ends; undefined once the payer is done. */
  readonly expiresAt: number | undefined;
  /** Cards declined so far, and the outcome of the last one. */
  readonly attempts: number;
  readonly lastOutcome: string | undefined;
  readonly successUrl: string | undefined;
  readonly failUrl: string | undefined;
  /** The one-time code of the issuer's page, and wrong ones typed so far. */
  readonly code: string;
  readonly tries: number;
  /** When the open 3-D Secure step began, and when the frame of the method step was loaded. */
  readonly stepAt: number | undefined;
  readonly framedAt: number | undefined;
  /** The result of the issuer's page (Y, A or N), and why it ended early. */
  readonly transStatus: string | undefined;
  readonly cancel: string | undefined;
}

export const visitTables = `
  CREATE TABLE visits (
    token TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE REFERENCES orders, csrf TEXT NOT NULL, once TEXT UNIQUE,
    expires_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0, last_outcome TEXT, success_url TEXT, fail_url TEXT,
    code TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0, step_at INTEGER, framed_at INTEGER, word TEXT, cancel TEXT
  ) WITHOUT ROWID;
  CREATE INDEX visits_expiring ON visits (expires_at) WHERE expires_at IS NOT NULL;
`;

// A32
export const payerWaitMs = 30 * 60_000;
export const maxCardAttempts = 3;

interface NewVisit {
  readonly token: string;
  readonly expiresAt?: number | undefined;
  readonly stepAt?: number | undefined;
  readonly successUrl?: string | undefined;
  readonly failUrl?: string | undefined;
}

export function addVisit({ database, random }: Store, orderId: string, made: NewVisit): void {
  database.run(
    'INSERT INTO visits (token, order_id, csrf, once, expires_at, success_url, fail_url, code, step_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    made.token,
    orderId,
    random.letters(32),
    random.letters(32),
    made.expiresAt ?? null,
    made.successUrl ?? null,
    made.failUrl ?? null,
    codeFrom(random),
    made.stepAt ?? null,
  );
}

function codeFrom(random: Store['random']): string {
  return String(random.below(1_000_000)).padStart(6, '0');
}

export function visitByToken({ database }: Store, token: string): Visit | undefined {
  return visitFrom(database.get('SELECT * FROM visits WHERE token = ?', token));
}

export function visitOf({ database }: Store, { id }: Order): Visit | undefined {
  return visitFrom(database.get('SELECT * FROM visits WHERE order_id = ?', id));
}

/** The token of a one-time address; undefined once used. */
export function oneTimeTokenOf({ database }: Store, { id }: Order): string | undefined {
  return optionalText(database.get('SELECT once FROM visits WHERE order_id = ?', id) ?? {}, 'once');
}

/** Uses up such a token and returns the visit; undefined when there is none. */
export function redeemOneTimeToken({ database }: Store, once: string): Visit | undefined {
  return visitFrom(database.get('UPDATE visits SET once = NULL WHERE once = ? RETURNING *', once));
}

interface VisitChange {
  readonly attempts?: number;
  readonly lastOutcome?: string;
  readonly tries?: number;
  readonly framedAt?: number;
  readonly transStatus?: string;
  readonly cancel?: string | undefined;
}

export function changeVisit({ database }: Store, { token }: Visit, change: VisitChange): void {
  database.run(
    `UPDATE visits SET attempts = coalesce(?, attempts), last_outcome = coalesce(?, last_outcome), tries = coalesce(?, tries),
       framed_at = coalesce(?, framed_at), word = coalesce(?, word), cancel = coalesce(?, cancel) WHERE token = ?`,
    change.attempts ?? null,
    change.lastOutcome ?? null,
    change.tries ?? null,
    change.framedAt ?? null,
    change.transStatus ?? null,
    change.cancel ?? null,
    token,
  );
}

/** Starts a new authentication for the card that was just typed. */
export function beginAuthentication({ database, random, clock }: Store, { token }: Visit, { id }: Transaction): void {
  database.run('UPDATE transactions SET tds_id = ?, acs_id = ? WHERE id = ?', random.uuid(), random.uuid(), id);
  database.run(
    'UPDATE visits SET code = ?, tries = 0, step_at = ?, framed_at = NULL, word = NULL, cancel = NULL WHERE token = ?',
    codeFrom(random),
    clock.now(),
    token,
  );
}

/** Stores the card or destination the customer chose. */
export function setOrderCard(
  { database }: Store,
  { id }: Order,
  column: 'card_id' | 'destination_id',
  cardId: number,
): void {
  database.run(`UPDATE orders SET ${column} = ? WHERE id = ?`, cardId, id);
}

function visitFrom(row: SqlRow | undefined): Visit | undefined {
  if (row === undefined) return undefined;
  return {
    token: text(row, 'token'),
    orderId: text(row, 'order_id'),
    csrf: text(row, 'csrf'),
    expiresAt: optionalNumber(row, 'expires_at'),
    attempts: number(row, 'attempts'),
    lastOutcome: optionalText(row, 'last_outcome'),
    successUrl: optionalText(row, 'success_url'),
    failUrl: optionalText(row, 'fail_url'),
    code: text(row, 'code'),
    tries: number(row, 'tries'),
    stepAt: optionalNumber(row, 'step_at'),
    framedAt: optionalNumber(row, 'framed_at'),
    transStatus: optionalText(row, 'word'),
    cancel: optionalText(row, 'cancel'),
  };
}

/** The customer is done, so the wait no longer expires. */
export function closeVisit({ database }: Store, { token }: Visit): void {
  database.run('UPDATE visits SET expires_at = NULL WHERE token = ?', token);
}

/** The limit of 3-D Secure 2: a method step that takes longer does not count. */
export const methodLimitMs = 10_000;

/** What threeDSCompInd should be for a method step, as far as the issuer's side knows, and why. */
interface MethodCompletion {
  readonly compInd: 'Y' | 'N';
  readonly why: string;
}

export function methodCompletion(visit: Pick<Visit, 'stepAt' | 'framedAt'> | undefined, now: number): MethodCompletion {
  const { stepAt = now, framedAt } = visit ?? {};
  if (framedAt === undefined) return { compInd: 'N', why: 'the method URL frame was never loaded' };
  if (framedAt - stepAt > methodLimitMs)
    return { compInd: 'N', why: 'the method URL frame was loaded more than ten seconds after the step began' };
  return { compInd: 'Y', why: 'the method URL frame was loaded in time' };
}

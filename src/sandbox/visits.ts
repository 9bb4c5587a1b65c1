import { type Transaction, transactions } from './orders.js';
import type { Store } from './store.js';
import { integer, key, optional, type Row, Table, text } from './table.js';

/** The customer's visit to an order's pages: a hosted form, 3-D Secure, or both in turn. */
export const visits = new Table(
  'visits',
  {
    token: key,
    orderId: text,
    /** The token in every form of its pages. */
    csrf: text,
    /** The token of a one-time address; undefined once used. */
    once: optional(text),
    /** A32: when the wait for the payer ends; undefined once the payer is done. */
    expiresAt: optional(integer),
    /** Cards declined so far, and the outcome of the last one. */
    attempts: integer,
    lastOutcome: optional(text),
    successUrl: optional(text),
    failUrl: optional(text),
    /** When the open 3-D Secure step began, and when the frame of the method step was loaded. */
    stepAt: optional(integer),
    framedAt: optional(integer),
    /** The result of the issuer's page (Y, A or N), and why it ended early. */
    transStatus: optional(text),
    cancel: optional(text),
  },
  [
    'UNIQUE INDEX visits_of_order ON @ (order_id)',
    'INDEX visits_once ON @ (once)',
    'INDEX visits_expiring ON @ (expires_at) WHERE expires_at IS NOT NULL',
  ],
);
export type Visit = Row<typeof visits>;

// A32
export const payerWaitMs = 30 * 60_000;
export const maxCardAttempts = 3;

type NewVisit = Pick<Visit, 'token' | 'orderId' | 'expiresAt' | 'stepAt' | 'successUrl' | 'failUrl'>;

export function addVisit(store: Store, made: NewVisit): void {
  const { random } = store;
  visits.insert(store, {
    ...made,
    csrf: random.letters(32),
    once: random.letters(32),
    attempts: 0,
  });
}

export function visitOf(store: Store, { id }: { readonly id: string }): Visit | undefined {
  return visits.get(store, 'WHERE order_id = ?', id);
}

/** Starts a new authentication for the card that was just typed. */
export function beginAuthentication(store: Store, { token }: Visit, { id }: Transaction): void {
  transactions.update(store, id, { tdsId: store.random.uuid(), acsId: store.random.uuid() });
  visits.update(store, token, {
    stepAt: store.clock.now(),
    framedAt: undefined,
    transStatus: undefined,
    cancel: undefined,
  });
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

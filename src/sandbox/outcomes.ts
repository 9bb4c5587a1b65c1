import { fail } from '../errors/index.js';
import { amountEndings, cvvOutcomes, numberFlows, paresAmounts, type StatusWord } from '../spec/index.js';
import type { Step } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import { number, text } from './columns.js';
import type { Store } from './store.js';

export interface Outcome {
  readonly status: StatusWord;
  /** The gateway's words and number for a no. */
  readonly message?: string;
  readonly code?: string;
  /** How long it stays processing, where that is not the usual time. */
  readonly afterMs?: number;
  readonly about: string;
}

/** What can become of a transaction. Codes follow the response codes banks use; the gateway's own are not published. */
export const outcomes = {
  approved: { status: 'approved', about: 'approved' },
  declined: {
    status: 'declined',
    message: 'The issuing bank declined without a reason',
    code: '5',
    about: 'declined without a particular reason',
  },
  funds: { status: 'declined', message: 'Insufficient funds', code: '51', about: 'declined, insufficient funds' },
  expired: { status: 'declined', message: 'The card has expired', code: '54', about: 'declined, expired card' },
  'not-permitted': {
    status: 'declined',
    message: 'Not permitted to the cardholder',
    code: '57',
    about: 'declined, not permitted to the cardholder',
  },
  stolen: { status: 'declined', message: 'The card was reported stolen', code: '43', about: 'declined, stolen card' },
  unauthenticated: {
    status: 'declined',
    message: 'The payer was not authenticated',
    code: '82',
    about: 'declined after a failed 3-D Secure step',
  },
  error: { status: 'error', message: 'The acquirer could not process the transaction', code: '96', about: 'error' },
  filtered: { status: 'filtered', message: 'Stopped by a fraud filter', code: '59', about: 'filtered' },
  unknown: { status: 'unknown', about: 'status unknown, and it stays so' },
  slow: { status: 'approved', afterMs: 3_600_000, about: 'stays processing for an hour, then approved' },
} as const satisfies Record<string, Outcome>;

export type OutcomeName = keyof typeof outcomes;

/** Faults of the gateway itself, instead of an outcome. */
export const faults = {
  'server-error': 'HTTP 500, and nothing was done',
  'server-error-done': 'HTTP 500, although it was done and will be approved',
} as const;

/** Everything `queueOutcome` takes, with what it does. */
export const queueable: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(outcomes).map(([name, { about }]) => [name, about])),
  ...faults,
};

export function outcomeOf(name: string): Outcome {
  return isOutcomeName(name) ? outcomes[name] : outcomes.declined;
}

export function isOutcomeName(name: string): name is OutcomeName {
  return Object.hasOwn(outcomes, name);
}

/** What a transaction comes to, and the 3-D Secure step before that. */
export interface Course {
  readonly step: Step;
  readonly outcome: OutcomeName;
}

export interface CourseFacts {
  readonly cardNumber?: string | undefined;
  readonly cvv?: string | undefined;
  readonly amount?: bigint | undefined;
  readonly digits?: number | undefined;
}

/** Read from the published tables: a code of the card decides, or the last two digits of the amount where there is none. */
export function courseOf({ cardNumber, cvv, amount, digits }: CourseFacts): Course {
  if (cvv === undefined) return { step: 'none', outcome: named(amountEndings[endingOf(amount)] ?? 'approved') };
  const word = cvvOutcomes[cvv] ?? 'declined';
  const outcome = isFlow(word) ? 'approved' : named(word);
  // Nobody is there to go through 3-D Secure when a stored card is charged.
  if (cardNumber === undefined) return { step: 'none', outcome };
  const flow = numberFlows[cardNumber] ?? word;
  if (isFlow(flow)) return { step: flow === '3ds-method' ? 'method' : 'challenge', outcome };
  const asksPares = amount !== undefined && digits === 2 && cvv !== noThreeDSecure && paresAmounts.includes(decimalText(amount, digits));
  return { step: asksPares ? 'pareq' : 'none', outcome };
}

const noThreeDSecure = '111';

function isFlow(word: string): boolean {
  return word === '3ds-method' || word === '3ds-challenge';
}

function named(word: string): OutcomeName {
  return isOutcomeName(word) ? word : 'declined';
}

function endingOf(amount: bigint | undefined): string {
  return amount === undefined ? '' : String(amount).padStart(2, '0').slice(-2);
}

/** Puts an outcome in the queue, for the next request that can have it or for one order id only. Throws USAGE. */
export function queueOutcome({ database }: Store, name: string, clientOrderId?: string): void {
  if (!Object.hasOwn(queueable, name))
    throw fail('USAGE', { why: `${name} is no outcome; known: ${Object.keys(queueable).join(', ')}`, command: 'sandbox outcomes' });
  database.run('INSERT INTO queue (outcome, client_order_id) VALUES (?, ?)', name, clientOrderId ?? null);
}

export interface Queued {
  readonly id: number;
  readonly name: string;
}

/** The oldest outcome waiting for this order id; one queued for that very id goes before one for anybody. */
export function queuedFor({ database }: Store, clientOrderId: string, allowed: readonly string[]): Queued | undefined {
  const row = database
    .all('SELECT * FROM queue WHERE client_order_id = ? OR client_order_id IS NULL ORDER BY client_order_id IS NULL, id', clientOrderId)
    .find((candidate) => allowed.includes(text(candidate, 'outcome')));
  return row === undefined ? undefined : { id: number(row, 'id'), name: text(row, 'outcome') };
}

export function dropQueued({ database }: Store, id: number): void {
  database.run('DELETE FROM queue WHERE id = ?', id);
}

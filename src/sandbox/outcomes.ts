import { fail, suggest } from '../errors/index.js';
import {
  amountEndings,
  cvvOutcomes,
  numberFlows,
  paresAmounts,
  type StatusWord,
  type ThreeDSecureFlow,
  threeDSecureFlows,
} from '../spec/index.js';
import type { Step } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import { faults } from './faults.js';
import { builtinLogin, type Store } from './store.js';
import { numbered, optional, type Row, Table, text } from './table.js';

export interface Outcome {
  readonly status: StatusWord;
  /** The gateway's message and code for a decline. */
  readonly message?: string;
  readonly code?: string;
  /** How long it stays processing, if not the usual time. */
  readonly afterMs?: number;
  readonly about: string;
}

const declined = (code: string, message: string, about: string) =>
  ({ status: 'declined', message, code, about }) as const;

/** The outcomes of a transaction. Codes follow the response codes of banks; the gateway's own are not published. */
export const outcomes = {
  approved: { status: 'approved', about: 'approved' },
  declined: declined('5', 'The issuing bank declined without giving a reason', 'declined, no reason given'),
  funds: declined('51', 'Insufficient funds', 'declined, insufficient funds'),
  expired: declined('54', 'The card has expired', 'declined, expired card'),
  'not-permitted': declined(
    '57',
    'Transaction not permitted to cardholder',
    'declined, transaction not permitted to cardholder',
  ),
  stolen: declined('43', 'The card was reported stolen', 'declined, stolen card'),
  unauthenticated: declined('82', 'The payer was not authenticated', 'declined after a failed 3-D Secure step'),
  cancelled: declined('17', 'The payer cancelled the payment', 'declined, cancelled on the hosted page'),
  'form-expired': declined('68', 'The hosted form expired', 'declined, the hosted form was not completed in time'),
  error: { status: 'error', message: 'The acquirer could not process the transaction', code: '96', about: 'error' },
  filtered: { status: 'filtered', message: 'Stopped by a fraud filter', code: '59', about: 'filtered' },
  unknown: { status: 'unknown', about: 'status unknown, and it stays unknown' },
  slow: { status: 'approved', afterMs: 3_600_000, about: 'processing for an hour, then approved' },
} as const satisfies Record<string, Outcome>;

export type OutcomeName = keyof typeof outcomes;

/** Every outcome, 3-D Secure flow and fault that can be queued, with what it does. */
export const queueableOutcomes: Readonly<Record<string, string>> = Object.fromEntries(
  [outcomes, threeDSecureFlows, faults].flatMap((table) =>
    Object.entries(table).map(([name, { about }]) => [name, about]),
  ),
);

/** The outcome of this name; a decline for any other. */
export function outcomeOf(name: string): Outcome {
  return outcomes[outcomeName(name)];
}

function outcomeName(name: string): OutcomeName {
  return isOutcomeName(name) ? name : 'declined';
}

export function isOutcomeName(name: string): name is OutcomeName {
  return Object.hasOwn(outcomes, name);
}

/** How long a transaction stays processing unless set otherwise. */
export const defaultSettleMs = 300;

/** When a transaction with this outcome is final. */
export function finalTime(now: number, outcome: string, settleMs = defaultSettleMs): number {
  return now + (outcomeOf(outcome).afterMs ?? settleMs);
}

/** The outcome of a transaction, and the 3-D Secure step before it. */
export interface Scenario {
  readonly step: Step;
  readonly outcome: OutcomeName;
}

export interface ScenarioInput {
  readonly cardNumber?: string | undefined;
  readonly cvv?: string | undefined;
  readonly amount?: bigint | undefined;
  readonly digits?: number | undefined;
}

/**
 * Read from the published tables: a code of the card decides, or the last two digits of the amount where there is none.
 */
export function scenarioFor({ cardNumber, cvv, amount, digits }: ScenarioInput): Scenario {
  if (cvv === undefined) {
    const ending = amount === undefined ? '' : String(amount).padStart(2, '0').slice(-2);
    return { step: 'none', outcome: outcomeName(amountEndings[ending] ?? 'approved') };
  }
  const word = cvvOutcomes[cvv] ?? 'declined';
  const outcome = isThreeDSecureFlow(word) ? 'approved' : outcomeName(word);
  // No payer is present for 3-D Secure when a stored card is charged.
  if (cardNumber === undefined) return { step: 'none', outcome };
  const flow = flowsByNumber.get(cardNumber) ?? word;
  if (isThreeDSecureFlow(flow)) return { step: threeDSecureFlows[flow].step, outcome };
  const isTwoDigits = amount !== undefined && digits === 2;
  const asksPares = isTwoDigits && cvv !== noThreeDSecure && paresAmounts.includes(decimalText(amount, digits));
  return { step: asksPares ? 'pareq' : 'none', outcome };
}

const noThreeDSecure = '111';
// A map, since card numbers are slow as property names: they look like indices.
const flowsByNumber: ReadonlyMap<string, string> = new Map(Object.entries(numberFlows));

/** The scenario a name of the catalogue asks for; undefined for a fault, which decides nothing, and for any other name. */
export function scenarioNamed(name: string | undefined): Scenario | undefined {
  if (name === undefined) return undefined;
  if (isThreeDSecureFlow(name)) return { step: threeDSecureFlows[name].step, outcome: 'approved' };
  return isOutcomeName(name) ? { step: 'none', outcome: name } : undefined;
}

function isThreeDSecureFlow(word: string): word is ThreeDSecureFlow {
  return Object.hasOwn(threeDSecureFlows, word);
}

/** Outcomes that wait for the next request of a merchant, or for one order. */
export const queue = new Table('queue', {
  id: numbered,
  outcome: text,
  login: text,
  clientOrderId: optional(text),
  orderId: optional(text),
});
export type QueuedOutcome = Row<typeof queue>;

/** Whose next request a queued outcome is for. */
export interface QueueTarget {
  /** The merchant; that of the order, or the built-in one, when left out. */
  readonly login?: string | undefined;
  /** Only a request with this client order id. */
  readonly clientOrderId?: string | undefined;
  /** Only a follow-up on this order. */
  readonly orderId?: string | undefined;
}

const command = 'sandbox outcomes';

/** Puts an outcome in the queue of one merchant, whose login it returns. Throws USAGE. */
export function queueOutcome(store: Store, outcome: string, target: QueueTarget = {}): string {
  if (!Object.hasOwn(queueableOutcomes, outcome)) {
    const names = Object.keys(queueableOutcomes);
    const hint = suggest(outcome, names, `; known: ${names.join(', ')}`);
    throw fail('USAGE', { why: `${outcome.slice(0, 40)} is not an outcome${hint}`, command });
  }
  const { orderId, clientOrderId } = target;
  const { database } = store;
  const owner =
    orderId === undefined ? undefined : database.get('SELECT login FROM orders WHERE id = ?', orderId)?.['login'];
  if (orderId !== undefined && (owner === undefined || (target.login ?? owner) !== owner))
    throw fail('USAGE', { why: `this sandbox has no order ${orderId} for that merchant`, order: orderId, command });
  const login = String(target.login ?? owner ?? builtinLogin);
  if (database.get('SELECT login FROM merchants WHERE login = ?', login) === undefined)
    throw fail('USAGE', {
      why: `this sandbox has no merchant ${login}; \`paycli sandbox status\` lists the existing ones`,
      login,
      command,
    });
  queue.insert(store, { outcome, login, clientOrderId, orderId });
  return login;
}

/**
 * The oldest of these outcomes that is queued for a request; one queued for its ids goes before one for any request of
 * the merchant.
 */
export function nextQueuedOutcome(
  store: Store,
  { login = '', clientOrderId = '', orderId = '' }: QueueTarget,
  allowed: () => readonly string[],
): QueuedOutcome | undefined {
  const waiting = queue.all(
    store,
    `WHERE login = ? AND (client_order_id IS NULL OR client_order_id = ?) AND (order_id IS NULL OR order_id = ?)
     ORDER BY client_order_id IS NULL AND order_id IS NULL, id`,
    login,
    clientOrderId,
    orderId,
  );
  return waiting.find(({ outcome }) => allowed().includes(outcome));
}

export function removeQueuedOutcome({ database }: Store, { id }: QueuedOutcome): void {
  database.run('DELETE FROM queue WHERE id = ?', id);
}

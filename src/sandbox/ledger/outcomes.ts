import { fail, suggest } from '../../errors/index.js';
import {
  amountEndings,
  cvvOutcomes,
  holderWord,
  numberFlows,
  paresAmounts,
  type StatusWord,
  type ThreeDSecureFlow,
  threeDSecureFlows,
} from '../../spec/index.js';
import type { Step } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { faults } from './reply-faults.js';
import { builtinLogin, number, optionalText, type Store, text } from './store.js';

export interface Outcome {
  readonly status: StatusWord;
  /** The gateway's message and code for a decline. */
  readonly message?: string;
  readonly code?: string;
  /** How long it stays processing, if not the usual time. */
  readonly afterMs?: number;
  readonly about: string;
}

/** The outcomes of a transaction. Codes follow the response codes of banks; the gateway's own are not published. */
export const outcomes = {
  approved: { status: 'approved', about: 'approved' },
  declined: {
    status: 'declined',
    message: 'The issuing bank declined without giving a reason',
    code: '5',
    about: 'declined, no reason given',
  },
  funds: { status: 'declined', message: 'Insufficient funds', code: '51', about: 'declined, insufficient funds' },
  expired: { status: 'declined', message: 'The card has expired', code: '54', about: 'declined, expired card' },
  'not-permitted': {
    status: 'declined',
    message: 'Transaction not permitted to cardholder',
    code: '57',
    about: 'declined, transaction not permitted to cardholder',
  },
  stolen: { status: 'declined', message: 'The card was reported stolen', code: '43', about: 'declined, stolen card' },
  unauthenticated: {
    status: 'declined',
    message: 'The payer was not authenticated',
    code: '82',
    about: 'declined after a failed 3-D Secure step',
  },
  cancelled: {
    status: 'declined',
    message: 'The payer cancelled the payment',
    code: '17',
    about: 'declined, cancelled on the hosted page',
  },
  'form-expired': {
    status: 'declined',
    message: 'The hosted form expired',
    code: '68',
    about: 'declined, the hosted form was not completed in time',
  },
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

export function outcomeOf(name: string): Outcome {
  return isOutcomeName(name) ? outcomes[name] : outcomes.declined;
}

export function isOutcomeName(name: string): name is OutcomeName {
  return Object.hasOwn(outcomes, name);
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
  if (cvv === undefined)
    return { step: 'none', outcome: outcomeNamed(amountEndings[amountEndingOf(amount)] ?? 'approved') };
  const word = cvvOutcomes[cvv] ?? 'declined';
  const outcome = isThreeDSecureFlow(word) ? 'approved' : outcomeNamed(word);
  // No payer is present for 3-D Secure when a stored card is charged.
  if (cardNumber === undefined) return { step: 'none', outcome };
  const flow = flowsByNumber.get(cardNumber) ?? word;
  if (isThreeDSecureFlow(flow)) return { step: threeDSecureFlows[flow].step, outcome };
  const asksPares =
    amount !== undefined &&
    digits === 2 &&
    cvv !== noThreeDSecure &&
    paresAmounts.includes(decimalText(amount, digits));
  return { step: asksPares ? 'pareq' : 'none', outcome };
}

const noThreeDSecure = '111';
// A map, since card numbers are slow as property names: they look like indices.
const flowsByNumber: ReadonlyMap<string, string> = new Map(Object.entries(numberFlows));

/**
 * The scenario a name of the catalogue asks for; undefined for a fault, which decides nothing, and for an unknown name.
 */
export function scenarioNamed(name: string): Scenario | undefined {
  if (isThreeDSecureFlow(name)) return { step: threeDSecureFlows[name].step, outcome: 'approved' };
  return isOutcomeName(name) ? { step: 'none', outcome: name } : undefined;
}

const outcomeHolderPattern = new RegExp(`^${holderWord} +(\\S.*)$`);

/** The outcome that a cardholder name such as `OUTCOME FUNDS` requests; undefined for a person's name. */
export function outcomeFromHolderName(holder: string): string | undefined {
  const asked = outcomeHolderPattern.exec(holder.trim())?.[1];
  return asked?.toLowerCase().replace(/[ _]+/g, '-');
}

export function isThreeDSecureFlow(word: string): word is ThreeDSecureFlow {
  return Object.hasOwn(threeDSecureFlows, word);
}

function outcomeNamed(word: string): OutcomeName {
  return isOutcomeName(word) ? word : 'declined';
}

function amountEndingOf(amount: bigint | undefined): string {
  return amount === undefined ? '' : String(amount).padStart(2, '0').slice(-2);
}

/** Whose next request a queued outcome is for. */
export interface QueueTarget {
  /** The merchant; that of the order, or the built-in one, when left out. */
  readonly login?: string | undefined;
  /** Only a request with this client order id. */
  readonly clientOrderId?: string | undefined;
  /** Only a follow-up on this order. */
  readonly orderId?: string | undefined;
}

/** Puts an outcome in the queue of one merchant, whose login it returns. Throws USAGE. */
export function queueOutcome({ database }: Store, name: string, target: QueueTarget = {}): string {
  if (!Object.hasOwn(queueableOutcomes, name)) {
    const hint = suggest(name, Object.keys(queueableOutcomes), `; known: ${Object.keys(queueableOutcomes).join(', ')}`);
    throw fail('USAGE', { why: `${name.slice(0, 40)} is not an outcome${hint}`, command });
  }
  const { orderId, clientOrderId } = target;
  const owner =
    orderId === undefined
      ? undefined
      : optionalText(database.get('SELECT login FROM orders WHERE id = ?', orderId) ?? {}, 'login');
  if (orderId !== undefined && (owner === undefined || (target.login ?? owner) !== owner))
    throw fail('USAGE', { why: `this sandbox has no order ${orderId} for that merchant`, order: orderId, command });
  const login = target.login ?? owner ?? builtinLogin;
  if (database.get('SELECT login FROM merchants WHERE login = ?', login) === undefined)
    throw fail('USAGE', {
      why: `this sandbox has no merchant ${login}; \`paycli sandbox status\` lists the existing ones`,
      login,
      command,
    });
  const insert = 'INSERT INTO queue (outcome, login, client_order_id, order_id) VALUES (?, ?, ?, ?)';
  database.run(insert, name, login, clientOrderId ?? null, orderId ?? null);
  return login;
}

const command = 'sandbox outcomes';

export interface QueuedOutcome {
  /** Undefined for an outcome requested by the request itself. */
  readonly id: number | undefined;
  readonly name: string;
}

export interface QueueLookup {
  readonly login: string;
  readonly clientOrderId: string;
  readonly orderId: string;
  /** Outcomes the request can have. */
  readonly allowed: () => readonly string[];
}

/** The oldest outcome queued for a request; one queued for its ids goes before one for any request of the merchant. */
export function nextQueuedOutcome(
  { database }: Store,
  { login, clientOrderId, orderId, allowed }: QueueLookup,
): QueuedOutcome | undefined {
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

export function removeQueuedOutcome({ database }: Store, { id }: QueuedOutcome): void {
  if (id !== undefined) database.run('DELETE FROM queue WHERE id = ?', id);
}

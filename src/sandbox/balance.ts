import type { StatusWord } from '../spec/index.js';
import type { OrderFacts, TransactionKind } from '../spec/lifecycle.js';
import { cardState } from './cards.js';
import { type Order, type Transaction, transactionsOf } from './orders.js';
import type { Store } from './store.js';

/** Sums of one order in minor units. A processing or unknown transaction counts as done: the money may have moved. */
export interface OrderBalance {
  /** Amount of an approved preauth. */
  readonly held: bigint;
  readonly captured: bigint;
  /** Released from the hold by returns. */
  readonly released: bigint;
  /** Amount of an approved sale or rebill, else what was captured. */
  readonly settled: bigint;
  /** Returned from the settled amount. */
  readonly reversed: bigint;
  /** What a capture may still take of the hold. */
  readonly capturable: bigint;
  /** What a return may still give back: of the settled amount, else of the hold. */
  readonly returnable: bigint;
  /** Approved returns of both kinds, as the status reply shows them. */
  readonly totalReturned: bigint;
}

/** A33: a hold lapses seven days after its approval, by the clock of the sandbox. */
export const holdLifetimeMs = 7 * 24 * 3_600_000;

/** Adds up the transactions of an order, of which the first one opened it. */
export function balanceOf(order: Order, transactions: readonly Transaction[]): OrderBalance {
  const [opening] = transactions;
  const isApproved = opening?.status === 'approved';
  const amount = opening?.amount ?? order.amount ?? 0n;
  const captured = sum(counted(transactions, 'capture'));
  const released = sum(counted(transactions, 'cancel'));
  const reversed = sum(counted(transactions, 'reversal'));
  const held = isApproved && opening.kind === 'preauth' ? amount : 0n;
  const settled = isApproved && (opening.kind === 'sale' || opening.kind === 'rebill') ? amount : captured;
  const capturable = held - captured - released;
  const returned = transactions.filter(
    ({ kind, status }) => (kind === 'cancel' || kind === 'reversal') && status === 'approved',
  );
  return {
    held,
    captured,
    released,
    settled,
    reversed,
    capturable,
    returnable: settled > 0n ? settled - reversed : capturable,
    totalReturned: sum(returned),
  };
}

/**
 * An order in the terms of the lifecycle table, which decides what may follow on it, at the time of the sandbox. The
 * first transaction is the one that opened the order.
 */
export function factsOf(store: Store, order: Order, transactions = transactionsOf(store, order.id)): OrderFacts {
  const [opening, ...following] = transactions;
  if (opening === undefined) throw new Error('an order of the sandbox has no transaction');
  const now = store.clock.now();
  const balance = balanceOf(order, transactions);
  const payment = following.findLast(({ kind }) => kind === 'payout');
  return {
    opened: opening.kind,
    status: opening.status,
    step: opening.step,
    following: following.some(({ status }) => status === 'processing') ? 'processing' : 'none',
    hold: holdOf(balance, opening, now),
    captured: partOf(balance.captured, balance.held - balance.released),
    returned: returnedOf(balance),
    voided: counted(following, 'void').length > 0 ? 'yes' : 'no',
    day: isDayOver(opening, following, now) ? 'closed' : 'open',
    paid: payment === undefined ? 'no' : paidWords[payment.status],
    card: cardState(store, order),
  };
}

function holdOf({ held, captured }: OrderBalance, { doneAt }: Transaction, now: number): OrderFacts['hold'] {
  if (held === 0n) return 'none';
  if (doneAt === undefined || now - doneAt <= holdLifetimeMs) return 'live';
  return captured === 0n ? 'expired' : 'rest-expired';
}

/** Whether a checked payout was paid. */
const paidWords: Readonly<Record<StatusWord, OrderFacts['paid']>> = {
  approved: 'yes',
  declined: 'failed',
  error: 'failed',
  filtered: 'failed',
  unknown: 'unknown',
  processing: 'processing',
  chain_declined: 'processing',
};

/** What was returned of the settled amount; of the hold while nothing was settled. */
function returnedOf({ settled, reversed, released, held }: OrderBalance): OrderFacts['returned'] {
  if (settled > 0n) return partOf(reversed, settled);
  const share = partOf(released, held);
  return share === 'all' ? 'hold' : share;
}

/** A35: a sale or capture may be voided until 23:59 UTC of the day on which it settled. */
function isDayOver(opening: Transaction, following: readonly Transaction[], now: number): boolean {
  const settlements = opening.kind === 'preauth' ? counted(following, 'capture') : [opening];
  const last = settlements.at(-1)?.doneAt;
  if (last === undefined) return false;
  const day = new Date(last);
  return now >= Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 23, 59);
}

function partOf(part: bigint, whole: bigint): 'nothing' | 'part' | 'all' {
  if (part === 0n) return 'nothing';
  return part < whole ? 'part' : 'all';
}

/** Transactions of a kind that moved money or may have. */
function counted(transactions: readonly Transaction[], wanted: TransactionKind): Transaction[] {
  return transactions.filter(
    ({ kind, status }) => kind === wanted && (status === 'approved' || status === 'processing' || status === 'unknown'),
  );
}

function sum(transactions: readonly Transaction[]): bigint {
  return transactions.reduce((total, { amount }) => total + (amount ?? 0n), 0n);
}

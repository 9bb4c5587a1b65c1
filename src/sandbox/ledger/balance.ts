import type { OrderFacts, TransactionKind } from '../../spec/lifecycle.js';
import type { Order } from './orders.js';
import type { Transaction } from './transactions.js';

/** Sums of one order in minor units. A processing or unknown transaction counts as done: the money may have moved. */
export interface OrderBalance {
  readonly held: bigint;
  readonly captured: bigint;
  /** Released from the hold. */
  readonly released: bigint;
  readonly settled: bigint;
  /** Returned from the settled amount. */
  readonly reversed: bigint;
  readonly capturable: bigint;
  readonly returnable: bigint;
  /** Approved returns of both kinds, as the status reply shows them. */
  readonly totalReturned: bigint;
}

// A33
export const holdLifetimeMs = 7 * 24 * 3_600_000;

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

export function factsOf(
  order: Order,
  transactions: readonly Transaction[],
  now: number,
  card: OrderFacts['card'],
): OrderFacts {
  const [opening, ...following] = transactions;
  if (opening === undefined) throw new Error('an order of the sandbox has no transaction');
  const account = balanceOf(order, transactions);
  return {
    opened: opening.kind,
    status: opening.status,
    step: opening.step,
    following: following.some(({ status }) => status === 'processing') ? 'processing' : 'none',
    hold: holdOf(account, opening, now),
    captured: partOf(account.captured, account.held - account.released),
    returned:
      account.settled === 0n ? partOf(account.released, account.held) : partOf(account.reversed, account.settled),
    voided: counted(following, 'void').length > 0 ? 'yes' : 'no',
    day: isDayOver(opening, following, now) ? 'closed' : 'open',
    paid: paidOf(following.findLast(({ kind }) => kind === 'payout')),
    card,
  };
}

function holdOf({ held, captured }: OrderBalance, { doneAt }: Transaction, now: number): OrderFacts['hold'] {
  if (held === 0n) return 'none';
  if (doneAt === undefined || now - doneAt <= holdLifetimeMs) return 'live';
  return captured === 0n ? 'expired' : 'rest-expired';
}

function paidOf(payment: Transaction | undefined): OrderFacts['paid'] {
  switch (payment?.status) {
    case undefined:
      return 'no';
    case 'approved':
      return 'yes';
    case 'declined':
    case 'error':
    case 'filtered':
      return 'failed';
    case 'unknown':
      return 'unknown';
    default:
      return 'processing';
  }
}

/** A35: the day ends at 23:59 UTC. */
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

function counted(transactions: readonly Transaction[], wanted: TransactionKind): Transaction[] {
  return transactions.filter(
    ({ kind, status }) => kind === wanted && (status === 'approved' || status === 'processing' || status === 'unknown'),
  );
}

function sum(transactions: readonly Transaction[]): bigint {
  return transactions.reduce((total, { amount }) => total + (amount ?? 0n), 0n);
}

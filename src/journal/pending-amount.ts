import { fail } from '../errors/index.js';
import type { Intent, NewIntent, Sum } from './intent.js';
import { leftToCapture, leftToReturn, movedIn } from './moved.js';
import { sumText } from './spending.js';

/**
 * A gateway may accept a second return while a first one is processing, and carry out both. So while a return of the
 * order is pending, another one needs an amount, and at most what is left beside it; captures alike. Once nothing is
 * pending, the gateway knows what is left. `requests` are those on the order, without this one, oldest first. Throws
 * AMOUNT_PENDING.
 */
export function refuseBeyondPending({ operation, sum, orderId }: FollowUp, requests: readonly Intent[]): void {
  const beside = pendingBeside(operation, requests);
  if (beside === undefined) return;
  const { left, ...words } = beside;
  const isOfAnother = left !== undefined && sum?.currency !== left.currency;
  if (sum !== undefined && (left === undefined || isOfAnother || BigInt(sum.minor) <= BigInt(left.minor))) return;
  throw fail('AMOUNT_PENDING', { order: orderId, ...words, left: left === undefined ? undefined : sumText(left) });
}

type FollowUp = Pick<NewIntent, 'operation' | 'sum' | 'orderId'>;

/** What is pending on an order beside another return or capture. */
interface PendingBeside {
  readonly verb: 'return' | 'capture';
  /** The amounts, for people. */
  readonly pending: string;
  /** What may still be moved; undefined where the journal does not know the order. */
  readonly left: Sum | undefined;
}

/** Undefined where nothing of this operation is pending. */
export function pendingBeside(operation: string, requests: readonly Intent[]): PendingBeside | undefined {
  const pending = requests.filter((each) => each.operation === operation && each.state === 'accepted');
  if (pending.length === 0 || (operation !== 'RETURN' && operation !== 'CAPTURE')) return undefined;
  const moved = movedIn(requests);
  const opening = requests.find(({ kind }) => kind === 'opening')?.sum;
  const left = moved && (operation === 'RETURN' ? leftToReturn(moved) : leftToCapture(moved));
  return {
    verb: operation === 'RETURN' ? 'return' : 'capture',
    pending: pending.map(amountOf).join(', '),
    left: left === undefined || opening === undefined ? undefined : { ...opening, minor: String(left) },
  };
}

function amountOf({ sum }: Intent): string {
  return sum === undefined ? 'all that was left' : sumText(sum);
}

import type { Intent } from '../../journal/index.js';
import type { Assume } from '../../spec/assumptions.js';
import { transactionKindIn } from '../../spec/transaction-words.js';
import { difference, isDecimal, isEqual, larger, smaller, sum } from '../../wire/decimal-amount.js';
import type { Fields } from '../format/meaning.js';

/** What requests of the journal released of a hold, and returned of what was captured, as decimal text. */
export interface OwnMoves {
  readonly released: string;
  readonly returned: string;
}

/** What is known of a hold of which something was captured, as decimal text. */
interface CapturedHold extends OwnMoves {
  readonly held: string;
  readonly captured: string;
  /** What the gateway shows as released and returned, in one. */
  readonly total: string;
}

/** How much was returned: at least `least`, and `exact` where it is known. */
export interface Returned {
  readonly exact: string | undefined;
  readonly least: string;
}

/**
 * Splits the total of a captured hold. The status shows parts released before the capture and returns after it as one
 * amount, and another machine may have made either. Known where the newest transaction is the capture (with one capture
 * per hold, A34) or that other return, and where the amounts leave no choice.
 */
export function splitReturned(
  hold: CapturedHold,
  fields: Fields,
  requests: readonly Intent[],
  assume: Assume,
): Returned {
  const { held, captured, total, released, returned } = hold;
  const isOnce = assume['captures-per-hold'] === 'one';
  if (isOnce && transactionKindIn(fields) === 'capture') return { exact: returned, least: returned };
  const most = smaller(captured, difference(total, released));
  const mostReleased = larger(released, smaller(difference(held, captured), shownAtCapture(requests, isOnce) ?? held));
  const least = larger(returnedForCertain(total, hold, fields), difference(total, mostReleased));
  return { exact: isEqual(least, most) ? least : undefined, least };
}

/** The same where it is not known how much was captured, or whether the order was a hold at all. */
export function splitUnknown(
  total: string,
  own: OwnMoves,
  fields: Fields,
): { readonly released: string | undefined; readonly returned: string | undefined; readonly least: string } {
  const least = returnedForCertain(total, own, fields);
  const isAll = isEqual(sum(own.released, least), total);
  return { released: isAll ? own.released : undefined, returned: isAll ? least : undefined, least };
}

/** What was returned from here, and what another machine returned where that is the newest transaction. */
function returnedForCertain(total: string, { released, returned }: OwnMoves, fields: Fields): string {
  const unexplained = difference(difference(total, released), returned);
  const amount = fields.get('amount') ?? '';
  const isNewest = transactionKindIn(fields) === 'reversal' && isDecimal(amount) && isEqual(amount, unexplained);
  return isNewest ? sum(returned, unexplained) : returned;
}

/** The total in the reply to the capture from here: no more than that was released before it, returns may be in it. */
function shownAtCapture(requests: readonly Intent[], isOnce: boolean): string | undefined {
  const own = requests.find(
    ({ operation, state, outcome }) =>
      operation === 'CAPTURE' && state === 'done' && outcome['transaction-type']?.toLowerCase() === 'capture',
  );
  const total = own?.outcome['total-reversal-amount'];
  return isOnce && total !== undefined && isDecimal(total) ? total : undefined;
}

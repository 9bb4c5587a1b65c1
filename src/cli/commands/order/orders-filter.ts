import { fail, problemsText, suggest } from '../../../errors/index.js';
import type { Filter } from '../../../journal/port.js';
import { statusOf } from '../../../spec/index.js';
import { readAmount } from '../../../wire/amount.js';
import { type Refuse, readOperation, readSum, readTime } from '../../core/journal-filter.js';
import { type FilterWord, filterWords } from '../../core/order-words.js';
import type { WantedOrders } from './find-orders.js';

/** The flags of `orders` that choose, as typed. */
export interface OrdersFilterFlags {
  readonly profile?: string;
  readonly status?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly card?: string;
  readonly amount?: string;
  readonly operation?: string;
  readonly limit?: string;
}

export const maxLimit = 10_000;

/** Reads the filters; without --limit the limit is undefined. Throws USAGE with all mistakes in them. */
export function readOrdersFilter(
  text: string | undefined,
  options: OrdersFilterFlags,
  now: number,
): { readonly wanted: WantedOrders; readonly limit: number | undefined } {
  const problems: string[] = [];
  const refuse: Refuse = (why) => void problems.push(why);
  const { card, limit } = options;
  if (card !== undefined && !/^\d{1,4}$/.test(card)) refuse('--card: use the last digits of the card, four at most');
  if (limit !== undefined && (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > maxLimit))
    refuse(`--limit: use a whole number from 1 to ${maxLimit}`);
  const filter: Filter = {
    profile: options.profile,
    from: readTime('--since', options.since, now, refuse),
    until: readTime('--until', options.until, now, refuse),
    amount: readEqualSum(options.amount, refuse),
    card,
    text: text === '' || text === 'list' ? undefined : text,
  };
  const words = options.status?.flatMap((word) => readStatus(word, refuse));
  const wanted = { filter, words, operation: readOperation(options.operation, refuse) };
  if (problems.length > 0) throw fail('USAGE', { why: problemsText(problems), command: 'orders' });
  return { wanted, limit: limit === undefined ? undefined : Number(limit) };
}

/** The command that filters by status, where the text is the word of one. */
export function statusMeant(text: string | undefined, { status }: OrdersFilterFlags): string | undefined {
  const word = text?.toLowerCase() ?? '';
  const meant = status === undefined ? (filterWords.find((each) => each === word) ?? listedAs(word)) : undefined;
  return meant && `paycli orders --status ${meant}`;
}

/** The words of the gateway are understood too: the status under which it is listed. */
function readStatus(word: string, refuse: Refuse): readonly FilterWord[] {
  const status = filterWords.find((each) => each === word) ?? listedAs(word);
  if (status !== undefined) return [status];
  refuse(`--status: use one of ${filterWords.join(', ')}${suggest(word, filterWords)}`);
  return [];
}

/** The status of orders that the gateway calls so; undefined for a word it does not use. */
function listedAs(word: string): 'declined' | 'pending' | undefined {
  const facts = statusOf(word);
  return facts === undefined ? undefined : facts.final ? 'declined' : 'pending';
}

function readEqualSum(text: string | undefined, refuse: Refuse): Filter['amount'] {
  // Without a letter there is no currency either.
  if (text !== undefined && !/\p{L}/u.test(text)) return readAnyCurrency(text, refuse);
  const sum = readSum('--amount', text, refuse);
  return sum && { currency: sum.currency, min: sum.units, max: sum.units };
}

const maxFractionDigits = 4;

/** The same amount in any currency: no currency has more than four fraction digits. */
function readAnyCurrency(text: string, refuse: Refuse): Filter['amount'] {
  const reading = readAmount(text, '', maxFractionDigits);
  if (!reading.ok) {
    refuse(`--amount: ${reading.why}; examples: 25.00 or "25.00 EUR"`);
    return undefined;
  }
  return { min: String(reading.minor), max: String(reading.minor) };
}

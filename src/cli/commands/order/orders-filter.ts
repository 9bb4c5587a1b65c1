import { fail, problemsText, shellWord, suggest } from '../../../errors/index.js';
import { type Filter, type State, unitsOf } from '../../../journal/index.js';
import { fitsKind, kindOf, statusOf } from '../../../spec/index.js';
import { readAmount, readMoney } from '../../../wire/amount.js';
import { cardNumbersIn } from '../../../wire/mask.js';
import { type Refuse, readOperation, readTime } from '../../core/journal-filter.js';
import { filterWords, statuses, statusWords } from '../../core/order-words.js';

/** The flags of `orders` that choose, as typed. */
export interface OrdersFilterFlags {
  readonly profile?: string;
  readonly status?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly card?: string;
  readonly amount?: string;
  readonly email?: string;
  readonly operation?: string;
  readonly limit?: string;
}

export const maxLimit = 10_000;

/** Reads the filters; without --limit the limit is undefined. Throws USAGE with all mistakes in them. */
export function readOrdersFilter(
  text: string | undefined,
  options: OrdersFilterFlags,
  now: number,
): { filter: Filter; limit: number | undefined } {
  const problems: string[] = [];
  const refuse: Refuse = (why) => void problems.push(why);
  const { card, email, limit } = options;
  if (email !== undefined && !fitsKind('email', email.trim()))
    refuse(`--email: use ${kindOf('email').form}, at most ${kindOf('email').max} characters`);
  if (card !== undefined && !/^\d{1,4}$/.test(card)) refuse('--card: use the last digits of the card, four at most');
  if (limit !== undefined && (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > maxLimit))
    refuse(`--limit: use a whole number from 1 to ${maxLimit}`);
  const filter: Filter = {
    isOrder: true,
    // Of an order that another machine made the amount is not known.
    kind: options.amount === undefined ? undefined : 'opening',
    ...readStatuses(options.status, refuse),
    onOrder: readOperation(options.operation, refuse),
    profile: options.profile,
    from: readTime('--since', options.since, now, refuse),
    until: readTime('--until', options.until, now, refuse),
    sum: readSum(options.amount, refuse),
    card,
    text: text === '' || text === 'list' ? undefined : text,
  };
  if (problems.length > 0) throw fail('USAGE', { why: problemsText(problems), command: 'orders' });
  return { filter, limit: limit === undefined ? undefined : Number(limit) };
}

/** The filters as they were given; empty when there were none. The text and the address may be a secret or personal. */
export function filterText(text: string | undefined, options: OrdersFilterFlags): string {
  const { status = [], since, until, card, amount, email, operation, profile } = options;
  const flags = [
    ...status.map((word) => ['--status', word] as const),
    ...Object.entries({ since, until, card, amount, email: email && 'ADDRESS', operation, profile }).flatMap(
      ([name, value]) => (value === undefined ? [] : [[`--${name}`, value] as const]),
    ),
  ];
  const words = text === undefined || text === '' || text === 'list' ? [] : [shownSearch(text)];
  return [...words, ...flags.map(([flag, value]) => `${flag} ${shellWord(value, 'VALUE')}`)].join(' ');
}

/** The command that filters by status, where the text is the word of one. */
export function statusMeant(text: string | undefined, options: OrdersFilterFlags): string | undefined {
  const word = text?.toLowerCase() ?? '';
  const status = filterWords.find((each) => each === word) ?? listedAs(word);
  if (status === undefined || options.status !== undefined) return undefined;
  return `paycli orders ${filterText(undefined, { ...options, status: [status] })}`;
}

/** The text that was searched; left out where it may be a card number or names a payer. */
function shownSearch(text: string): string {
  const isPrivate = text.includes('@') || cardNumbersIn(text).length > 0;
  return isPrivate ? 'this text' : shellWord(text, 'this text');
}

type StatusFilter = Pick<Filter, 'orderStates' | 'isVoided' | 'isRegistered'>;

function readStatuses(words: readonly string[] | undefined, refuse: Refuse): StatusFilter {
  if (words === undefined) return {};
  const states = words.filter((word) => word !== 'voided' && word !== 'registered');
  return {
    orderStates: states.flatMap((word) => readStatus(word, refuse)),
    ...(words.includes('voided') ? { isVoided: true } : {}),
    ...(words.includes('registered') ? { isRegistered: true } : {}),
  };
}

/** The words of the gateway are understood too: the status under which it is listed. */
function readStatus(word: string, refuse: Refuse): readonly State[] {
  const status = statusWords.find((each) => each === word) ?? listedAs(word);
  if (status !== undefined) return statuses[status];
  refuse(`--status: use one of ${filterWords.join(', ')}${suggest(word, filterWords)}`);
  return [];
}

/** The status of orders that the gateway calls so; undefined for a word it does not use. */
function listedAs(word: string): 'declined' | 'pending' | undefined {
  const facts = statusOf(word);
  return facts === undefined ? undefined : facts.final ? 'declined' : 'pending';
}

function readSum(text: string | undefined, refuse: Refuse): Filter['sum'] {
  if (text === undefined) return undefined;
  // Without a letter there is no currency either.
  if (!/\p{L}/u.test(text)) return readAnyCurrency(text, refuse);
  const money = readMoney(text);
  if (!money.ok) {
    refuse(`--amount: ${money.why}`);
    return undefined;
  }
  const units = unitsOf({ minor: String(money.minor), currency: money.currency });
  return { currency: money.currency, min: units, max: units };
}

const maxFractionDigits = 4;

/** The same amount in any currency: no currency has more than four fraction digits. */
function readAnyCurrency(text: string, refuse: Refuse): Filter['sum'] {
  const reading = readAmount(text, '', maxFractionDigits);
  if (!reading.ok) {
    refuse(`--amount: ${reading.why}; examples: 25.00 or "25.00 EUR"`);
    return undefined;
  }
  return { min: reading.minor, max: reading.minor };
}

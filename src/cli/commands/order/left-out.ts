import { shellWord } from '../../../errors/index.js';
import { cardOf, type Filter, type Journal, unresolvedStates } from '../../../journal/index.js';
import { allOperations, opensForm, takesMoney } from '../../../spec/index.js';
import { maxLimit, type OrdersFilterFlags } from './orders-filter.js';

/** What a list of orders leaves out although whoever reads it may look for it. */
export interface LeftOut {
  /** Orders that --card leaves out although it may be theirs: only a reply names the card, and none has so far. */
  readonly withoutCard: number;
  /** Follow-ups that --status declined leaves out: it lists orders by the request that made them. */
  readonly declinedFollowUps: number;
}

/** What the journal has beyond the orders that match. */
export function countLeftOut(journal: Journal, filter: Filter): LeftOut {
  return { withoutCard: countWithoutCard(journal, filter), declinedFollowUps: countDeclined(journal, filter) };
}

/** A note for each kind, with the command that finds them. */
export function leftOutTexts(
  { withoutCard, declinedFollowUps }: LeftOut,
  options: OrdersFilterFlags,
): readonly string[] {
  return [
    ...(withoutCard > 0 ? [withoutCardText(withoutCard, options)] : []),
    ...(declinedFollowUps > 0 ? [declinedText(declinedFollowUps, options)] : []),
  ];
}

function countWithoutCard(journal: Journal, { card, orderStates = unresolvedStates, ...filter }: Filter): number {
  const open = orderStates.filter((state) => unresolvedStates.includes(state));
  if (card === undefined || open.length === 0) return 0;
  const pending = journal.newest({ ...filter, kind: 'opening', orderStates: open }, maxLimit);
  return pending.filter((opening) => isCardNamedByReply(opening.operation) && cardOf(opening) === undefined).length;
}

/** Whether the payer's card is not in the request: a rebill names a reference to it, a hosted form asks for it. */
function isCardNamedByReply(operation: string): boolean {
  return opensForm(operation) || allOperations.some(({ id, fields }) => id === operation && 'cardRefId' in fields);
}

function withoutCardText(count: number, flags: OrdersFilterFlags): string {
  const [orders, card] = count === 1 ? ['1 order is', 'its card is'] : [`${count} orders are`, 'their cards are'];
  return `note: ${orders} left out because ${card} not known yet; \`paycli resolve \
--all${profileFlag(flags)}\` queries pending orders`;
}

/** A payment of a checked payout is none of these: its order is listed as declined. */
const followUps: ReadonlySet<string> = new Set(
  allOperations.filter(takesMoney).flatMap(({ provenBy }) => provenBy ?? []),
);

/** None where particular orders are searched for. */
function countDeclined(journal: Journal, { orderStates, onOrder, profile, from, until, ...rest }: Filter): number {
  const { card, sum, text, payer } = rest;
  const isParticular = [card, sum, text, payer].some((each) => each !== undefined);
  if (orderStates?.includes('declined') !== true || isParticular) return 0;
  return [...followUps]
    .filter((operation) => onOrder === undefined || operation === onOrder)
    .map((operation) => journal.count({ states: ['declined'], kind: 'follow-up', operation, profile, from, until }))
    .reduce((total, count) => total + count, 0);
}

function declinedText(count: number, flags: OrdersFilterFlags): string {
  const what =
    count === 1 ? '1 declined return, capture or void is' : `${count} declined returns, captures or voids are`;
  const chosen = (['operation', 'since', 'until'] as const).flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [` --${name} ${shellWord(value, 'VALUE')}`];
  });
  return `note: ${what} not listed: \`paycli journal list --state declined${chosen.join('')}${profileFlag(flags)}\``;
}

function profileFlag({ profile }: OrdersFilterFlags): string {
  return profile === undefined ? '' : ` --profile ${shellWord(profile, 'NAME')}`;
}

import { shellWord } from '../../../errors/index.js';
import { cardOf, type Filter, type Journal, type State, unresolvedStates } from '../../../journal/index.js';
import { allOperations, opensForm, provenBy, takesMoney } from '../../../spec/index.js';
import { maxLimit, type OrdersFilterFlags } from './orders-filter.js';

/** How much `paycli orders` leaves out by its filters although the user may be looking for it. */
interface LeftOut {
  /** Unresolved orders that --card leaves out: only a reply names their card, and none has so far. At most 10,000. */
  readonly withoutCard: number;
  /** Declined returns, captures and voids: --status declined compares the request that made the order, not these. */
  readonly declinedFollowUps: number;
  /** Pending and unknown ones, which --status pending and --status unknown do not compare either. */
  readonly openFollowUps: number;
}

/** With the states of the open follow-ups, which the command that lists them names. */
export interface LeftOutStates extends LeftOut {
  readonly openStates: readonly State[];
}

export const nothingLeftOut: LeftOutStates = { withoutCard: 0, declinedFollowUps: 0, openFollowUps: 0, openStates: [] };

/** Counts what the journal has beyond the orders that match the filter. */
export function countLeftOut(journal: Journal, filter: Filter): LeftOutStates {
  const open = unresolvedStates
    .map((state) => ({ state, count: countFollowUps(journal, filter, state) }))
    .filter(({ count }) => count > 0);
  return {
    withoutCard: countWithoutCard(journal, filter),
    declinedFollowUps: countFollowUps(journal, filter, 'declined'),
    openFollowUps: open.reduce((total, { count }) => total + count, 0),
    openStates: open.map(({ state }) => state),
  };
}

/**
 * One note for each count above zero, with the command that finds the rest. `flags` are those of `orders`, as typed.
 */
export function leftOutTexts(leftOut: LeftOutStates, flags: OrdersFilterFlags): readonly string[] {
  const { withoutCard, declinedFollowUps, openFollowUps, openStates } = leftOut;
  const words = [
    ...(openStates.includes('accepted') ? ['pending'] : []),
    ...(openStates.some((state) => state !== 'accepted') ? ['unknown'] : []),
  ];
  return [
    ...(withoutCard > 0 ? [withoutCardText(withoutCard, flags)] : []),
    ...(declinedFollowUps > 0 ? [followUpsText(declinedFollowUps, 'declined', ['declined'], flags)] : []),
    ...(openFollowUps > 0 ? [followUpsText(openFollowUps, words.join(' or '), openStates, flags)] : []),
  ];
}

/** Counts the orders that match but for the card, are unresolved, and have no card that is known. */
function countWithoutCard(journal: Journal, { card, orderStates = unresolvedStates, ...others }: Filter): number {
  const unresolved = orderStates.filter((state) => unresolvedStates.includes(state));
  if (card === undefined || unresolved.length === 0) return 0;
  const openings = journal.newest({ ...others, kind: 'opening', orderStates: unresolved }, maxLimit);
  return openings.filter((opening) => isCardNamedByReply(opening.operation) && cardOf(opening) === undefined).length;
}

/** Whether the payer's card is not in the request: a rebill names a reference to it, a hosted form asks for it. */
function isCardNamedByReply(operation: string): boolean {
  return opensForm(operation) || allOperations.some(({ id, fields }) => id === operation && 'cardRefId' in fields);
}

/**
 * Ids of the follow-ups on an order that takes money: return, capture, void. A payout that is paid after a check of it
 * is a follow-up too, but a declined one makes its order a declined order, which the list shows.
 */
const unlistedFollowUps: ReadonlySet<string> = new Set(
  allOperations.filter(takesMoney).flatMap(({ id }) => provenBy(id)),
);

/** Counts follow-ups in a state that --status asks for; none where particular orders are searched for. */
function countFollowUps(journal: Journal, filter: Filter, state: State): number {
  const { orderStates, onOrder: chosenOperation, profile, from, until, card, sum, text, payer } = filter;
  const isForParticular = [card, sum, text, payer].some((each) => each !== undefined);
  if (orderStates?.includes(state) !== true || isForParticular) return 0;
  return [...unlistedFollowUps]
    .filter((operation) => chosenOperation === undefined || operation === chosenOperation)
    .map((operation) => journal.count({ states: [state], kind: 'follow-up', operation, profile, from, until }))
    .reduce((total, count) => total + count, 0);
}

function withoutCardText(count: number, flags: OrdersFilterFlags): string {
  const [orders, card] = count === 1 ? ['1 order is', 'its card is'] : [`${count} orders are`, 'their cards are'];
  return `note: ${orders} left out because ${card} not known yet; \`paycli resolve --all${repeatFlags(['profile'], flags)}\` queries pending orders`;
}

function followUpsText(count: number, word: string, states: readonly State[], flags: OrdersFilterFlags): string {
  const what = count === 1 ? `1 ${word} return, capture or void is` : `${count} ${word} returns, captures or voids are`;
  const chosen = repeatFlags(['operation', 'since', 'until', 'profile'], flags);
  return `note: ${what} not listed: \`paycli journal --state ${states.join(' --state ')}${chosen}\``;
}

/** Those of these flags that were typed, for a suggested command, such as ` --since 2h --profile shop`. */
function repeatFlags(names: readonly ('operation' | 'since' | 'until' | 'profile')[], flags: OrdersFilterFlags) {
  return names
    .map((name) => {
      const value = flags[name];
      return value === undefined ? '' : ` --${name} ${shellWord(value, 'VALUE')}`;
    })
    .join('');
}

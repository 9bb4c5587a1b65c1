import { cardOfOrder, digitsOfSum, type Intent, isHold, movedIn, type State } from '../../journal/index.js';
import type { KnownOrder } from '../../sandbox/index.js';
import type { Assume } from '../../spec/assumptions.js';
import { isRegistration, movesOf, operations } from '../../spec/index.js';
import { decimalText, isDecimal, larger } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';
import { lastTotalReturned } from './order-amounts.js';
import { factsFromStatus } from './order-facts.js';
import { idsOf, type NamedOrder } from './order-requests.js';

/** The status of an order by the journal state of its opening request. */
export const statuses = {
  approved: ['done'],
  declined: ['declined'],
  pending: ['accepted'],
  unknown: ['sending', 'unknown', 'conflict'],
  refused: ['refused'],
  'not-sent': ['planned', 'not_sent'],
} as const satisfies Readonly<Record<string, readonly State[]>>;

export const statusWords = Object.keys(statuses) as readonly (keyof typeof statuses)[];

/** The words of `--status`: every status that is shown. */
export const filterWords = [...statusWords, 'registered', 'voided'] as const;

/** The word of `--status` for the state of an order. */
export function wordOf(state: State): string {
  return statusWords.find((word) => (statuses[word] as readonly State[]).includes(state)) ?? state;
}

/** An order as the journal has it, in the form of a status reply about its opening request. */
export interface JournalOrder {
  readonly known: KnownOrder;
  readonly fields: Fields;
}

/** Undefined where the journal does not have the request that made the order. */
export function orderInJournal(
  named: NamedOrder,
  requests: readonly Intent[],
  assume: Assume,
): JournalOrder | undefined {
  const opening = requests.find(({ kind }) => kind === 'opening');
  if (opening === undefined) return undefined;
  const { orderId = '', clientOrderId = '' } = idsOf(requests, named);
  const fields = fieldsOf(opening, requests);
  const facts = factsFromStatus(fields, requests, assume);
  const followUps = requests.filter(({ kind }) => kind === 'follow-up');
  const isOpen = followUps.some(({ state }) => state === 'accepted');
  return {
    fields,
    known: {
      ...{ orderId, clientOrderId, cardRef: undefined },
      facts: {
        ...facts,
        following: isOpen ? 'processing' : facts.following,
        voided: wasVoided(followUps) ? 'yes' : facts.voided,
      },
    },
  };
}

/** Whether a request registers a card for later charges: no status query shows it. */
export function isRegistered({ operation }: Intent): boolean {
  return operations.some((row) => row.id === operation && isRegistration(row));
}

/** Whether one of the follow-ups on an order is an approved void. */
export function wasVoided(followUps: readonly Intent[]): boolean {
  return followUps.some(({ operation, state }) => movesOf(operation) === 'releases' && state === 'done');
}

function fieldsOf(opening: Intent, requests: readonly Intent[]): Fields {
  const { state, sum, outcome } = opening;
  const amount = sum === undefined ? undefined : decimalText(BigInt(sum.minor), digitsOfSum(sum));
  const given: readonly (readonly [name: string, value: string | undefined])[] = [
    ['status', state === 'accepted' ? 'processing' : wordOf(state)],
    ['transaction-type', typeOf(opening)],
    ['order-stage', outcome['order-stage']],
    ['amount', amount],
    ['initial-amount', amount],
    ['currency', sum?.currency],
    ['total-reversal-amount', returnedIn(requests)],
    ['last-four-digits', cardOfOrder([opening, ...requests])],
    ['card-type', outcome['card-type'] ?? outcome['dest-card-type']],
    ['error-message', state === 'declined' ? outcome['error-message'] : undefined],
  ];
  return new Map(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A payment on a hosted page may be a hold: the gateway says which. */
function typeOf({ operation, outcome }: Intent): string | undefined {
  const types = operations.find(({ id }) => id === operation)?.namedByStatus?.types ?? [];
  if (isHold({ operation, outcome })) return 'preauth';
  const reported = outcome['transaction-type']?.toLowerCase();
  return types.find((type) => type === reported) ?? types[0];
}

/** What its returns moved, or what the gateway last showed as returned where that is more. */
function returnedIn(requests: readonly Intent[]): string | undefined {
  const last = lastTotalReturned(requests);
  const moved = movedIn(requests);
  const sum = requests.map((each) => each.sum).find((each) => each !== undefined);
  if (moved === undefined || sum === undefined) return last;
  const own = decimalText(moved.released + moved.returned, digitsOfSum(sum));
  return last === undefined || !isDecimal(last) ? own : larger(last, own);
}

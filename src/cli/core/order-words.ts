import type { Request } from '../../journal/port.js';
import type { State } from '../../journal/states.js';
import { isRegistration, movesOf, operations } from '../../spec/index.js';

/** The status of an order by the journal state of its payment. */
const statuses = {
  approved: ['done'],
  declined: ['declined'],
  pending: ['accepted'],
  unknown: ['sending', 'unknown', 'conflict'],
  refused: ['refused'],
  'not-sent': ['planned', 'not_sent'],
} as const satisfies Readonly<Record<string, readonly State[]>>;

const statusWords = Object.keys(statuses) as readonly (keyof typeof statuses)[];

/** The words of `--status`: every status that is shown. */
export const filterWords = [...statusWords, 'voided'] as const;

export type FilterWord = (typeof filterWords)[number];

/** The states that a payment of an order with this status may have. */
export function statesOf(word: FilterWord): readonly State[] {
  return word === 'voided' ? statuses.approved : statuses[word];
}

/** The word of `--status` for the state of an order. */
export function wordOf(state: State): string {
  return statusWords.find((word) => (statuses[word] as readonly State[]).includes(state)) ?? state;
}

/** Whether a request registers a card for later charges: no status query shows it. */
export function isRegistered({ operation }: Request): boolean {
  return operations.some((row) => row.id === operation && isRegistration(row));
}

/** Whether one of the follow-ups on an order is an approved void. */
export function wasVoided(followUps: readonly Request[]): boolean {
  return followUps.some(({ operation, state }) => movesOf(operation) === 'releases' && state === 'done');
}

import { withoutCardNumbers } from '../../wire/redact.js';

/** Who wrote an event down: the journal, the listener for callbacks, or the log of a sandbox. */
export const sources = ['paycli', 'callbacks', 'sandbox'] as const;
export type Source = (typeof sources)[number];

/** What an event is, with its mark in the picture. */
export const marks = {
  planned: '+',
  request: '>',
  answer: '<',
  refusal: 'x',
  state: '=',
  step: '3',
  page: '@',
  callback: '!',
  conflict: '#',
  forward: '/',
  poll: '?',
  note: '*',
} as const;
export type Kind = keyof typeof marks;

export interface TimelineEvent {
  /** On the clock of this machine, in milliseconds since 1970. */
  readonly at: number;
  readonly source: Source;
  readonly kind: Kind;
  /** One line for people. */
  readonly title: string;
  readonly detail: Readonly<Record<string, string>>;
}

const mostCharacters = 300;

/** An event without anything that could be a card number, foreign text cut. Facts left out are not there. */
export function eventOf(
  { at, source, kind, title }: Omit<TimelineEvent, 'detail'>,
  detail: Readonly<Record<string, string | undefined>>,
): TimelineEvent {
  const given = Object.entries(detail).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  return { at, source, kind, title: safe(title), detail: Object.fromEntries(given.map(([name, text]) => [name, safe(text)])) };
}

function safe(text: string): string {
  const masked = withoutCardNumbers(text);
  return masked.length > mostCharacters ? `${masked.slice(0, mostCharacters)}…` : masked;
}

/** Words that are there, with semicolons in between. */
export function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('; ');
}

// Of the same millisecond what was sent comes first, then what it caused, then what was learned of it.
const sent: ReadonlySet<Kind> = new Set(['planned', 'request', 'step']);

function rankOf({ source, kind }: TimelineEvent): number {
  if (source === 'paycli') return sent.has(kind) ? 0 : 4;
  if (source === 'callbacks') return 3;
  return kind === 'state' ? 2 : 1;
}

export function inTime(events: readonly TimelineEvent[]): TimelineEvent[] {
  return events.toSorted((a, b) => a.at - b.at || rankOf(a) - rankOf(b));
}

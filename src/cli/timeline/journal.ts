import type { Intent, Move } from '../../journal/index.js';
import { operations } from '../../spec/index.js';
import { commandOf, sumOf } from '../present/intents.js';
import { eventOf, joined, type Kind, type TimelineEvent } from './event.js';

/** What a request is, in the words of the command line. */
export function requestWords(intent: Intent): string {
  return [commandOf(intent), sumOf(intent)].filter((word) => word !== '').join(' ');
}

/** The moves of one entry of the journal. */
export function eventsOfIntent(intent: Intent, moves: readonly Move[]): TimelineEvent[] {
  return moves.map((move) => {
    const facts = factsIn(move.facts);
    const { kind, title } = describe(intent, move, facts);
    const { id, operation } = intent;
    const detail = { entry: String(id), operation, from: move.from, to: move.to, reason: move.reason, ...textsOf(facts) };
    return eventOf({ at: move.at, source: 'paycli', kind, title }, detail);
  });
}

interface Described {
  readonly kind: Kind;
  readonly title: string;
}

function describe(intent: Intent, { from, to, reason }: Move, facts: Readonly<Record<string, unknown>>): Described {
  const command = commandOf(intent);
  if (to === 'planned' && from !== to) return { kind: 'planned', title: joined(`${requestWords(intent)} written down`, reason) };
  if (from === to) return noted(command, reason, facts);
  if (to === 'sending') {
    const attempt = textOf(facts['attempt']);
    const title = joined(`${command} sent${attempt === undefined || attempt === '1' ? '' : `, attempt ${attempt}`}`, reason);
    return { kind: isStep(intent) ? 'step' : 'request', title };
  }
  const title = joined(`${command}: ${to}`, reason);
  if (from !== 'sending' || to === 'unknown' || to === 'not_sent') return { kind: 'state', title };
  if (to === 'refused') return { kind: 'refusal', title };
  return { kind: hasPage(intent) && to === 'accepted' ? 'page' : 'answer', title };
}

/** Lines without a change of state: most of them say what an answer of status proved. */
function noted(command: string, reason: string, facts: Readonly<Record<string, unknown>>): Described {
  if (textOf(facts['waitsFor']) !== undefined) return { kind: 'step', title: `${command}: ${reason}` };
  const why = textOf(facts['why']);
  const title = joined(`${command}: ${reason}`, why, textOf(facts['evidence']));
  return { kind: why === undefined ? 'note' : 'poll', title };
}

function rowOf({ operation }: Intent) {
  return operations.find(({ id }) => id === operation);
}

/** The upload of a 3-D Secure result. */
function isStep(intent: Intent): boolean {
  return rowOf(intent)?.command.startsWith('upload-3ds ') === true;
}

/** Its reply sends the customer to a page. */
function hasPage(intent: Intent): boolean {
  return rowOf(intent)?.records.reply === 'AsyncCheckoutFormRedirect';
}

function factsIn(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  // The first line of an entry holds a list of its columns instead.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

const told = ['attempt', 'why', 'evidence', 'as', 'by', 'asked', 'host', 'pid'];

function textsOf(facts: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const outcome = facts['outcome'];
  const status = typeof outcome === 'object' && outcome !== null && 'status' in outcome ? textOf(outcome.status) : undefined;
  return { ...Object.fromEntries(told.map((name) => [name, textOf(facts[name])])), status };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

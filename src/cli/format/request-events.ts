import type { Event } from '../../journal/port.js';
import { wasMarked } from '../../journal/states.js';
import { markWords, reasonWords } from './journal-entries.js';
import { stepWords } from './meaning.js';

/** Joins the words that are not empty with semicolons. */
export function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('; ');
}

/** What happened to a request. */
export interface DescribedEvent {
  /** A status query that proved nothing. */
  readonly isPoll: boolean;
  /** The new state; undefined where it stayed the same. */
  readonly state: Event['to'];
  /** Without the request and the state. */
  readonly words: string;
}

export function describeEvent({ from, to, who, reason, facts }: Event): DescribedEvent {
  const evidence = textOf(facts['evidence']);
  // Most events without a change of state record what a status reply proved.
  if (to === undefined || from === to) {
    const why = textOf(facts['why']);
    const words = stepWords(facts) ?? joined(reasonWords(reason), why, evidence);
    return { isPoll: why !== undefined, state: undefined, words };
  }
  const mark = `${markWords({ state: to })}, recorded by ${who}; evidence: ${evidence ?? ''}`;
  const words = wasMarked({ reason }) ? mark : joined(reason, to === 'declined' ? messageIn(facts) : undefined);
  return { isPoll: false, state: to, words };
}

/** The bank's reason in what was kept of the reply. */
function messageIn({ outcome }: Event['facts']): string | undefined {
  const kept = typeof outcome === 'object' && outcome !== null ? new Map(Object.entries(outcome)) : undefined;
  return textOf(kept?.get('error-message'));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** An event for programs. */
export function eventDocument({ id, from, to, at, who, reason, facts }: Event): Readonly<Record<string, unknown>> {
  return { event: id, from: from ?? null, to: to ?? null, at: new Date(at).toISOString(), who, reason, facts };
}

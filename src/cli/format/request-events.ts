import type { Event, Request } from '../../journal/port.js';
import { wasMarked } from '../../journal/states.js';
import { opensForm, operations } from '../../spec/index.js';
import { markWords, reasonWords } from './journal-entries.js';
import { stepWords } from './meaning.js';

export type RequestEventKind = 'request' | 'answer' | 'refusal' | 'state' | 'step' | 'page' | 'poll' | 'note';

/** Joins the words that are not empty with semicolons. */
export function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('; ');
}

/** What happened to a request. */
export interface DescribedEvent {
  readonly kind: RequestEventKind;
  /** The new state; undefined where it stayed the same. */
  readonly state: Event['to'];
  /** Without the request and the state. */
  readonly words: string;
}

export function describeEvent(request: Request, { from, to, who, reason, facts }: Event): DescribedEvent {
  // Most events without a change of state record what a status reply proved.
  if (to === undefined || from === to) {
    const step = stepWords(facts);
    if (step !== undefined) return { kind: 'step', state: undefined, words: step };
    const why = textOf(facts['why']);
    const words = joined(reasonWords(reason), why, textOf(facts['evidence']));
    return { kind: why === undefined ? 'note' : 'poll', state: undefined, words };
  }
  const isMark = wasMarked({ reason });
  const mark = `${markWords({ state: to })}, recorded by ${who}; evidence: ${textOf(facts['evidence']) ?? ''}`;
  const words = isMark ? mark : joined(reason, to === 'declined' ? messageIn(facts) : undefined);
  return { kind: isMark ? 'state' : kindOfChange(request, from, to), state: to, words };
}

function kindOfChange({ operation }: Request, from: Event['from'], to: Event['to']): RequestEventKind {
  // The upload of a 3-D Secure result is a step.
  const isStep = operations.some(({ id, answers }) => id === operation && answers !== undefined);
  if (to === 'sending') return isStep ? 'step' : 'request';
  if (from !== 'sending' || to === 'unknown' || to === 'not_sent') return 'state';
  if (to === 'refused') return 'refusal';
  return opensForm(operation) && to === 'accepted' ? 'page' : 'answer';
}

/** The bank's reason in what was kept of the reply. */
function messageIn({ outcome }: Event['facts']): string | undefined {
  const kept = typeof outcome === 'object' && outcome !== null ? new Map(Object.entries(outcome)) : undefined;
  return textOf(kept?.get('error-message'));
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** An event for programs. */
export function eventDocument({ id, from, to, at, who, reason, facts }: Event): Readonly<Record<string, unknown>> {
  return { event: id, from: from ?? null, to: to ?? null, at: new Date(at).toISOString(), who, reason, facts };
}

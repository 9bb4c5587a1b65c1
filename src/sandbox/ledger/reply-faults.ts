import type { Pair } from '../../wire/form.js';
import { Refusal } from './refusal.js';

/**
 * What a client gets in place of the reply. `no-answer` ends the connection, `hang` leaves it open, `half` stops in the
 * middle of the JSON, `page` is the error page of a proxy, `redirect` points to the same operation under another host
 * name, `too-many` asks to come back later, `late` comes whole after a long time.
 */
export type FaultShape = 'server-error' | 'no-answer' | 'hang' | 'half' | 'page' | 'redirect' | 'too-many' | 'late';

/** A fault of the gateway itself, instead of an outcome. */
export interface Fault {
  /** True when the work was done before it, so only the reply is missing. */
  readonly isDone: boolean;
  readonly shape: FaultShape;
  readonly about: string;
}

/** Every fault that can be queued, by its name. */
export const faults = {
  'server-error': { isDone: false, shape: 'server-error', about: 'HTTP 500, nothing was processed' },
  'server-error-done': {
    isDone: true,
    shape: 'server-error',
    about: 'HTTP 500, although the request was processed and will be approved',
  },
  'no-answer': {
    isDone: false,
    shape: 'no-answer',
    about: 'the connection is closed without a reply, nothing was processed',
  },
  'no-answer-done': {
    isDone: true,
    shape: 'no-answer',
    about: 'the connection is closed without a reply, although the request was processed and will be approved',
  },
  hang: { isDone: false, shape: 'hang', about: 'no reply, the connection stays open, nothing was processed' },
  'hang-done': {
    isDone: true,
    shape: 'hang',
    about: 'no reply, the connection stays open, although the request was processed and will be approved',
  },
  'half-reply-done': {
    isDone: true,
    shape: 'half',
    about: 'half of the JSON reply, although the request was processed and will be approved',
  },
  'error-page': {
    isDone: false,
    shape: 'page',
    about: 'HTTP 502 with an HTML page from a proxy, nothing was processed',
  },
  'error-page-done': {
    isDone: true,
    shape: 'page',
    about: 'HTTP 502 with an HTML page from a proxy, although the request was processed and will be approved',
  },
  redirect: {
    isDone: false,
    shape: 'redirect',
    about: 'HTTP 307 to the same operation under another host name, nothing was processed',
  },
  'too-many-requests': {
    isDone: false,
    shape: 'too-many',
    about: 'HTTP 429 with Retry-After: 1, nothing was processed',
  },
  'late-reply-done': {
    isDone: true,
    shape: 'late',
    about: 'the reply comes after 40 seconds; the request will be approved',
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export function faultNamed(name: string): Fault | undefined {
  return Object.entries(faults).find(([known]) => known === name)?.[1];
}

/** How long the reply of `late-reply-done` takes, unless a sandbox is set otherwise. */
export const defaultLateMs = 40_000;

const texts: Partial<Readonly<Record<FaultShape, string>>> = {
  'no-answer': 'the reply was withheld, as requested',
  hang: 'the reply was withheld and the connection kept open, as requested',
  half: 'only half of the reply was sent, as requested',
  page: 'an error page of a proxy was sent, as requested',
  redirect: 'a redirect, as requested',
  'too-many': 'too many requests, as requested',
  late: 'a late reply, as requested',
};

/** A reply that was asked to go wrong. The text is the same whether or not anything was done: a client cannot know. */
export class RequestedFault extends Refusal {
  readonly shape: FaultShape;
  /** Of the reply there would have been; undefined when nothing was done. */
  readonly fields: readonly Pair[] | undefined;

  constructor({ shape, isDone }: Fault, fields: readonly Pair[]) {
    super(shape === 'no-answer' ? 'no-answer' : 'fault', texts[shape] ?? 'internal server error, as requested');
    this.shape = shape;
    this.fields = isDone ? fields : undefined;
  }
}

import type { Pair } from '../../wire/form.js';
import { Refusal } from './refusal.js';

/**
 * What a client gets in place of the reply. `no-answer` ends the connection, `hang` leaves it open, `half` stops in the
 * middle of the JSON, `page` is the error page of a proxy, `redirect` points to the same operation under another host
 * name, `too-many` asks to come back later, `late` comes whole after a long time.
 */
export type FaultShape = 'server-error' | 'no-answer' | 'hang' | 'half' | 'page' | 'redirect' | 'too-many' | 'late';

/** A fault of the gateway, in place of an outcome such as approved or declined. */
export interface Fault {
  /** True when the request was processed before the fault, so that only the reply is missing or wrong. */
  readonly isDone: boolean;
  readonly shape: FaultShape;
  /** What it does, as lists of faults show it. */
  readonly about: string;
}

/** Every fault that can be queued for a request (`paycli sandbox outcomes next NAME`), by its name. */
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
    // The time is `defaultLateMs`.
    about: 'the reply comes after 40 seconds; the request will be approved',
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** The fault of a queued name; undefined for one that is no fault, such as `approved`. */
export function faultNamed(name: string): Fault | undefined {
  return isFaultName(name) ? faults[name] : undefined;
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}

/** How many milliseconds the reply of `late-reply-done` takes, in a sandbox without a time of its own. */
export const defaultLateMs = 40_000;

/** What the log of the sandbox says of a request; where the reply is an error of the gateway, its message too. */
const messages: Readonly<Record<FaultShape, string>> = {
  'server-error': 'internal server error, as requested',
  'no-answer': 'the reply was withheld, as requested',
  hang: 'the reply was withheld and the connection kept open, as requested',
  half: 'only half of the reply was sent, as requested',
  page: 'an error page of a proxy was sent, as requested',
  redirect: 'a redirect, as requested',
  'too-many': 'too many requests, as requested',
  late: 'a late reply, as requested',
};

/**
 * Thrown in place of the reply to a request that a fault was queued for. Its message is the same whether or not the
 * request was processed: a client cannot know.
 */
export class RequestedFault extends Refusal {
  readonly shape: FaultShape;
  /** The fields of the reply without the fault; undefined when nothing was processed. */
  readonly fields: readonly Pair[] | undefined;

  /** `fields` are those of the reply without the fault. */
  constructor({ shape, isDone }: Fault, fields: readonly Pair[]) {
    super(shape === 'no-answer' ? 'no-answer' : 'fault', messages[shape]);
    this.shape = shape;
    this.fields = isDone ? fields : undefined;
  }
}

/**
 * What a client gets in place of the reply: how it is sent, and what the log says of it. `no-answer` ends the
 * connection, `half` stops in the middle of the JSON, `page` is the error page of a proxy, `redirect` points to the same
 * operation under another host name, `too-many` asks to come back later.
 */
const shapes = {
  'server-error': 'internal server error, as requested',
  'no-answer': 'the reply was withheld, as requested',
  hang: 'the reply was withheld and the connection kept open, as requested',
  half: 'only half of the reply was sent, as requested',
  page: 'an error page of a proxy was sent, as requested',
  redirect: 'a redirect, as requested',
  'too-many': 'too many requests, as requested',
  late: 'a late reply, as requested',
} as const;

/** A fault of the gateway, in place of an outcome such as approved or declined. */
export interface Fault {
  /** True when the request was processed before the fault, so that only the reply is missing or wrong. */
  readonly isDone: boolean;
  readonly shape: keyof typeof shapes;
  /** What it does, as lists of faults show it. */
  readonly about: string;
}

const undone = (shape: Fault['shape'], about: string): Fault => ({
  isDone: false,
  shape,
  about: `${about}, nothing was processed`,
});
const done = (shape: Fault['shape'], about: string): Fault => ({
  isDone: true,
  shape,
  about: `${about}, although the request was processed and will be approved`,
});

const noReply = 'the connection is closed without a reply';
const openEnd = 'no reply, the connection stays open';
const proxyError = 'HTTP 502 with an HTML page from a proxy';

/** How many milliseconds the reply of `late-reply-done` takes, in a sandbox without a time of its own. */
export const defaultLateMs = 40_000;

/** Every fault that can be queued for a request (`paycli sandbox outcomes next NAME`), by its name. */
export const faults = {
  'server-error': undone('server-error', 'HTTP 500'),
  'server-error-done': done('server-error', 'HTTP 500'),
  'no-answer': undone('no-answer', noReply),
  'no-answer-done': done('no-answer', noReply),
  hang: undone('hang', openEnd),
  'hang-done': done('hang', openEnd),
  'half-reply-done': done('half', 'half of the JSON reply'),
  'error-page': undone('page', proxyError),
  'error-page-done': done('page', proxyError),
  redirect: undone('redirect', 'HTTP 307 to the same operation under another host name'),
  'too-many-requests': undone('too-many', 'HTTP 429 with Retry-After: 1'),
  'late-reply-done': done('late', `the reply comes after ${defaultLateMs / 1000} seconds`),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

const byName: ReadonlyMap<string, Fault> = new Map(Object.entries(faults));

/** The fault of a queued name; undefined for one that is no fault, such as `approved`. */
export function faultNamed(name: string | undefined): Fault | undefined {
  return byName.get(name ?? '');
}

/** The same whether or not the request was processed: a client cannot know. */
export function faultMessage({ shape }: Fault): string {
  return shapes[shape];
}

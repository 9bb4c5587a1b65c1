export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/** Kinds of things that happen to an order, or to a merchant without one. */
export type EventKind = 'request' | 'refusal' | 'stage' | 'page' | 'callback' | 'clock' | 'queue';

/** One line of the log, in the order of its columns. */
export type EventRow = readonly [
  at: number,
  machineAt: number,
  login: string | null,
  orderId: string | null,
  kind: EventKind,
  title: string,
  detail: string,
];

/**
 * What requests answered in one transaction share. Nobody else can write meanwhile, so what was read once stays true, and what
 * only grows is written once, at the end. It knows no undoing of one request: whoever needs that throws `Undo`.
 */
export interface Group {
  next(name: Counter): number;
  /** What `read` gave when it was first asked for under this name. Only for what no request changes. */
  remember<T>(name: string, read: () => T): T;
  forget(name: string): void;
  record(row: EventRow): void;
}

/** The work of one request has to be undone, so the group has to be answered one by one. */
export class Undo extends Error {}

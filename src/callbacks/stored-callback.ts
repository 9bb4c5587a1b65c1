/** The result of verifying the checksum. `no-key`: there was no key to verify it with. */
export type Verified = 'fits' | 'wrong' | 'no-key';

/** A callback as it was received, byte for byte. */
export interface RawCallback {
  readonly method: string;
  /** Path and query of the request, unchanged. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

export interface NewCallback {
  /** The gateway it is from, as in the journal. */
  readonly place: string;
  /** Of the listener that received it. */
  readonly profile: string | undefined;
  /** Of that profile, as it was then: sandbox, test or live. */
  readonly class: string | undefined;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  /** Empty when it named none. */
  readonly type: string;
  readonly verified: Verified;
  /** Why it is wrong, or which key it fits; in paycli's words, never in the callback's. */
  readonly why: string;
  readonly raw: RawCallback;
  /** The handler it still has to be forwarded to; undefined for none. */
  readonly forwardTo: string | undefined;
}

/** The answer to a status query that a callback led to. */
export interface StatusAnswer {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The status word; undefined when the query gave none. */
  readonly status: string | undefined;
  /** The answer in words, for people. */
  readonly says: string;
}

/** One attempt to forward a callback to a handler. */
export interface ForwardAttempt {
  readonly at: number;
  readonly url: string;
  /** HTTP status of its answer; undefined without one. */
  readonly status: number | undefined;
  /** The first bytes of that answer, fit to be shown. */
  readonly reply: string;
  readonly reason: string | undefined;
  readonly ms: number;
}

/** Why an attempt does not count as received; undefined where it does. */
export function handlerFault({ status, reason }: Pick<ForwardAttempt, 'status' | 'reason'>): string | undefined {
  if (status === 200 && reason === undefined) return undefined;
  return status === undefined ? 'the handler did not answer' : `the handler answered HTTP ${status}`;
}

export interface StoredCallback extends Omit<NewCallback, 'raw'> {
  /** Undefined when the key that encrypted it is missing. */
  readonly raw: RawCallback | undefined;
  /** Grows with every callback; never given twice. */
  readonly id: number;
  /** When it was first received, in milliseconds since 1970. */
  readonly at: number;
  /** How often the same bytes were received again, and when last. */
  readonly repeats: number;
  readonly lastAt: number;
  /** The first callback with the same status, type and ids, when this is a repeat of it with other content. */
  readonly repeatOf: number | undefined;
  /** The last answer; undefined while status was not queried. */
  readonly asked: StatusAnswer | undefined;
  /** What does not agree with the journal or with status, each in words. */
  readonly conflicts: readonly string[];
  readonly forwards: readonly ForwardAttempt[];
}

/** The result of storing a callback. */
export interface Saved {
  readonly callback: StoredCallback;
  /**
   * `new`; `repeat`: the same bytes are stored already; `variant`: the same status, type and ids with other content;
   * `over`: a variant beyond the number that is stored.
   */
  readonly as: 'new' | 'repeat' | 'variant' | 'over';
}

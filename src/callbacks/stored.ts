/**
 * What holding the checksum against the keys came to. `no-order`: it fits, but nothing here tells where its ids begin
 * and end; `no-key`: there was none to hold it against.
 */
export type Verified = 'fits' | 'wrong' | 'no-order' | 'no-key';

/** A callback as it came over the network, byte for byte. */
export interface RawCallback {
  readonly method: string;
  /** Path and query as they stood in the request. */
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

export interface NewCallback {
  /** What tells the gateway it speaks for from others, as in the journal. */
  readonly place: string;
  /** Of the listener that took it; undefined for one that an earlier version stored. */
  readonly profile: string | undefined;
  /** Of that profile, as it was then: sandbox, test or live. */
  readonly class: string | undefined;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  /** Empty when it named none. */
  readonly type: string;
  readonly verified: Verified;
  /** Why it is wrong, or which key it fits; in words of paycli. */
  readonly why: string;
  readonly raw: RawCallback;
  /** The address it is still to be forwarded to. */
  readonly owedTo: string | undefined;
}

/** What asking status because of a callback came to. */
export interface Asked {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The word status gave; undefined when it gave none. */
  readonly status: string | undefined;
  readonly says: string;
}

/** One attempt to hand a callback to a handler. */
export interface Forwarded {
  readonly at: number;
  readonly url: string;
  /** HTTP status of its answer; undefined when none came. */
  readonly status: number | undefined;
  /** The first bytes of that answer, fit to be shown. */
  readonly reply: string;
  readonly reason: string | undefined;
  readonly ms: number;
}

export interface StoredCallback extends Omit<NewCallback, 'raw'> {
  /** Undefined when the key that sealed it is not here. */
  readonly raw: RawCallback | undefined;
  /** Grows with every callback; never given twice. */
  readonly id: number;
  /** When it first came, in milliseconds since 1970. */
  readonly at: number;
  /** How often the very same bytes came again, and when last. */
  readonly repeats: number;
  readonly lastAt: number;
  /** The first callback with the same status, type and ids, when this is a repeat of it with other content. */
  readonly repeatOf: number | undefined;
  readonly asked: Asked | undefined;
  /** What does not agree with the journal or with status; empty when nothing. */
  readonly conflicts: readonly string[];
  readonly forwards: readonly Forwarded[];
}

import type { Assume } from '../../src/spec/index.js';

export interface Merchant {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
  readonly privateKeyPem: string;
}

/** A request as it goes over the wire; `path` begins behind the base address. */
export interface Posted {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** One running implementation of the interface, as far as the suite has to know it. */
export interface Target {
  /** Scheme, host, port and path prefix, as signatures cover them. */
  readonly base: string;
  readonly merchant: Merchant;
  readonly other: Merchant;
  post(request: Posted): Promise<Reply>;
  /** Milliseconds since 1970 by the target's clock. */
  now(): number;
  advance(ms: number): void;
  /** Lets the next request of an order end in this way. */
  queue(outcome: string, clientOrderId: string): void;
  close(): Promise<void>;
}

/** Switches of the register that differ from their defaults. */
export type Settings = Readonly<Partial<Assume>>;
export type Open = (settings?: Settings) => Promise<Target>;

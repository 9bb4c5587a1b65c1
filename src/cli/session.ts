import type { Caps, Defaults, ExplainRow, ProfileClass, SharedJournal } from '../config/index.js';
import type { Target } from '../payments/compose.js';
import type { Transport } from '../runtime/ports.js';
import type { Credentials } from '../signing/index.js';
import type { Assume, Operation, PlainProtection } from '../spec/index.js';

/** The connection of one command: where, as whom, under which assumptions. Keys are read when first needed. */
export interface Session {
  readonly name: string;
  readonly class: ProfileClass;
  /** True for the built-in sandbox. */
  readonly builtin: boolean;
  /** The beginning of hosted pages' addresses at which nobody listens: of the sandbox inside this process. */
  readonly unservedPages?: string;
  readonly login: string;
  /** The normalized address of this gateway, by which the journal tells gateways apart (its `base`). */
  readonly gatewayBase: string;
  readonly assume: Assume;
  /** The journal of its team; undefined for that of this machine. */
  readonly journal: SharedJournal | undefined;
  /** Who set each switch that is not at its default. */
  readonly assumeOrigins: Readonly<Record<string, string>>;
  /** The limits on one payment and on the sum of a day. */
  readonly caps: Caps;
  /** Address, login, endpoint ids and the places of the keys, each with where it came from. */
  readonly connection: readonly ExplainRow[];
  readonly output: string | undefined;
  readonly timeoutMs: number | undefined;
  /** How long --wait waits. */
  readonly waitMs: number;
  /** Between status queries; undefined for the usual schedule. */
  readonly pauses: readonly number[] | undefined;
  /** Of files and environment. */
  readonly warnings: readonly string[];
  /** Flags that a later command needs to reach the same place. */
  readonly flags: string;
  /** Test values for payer fields, by field key; empty outside the built-in sandbox. */
  readonly payer: Readonly<Record<string, string>>;
  readonly canAskStatus: boolean;
  /**
   * Whether the gateway is asked about a client order id before the first payment with it; undefined where no money
   * moves.
   */
  readonly askFirst: 'on' | 'off' | undefined;
  /**
   * How long an equal payment is taken for a repeat of one that was approved, in milliseconds; undefined where no money
   * moves.
   */
  readonly repeatWindowMs: number | undefined;
  endpointFor(row: Operation, currency: string | undefined): string;
  defaultsFor(row: Operation): Defaults;
  target(endpointId: string): Target;
  credentials(protection: PlainProtection): Promise<Credentials>;
  /** The key behind a scheme, by name and fingerprint; for messages. */
  keyName(scheme: PlainProtection['scheme']): string;
  /** The first call decides whether sockets are kept open for the next request. */
  transport(how?: 'keep'): Promise<Transport>;
  close(): Promise<void>;
}

/** What files and environment say besides the connection. */
export interface CommonSettings {
  readonly output: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly warnings: readonly string[];
}

import type { Assume, Operation, OperationId, PlainProtection } from '../spec/index.js';
import type { Pair } from '../wire/form.js';
import type { SandboxMerchant } from './merchants.js';
import type { Refusal, RuleViolation } from './refusal.js';

/** A request as a plain value, independent of the transport. */
export interface SandboxRequest {
  readonly method: string;
  /** Absolute, as the client wrote it: an OAuth signature covers it. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface SandboxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Not whole and at once: the connection ends, or stays open, without a reply, or the reply comes later. */
  readonly delivery?: 'none' | 'hang' | { readonly afterMs: number };
  /** Why it says no; undefined when the request was carried out. */
  readonly refusal?: Refusal;
}

/** The settings a sandbox answers with. */
export interface SandboxSettings {
  readonly assume: Assume;
  /** How long a transaction stays processing. */
  readonly settleMs: number;
  /** Takes every valid card number, not only the published test numbers. */
  readonly anyCard: boolean;
  /** Where the hosted pages are served: scheme, host and port. The origin of the request when left out. */
  readonly pagesBase: string | undefined;
  /** Set for a client inside this process. */
  readonly client: 'paycli' | undefined;
  /** How long a reply takes that was asked to be late. */
  readonly lateMs: number;
  /** Takes what programs of this family send against the description, and reports it. */
  readonly isCompatible: boolean;
}

export interface Route {
  readonly id: OperationId;
  readonly row: Operation;
  readonly endpointId: string;
}

/** A request that passed every check on its form. */
export interface CheckedRequest {
  readonly route: Route;
  readonly settings: SandboxSettings;
  readonly merchant: SandboxMerchant;
  readonly protection: PlainProtection;
  readonly pairs: readonly Pair[];
  /** By field key, empty values left out, amounts as decimal text. */
  readonly values: Readonly<Record<string, string>>;
  /** In minor units. */
  readonly amount: bigint | undefined;
  /** Fraction digits of the request's currency; 0 without one. */
  readonly digits: number;
  /** What a compatible sandbox took although the description wants it otherwise. */
  readonly tolerated: readonly RuleViolation[];
}

/** What every reply needs, whatever the operation. */
export interface RequestContext {
  readonly serial: string;
  readonly now: number;
  readonly pagesOrigin: string;
}

/** A checked request with a valid signature, before its effect. */
export interface AcceptedRequest extends CheckedRequest, RequestContext {
  /** The outcome or 3-D Secure flow requested for it. */
  readonly queued: string | undefined;
}

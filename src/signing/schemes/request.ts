import type { KeyObject } from 'node:crypto';
import type { Assume, Operation, PlainProtection } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import type { Secret } from '../../wire/mask.js';
import type { PrivateKey } from '../keys/rsa-keys.js';
import type { ControlEncoding, RefusalReason, Verdict } from './public-types.js';

export type { RefusalReason, Verdict } from './public-types.js';

/** A request before its signature. */
export interface Unsigned {
  readonly row: Operation;
  /** The whole address, endpoint id included. It is sent as it is. */
  readonly url: string;
  readonly endpointId: string;
  /** The row's protection, with its switch resolved. */
  readonly protection: PlainProtection;
  /** By field key, as the wire carries them. */
  readonly values: Readonly<Record<string, string>>;
  /** The amount in minor units; needed when the checksum holds an amount and the request has one. */
  readonly minor?: string;
  /** How many of its digits stand behind the point. */
  readonly digits?: number;
  /** The body in the order it is sent, without control and without oauth_*. */
  readonly pairs: readonly Pair[];
}

export interface Credentials {
  readonly login: string;
  readonly controlKey?: Secret;
  readonly privateKey?: PrivateKey;
}

/** What makes two signatures of one request differ. Chosen anew for every attempt. */
export interface NonceAndTimestamp {
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
}

export interface SignedRequest {
  readonly url: string;
  readonly pairs: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
  /** `pairs`, encoded. */
  readonly body: string;
  /** How the signature came about. */
  readonly stages: SignatureStages;
}

/** A request as the other side sees it. */
export interface Received {
  readonly row: Operation;
  readonly url: string;
  readonly protection: PlainProtection;
  readonly endpointId: string;
  /** The decoded body, control and any oauth_* included. */
  readonly pairs: readonly Pair[];
  readonly authorization?: string;
  readonly minor?: string;
}

export interface Merchant {
  readonly login: string;
  readonly controlKey: Secret;
  readonly publicKey?: KeyObject;
}

export interface Scheme {
  sign(unsigned: Unsigned, credentials: Credentials, assume: Assume, fresh: NonceAndTimestamp): SignedRequest;
  /** The same without holding up everything else, where signing takes its time. */
  signAsync?(
    unsigned: Unsigned,
    credentials: Credentials,
    assume: Assume,
    fresh: NonceAndTimestamp,
  ): Promise<SignedRequest>;
  verify(received: Received, merchant: Merchant, assume: Assume): Verdict;
}

/** Headers of every request. Accept must be exactly this; identity keeps replies readable without a decoder. */
export const plainHeaders = {
  'Content-Type': 'application/x-www-form-urlencoded',
  Accept: 'application/vnd.pay+json',
  'Accept-Encoding': 'identity',
} as const;

export function refused(reason: RefusalReason, detail: string): Verdict {
  return { ok: false, reason, detail };
}

/**
 * How a signature came about, as data. These texts hold card numbers and security codes as they are sent:
 * whoever shows them masks them first. Keys are never among them.
 */
export type SignatureStages = ControlStages | OauthStages | { readonly scheme: 'none' };

export interface ControlSlot {
  /** The field's key in the table, `login` or `endpointId`. */
  readonly name: string;
  /** What the wire calls it; the same word where it is not a field. */
  readonly wire: string;
  /** What went into the checksum; an amount in minor units. */
  readonly value: string;
  /** True for card data. */
  readonly secret: boolean;
}

export interface ControlStages {
  readonly scheme: 'control';
  readonly slots: readonly ControlSlot[];
  /** The values joined. The control key follows it in the checksum and is not here. */
  readonly string: string;
  /** Bytes of `string`. */
  readonly length: number;
  readonly keyFingerprint: string;
  readonly encoding: ControlEncoding;
  readonly digest: string;
}

export interface SourcedPair {
  readonly source: 'body' | 'query' | 'oauth';
  readonly name: string;
  readonly value: string;
}

export interface OauthStages {
  readonly scheme: 'hmac-sha1' | 'rsa-sha256';
  readonly method: 'POST';
  /** RFC 5849 3.4.1.3.1: what is signed, by where it came from. */
  readonly pairs: readonly SourcedPair[];
  /** 3.6: the same order, encoded. */
  readonly encoded: readonly Pair[];
  /** 3.4.1.3.2 */
  readonly sorted: readonly Pair[];
  /** 3.4.1.1: the three elements before their own encoding. */
  readonly parts: { readonly method: string; readonly url: string; readonly parameters: string };
  readonly baseString: string;
  readonly key: { readonly form: string; readonly fingerprint: string };
  readonly signature: string;
  readonly header: string;
}

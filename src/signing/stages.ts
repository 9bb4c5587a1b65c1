import type { Pair } from '../wire/form.js';
import type { ControlEncoding } from './control.js';

/**
 * How a signature came about, as data. These texts hold card numbers and security codes as they are sent:
 * whoever shows them masks them first. Keys are never among them.
 */
export type Stages = ControlStages | OauthStages | { readonly scheme: 'none' };

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

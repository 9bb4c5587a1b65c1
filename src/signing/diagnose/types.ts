import type { KeyObject } from 'node:crypto';
import type { Pair } from '../../wire/form.js';
import type { ControlEncoding } from '../control.js';
import type { HmacKeyForm } from '../oauth1.js';

export type OauthMistakeName =
  | 'reserved-characters'
  | 'space-plus'
  | 'encoded-twice-or-once'
  | 'body-left-out'
  | 'sort-order'
  | 'query-left-out'
  | 'signing-key'
  | 'scheme-host-port'
  | 'header-not-encoded'
  | 'empty-values'
  | 'not-utf8'
  | 'repeated-or-nested-names'
  | 'nonce-timestamp'
  | 'rsa-key-or-method'
  | 'realm'
  | 'method'
  | 'digest';

export type ControlMistakeName =
  | 'order'
  | 'decimal-amount'
  | 'missing-email'
  | 'endpoint-login'
  | 'orderid-text'
  | 'amount-currency'
  | 'key-whitespace'
  | 'other-key'
  | 'upper-case'
  | 'base64'
  | 'charset'
  | 'endpoint-group'
  | 'digest';

/** One thing done wrongly. `detail` is for people and names no secret and no value of a field. */
export interface Mistake<Name extends string = OauthMistakeName | ControlMistakeName> {
  readonly name: Name;
  /** Which way of doing it; one word, stable. */
  readonly variant: string;
  readonly detail: string;
}

/** Where theirs leaves ours. Offsets in bytes of UTF-8. These texts are as they were signed: whoever shows them masks them first. */
export interface Difference {
  readonly of: 'base string' | 'control string' | 'header';
  readonly at: number;
  /** A stretch of text around that byte. */
  readonly ours: string;
  readonly theirs: string;
  /** The first parameter that differs, encoded as in the base string. */
  readonly pair?: { readonly ours?: Pair | undefined; readonly theirs?: Pair | undefined } | undefined;
}

export interface Diagnosis {
  readonly match: boolean;
  /** Likeliest first; empty when it matches, and when nothing known explains the difference. */
  readonly mistakes: readonly Mistake[];
  /** The same, grouped: the mistakes of one entry were made together, and each entry explains the difference by itself. */
  readonly explanations: readonly (readonly Mistake[])[];
  readonly difference?: Difference | undefined;
  /** What was taken over from theirs before comparing, since each attempt has its own. */
  readonly taken?: readonly ('nonce' | 'timestamp' | 'consumer key' | 'version' | 'token' | 'realm')[] | undefined;
}

export interface OauthCase {
  readonly method: string;
  /** With its query, as it is sent. */
  readonly url: string;
  /** The pairs of the body only, decoded. */
  readonly body: readonly Pair[];
  readonly signatureMethod: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly consumerKey: string;
  readonly nonce: string;
  readonly timestamp: string;
  /** Whether oauth_version=1.0 is there. */
  readonly hasVersion: boolean;
  readonly token?: string | undefined;
  readonly realm?: string | undefined;
  /** For HMAC-SHA1. */
  readonly secret?: string | undefined;
  readonly tokenSecret?: string | undefined;
  /** A51; percent-encoded when left out. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** For RSA-SHA256. The private half signs, either half checks. */
  readonly privateKey?: KeyObject | undefined;
  readonly publicKey?: KeyObject | undefined;
  /** When the request was sent, in seconds. Left out, a clock is never blamed. */
  readonly now?: number | undefined;
}

export interface RawSignature {
  readonly baseString: string;
  readonly signature: string;
  readonly authorization: string;
  /** Encoded and sorted. */
  readonly parameters: readonly Pair[];
}

export type OauthTheirs = { readonly signature: string } | { readonly baseString: string } | { readonly header: string };

/** A request signed under one mistake. */
export interface OauthHypothesis {
  readonly mistake: Mistake<OauthMistakeName>;
  readonly baseString: string;
  /** What then stands in oauth_signature, before its encoding; undefined without the key that makes it. */
  sign(): string | undefined;
}

export interface ControlCase {
  /** In the order of the recipe; the amount in minor units. */
  readonly slots: readonly { readonly name: string; readonly wire: string; readonly value: string }[];
  readonly key: string;
  readonly encoding: ControlEncoding;
  /** The decimal text of the body, when there is an amount. */
  readonly amountText?: string | undefined;
  readonly currency?: string | undefined;
  readonly email?: string | undefined;
  readonly login: string;
  readonly endpointId: string;
  /** Other endpoint ids or groups. */
  readonly otherEndpoints?: readonly string[] | undefined;
  /** Of other profiles or merchants. */
  readonly otherKeys?: readonly { readonly name: string; readonly key: string }[] | undefined;
}

export type ControlTheirs = { readonly control: string } | { readonly string: string };

/** A checksum made under one mistake, or under two. */
export interface ControlHypothesis {
  readonly mistakes: readonly Mistake<ControlMistakeName>[];
  /** The values joined, without the key. */
  readonly string: string;
  readonly control: string;
}

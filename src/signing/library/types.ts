import type { Pair } from '../../wire/form.js';
import type { ControlEncoding, HmacKeyForm, RefusalReason } from '../schemes/public-types.js';

/** The types of `paycli/signing`. None of them needs the types of Node. */

/** What every function of the library throws for an argument of the wrong kind. */
export interface ArgumentError extends TypeError {
  readonly code: 'ERR_PAYCLI_ARGUMENT';
}

/**
 * Names and values of a request, in the order they are sent: pairs from an array, a `Map`, a `URLSearchParams` or any
 * other iterable; or an object, whose lists of texts stand for equal names. An object puts names such as `10` first;
 * pairs keep every order.
 */
export type Fields =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[]>>;

/** A key of `node:crypto`, already read, which spares reading the PEM text for every signature. */
export interface RsaKeyObject {
  readonly type: string;
  readonly asymmetricKeyType?: string | undefined;
}

/** Whether a callback is signed by a control key, and if not, why. `detail` is for people and holds no value. */
export type CallbackVerdict =
  | { readonly ok: true; readonly status: string; readonly orderId: string; readonly clientOrderId: string }
  | {
      readonly ok: false;
      readonly reason: 'callback-malformed' | 'control-missing' | 'control-wrong';
      readonly detail: string;
    };

/** What a merchant signs with. Those that a scheme does not need may be there as well and are not read. */
export interface SigningKeys {
  /** The merchant login, sent as oauth_consumer_key. */
  readonly login?: string | undefined;
  /** The merchant control key: of the checksum, and of HMAC-SHA1. */
  readonly controlKey?: string | undefined;
  /** Unencrypted PEM text (PKCS#8 or PKCS#1) or a `KeyObject`: RSA of 2048 bits or more. */
  readonly privateKey?: string | RsaKeyObject | undefined;
}

interface RequestParts {
  /** The whole address, as it is sent. */
  readonly url: string;
  /** The form body in the order it is sent, without control and without oauth_*. */
  readonly fields: Fields;
}

export interface ControlRequest extends RequestParts {
  readonly scheme: 'control';
  /** What the checksum of the operation covers, in its order, without the key; amounts in minor units. */
  readonly values: readonly string[];
  readonly keys: SigningKeys & { readonly controlKey: string };
  /** `hex-lower` when left out. */
  readonly encoding?: ControlEncoding | undefined;
}

interface OauthParts extends RequestParts {
  /** 32 random hexadecimal characters when left out. */
  readonly nonce?: string | undefined;
  /** Seconds since 1970; the present time when left out. */
  readonly timestamp?: number | undefined;
  /** Of the header; it is never signed. Printable ASCII. */
  readonly realm?: string | undefined;
}

export interface HmacRequest extends OauthParts {
  readonly scheme: 'HMAC-SHA1';
  readonly keys: SigningKeys & { readonly login: string; readonly controlKey: string };
  /** `encoded` when left out, as RFC 5849 3.4.2 says. */
  readonly keyForm?: HmacKeyForm | undefined;
  /** Whether the body repeats the oauth_*, except the signature. */
  readonly oauthInBody?: boolean | undefined;
}

export interface RsaRequest extends OauthParts {
  readonly scheme: 'RSA-SHA256';
  readonly keys: SigningKeys & { readonly login: string; readonly privateKey: string | RsaKeyObject };
}

/** A request that can be sent as it is: `fetch(signed.url, signed)`. */
export interface SignedRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The form, percent-encoded. */
  readonly body: string;
  /** What the body holds, not encoded. */
  readonly pairs: readonly Pair[];
  /** What was signed: the base string (RFC 5849 3.4.1.1), or the values of the checksum without the key. */
  readonly baseString: string;
  /** The checksum, or oauth_signature not encoded. */
  readonly signature: string;
}

/** What a merchant's requests are verified with. Those that a scheme does not need may be there and are not read. */
export interface VerifyingKeys {
  /** The merchant login, which oauth_consumer_key must be. */
  readonly login?: string | undefined;
  /** Several while a key is being replaced. */
  readonly controlKey?: string | readonly string[] | undefined;
  /** PEM text (SPKI or PKCS#1) or a `KeyObject`, RSA of 2048 bits or more; or several. */
  readonly publicKey?: PublicKeys | undefined;
}

type PublicKeys = string | RsaKeyObject | readonly (string | RsaKeyObject)[];

export interface ReceivedControlRequest {
  readonly scheme: 'control';
  /** The body, `control` included: its text, or pairs, or an object. */
  readonly fields: Fields | string;
  /** What the checksum of the operation covers, in its order, as received; amounts in minor units. */
  readonly values: readonly string[];
  readonly keys: VerifyingKeys & { readonly controlKey: string | readonly string[] };
  /** `hex-lower` when left out. */
  readonly encoding?: ControlEncoding | undefined;
}

interface ReceivedOauthRequest {
  /** POST when left out. */
  readonly method?: string | undefined;
  /** The whole address, as the client wrote it. */
  readonly url: string;
  /** The body: its text, or pairs, or an object. */
  readonly fields: Fields | string;
  /** The Authorization header; undefined or null when there was none. */
  readonly authorization: string | null | undefined;
  /** The time of the server in seconds since 1970. Left out, no timestamp is refused. */
  readonly now?: number | undefined;
  /** How far the timestamp may be from `now`, in seconds: 300 when left out. */
  readonly tolerance?: number | undefined;
}

export interface ReceivedHmacRequest extends ReceivedOauthRequest {
  readonly scheme: 'HMAC-SHA1';
  readonly keys: VerifyingKeys & { readonly login: string; readonly controlKey: string | readonly string[] };
  /** `encoded` when left out, as RFC 5849 3.4.2 says. */
  readonly keyForm?: HmacKeyForm | undefined;
}

export interface ReceivedRsaRequest extends ReceivedOauthRequest {
  readonly scheme: 'RSA-SHA256';
  readonly keys: VerifyingKeys & { readonly login: string; readonly publicKey: PublicKeys };
}

/**
 * Whether a request is signed, and if not, why. `detail` is for people and holds no value and no key. Nonce (any text)
 * and timestamp (digits, seconds since 1970) are there for OAuth.
 */
export type RequestVerdict =
  | { readonly ok: true; readonly nonce?: string; readonly timestamp?: string }
  | {
      readonly ok: false;
      readonly reason: RefusalReason | 'oauth-timestamp' | 'body-malformed';
      readonly detail: string;
    };

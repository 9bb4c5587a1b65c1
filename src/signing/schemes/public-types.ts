/** Types of the schemes that `paycli/signing` shows. None of them needs the types of Node. */

/** How a checksum is written down (A01). */
export type ControlEncoding = 'hex-lower' | 'hex-upper' | 'base64';

/** Whether the two secrets of the HMAC key are percent-encoded, as RFC 5849 3.4.2 says, or not (A51). */
export type HmacKeyForm = 'encoded' | 'raw';

export type RefusalReason =
  | 'control-missing'
  | 'control-wrong'
  | 'oauth-missing'
  | 'oauth-malformed'
  | 'oauth-parameters'
  | 'oauth-method'
  | 'oauth-version'
  | 'oauth-consumer'
  | 'oauth-key-missing'
  | 'oauth-signature';

/**
 * `detail` is for people and names no value and no key. Nonce and timestamp are handed on; their window and memory are
 * the server's.
 */
export type Verdict =
  | { readonly ok: true; readonly nonce?: string; readonly timestamp?: string }
  | { readonly ok: false; readonly reason: RefusalReason; readonly detail: string };

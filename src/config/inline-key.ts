// DER of an Ed25519 public key: 44 bytes.
const inlineKey = /^[A-Za-z0-9+/]{59}=$/;

/** True for a key in Base64; anything else is the path of one. */
export function isInlineKey(text: string): boolean {
  return inlineKey.test(text);
}

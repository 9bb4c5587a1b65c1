import { fail } from '../errors/index.js';

// RFC 3986 2.3: only these stand for themselves.
const unreserved = /^[A-Za-z0-9\-._~]*$/;
// RFC 3986 2.2 reserves these five, yet encodeURIComponent lets them through.
const letThrough = /[!'()*]/g;
const mayBeLetThrough = /[!'()*]/;

/**
 * Percent-encodes the UTF-8 bytes of a text by RFC 3986 (RFC 5849 3.6): letters, digits and -._~ stay, all else
 * becomes upper-case %XX. Throws TEXT_INVALID for a lone surrogate, which has no UTF-8 form.
 */
export function percentEncode(text: string, field = 'text'): string {
  if (unreserved.test(text)) return text;
  const encoded = encodedByHost(text, field);
  return mayBeLetThrough.test(encoded)
    ? encoded.replace(letThrough, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    : encoded;
}

function encodedByHost(text: string, field: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw fail('TEXT_INVALID', { field, why: 'it holds half of a surrogate pair, which UTF-8 cannot carry' }, { cause });
  }
}

import { fail } from '../errors/index.js';

// RFC 3986 2.3: only these stand for themselves.
const unreserved = /^[A-Za-z0-9\-._~]*$/;
/**
 * Percent-encodes the UTF-8 bytes of a text by RFC 3986 (RFC 5849 3.6): letters, digits and -._~ stay, all else
 * becomes upper-case %XX. Throws TEXT_INVALID for a lone surrogate, which has no UTF-8 form.
 */
export function percentEncode(text: string, field = 'text'): string {
  if (unreserved.test(text)) return text;
  return withRest(encodedByHost(text, field));
}

/** RFC 3986 2.2 reserves !'()* as well, yet encodeURIComponent lets them through. By code unit: a pattern takes thrice as long. */
function withRest(encoded: string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < encoded.length; at += 1) {
    const unit = encoded.charCodeAt(at);
    if (unit !== 0x21 && (unit < 0x27 || unit > 0x2a)) continue;
    text += `${encoded.slice(from, at)}%${unit.toString(16).toUpperCase()}`;
    from = at + 1;
  }
  return from === 0 ? encoded : text + encoded.slice(from);
}

function encodedByHost(text: string, field: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw fail('TEXT_INVALID', { field, why: 'it holds half of a surrogate pair, which UTF-8 cannot carry' }, { cause });
  }
}

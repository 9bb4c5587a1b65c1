import { fail, type PaycliError } from '../errors/index.js';

/** A name and a value, in the order they are sent. Lists of pairs keep equal names, empty values and odd names. */
export type Pair = readonly [name: string, value: string];

/** The body of a form POST. Blanks become %20, so that body and signature use one encoding. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${percentEncode(name, name)}=${percentEncode(value, name)}`).join('&');
}

/**
 * Reads application/x-www-form-urlencoded text; `+` is a blank. Pieces without `=` get an empty value, empty pieces are
 * ignored. Throws TEXT_INVALID for a bad escape or bytes that are not UTF-8.
 */
export function decodeForm(text: string): Pair[] {
  const pairs: Pair[] = [];
  for (const piece of text.split('&')) {
    const cut = piece.indexOf('=');
    if (cut !== -1) pairs.push([decodePart(piece.slice(0, cut)), decodePart(piece.slice(cut + 1))]);
    else if (piece !== '') pairs.push([decodePart(piece), '']);
  }
  return pairs;
}

function decodePart(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  if (/%(?![0-9A-Fa-f]{2})/.test(text))
    throw fail('TEXT_INVALID', { field: 'form body', why: 'a % is not followed by two hexadecimal digits' });
  try {
    // Faster than replaceAll where there are many.
    return decodeURIComponent(text.split('+').join(' '));
  } catch (cause) {
    throw fail('TEXT_INVALID', { field: 'form body', why: 'its bytes are not UTF-8' }, { cause });
  }
}

/** A text with its percent escapes read; as it is when they cannot be. */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// RFC 3986 2.3: only these are never encoded.
const unreserved = /^[A-Za-z0-9\-._~]*$/;
/**
 * Percent-encodes the UTF-8 bytes of a text by RFC 3986 (RFC 5849 3.6): letters, digits and -._~ stay, all else
 * becomes upper-case %XX. Throws TEXT_INVALID for a lone surrogate, which has no UTF-8 form.
 */
export function percentEncode(text: string, field = 'text'): string {
  if (unreserved.test(text)) return text;
  return encodeReserved(encodedByHost(text, field));
}

/**
 * RFC 3986 2.2 reserves !'()* as well, but encodeURIComponent leaves them as they are. By code unit: a pattern takes
 * three times as long.
 */
function encodeReserved(encoded: string): string {
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
    throw halfOfSurrogatePair(field, { cause });
  }
}

/** A text that no request can hold. */
export function halfOfSurrogatePair(field: string, options?: { readonly cause: unknown }): PaycliError {
  return fail('TEXT_INVALID', { field, why: 'it contains an unpaired surrogate, which UTF-8 cannot encode' }, options);
}

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
  // Most names and values are as they are.
  if (!/[+%]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    const isCut = /%(?![0-9A-Fa-f]{2})/.test(text);
    const why = isCut ? 'a % is not followed by two hexadecimal digits' : 'its bytes are not UTF-8';
    throw fail('TEXT_INVALID', { field: 'form body', why }, { cause });
  }
}

/**
 * Percent-encodes the UTF-8 bytes of a text by RFC 3986 (RFC 5849 3.6): letters, digits and -._~ stay, all else
 * becomes upper-case %XX. Throws TEXT_INVALID for a lone surrogate, which has no UTF-8 form.
 */
export function percentEncode(text: string, field = 'text'): string {
  // Most names and values are as they are, and the encoder costs five times this test.
  if (/^[\w.~-]*$/.test(text)) return text;
  if (!text.isWellFormed()) throw halfOfSurrogatePair(field);
  const encoded = encodeURIComponent(text);
  // Reserved as well (RFC 3986 2.2), but left as they are by encodeURIComponent.
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A text that no request can hold. */
export function halfOfSurrogatePair(field: string): PaycliError {
  return fail('TEXT_INVALID', { field, why: 'it contains an unpaired surrogate, which UTF-8 cannot encode' });
}

import { fail } from '../errors/index.js';

const largestId = 2n ** 63n - 1n;
// The WHATWG parser drops tabs, turns backslashes into slashes and takes a host out of `https:///x`; none of that is wanted here.
const written = /^https?:\/\/([^/?#]+)(?:[/?#]|$)/i;
const unwritable = /[\s\p{Cc}\p{Cf}\p{Cs}\\]/u;

/** An absolute http or https address with a host and without user info; undefined for any other text. */
export function webAddress(text: string): URL | undefined {
  return isWebAddress(text) ? new URL(text) : undefined;
}

export function isWebAddress(text: string): boolean {
  const authority = written.exec(text)?.[1];
  return authority !== undefined && !authority.includes('@') && !unwritable.test(text) && URL.canParse(text);
}

/**
 * The gateway's base address: https, or http for this machine itself. Scheme and host come back in lower case, the default
 * port dropped, the path prefix kept without a slash at its end. Throws URL_INVALID.
 */
export function parseBaseUrl(text: string): string {
  const url = webAddress(text);
  if (url === undefined) throw refused('it is no http or https address, or it holds a user name, blanks or backslashes');
  if (/[?#]/.test(text)) throw refused('a base address has no query and no fragment');
  if (url.protocol === 'http:' && !isLoopback(url.href)) throw refused('plain http is for this machine only');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Where an operation is posted. `base` comes from parseBaseUrl, `endpointId` from parseEndpointId. */
export function operationUrl(base: string, path: string, endpointId: string): string {
  return `${base}${path}/${endpointId}`;
}

/** A positive int64 in plain digits, kept as text since a number would lose its last ones. Throws FIELD_INVALID. */
export function parseEndpointId(text: string): string {
  if (/^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= largestId) return text;
  throw fail('FIELD_INVALID', { problems: 'endpoint id must be a whole number above zero that fits 64 bits, without zeros in front' });
}

/** True for 127.0.0.0/8, ::1 and localhost, however the address is spelled; no name is looked up. */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname;
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Host, and port unless it is the scheme's default one. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

function refused(why: string): Error {
  return fail('URL_INVALID', { field: 'of the gateway', why, form: 'https://gateway.example/prefix' });
}

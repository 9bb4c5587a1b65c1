import { fail } from '../errors/index.js';

/** The two halves of an address that a signature treats apart. The fragment belongs to neither. */
export interface SplitUrl {
  /** Scheme, authority and path in the form of RFC 5849 3.4.1.2. */
  readonly uri: string;
  /** Between `?` and `#`, still encoded; empty when there is none. */
  readonly query: string;
}

const address = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i;
const authority = /^(\[[0-9a-f:.]+\]|[a-z0-9\-._~]+)(?::(\d*))?$/i;
const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * Scheme and host in lower case, default ports dropped, empty path as `/`; query and fragment left out (RFC 5849 3.4.1.2).
 * The path stays letter for letter: dots and escapes are not resolved, so what is sent must be this very text.
 * Throws URL_INVALID for user info, for schemes other than http and https, and for characters an address cannot carry.
 */
export function baseStringUri(url: string): string {
  return splitUrl(url).uri;
}

// Whoever signs, signs for the same address again and again.
let newest: { readonly url: string; readonly split: SplitUrl } | undefined;

export function splitUrl(url: string): SplitUrl {
  if (newest?.url !== url) newest = { url, split: split(url) };
  return newest.split;
}

function split(url: string): SplitUrl {
  // An HTTP client would rewrite these characters on the way out, and the signature would no longer fit.
  if (!/^[\x21-\x7e]*$/.test(url)) throw invalid('blanks, control characters and letters beyond ASCII must be percent-encoded');
  const parts = address.exec(url);
  if (parts === null) throw invalid('it must start with http:// or https://');
  const [, scheme = '', where = '', path = '', query = ''] = parts;
  if (/["<>\\^`{|}]/.test(path)) throw invalid('its path holds a character that must be percent-encoded');
  return { uri: `${scheme.toLowerCase()}://${hostAndPort(where, scheme.toLowerCase())}${path === '' ? '/' : path}`, query };
}

function hostAndPort(where: string, scheme: string): string {
  if (where.includes('@')) throw invalid('it holds user info, which is refused');
  const parts = authority.exec(where);
  if (parts === null) throw invalid('its host or port is malformed');
  const [, host = '', digits = ''] = parts;
  const port = Number(digits);
  if (port > 65_535) throw invalid('its port is above 65535');
  return digits === '' || port === defaultPorts[scheme] ? host.toLowerCase() : `${host.toLowerCase()}:${port}`;
}

// The address itself is not repeated: it may hold a password.
function invalid(why: string): Error {
  return fail('URL_INVALID', { field: 'url', why, form: 'https://gateway.example/paynet/api/v2/sale/17' });
}

import { fail, type PaycliError } from '../errors/index.js';

const maxId = 2n ** 63n - 1n;
// The WHATWG parser drops tabs, turns backslashes into slashes and reads a host from `https:///x`; this pattern refuses
// such texts.
const written = /^https?:\/\/([^/?#]+)(?:[/?#]|$)/i;
const unwritable = /[\s\p{Cc}\p{Cf}\p{Cs}\\]/u;

/** An absolute http or https address with a host and without user info; undefined for any other text. */
export function webAddress(text: string): URL | undefined {
  const authority = written.exec(text)?.[1];
  if (authority === undefined || authority.includes('@') || unwritable.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * The gateway's base address: https, or http for this machine itself. Scheme and host come back in lower case, the
 * default port dropped, the path prefix kept without a slash at its end. Throws URL_INVALID.
 */
export function parseBaseUrl(text: string): string {
  const url = webAddress(text);
  if (url === undefined)
    throw baseUrlInvalid('use an http or https address without a user name, spaces or backslashes');
  if (/[?#]/.test(text)) throw baseUrlInvalid('leave out the query and the fragment');
  if (url.protocol === 'http:' && !isLoopback(url.href))
    throw baseUrlInvalid('use https; plain http is for this machine only');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function baseUrlInvalid(why: string): PaycliError {
  return fail('URL_INVALID', { field: 'of the gateway', why, form: 'https://gateway.example/prefix' });
}

// `localhost` and the two addresses of the loopback interface; the rest of 127.0.0.0/8 may be other gateways.
const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]', '[::ffff:7f00:1]']);

/**
 * The normalised name of a gateway: scheme and host in lower case, no dot after the host, no default port, no slash at
 * the end, and `127.0.0.1` for this machine. http and https stay different. For comparing and recording only: requests
 * go to the address as it was given. A text that is no web address, such as the name of the built-in sandbox, stays as
 * it is.
 */
export function gatewayName(address: string): string {
  const url = webAddress(address);
  if (url === undefined) return address;
  const host = url.hostname.replace(/\.$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${thisMachine.has(host) ? '127.0.0.1' : host}${port}${url.pathname.replace(/\/+$/, '')}`;
}

/** A positive int64 in plain digits, kept as text since a number would lose its last ones. Throws FIELD_INVALID. */
export function parseEndpointId(text: string): string {
  if (/^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= maxId) return text;
  throw fail('FIELD_INVALID', {
    problems: 'use a whole number above zero that fits 64 bits, without leading zeros, as the endpoint id',
  });
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

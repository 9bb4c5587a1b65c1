import { fail, type PaycliError } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';
import { encodePairs } from './oauth1.js';

export interface AuthorizationHeader {
  /** The protection realm, which no signature covers. */
  readonly realm?: string;
  /** Everything else, in the order it stood there; equal names are kept. */
  readonly pairs: readonly Pair[];
}

/**
 * RFC 5849 3.5.1: `OAuth name="encoded value", …`, the realm first. The realm is a quoted string of RFC 2617 1.2 and
 * not percent-encoded; it must be printable ASCII.
 */
export function authorizationHeader(oauthPairs: readonly Pair[], options: { readonly realm?: string } = {}): string {
  return `OAuth ${realmText(options.realm)}${joinHeader(encodePairs(oauthPairs))}`;
}

/** Pairs already encoded, as they stand after the word OAuth. */
export function joinHeader(encoded: readonly Pair[]): string {
  return encoded.map(([name, value]) => `${name}="${value}"`).join(', ');
}

/** What stands before them. */
export function realmText(realm: string | undefined): string {
  if (realm === undefined) return '';
  if (!/^[\x20-\x7e]*$/.test(realm))
    throw fail('TEXT_INVALID', { field: 'realm', why: 'only printable ASCII is allowed' });
  return `realm="${realm.replace(/["\\]/g, '\\$&')}", `;
}

/**
 * Reads such a header; the scheme's case and blanks around commas do not matter. Throws TEXT_INVALID when it is
 * malformed, which includes a value that holds a reserved character such as `+`, `/` or `=` unencoded.
 */
export function parseAuthorizationHeader(header: string): AuthorizationHeader {
  const { realm, pairs } = splitAuthorizationHeader(header);
  const decoded = pairs.map(([name, value]): Pair => [decoded36(name, name), decoded36(value, name)]);
  return realm === undefined ? { pairs: decoded } : { realm, pairs: decoded };
}

/** The same, with names and values as they stand there, for those who look for encoding mistakes. */
export function splitAuthorizationHeader(header: string): AuthorizationHeader {
  const scheme = /^[ \t]*OAuth[ \t]+/i.exec(header);
  if (scheme === null) throw malformed('it does not start with "OAuth" and a space');
  const parameter = /([^\s=",]+)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,[ \t]*|$)/y;
  const pairs: Pair[] = [];
  let realm: string | undefined;
  parameter.lastIndex = scheme[0].length;
  while (parameter.lastIndex < header.length) {
    const found = parameter.exec(header);
    if (found === null)
      throw malformed(`parameter ${pairs.length + 1} is not of the form name="value" followed by a comma or the end`);
    const [, name = '', value = ''] = found;
    if (name.toLowerCase() !== 'realm') pairs.push([name, value]);
    else if (realm === undefined) realm = value.replace(/\\(.)/g, '$1');
    else throw malformed('it has two realms');
  }
  if (pairs.length === 0) throw malformed('it has no parameters');
  if (/,[ \t]*$/.test(header)) throw malformed('it ends with a comma');
  return realm === undefined ? { pairs } : { realm, pairs };
}

// RFC 5849 3.6 backwards. A plus sign is a plus sign here, unlike in a form; unencoded it is refused like every
// reserved character.
function decoded36(text: string, name: string): string {
  if (!/^(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})*$/.test(text)) throw malformed(`${name} is not percent-encoded`);
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw malformed(`the bytes of ${name} are not UTF-8`, cause);
  }
}

function malformed(why: string, cause?: unknown): PaycliError {
  return fail('TEXT_INVALID', { field: 'Authorization header', why }, { cause });
}

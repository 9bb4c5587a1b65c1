import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { encodePairs } from '../oauth1.js';
import type { Wrong } from './oauth-parts.js';
import { joinText, type OauthParts, parametersOf } from './oauth-parts.js';

/** The oauth_ parameters and the realm (3.4.1.3.1). */
export function* protocolFaults(parts: OauthParts): Generator<Wrong> {
  yield* stamps(parts);
  yield* methods(parts);
  yield* realms(parts);
}

const zones = [...Array(14).keys()].map((at) => at + 1).concat([3.5, 4.5, 5.5, 5.75, 6.5, 9.5]);
// The clock read twice, a moment apart.
const moments = [1, 2, 3, 4, 5];

function* stamps(parts: OauthParts): Generator<Wrong> {
  const { timestamp } = parts.given;
  const wrong = (variant: string, detail: string, value: string | undefined): Wrong => ({
    name: 'nonce-timestamp',
    variant,
    detail,
    elements: replaced(parts, 'oauth_timestamp', value),
  });
  yield wrong('timestamp-left-out', 'oauth_timestamp not signed', undefined);
  yield { ...wrong('nonce-left-out', 'oauth_nonce not signed', undefined), elements: replaced(parts, 'oauth_nonce', undefined) };
  if (!/^\d{1,16}$/.test(timestamp)) return;
  yield wrong('milliseconds', 'oauth_timestamp signed in milliseconds; it is in seconds, ten digits', `${timestamp}000`);
  if (timestamp.length > 3)
    yield wrong('milliseconds', 'oauth_timestamp sent in milliseconds and signed in seconds', timestamp.slice(0, -3));
  const seconds = Number(timestamp);
  for (const off of moments.flatMap((each) => [-each, each]))
    yield wrong('read-twice', `oauth_timestamp signed ${off} s off the one that is sent: read the clock once`, String(seconds + off));
  for (const hours of zones.flatMap((each) => [-each, each]))
    yield wrong(
      'time-zone',
      `oauth_timestamp signed ${hours} h off the one that is sent; it counts from 1970 in UTC`,
      String(seconds + hours * 3600),
    );
}

/** A thousand texts, for when nothing else explains it. */
export function* rareStamps(parts: OauthParts): Generator<Wrong> {
  const { timestamp } = parts.given;
  if (!/^\d{1,13}$/.test(timestamp)) return;
  for (let rest = 0; rest < 1000; rest += 1)
    yield {
      name: 'nonce-timestamp',
      variant: 'milliseconds',
      detail: 'oauth_timestamp signed in milliseconds; it is in seconds, ten digits',
      elements: replaced(parts, 'oauth_timestamp', timestamp + String(rest).padStart(3, '0')),
    };
}

const otherMethods: Readonly<Record<'HMAC-SHA1' | 'RSA-SHA256', readonly string[]>> = {
  'HMAC-SHA1': ['HMAC-SHA256', 'RSA-SHA1', 'RSA-SHA256', 'PLAINTEXT', 'hmac-sha1', 'HMAC_SHA1', 'HmacSHA1', 'HMAC-SHA-1', 'SHA1', ''],
  'RSA-SHA256': ['RSA-SHA1', 'HMAC-SHA1', 'HMAC-SHA256', 'rsa-sha256', 'RSA_SHA256', 'SHA256withRSA', 'RSA-SHA-256', 'RS256', 'SHA256', ''],
};

function* methods(parts: OauthParts): Generator<Wrong> {
  const own = parts.given.signatureMethod;
  for (const name of otherMethods[own])
    yield {
      name: 'rsa-key-or-method',
      variant: name === '' ? 'method-empty' : `method-${name}`,
      detail: `oauth_signature_method=${name} signed; it is ${own}`,
      elements: replaced(parts, 'oauth_signature_method', name),
    };
  yield {
    name: 'rsa-key-or-method',
    variant: 'method-left-out',
    detail: 'oauth_signature_method not signed',
    elements: replaced(parts, 'oauth_signature_method', undefined),
  };
}

function* realms({ sorted, items, given }: OauthParts): Generator<Wrong> {
  const wrong = (variant: string, detail: string, pairs: readonly Pair[]): Wrong => ({
    name: 'realm',
    variant,
    detail,
    elements: { parameters: parametersOf(pairs) },
  });
  const words = given.realm === undefined ? [''] : [given.realm, ''];
  for (const realm of words)
    for (const name of ['realm', 'OAuth realm'])
      yield wrong('signed', 'the realm signed; it only stands in the header', [...sorted, ...encodePairs([[name, realm]])]);
  const withoutField = items.filter(({ plain }) => plain[0] !== 'realm').map(({ encoded }) => encoded);
  yield wrong('field-left-out', 'a field named realm left out; in a body it is a field like any other', withoutField);
}

/** The base string of a request that names another signature method. */
export function declaring(parts: OauthParts, method: string): string {
  return joinText({ ...parts.elements, ...replaced(parts, 'oauth_signature_method', method) });
}

/** Another value of an oauth_ parameter; none at all when undefined. */
function replaced({ items }: OauthParts, name: string, value: string | undefined): Wrong['elements'] {
  const encoded = items.flatMap((item): readonly Pair[] => {
    if (item.from !== 'oauth' || item.plain[0] !== name) return [item.encoded];
    return value === undefined ? [] : [[name, percentEncode(value)]];
  });
  return { parameters: parametersOf(encoded) };
}

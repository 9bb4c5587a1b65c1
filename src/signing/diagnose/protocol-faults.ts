import type { Pair } from '../../wire/form.js';
import { encodePairs } from '../oauth1.js';
import { type OauthParts, parametersOf, type Wrong } from './oauth-parts.js';
import { replaced } from './protocol-values.js';

/** The signature method and the realm (3.4.1.3.1). */
export function* protocolFaults(parts: OauthParts): Generator<Wrong> {
  yield* methods(parts);
  yield* realms(parts);
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
